// Options for a question about a number: its few values as they are, or ranges with round borders
// ("under $25", "$25 to $50", "$50 or more") whose cuts are chosen by what they tell.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "workers/ask_pool.h"
#include "workers/stages.h"
#include "workers/variant.h"

namespace turnstone {

struct NumberOptions {
  std::vector<QuestionOption> options;
  Millibits entropy;
  Permille cover;
};

// What an option made here says: "under 500 rpm", "15 to 25", "$50 or more". nullopt for anything else.
struct OptionBounds {
  std::optional<Number> least;
  std::optional<Number> most;
};
std::optional<OptionBounds> bounds_of_option(std::string_view option);

// More options than number_options() ever gives, "something else" counted.
std::size_t number_options_most(const Variant& variant);

// `numbers` ascend. Ranges are half open: a number on a border belongs to the range above. Linear.
NumberOptions number_options(const Facet& facet, const std::vector<WeighedNumber>& numbers, const Variant& variant);

}  // namespace turnstone
