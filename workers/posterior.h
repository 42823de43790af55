// How likely each product is the one that is looked for: a softmax of ranking scores in fixed point.
//
//   weight = 2^30 · 2^(−(best score − score) / temperature)
//
// with one more weight for "none of these". Confidence is the share of the whole. The type stands in workers/stages.h.
#pragma once

#include <cstdint>
#include <vector>

#include "workers/stages.h"
#include "workers/variant.h"

namespace turnstone {

// Over the ranked products, in their order: as lists and questions weigh them.
Posterior posterior_of(const Ranking& ranking, const Variant& variant);
// The same as it is told: a product's confidence is the probability that it is the one looked for.
Posterior told_posterior(const Ranking& ranking, const Variant& variant);

// Over the pool that a question would divide: the products that satisfy every clause when there are such, else
// the ranked ones. At most pool_sample products: the ranked first, then the rest at even steps, each standing
// for its neighbours.
Posterior pool_posterior(const Retrieval& retrieval, const Ranking& ranking, const Variant& variant);

}  // namespace turnstone
