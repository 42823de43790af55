// libFuzzer target over understand and revise; tests/fuzz/corpus holds its seeds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/reading_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto broken = turnstone::broken_by(std::string_view(reinterpret_cast<const char*>(data), size));
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.front().c_str());
  std::abort();
}
