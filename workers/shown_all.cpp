#include "workers/shown_all.h"

#include <algorithm>

namespace turnstone {

bool shows_all_matches(const Retrieval& retrieval, const Slate& slate) {
  if (retrieval.matching == 0 || retrieval.exact.empty() || retrieval.exact.size() > slate.products.size()) return false;
  return std::all_of(retrieval.exact.begin(), retrieval.exact.end(), [&](Ordinal match) {
    return std::any_of(slate.products.begin(), slate.products.end(), [&](const SlateEntry& entry) { return entry.product == match; });
  });
}

}  // namespace turnstone
