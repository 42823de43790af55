#include <algorithm>

#include "workers/fixed_point.h"
#include "workers/liked.h"
#include "workers/list_order.h"
#include "workers/retrieve_pool.h"
#include "workers/retrieve_routes.h"
#include "workers/stage_note.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

struct Routes {
  const Wishes& wishes;
  const Pool& pool;
  const Artefact& artefact;
  const Variant& variant;
  ProductSet barred;    // shown in this epoch, or rejected
  ProductSet showable;  // admissible and not barred
  std::vector<std::pair<Ordinal, std::int64_t>> votes;

  std::size_t depth() const { return static_cast<std::size_t>(variant.retrieve.route_depth); }

  // Weighted reciprocal ranks: Cormack, Clarke, Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet
  // and individual rank learning methods", SIGIR.
  void vote(const std::vector<Ordinal>& ranked, std::int64_t weight) {
    std::int64_t rank = 1;
    for (const Ordinal product : ranked) {
      votes.emplace_back(product, fixed_point::share(fixed_point::fused_one / (variant.retrieve.rank_offset + rank), weight));
      ++rank;
    }
  }
};

ProductSet barred_products(const IntentState& state, const Artefact& artefact) {
  ProductSet barred(artefact.product_count());
  for (const ProductId& id : state.shown) {
    if (const auto product = artefact.find(id.value)) barred.insert(*product);
  }
  for (const ProductId& id : state.rejected) {
    if (const auto product = artefact.find(id.value)) barred.insert(*product);
  }
  return barred;
}

// Whether a wish of this turn has left so few matches that they are shown again, though they were shown among others.
bool is_narrowed_to_few(const IntentState& state, const Guidance& guidance, const Pool& pool, const Variant& variant) {
  if (guidance.wants_more || guidance.shown_disliked) return false;  // "other ones"
  if (!pool.exact || !pool.constrained || pool.kept.empty() || pool.matching > variant.retrieve.show_again) return false;
  return std::any_of(state.active.begin(), state.active.end(), [&](const Constraint& constraint) { return constraint.turn == state.turn; });
}

// The best `depth` by impact, then popularity, then ordinal. Popularity is looked up for those alone which may be among
// them: one hit in many.
std::vector<Ordinal> best_of(std::vector<LexicalHit> hits, std::size_t depth, const Artefact& artefact) {
  if (hits.size() > depth) {
    const auto last = hits.begin() + static_cast<std::ptrdiff_t>(depth) - 1;
    std::nth_element(hits.begin(), last, hits.end(), [](const LexicalHit& a, const LexicalHit& b) { return a.impact > b.impact; });
    const std::uint32_t least = last->impact;
    std::erase_if(hits, [least](const LexicalHit& hit) { return hit.impact < least; });
  }
  std::vector<std::pair<std::uint64_t, Ordinal>> places;  // the lesser key is the better place
  places.reserve(hits.size());
  for (const LexicalHit& hit : hits) {
    places.emplace_back(~(std::uint64_t{hit.impact} << 16 | artefact.popularity(hit.product)), hit.product);
  }
  const std::size_t kept = std::min(depth, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept), places.end());
  std::vector<Ordinal> ranked;
  ranked.reserve(kept);
  for (std::size_t i = 0; i < kept; ++i) ranked.push_back(places[i].second);
  return ranked;
}

LexicalHit hit_of(Ordinal product, const LexicalHits& lexical) {
  const auto hit = std::lower_bound(lexical.hits.begin(), lexical.hits.end(), product,
                                    [](const LexicalHit& h, Ordinal wanted) { return h.product < wanted; });
  return hit != lexical.hits.end() && hit->product == product ? *hit : LexicalHit{product, 0, 0};
}

// The set's best products by their words; where too few of them hold any, all of them.
std::vector<Ordinal> best_within(const ProductSet& set, const LexicalHits& lexical, std::size_t depth, const Artefact& artefact) {
  std::vector<LexicalHit> hits;
  hits.reserve(std::min<std::size_t>(lexical.hits.size(), set.size()));
  for (const LexicalHit& hit : lexical.hits) {
    if (hit.impact > 0 && set.contains(hit.product)) hits.push_back(hit);
  }
  if (hits.size() < depth) {
    hits.clear();
    auto hit = lexical.hits.begin();
    set.for_each([&](Ordinal product) {
      while (hit != lexical.hits.end() && hit->product < product) ++hit;
      hits.push_back(hit != lexical.hits.end() && hit->product == product ? *hit : LexicalHit{product, 0, 0});
      return true;
    });
  }
  return best_of(std::move(hits), depth, artefact);
}

