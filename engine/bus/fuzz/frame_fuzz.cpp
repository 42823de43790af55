// libFuzzer target for the bus's frames: what is read must encode again and read back equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/bus/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnstone::bus;
  const auto message = decode(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!message) return 0;
  const auto again = encode(*message);
  if (!again || !(*decode(*again) == *message)) std::abort();
  return 0;
}
