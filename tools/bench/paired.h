// Differences of pairs: what two ways of doing the same differ by, when each is done right after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace turnstone {

// Of the middle 98 % of the pairs: what else the machine did meanwhile falls on single ones.
struct Difference {
  double mean_us = 0, standard_error_us = 0;
  std::size_t pairs = 0;
};
inline Difference difference_of(std::vector<std::int64_t> differences) {
  std::sort(differences.begin(), differences.end());
  const std::size_t cut = differences.size() / 100;
  double sum = 0, squares = 0;
  Difference found;
  for (std::size_t i = cut; i + cut < differences.size(); ++i) {
    const auto each = static_cast<double>(differences[i]);
    sum += each, squares += each * each, ++found.pairs;
  }
  if (found.pairs < 2) return found;
  const auto n = static_cast<double>(found.pairs);
  found.mean_us = sum / n;
  found.standard_error_us = std::sqrt(std::max(0.0, squares / n - found.mean_us * found.mean_us) / n);
  return found;
}

inline double ratio_of(std::int64_t one, std::int64_t other) { return static_cast<double>(one) / static_cast<double>(std::max<std::int64_t>(1, other)); }

}  // namespace turnstone
