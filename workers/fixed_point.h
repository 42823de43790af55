// The scales of every score and the integer logarithms and exponentials behind them.
//
//   information   Millibits: 1,000 = 1 bit. IDF, entropy, gain and ranking scores are all on this scale, so that
//                 a ranking score reads as "bits of evidence".
//   shares        Permille: 1,000 = all.
//   weights       unnormalised probabilities: weight_one = 2^30 = 1.
//   fused ranks   fused_one / (k + rank) summed over routes (reciprocal rank fusion).
//
// No floating point: tables are computed at compile time by integer arithmetic, so that every compiler and
// machine has the same ones. Pure; thread safe; O(1) unless said otherwise.
#pragma once

#include <cstdint>
#include <span>

namespace turnstone::fixed_point {

inline constexpr std::int64_t bit = 1'000;                 // millibits in a bit
inline constexpr std::int64_t whole = 1'000;               // permille in a whole
inline constexpr std::int64_t weight_one = std::int64_t{1} << 30;
inline constexpr std::int64_t fused_one = 1'000'000'000;

// 1,000 · log2(x), rounded down: less than 1.001 under the exact value, and never falling. log2 of 0 is given as 0.
std::int64_t log2_millibits(std::uint64_t x);

// weight_one · 2^(−millibits/1,000), rounded down, never rising; weight_one for anything ≤ 0 and 0 from 31 bits on.
std::int64_t exp2_weight(std::int64_t millibits_below);

// Entropy in millibits of the distribution that the weights are in proportion to; 0 for fewer than two
// positive weights. Weights must lie in 0..weight_one and be at most 65,536 in number. O(n).
std::int64_t entropy_millibits(std::span<const std::int64_t> weights);

// value · permille / 1,000, towards zero.
constexpr std::int64_t share(std::int64_t value, std::int64_t permille) { return value * permille / whole; }

// part · 1,000 / total, 0 when total is 0.
constexpr std::int64_t permille_of(std::int64_t part, std::int64_t total) { return total == 0 ? 0 : part * whole / total; }

}  // namespace turnstone::fixed_point
