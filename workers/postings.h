// Walking lists of postings side by side.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "storage/artefact/artefact.h"
#include "workers/product_set.h"

namespace turnstone {

// The list from `product` on. Exponential search (Bentley, Yao 1976, "An almost optimal algorithm for unbounded searching", IPL 5): the logarithm of
// what is passed over, which is little where lists are walked together.
inline std::span<const Posting> from_product(std::span<const Posting> list, Ordinal product) {
  std::size_t step = 1;
  while (step < list.size() && list[step].product < product) step *= 2;
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(step / 2);
  const auto last = list.begin() + static_cast<std::ptrdiff_t>(std::min(step + 1, list.size()));
  const auto at = std::lower_bound(first, last, product, [](const Posting& posting, Ordinal wanted) { return posting.product < wanted; });
  return list.subspan(static_cast<std::size_t>(at - list.begin()));
}

// Calls visit(Ordinal) -> bool, ascending, for products that stand in all the lists and sets, until it returns false; the shortest list leads.
template <class Visit>
void for_each_common(std::vector<std::span<const Posting>> lists, const std::vector<const ProductSet*>& sets, Visit&& visit) {
  if (lists.empty()) return;
  std::stable_sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (const Posting& posting : lists.front()) {
    const auto holds = [&](const ProductSet* set) { return set->contains(posting.product); };
    if (!std::all_of(sets.begin(), sets.end(), holds)) continue;
    const bool everywhere = std::all_of(lists.begin() + 1, lists.end(), [&](std::span<const Posting>& list) {
      list = from_product(list, posting.product);
      return !list.empty() && list.front().product == posting.product;
    });
    if (everywhere && !visit(posting.product)) return;
  }
}

}  // namespace turnstone
