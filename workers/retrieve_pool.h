// The facet graph: which products satisfy every clause, and which clauses must be given up so that any do.
//
// A clause is an active, positive wish that a column or a few words can decide. Its products are those whose
// column says so, and those whose column is silent while their words say so; a missing number is unknown, not a
// violation. Clauses are intersected smallest first. When nothing is left, soft clauses of low confidence are
// given up first (at most relax_soft_max), then whichever clause stands alone in the way; among several, soft
// before hard, the less confident first, the product type last.
#pragma once

#include <vector>

#include "workers/product_set.h"
#include "workers/requirement.h"
#include "workers/stages.h"

namespace turnstone {

struct Clause {
  const Requirement* requirement = nullptr;
  ProductSet satisfied;
  ProductSet open;         // satisfied, or at least not contradicted: see Pool::admissible
  std::uint32_t size = 0;
  bool by_column = false;  // decided by a column alone, not by words in the text
};

struct Pool {
  ProductSet products;                    // satisfies every clause that was kept; nothing rejected
  ProductSet admissible;                  // may be shown: nothing rejected, no kept hard clause contradicted by column
                                          // and words; where nearly all products fill a column, silence contradicts
  std::uint32_t matching = 0;             // products satisfying all clauses that were kept, shown or not
  std::vector<Clause> kept;
  std::vector<ClauseRelaxed> relaxed;
  bool constrained = false;               // there was a clause at all
  bool exact = false;                     // every wish is a clause decided by its column, and none was given up
};

Pool build_pool(const IntentState& state, const Wishes& wishes, const Artefact& artefact, const Variant& variant);

}  // namespace turnstone
