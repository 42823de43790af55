// Options that do not overlap, for a question about a column of words.
//
// An option stands for all that its words mean when they come back as an answer (values_meant: "blue" is also navy and
// dark blue), so of two values one of which means the other only one is offered, and so of kinds that lie in each other
// ("Clothing" and "Dresses"). Either the wider or the narrower ones are offered, whichever tell more, but narrower ones only
// where they leave nothing out.
// A value that reads as a sentence is no option: it falls to "something else".
#pragma once

#include <string_view>
#include <vector>

#include "workers/ask_pool.h"
#include "workers/variant.h"

namespace turnstone {

struct WordOptions {
  std::vector<QuestionOption> options;  // by falling mass
  Millibits entropy;                    // of the option that the target would fall under, "something else" included
  Permille cover;                       // of the filled pool
};

// Short enough to pick from a list, and no sentence.
bool reads_as_option(std::string_view text);

// Of values that fewer products have than `narrower_than`. O(pool · values of a product + values looked at²).
WordOptions word_options(const Facet& facet, const PoolColumns& columns, std::uint32_t narrower_than, const Artefact& artefact, const Variant& variant);

}  // namespace turnstone
