#include <algorithm>
#include <bit>
#include <iterator>

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

template <class Ids>
std::vector<Ordinal> known_products(const Ids& ids, const Artefact& artefact) {
  std::vector<Ordinal> products;
  products.reserve(ids.size());
  for (const ProductId& id : ids) {
    if (const auto product = artefact.find(id.value)) products.push_back(*product);
  }
  return products;
}

// Whether a wish of this turn has left so few matches that they are shown again, though they were shown among others.
bool is_narrowed_to_few(const IntentState& state, const Guidance& guidance, const Pool& pool, const Variant& variant) {
  if (guidance.wants_more || guidance.shown_disliked) return false;  // "other ones"
  if (!pool.exact || !pool.constrained || pool.kept.empty() || pool.matching > variant.retrieve.show_again) return false;
  return std::any_of(state.active.begin(), state.active.end(), [&](const Constraint& constraint) { return constraint.turn == state.turn; });
}

// The best `depth` hits of those that are offered, by impact, then popularity, then ordinal, without keeping all. Popularity
// is looked up for those alone which may be among them: one hit in many.
class BestHits {
 public:
  explicit BestHits(std::size_t depth) : depth_(depth) { hits_.reserve(kept_max()); }

  void offer(const LexicalHit& hit) {
    if (hit.impact < least_) return;
    hits_.push_back(hit);
    if (hits_.size() >= limit_) cut();
  }

  std::vector<Ordinal> ranked(const Artefact& artefact) {
    if (hits_.size() > depth_) cut();
    std::vector<std::pair<std::uint64_t, Ordinal>> places;  // the lesser key is the better place
    places.reserve(hits_.size());
    for (const LexicalHit& hit : hits_) {
      places.emplace_back(~(std::uint64_t{hit.impact} << 16 | artefact.popularity(hit.product)), hit.product);
    }
    const std::size_t kept = std::min(depth_, places.size());
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept), places.end());
    std::vector<Ordinal> ranked;
    ranked.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i) ranked.push_back(places[i].second);
    return ranked;
  }

 private:
  std::size_t kept_max() const { return depth_ * 4; }

  // Leaves the best `depth` and those that stand level with the last of them.
  void cut() {
    const auto last = hits_.begin() + static_cast<std::ptrdiff_t>(depth_) - 1;
    std::nth_element(hits_.begin(), last, hits_.end(), [](const LexicalHit& a, const LexicalHit& b) { return a.impact > b.impact; });
    least_ = last->impact;
    std::erase_if(hits_, [this](const LexicalHit& hit) { return hit.impact < least_; });
    limit_ = std::max(kept_max(), hits_.size() * 2);
  }

  std::size_t depth_;
  std::size_t limit_ = kept_max();
  std::uint32_t least_ = 0;
  std::vector<LexicalHit> hits_;
};

LexicalHit hit_of(Ordinal product, const LexicalHits& lexical) {
  const auto hit = std::lower_bound(lexical.hits.begin(), lexical.hits.end(), product,
                                    [](const LexicalHit& h, Ordinal wanted) { return h.product < wanted; });
  return hit != lexical.hits.end() && hit->product == product ? *hit : LexicalHit{product, 0, 0};
}

// The set's best products by their words; where too few of them hold any, all of them.
std::vector<Ordinal> best_within(const ProductSet& set, const LexicalHits& lexical, std::size_t depth, const Artefact& artefact) {
  BestHits holders(depth);
  std::size_t held = 0;
  for (const LexicalHit& hit : lexical.hits) {
    if (hit.impact == 0 || !set.contains(hit.product)) continue;
    ++held;
    holders.offer(hit);
  }
  if (held >= depth) return holders.ranked(artefact);
  BestHits all(depth);
  auto hit = lexical.hits.begin();
  set.for_each([&](Ordinal product) {
    while (hit != lexical.hits.end() && hit->product < product) ++hit;
    all.offer(hit != lexical.hits.end() && hit->product == product ? *hit : LexicalHit{product, 0, 0});
    return true;
  });
  return all.ranked(artefact);
}

void vote_words(Routes& routes, const LexicalHits& lexical, StageRecord& record) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  BestHits best_all(routes.depth()), best_any(routes.depth());
  std::size_t all_words = 0, any_word = 0;
  for (const LexicalHit& hit : lexical.hits) {
    if (!routes.showable.contains(hit.product)) continue;
    ++any_word;
    best_any.offer(hit);
    if (hit.words != lexical.words_read) continue;
    ++all_words;
    best_all.offer(hit);
  }
  record.note("all_words", static_cast<std::int64_t>(all_words));
  record.note("any_word", static_cast<std::int64_t>(any_word));
  routes.vote(best_all.ranked(routes.artefact), r.weight_and);
  if (static_cast<std::int64_t>(all_words) < r.and_enough) routes.vote(best_any.ranked(routes.artefact), r.weight_or);
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
    BestHits best(routes.depth());
    for (const Ordinal product : products) {
      if (!routes.barred.contains(product)) best.offer(hit_of(product, lexical));
    }
    routes.vote(best.ranked(routes.artefact), r.weight_phrase);
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

// A product's votes are added up at a place found by its ordinal (open addressing), so that the votes need not be sorted.
std::vector<Candidate> fuse(const std::vector<std::pair<Ordinal, std::int64_t>>& votes, std::size_t candidates_max) {
  std::vector<Candidate> candidates;
  const std::size_t places = std::bit_ceil(votes.size() * 2 + 1);
  std::vector<std::uint32_t> candidate_at(places, 0);  // 1 + its index; 0: nobody
  for (const auto& [product, points] : votes) {
    std::size_t at = (product.value * 2654435761U) & (places - 1);
    while (candidate_at[at] != 0 && candidates[candidate_at[at] - 1].product != product) at = (at + 1) & (places - 1);
    if (candidate_at[at] == 0) {
      candidates.push_back({product, 0});
      candidate_at[at] = static_cast<std::uint32_t>(candidates.size());
    }
    candidates[candidate_at[at] - 1].fused += points;
  }
  const std::size_t kept = std::min(candidates_max, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    [](const Candidate& a, const Candidate& b) { return a.fused != b.fused ? a.fused > b.fused : a.product < b.product; });
  candidates.resize(kept);
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
  const std::vector<Ordinal> shown = known_products(state.shown, artefact);
  Routes routes{wishes, pool, artefact, variant, ProductSet(artefact.product_count()), pool.admissible, {}};
  for (const Ordinal product : shown) routes.barred.insert(product);
  if (is_narrowed_to_few(state, guidance, pool, variant)) routes.barred.remove_all(pool.products);
  for (const Ordinal product : known_products(state.rejected, artefact)) routes.barred.insert(product);
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
  retrieval.candidates = fuse(routes.votes, static_cast<std::size_t>(variant.retrieve.candidates_max));
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
    std::copy_if(shown.rbegin(), shown.rend(), std::back_inserter(retrieval.seen), [&](Ordinal product) { return pool.products.contains(product); });
  }
  if (retrieval.candidates.empty()) retrieval.route = Route::none;
  note_retrieval(retrieval, artefact, record);
  return retrieval;
}

}  // namespace turnstone
