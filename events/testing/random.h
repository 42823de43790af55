// The source of chance in tests and simulations. SplitMix64 (Steele, Lea, Flood 2014): the standard distributions differ
// between libraries, this does not.
#pragma once

#include <cstdint>

namespace turnstone::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // 0..bound-1; 0 where bound is 0.
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : bits() % bound; }
  // least..most, both included.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  bool chance(std::uint64_t permille) { return below(1'000) < permille; }
  // A stream of its own, so that one part's use of chance does not move another's.
  Random split() { return Random(bits()); }

 private:
  std::uint64_t state_;
};

}  // namespace turnstone::testing
