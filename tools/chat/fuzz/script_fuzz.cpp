// libFuzzer target for the lines of a script: what is read holds to the rules that every way in shares.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/turn_request.h"
#include "tools/chat/script_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnstone;
  const auto line = parse_script_line(std::string_view(reinterpret_cast<const char*>(data), size), "shopper");
  if (line && (!validate_turn(line->turn) || !validate_session(line->session))) std::abort();
  return 0;
}
