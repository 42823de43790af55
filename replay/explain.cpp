#include "replay/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/wording.h"
#include "workers/requirement.h"
#include "workers/retrieve_pool.h"

namespace turnstone {
namespace {

bool is_relaxed(const Retrieval& retrieval, ConstraintId id) {
  return std::any_of(retrieval.relaxed.begin(), retrieval.relaxed.end(), [&](const ClauseRelaxed& clause) { return clause.constraint == id; });
}

std::string listing_says(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (requirement.facet == nullptr) return "";
  if (const auto number = artefact.number_of(product, requirement.facet->id)) return to_string(*number);
  std::string text;
  for (const ValueId value : artefact.values_of(product, requirement.facet->id)) {
    text += (text.empty() ? "" : ", ") + one_line(artefact.value(value).text);
  }
  return text;
}

// How far the listing has what the wish names, whether it is wanted or not.
WishVerdict holds(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (requirement.facet == nullptr || (requirement.values.empty() && !requirement.is_number())) {
    return mentions(requirement, product, artefact) ? WishVerdict::mentions : WishVerdict::silent;
  }
  switch (match_of(requirement, product, artefact)) {
    case Match::yes:
      return WishVerdict::meets;
    case Match::mentioned:
    case Match::otherwise_mentioned:
      return WishVerdict::mentions;
    case Match::silent:
      return WishVerdict::silent;
    case Match::no:
      return WishVerdict::contradicts;
  }
  return WishVerdict::silent;
}

WishVerdict verdict_on(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  const WishVerdict held = holds(requirement, product, artefact);
  if (!requirement.rejected) return held;
  // Of a rejected value: to have it contradicts the wish, to have another meets it.
  if (held == WishVerdict::meets) return WishVerdict::contradicts;
  return held == WishVerdict::contradicts ? WishVerdict::meets : held;
}

std::vector<WishReport> report_wishes(const Wishes& wishes, const Retrieval& retrieval, Ordinal product, const Artefact& artefact) {
  std::vector<WishReport> reports;
  for (const Requirement& requirement : wishes.requirements) {
    if (requirement.withdrawn) continue;
    WishReport report;
    report.id = requirement.set->id;
    report.wish = words_of(*requirement.set);
    report.hard = requirement.set->strength == Strength::hard;
    report.verdict = verdict_on(requirement, product, artefact);
    if (report.verdict == WishVerdict::contradicts && is_relaxed(retrieval, report.id)) report.verdict = WishVerdict::relaxed;
    report.listing = listing_says(requirement, product, artefact);
    reports.push_back(std::move(report));
  }
  return reports;
}

const Variant& variant_of(const IntentState& state, const Policy& policy) { return policy.variant(state.policy_variant); }

// The sentence for a product that the hard wishes kept out; empty when they did not.
std::string kept_out_by_wishes(const Explanation& explanation, const TurnTrace& trace, const Wishes& wishes, Ordinal product,
                               const Artefact& artefact, const Variant& variant) {
  const Pool pool = build_pool(trace.revised, wishes, artefact, variant);
  if (pool.admissible.contains(product)) return "";
  for (const WishReport& wish : explanation.wishes) {
    if (wish.verdict != WishVerdict::contradicts) continue;
    return fmt::format("it contradicts {} (#{}){}", wish.wish, wish.id.value, wish.listing.empty() ? "" : ": the listing has " + wish.listing);
  }
  for (const WishReport& wish : explanation.wishes) {
    if (wish.verdict != WishVerdict::silent || !wish.hard) continue;
    return fmt::format("its listing says nothing of {} (#{}), where nearly every listing does", wish.wish, wish.id.value);
  }
  return "the wishes rule it out";
}

// Gate and sentence of a known product that was not shown.
void explain_absence(Explanation& explanation, const IntentState& before, const TurnTrace& trace, const Wishes& wishes, Ordinal product,
                     const Artefact& artefact, const Variant& variant) {
  const auto say = [&](ExplainGate gate, std::string verdict) {
    explanation.gate = gate;
    explanation.verdict = std::move(verdict);
  };
  if (trace.revised.rejected.contains(explanation.product)) return say(ExplainGate::rejected, "the shopper turned it down");
  const auto& candidates = trace.retrieval.candidates;
  const bool candidate = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.product == product; });
  const bool same_epoch = before.epoch == trace.revised.epoch;
  if (!candidate && same_epoch && std::find(before.shown.begin(), before.shown.end(), explanation.product) != before.shown.end()) {
    return say(ExplainGate::already_shown, "it has been shown in this epoch already, and nothing is shown twice unasked");
  }
  if (std::string reason = kept_out_by_wishes(explanation, trace, wishes, product, artefact, variant); !reason.empty() && !candidate) {
    return say(ExplainGate::hard_wish, std::move(reason));
  }
  if (!candidate) {
    return say(ExplainGate::not_a_candidate,
               fmt::format("no route of retrieval brought it up: {} candidates had more of what was said", candidates.size()));
  }
  if (trace.slate.products.empty()) {
    return say(ExplainGate::list_withheld,
               "the turn showed nothing: " + (trace.slate.empty_reason.empty() ? "no product cleared the gate" : trace.slate.empty_reason));
  }
  const std::string place = explanation.rank ? fmt::format("ranked {}", *explanation.rank) : "left out of the ranking";
  say(ExplainGate::ranked_below, fmt::format("{} with {} points; the {} shown ended at {}", place, explanation.score ? explanation.score->value : 0,
                                             trace.slate.products.size(), trace.slate.products.back().score.value));
}

}  // namespace

