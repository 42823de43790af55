#include "workers/gate_value.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {

std::size_t best_list_size(const std::vector<std::int64_t>& chances, std::size_t at_most, const Variant::Gate& gate) {
  const std::size_t n = chances.size();
  if (n == 0) return 0;
  std::vector<std::int64_t> value(n + 1, 0), mass_from(n + 1, 0);
  std::vector<std::size_t> size(n + 1, 0);
  for (std::size_t i = n; i-- > 0;) mass_from[i] = mass_from[i + 1] + chances[i];
  for (std::size_t i = n; i-- > 0;) {
    std::int64_t shown = 0;
    for (std::size_t k = 1; k <= std::min(at_most, n - i); ++k) {
      const std::size_t last = i + k - 1;
      shown += chances[last] * (gate.hit_value + gate.rank_value / static_cast<std::int64_t>(k));
      const std::int64_t later = fixed_point::share(value[last + 1], fixed_point::whole - gate.leaving) - mass_from[last + 1] * gate.turn_cost;
      const std::int64_t total = shown + later;
      if (size[i] == 0 || total > value[i]) {
        value[i] = total;
        size[i] = k;
      }
    }
  }
  return size[0];
}

std::int64_t value_of_waiting(std::int64_t uncertainty, std::size_t at_most, const Variant::Gate& gate) {
  constexpr std::int64_t equals_max = 256;  // from here on most shoppers have left before their product comes up
  const std::int64_t weight = fixed_point::exp2_weight(uncertainty);
  const std::int64_t equals = weight == 0 ? equals_max : std::min(equals_max, fixed_point::weight_one / weight);
  const auto later = [&](std::int64_t value) { return fixed_point::share(value, fixed_point::whole - gate.leaving) - gate.turn_cost; };
  std::vector<std::int64_t> value(static_cast<std::size_t>(equals) + 1, 0);  // of one among so many
  for (std::size_t n = 1; n < value.size(); ++n) {
    std::int64_t shown = 0;
    for (std::size_t k = 1; k <= std::min(at_most, n); ++k) {
      shown += gate.hit_value + gate.rank_value / static_cast<std::int64_t>(k);
      const std::int64_t rest = static_cast<std::int64_t>(n - k) * later(value[n - k]);
      value[n] = std::max(value[n], (shown + rest) / static_cast<std::int64_t>(n));
    }
  }
  return later(value.back());
}

std::size_t list_size_while_learning(std::int64_t uncertainty, std::size_t at_most, const Variant::Gate& gate) {
  const std::int64_t waiting = value_of_waiting(uncertainty, at_most, gate);
  std::size_t size = 1;
  while (size < at_most && gate.hit_value + gate.rank_value / static_cast<std::int64_t>(size + 1) >= waiting) ++size;
  return size;
}

}  // namespace turnstone
