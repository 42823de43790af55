#include <algorithm>

#include "workers/ask_open.h"
#include "workers/fixed_point.h"
#include "workers/gate_reasons.h"
#include "workers/gate_value.h"
#include "workers/list_order.h"
#include "workers/posterior.h"
#include "workers/stage_note.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

constexpr std::size_t horizon = 40;  // products that the value of later lists is computed over

bool wishes_known(const IntentState& state) {
  return std::any_of(state.active.begin(), state.active.end(), [](const Constraint& c) { return c.set.source != Source::profile; });
}

// Why nothing should be shown this turn; empty = show.
std::string reason_to_wait(const IntentState& state, const Guidance& guidance) {
  if (guidance.unreadable) return "nothing in the message could be read";
  if (guidance.order || guidance.wants_more || guidance.learnt || guidance.shown_disliked) return "";
  if (!guidance.questions.empty()) return "the message asked about a product";
  if (guidance.talk != SmallTalk::none && guidance.talk != SmallTalk::acknowledgement) return "nothing was asked for";
  if (guidance.talk != SmallTalk::none && !wishes_known(state)) return "nothing was asked for";
  return "";
}

// Every product of a small pool that satisfies all wishes in its columns; the ranking's order.
std::vector<std::size_t> trusted_places(const Retrieval& retrieval, const Ranking& ranking, const Variant& variant) {
  std::vector<std::size_t> places;
  const bool trusted = retrieval.route == Route::exact && !retrieval.exact.empty() &&
                       static_cast<std::int64_t>(retrieval.exact.size()) <= variant.gate.trusted_pool;
  if (!trusted) return places;
  for (std::size_t i = 0; i < ranking.products.size(); ++i) {
    if (std::binary_search(retrieval.exact.begin(), retrieval.exact.end(), ranking.products[i].product)) places.push_back(i);
  }
  return places;
}

// What the next answer to the open question is expected to tell: as much as the last one did, and not more than the
// policy expects.
std::int64_t expected_yield(const IntentState& state, std::int64_t uncertainty, const Variant& variant) {
  const std::int64_t expected = open_question_yield(state, variant);
  for (std::size_t i = state.asked.size(); i-- > 0;) {
    const AskedQuestion& asked = state.asked[i];
    if (asked.question.facet != open_facet || asked.outcome != AnswerOutcome::value) continue;
    const std::int64_t after = i + 1 < state.asked.size() ? state.asked[i + 1].question.entropy_before.value : uncertainty;
    return std::clamp<std::int64_t>(asked.question.entropy_before.value - after, 0, expected);
  }
  return expected;
}

std::vector<std::size_t> places_to_show(const IntentState& state, const Retrieval& retrieval, const Ranking& ranking, std::size_t at_most,
                                        const Posterior& posterior, const Variant& variant, StageRecord& record) {
  std::vector<std::size_t> places;
  if (variant.gate.by_value != 0) {
    std::size_t size = 1;
    if (open_question_yield(state, variant) < variant.gate.learning) {
      std::vector<std::int64_t> chances;
      constexpr std::int64_t million = 1'000'000;
      for (std::size_t i = 0; i < std::min(horizon, posterior.weights.size()); ++i) {
        chances.push_back(posterior.weights[i] * million / posterior.total);
      }
      size = best_list_size(chances, at_most, variant.gate);
    } else {
      const std::int64_t uncertainty = ranking.pool.entropy();
      const std::int64_t yield = expected_yield(state, uncertainty, variant);
      record.note("yield", yield);
      size = list_size_while_learning(std::max<std::int64_t>(0, uncertainty - yield), at_most, variant.gate);
    }
    for (std::size_t i = 0; i < std::min({size, at_most, ranking.products.size()}); ++i) places.push_back(i);
    return places;
  }
  places = trusted_places(retrieval, ranking, variant);
  record.note("trusted", static_cast<std::int64_t>(places.size()));
  if (places.empty()) {
    const std::int64_t best = ranking.products.front().score.value;
    for (std::size_t i = 0; i < ranking.products.size() && best - ranking.products[i].score.value <= variant.gate.show_within; ++i) {
      places.push_back(i);
    }
  }
  if (places.size() > at_most) places.resize(at_most);
  return places;
}

}  // namespace

Slate gate(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Ranking& ranking, std::uint32_t top_k,
           const Artefact& artefact, const Policy& policy, StageRecord& record) {
  const Variant& variant = policy.variant(state.policy_variant);
  Slate slate;
  slate.empty_reason = reason_to_wait(state, guidance);
  if (slate.empty_reason.empty() && ranking.products.empty()) {
    slate.empty_reason = state.shown.empty() ? "nothing in the catalogue comes near these wishes" : "everything that comes near these wishes has been shown";
  }
  if (!slate.empty_reason.empty()) {
    record.note("empty_reason", slate.empty_reason);
    return slate;
  }
  const Posterior posterior = posterior_of(ranking, variant), told = told_posterior(ranking, variant);
  const std::size_t at_most = std::min<std::size_t>(top_k, static_cast<std::size_t>(variant.gate.products_max));
  const auto wishes = wishes_of(state, retrieval, artefact, variant);
  slate.route = retrieval.route;
  std::vector<std::string> ids;
  std::vector<std::int64_t> confidences;
  std::vector<std::size_t> places;
  if (guidance.order) {
    places = places_in_order(*guidance.order, ranking, artefact);
    if (places.size() > at_most) places.resize(at_most);
  } else {
    places = places_to_show(state, retrieval, ranking, at_most, posterior, variant, record);
  }
  for (const std::size_t place : places) {
    const Ranked& ranked = ranking.products[place];
    slate.products.push_back({ranked.product, ranked.score, told.confidence(place), reasons_for(*wishes, ranked.product, artefact),
                              misses_of(*wishes, ranked.product, artefact)});
    ids.emplace_back(artefact.product_id(ranked.product));
    confidences.push_back(slate.products.back().confidence.value);
  }
  record.note("products", std::move(ids));
  record.note("confidence", std::move(confidences));
  return slate;
}

}  // namespace turnstone