Explanation explain_product(const IntentState& before, const TurnTrace& trace, const ProductId& product, const Artefact& artefact,
                            const Policy& policy) {
  Explanation explanation;
  explanation.session = before.session;
  explanation.turn = trace.revised.turn;
  explanation.product = product;
  const auto ordinal = artefact.find(product.value);
  if (!ordinal) {
    explanation.verdict = "there is no such product in this catalogue";
    return explanation;
  }
  explanation.title = one_line(artefact.title(*ordinal));
  const Wishes wishes = compile_wishes(trace.revised, artefact, variant_of(trace.revised, policy));
  explanation.wishes = report_wishes(wishes, trace.retrieval, *ordinal, artefact);
  explanation.parts = score_parts(trace.revised, trace.revision.guidance, *ordinal, artefact, policy);
  if (!trace.slate.products.empty()) explanation.last_shown = trace.slate.products.back().score;
  for (std::size_t i = 0; i < trace.ranking.products.size(); ++i) {
    if (trace.ranking.products[i].product != *ordinal) continue;
    explanation.rank = i + 1;
    explanation.score = trace.ranking.products[i].score;
  }
  for (std::size_t i = 0; i < trace.slate.products.size(); ++i) {
    const SlateEntry& entry = trace.slate.products[i];
    if (entry.product != *ordinal) continue;
    explanation.gate = ExplainGate::shown;
    explanation.place = i + 1;
    explanation.score = entry.score;
    explanation.confidence = entry.confidence;
    explanation.verdict = fmt::format("shown at place {} of {}", i + 1, trace.slate.products.size());
    return explanation;
  }
  explain_absence(explanation, before, trace, wishes, *ordinal, artefact, variant_of(trace.revised, policy));
  return explanation;
}

Result<Explanation> explain(const Ledger& ledger, const ExplainRequest& request, const ArtefactLookup& artefact_of, const PolicyLookup& policy_of,
                            const std::optional<WhatIf>& what_if) {
  auto turn = request.turn ? Result<TurnNumber>(*request.turn) : last_turn(ledger, request.session);
  if (!turn) return tl::unexpected(std::move(turn.error()));
  auto start = read_turn_start(ledger, request.session, *turn);
  if (!start) return tl::unexpected(std::move(start.error()));

  auto artefact = start->completed ? artefact_of(start->completed->artefact) : nullptr;
  auto policy = start->completed ? policy_of(start->completed->policy) : nullptr;
  if (what_if && start->completed && what_if->replaces(start->completed->policy)) policy = nullptr;
  const bool other = !artefact || !policy || start->completed->decision_version != decision_version;
  if (other && !what_if) {
    return fail(ErrorCode::refused,
                fmt::format("turn {} of session {} was {}; give the one it was made with, or --what-if", turn->value, request.session.value,
                            start->completed ? "decided by another index, policy or decision version" : "not completed"));
  }
  if (!artefact) artefact = what_if->artefact;
  if (!policy) policy = what_if->policy;

  const TurnTrace trace = trace_turn(start->state, start->input, *artefact, *policy);
  ProductId product = request.product.value_or(ProductId{});
  if (!request.product) {
    const std::size_t place = request.place.value_or(1);
    if (place == 0 || place > trace.slate.products.size()) {
      return fail(ErrorCode::not_found,
                  fmt::format("turn {} showed {} products: there is no place {}", turn->value, trace.slate.products.size(), place));
    }
    product = ProductId{std::string(artefact->product_id(trace.slate.products[place - 1].product))};
  }
  Explanation explanation = explain_product(start->state, trace, product, *artefact, *policy);
  explanation.what_if = other;
  return explanation;
}

}  // namespace turnstone
