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

// What a product is worth that is not shown now, permille of a session: after what is still to be learnt, `uncertainty`
// millibits are left, as if that many equal products were shown in lists of best sizes from the next turn on.
std::int64_t value_of_waiting(std::int64_t uncertainty, std::size_t at_most, const Variant::Gate& gate);

// How many products to show while more is being learnt: a place is given away as long as being found there is worth
// more than waiting. At least 1, at most `at_most`.
std::size_t list_size_while_learning(std::int64_t uncertainty, std::size_t at_most, const Variant::Gate& gate);

}  // namespace turnstone
