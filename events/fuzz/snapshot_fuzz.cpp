// libFuzzer target: folding from a snapshot against folding from the first event.
#include <cstdint>
#include <cstdlib>

#include "events/fuzz/snapshot_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!turnstone::snapshot_trial({reinterpret_cast<const char*>(data), size}).empty()) std::abort();
  return 0;
}
