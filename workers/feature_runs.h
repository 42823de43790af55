// Stretches of a message that stand, word for word, in one fact of some listing.
//
// A shopper may quote or copy what a listing says, in any frame; such a stretch is one wish, whatever signs stand
// within it. Found through the postings of its rarest words; a stretch never crosses the border of a fact.
// Pure; bounded work a message (runs_tries_max × run_products_max listings).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workers/message.h"

namespace turnstone {

struct FeatureRun {
  std::size_t first = 0;
  std::size_t last = 0;     // one past
  bool whole_fact = false;  // the fact says nothing else
  bool is_title = false;
};

inline constexpr std::size_t run_words_min = 4;
inline constexpr std::size_t run_tries_max = 6;
inline constexpr std::size_t run_products_max = 96;

// In order of the text; they do not overlap.
std::vector<FeatureRun> feature_runs(const Message& message, const Artefact& artefact);
// Whether the words [first, last) stand intact in some fact of some listing; looks at run_products_max listings.
bool stands_intact(const Message& message, std::size_t first, std::size_t last, const Artefact& artefact);

}  // namespace turnstone
