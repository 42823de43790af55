// Reproducible randomness: the same seed gives the same numbers with every compiler and library (the standard
// distributions do not). For data and tests; never for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace turnstone {

// SplitMix64 (Steele, Lea, Flood 2014): also the mixer that turns (seed, index) into a stream of its own.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix64(mix64(seed) ^ (stream * 0xd1342543de82ef95ULL))) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix64(state_);
  }
  // 0..n-1, n ≥ 1 (multiply-shift; the bias is below n / 2^32).
  constexpr std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }
  // low..high, both included.
  constexpr std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
  constexpr bool chance(std::uint32_t permille) { return below(1000) < permille; }
  // 0..n-1, small numbers far more often: about as often as their rank's inverse.
  constexpr std::uint32_t skewed_below(std::uint32_t n) { return below(below(n) + 1); }

  template <class T>
  constexpr const T& pick(std::span<const T> items) {
    return items[below(static_cast<std::uint32_t>(items.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace turnstone
