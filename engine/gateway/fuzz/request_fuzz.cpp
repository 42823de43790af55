// libFuzzer target for what HTTP clients send once Beast has taken the request apart: the target, and the two JSON bodies.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/gateway/request_body.h"
#include "engine/gateway/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnstone;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)read_new_session(bytes);
  (void)read_turn(bytes, SessionId{"s"}, TurnKey{"k"});
  const auto target = parse_target(bytes);
  if (!target) return 0;
  std::string rebuilt;
  for (const std::string& segment : target->segments) rebuilt += "/" + percent_encode(segment);
  const auto again = parse_target(rebuilt.empty() ? "/" : rebuilt);
  if (!again || again->segments != target->segments) std::abort();
  return 0;
}