void vote_words(Routes& routes, const LexicalHits& lexical, StageRecord& record) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  std::vector<LexicalHit> all_words;
  all_words.reserve(lexical.hits.size());
  std::size_t any_word = 0;
  for (const LexicalHit& hit : lexical.hits) {
    if (!routes.showable.contains(hit.product)) continue;
    ++any_word;
    if (hit.words == lexical.words_read) all_words.push_back(hit);
  }
  record.note("all_words", static_cast<std::int64_t>(all_words.size()));
  record.note("any_word", static_cast<std::int64_t>(any_word));
  const bool enough = static_cast<std::int64_t>(all_words.size()) >= r.and_enough;
  routes.vote(best_of(std::move(all_words), routes.depth(), routes.artefact), r.weight_and);
  if (enough) return;
  std::vector<LexicalHit> hits;
  hits.reserve(any_word);
  for (const LexicalHit& hit : lexical.hits) {
    if (routes.showable.contains(hit.product)) hits.push_back(hit);
  }
  routes.vote(best_of(std::move(hits), routes.depth(), routes.artefact), r.weight_or);
}

void vote_phrases(Routes& routes, const LexicalHits& lexical, StageRecord& record) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  std::vector<const Wording*> wordings;
  for (const Requirement& requirement : routes.wishes.requirements) {
    if (requirement.rejected) continue;
    for (const Wording& wording : requirement.wordings) wordings.push_back(&wording);
  }
  std::stable_sort(wordings.begin(), wordings.end(), [](const Wording* a, const Wording* b) { return a->weight > b->weight; });
  std::vector<std::int64_t> sizes;
  for (const Wording* wording : wordings) {
    if (static_cast<std::int64_t>(sizes.size()) == r.phrases_max) break;
    const auto products = phrase_products(*wording, routes.artefact, routes.variant);
    if (products.empty()) continue;
    sizes.push_back(static_cast<std::int64_t>(products.size()));
    std::vector<LexicalHit> hits;
    for (const Ordinal product : products) {
      if (!routes.barred.contains(product)) hits.push_back(hit_of(product, lexical));
    }
    routes.vote(best_of(std::move(hits), routes.depth(), routes.artefact), r.weight_phrase);
  }
  record.note("phrases", std::move(sizes));
}

void vote_columns(Routes& routes, const LexicalHits& lexical) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  if (routes.pool.kept.empty()) return;
  ProductSet pool = routes.pool.products;
  pool.remove_all(routes.barred);
  routes.vote(best_within(pool, lexical, routes.depth(), routes.artefact), r.weight_exact);
  if (routes.pool.kept.size() < 2) return;
  for (const Clause& clause : routes.pool.kept) {
    if (!clause.requirement->is_type) continue;
    ProductSet kind = clause.satisfied;
    kind.keep_common(routes.showable);
    routes.vote(best_within(kind, lexical, routes.depth(), routes.artefact), r.weight_category);
  }
}

// Products of the kind that was pointed at.
void vote_liked(Routes& routes, const Liked& liked, const LexicalHits& lexical) {
  if (liked.kinds.empty()) return;
  ProductSet kind(routes.artefact.product_count());
  for (const ValueId value : liked.kinds) {
    for (const Ordinal product : routes.artefact.products_with(value)) kind.insert(product);
  }
  kind.keep_common(routes.showable);
  routes.vote(best_within(kind, lexical, routes.depth(), routes.artefact), routes.variant.retrieve.weight_exact);
}

// Nothing is wished for yet, or nothing that was wished for led anywhere: what most people rate.
void vote_popular(Routes& routes) {
  routes.vote(best_within(routes.showable, {}, routes.depth(), routes.artefact), fixed_point::whole);
}

