#include <algorithm>

#include "workers/fixed_point.h"
#include "workers/posterior.h"
#include "workers/rank_score.h"
#include "workers/stage_note.h"
#include "workers/stages.h"

namespace turnstone {

Ranking rank(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Artefact& artefact, const Policy& policy,
             StageRecord& record) {
  const Variant& variant = policy.variant(state.policy_variant);
  const Scorer scorer(wishes_of(state, retrieval, artefact, variant), guidance, artefact, variant);
  Ranking ranking;
  ranking.products.reserve(retrieval.candidates.size());
  for (const Candidate& candidate : retrieval.candidates) {
    ranking.products.push_back({candidate.product, Score{scorer.score(candidate.product)}});
  }
  std::sort(ranking.products.begin(), ranking.products.end(), [](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : a.product < b.product;
  });
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> scores;
  for (const Ranked& product : ranking.products) {
    ids.push_back(artefact.product_id(product.product));
    scores.push_back(product.score.value);
  }
  note_list(record, "products", ids, 12);
  note_list(record, "scores", std::move(scores), 12);
  ranking.pool = pool_posterior(retrieval, ranking, variant);
  return ranking;
}

std::vector<ScorePart> score_parts(const IntentState& state, const Guidance& guidance, Ordinal product, const Artefact& artefact,
                                   const Policy& policy) {
  std::vector<ScorePart> parts;
  const Variant& variant = policy.variant(state.policy_variant);
  Scorer(wishes_of(state, {}, artefact, variant), guidance, artefact, variant).score(product, &parts);
  return parts;
}

}  // namespace turnstone
