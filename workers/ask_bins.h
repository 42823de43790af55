// Options for a question about a number: its few values as they are, or ranges with round borders
// ("under $25", "$25–50", "over $50") whose cuts are chosen by what they tell.
#pragma once

#include <vector>

#include "workers/stages.h"
#include "workers/variant.h"

namespace turnstone {

struct WeighedNumber {
  Number number;
  std::int64_t weight = 0;
};

struct NumberOptions {
  std::vector<QuestionOption> options;
  Millibits entropy;
  Permille cover;
};

// Ranges are half open: a number on a border belongs to the range above. O(n log n).
NumberOptions number_options(const Facet& facet, std::vector<WeighedNumber> numbers, const Variant& variant);

}  // namespace turnstone