std::vector<Candidate> fuse(std::vector<std::pair<Ordinal, std::int64_t>> votes, std::size_t candidates_max) {
  std::sort(votes.begin(), votes.end());
  std::vector<Candidate> candidates;
  for (const auto& [product, points] : votes) {
    if (candidates.empty() || candidates.back().product != product) candidates.push_back({product, 0});
    candidates.back().fused += points;
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.fused != b.fused ? a.fused > b.fused : a.product < b.product; });
  if (candidates.size() > candidates_max) candidates.resize(candidates_max);
  return candidates;
}

std::vector<TermId> terms_of(const Wording& wording) {
  std::vector<TermId> terms;
  for (const WordOfWording& word : wording.words) {
    if (word.weight > 0) terms.push_back(*word.term);
  }
  return terms;
}

void note_retrieval(const Retrieval& retrieval, const Artefact& artefact, StageRecord& record) {
  record.note("matching", std::int64_t{retrieval.matching});
  record.note("route", static_cast<std::int64_t>(retrieval.route));
  std::vector<std::int64_t> relaxed;
  for (const ClauseRelaxed& clause : retrieval.relaxed) relaxed.push_back(clause.constraint.value);
  record.note("relaxed", std::move(relaxed));
  std::vector<std::string_view> ids;
  for (const Candidate& candidate : retrieval.candidates) ids.push_back(artefact.product_id(candidate.product));
  note_list(record, "candidates", ids, 8);
}

}  // namespace

Retrieval retrieve(const IntentState& state, const Guidance& guidance, const Artefact& artefact, const Policy& policy, StageRecord& record) {
  const Variant& variant = policy.variant(state.policy_variant);
  Retrieval retrieval;
  retrieval.wishes = std::make_shared<const Wishes>(compile_wishes(state, artefact, variant));
  const Wishes& wishes = *retrieval.wishes;
  const Pool pool = build_pool(state, wishes, artefact, variant);
  Routes routes{wishes, pool, artefact, variant, barred_products(state, artefact), pool.admissible, {}};
  if (is_narrowed_to_few(state, guidance, pool, variant)) {
    routes.barred.remove_all(pool.products);
    for (const ProductId& id : state.rejected) {
      if (const auto product = artefact.find(id.value)) routes.barred.insert(*product);
    }
  }
  routes.showable.remove_all(routes.barred);

  const Liked liked = compile_liked(guidance, artefact, variant);
  const LexicalQuery query = lexical_query(wishes, terms_of(liked.words), artefact);
  record.note("words", static_cast<std::int64_t>(query.words.size()));
  if (!query.words.empty()) {
    const LexicalHits lexical = score_words(query, artefact, variant.retrieve.postings_budget);
    vote_words(routes, lexical, record);
    vote_phrases(routes, lexical, record);
    vote_columns(routes, lexical);
    vote_liked(routes, liked, lexical);
  } else {
    vote_columns(routes, {});
  }

  retrieval.relaxed = pool.relaxed;
  retrieval.matching = pool.constrained && pool.kept.empty() ? 0 : pool.matching;
  retrieval.route = pool.exact && pool.constrained ? Route::exact : !pool.relaxed.empty() ? Route::relaxed : Route::portfolio;
  if (routes.votes.empty()) {
    vote_popular(routes);
    if (!pool.constrained && query.words.empty()) retrieval.route = Route::popular;
  }
  retrieval.candidates = fuse(std::move(routes.votes), static_cast<std::size_t>(variant.retrieve.candidates_max));
  if (guidance.order) {  // what was shown may be shown again: it may be the cheapest
    const bool wished = pool.constrained && !pool.kept.empty();
    retrieval.candidates = first_in_order(*guidance.order, wished ? pool.products : pool.admissible, artefact,
                                          static_cast<std::size_t>(variant.retrieve.candidates_max));
  }
  if (pool.constrained && !pool.kept.empty()) {
    pool.products.for_each([&](Ordinal product) {
      if (!routes.barred.contains(product)) retrieval.exact.push_back(product);
      return static_cast<std::int64_t>(retrieval.exact.size()) < variant.retrieve.pool_max;
    });
    for (auto id = state.shown.rbegin(); id != state.shown.rend(); ++id) {
      const auto product = artefact.find(id->value);
      if (product && pool.products.contains(*product)) retrieval.seen.push_back(*product);
    }
  }
  if (retrieval.candidates.empty()) retrieval.route = Route::none;
  note_retrieval(retrieval, artefact, record);
  return retrieval;
}

}  // namespace turnstone
