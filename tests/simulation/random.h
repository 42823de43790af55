// The only source of chance in a simulated run: SplitMix64, the same on every machine.
#pragma once

#include <cstdint>

namespace turnstone::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }
  bool chance(std::uint64_t permille) { return below(1'000) < permille; }
  // A stream of its own, so that one part's use of chance does not move another's.
  Random split() { return Random(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace turnstone::simulation
