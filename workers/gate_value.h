// How many products to show when rank is weighed against delay.
#pragma once

#include <cstdint>
#include <vector>

#include "workers/variant.h"

namespace turnstone {

// `chances` are the products' probabilities in millionths, best first. The best size of the next list, when the
// rest is shown in later lists of best sizes too: a product at place j of its list is worth
// hit_value + rank_value / j, each further turn costs turn_cost, and a share `leaving` does not take it.
// Dynamic programme from the last product back; O(products · at_most). At least 1 when there is any product.
std::size_t best_list_size(const std::vector<std::int64_t>& chances, std::size_t at_most, const Variant::Gate& gate);

}  // namespace turnstone
