#include <algorithm>

#include "workers/fixed_point.h"
#include "workers/retrieve_pool.h"
#include "workers/retrieve_routes.h"
#include "workers/stage_note.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

struct Routes {
  const IntentState& state;
  const Wishes& wishes;
  const Pool& pool;
  const Artefact& artefact;
  const Variant& variant;
  std::vector<Ordinal> barred;  // ascending: shown in this epoch, rejected
  std::vector<std::pair<Ordinal, std::int64_t>> votes;

  bool is_barred(Ordinal product) const { return std::binary_search(barred.begin(), barred.end(), product); }

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

std::vector<Ordinal> barred_products(const IntentState& state, const Artefact& artefact) {
  std::vector<Ordinal> barred;
  for (const ProductId& id : state.shown) {
    if (const auto product = artefact.find(id.value)) barred.push_back(*product);
  }
  for (const ProductId& id : state.rejected) {
    if (const auto product = artefact.find(id.value)) barred.push_back(*product);
  }
  std::sort(barred.begin(), barred.end());
  return barred;
}

// The best `depth` of the hits that pass, by impact, then popularity, then ordinal.
template <class Pass>
std::vector<Ordinal> best_of(std::vector<LexicalHit> hits, std::size_t depth, const Artefact& artefact, Pass&& pass) {
  const auto better = [&](const LexicalHit& a, const LexicalHit& b) {
    if (a.impact != b.impact) return a.impact > b.impact;
    const std::uint32_t x = artefact.popularity(a.product), y = artefact.popularity(b.product);
    return x != y ? x > y : a.product < b.product;
  };
  std::vector<Ordinal> ranked;
  std::size_t sorted = 0;
  while (sorted < hits.size() && ranked.size() < depth) {
    const std::size_t until = std::min(hits.size(), sorted + depth * 2);
    const auto from = hits.begin() + static_cast<std::ptrdiff_t>(sorted), to = hits.begin() + static_cast<std::ptrdiff_t>(until);
    if (to != hits.end()) std::nth_element(from, to, hits.end(), better);
    std::sort(from, to, better);
    for (auto hit = from; hit != to && ranked.size() < depth; ++hit) {
      if (pass(hit->product)) ranked.push_back(hit->product);
    }
    sorted = until;
  }
  return ranked;
}

// The set's products with their impacts, 0 where no word was found.
std::vector<LexicalHit> hits_within(const ProductSet& set, const std::vector<LexicalHit>& hits) {
  std::vector<LexicalHit> within;
  auto hit = hits.begin();
  set.for_each([&](Ordinal product) {
    while (hit != hits.end() && hit->product < product) ++hit;
    within.push_back(hit != hits.end() && hit->product == product ? *hit : LexicalHit{product, 0, 0});
    return true;
  });
  return within;
}

void vote_words(Routes& routes, const LexicalHits& lexical, StageRecord& record) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  const auto depth = static_cast<std::size_t>(r.route_depth);
  const auto pass = [&](Ordinal product) {
    return !routes.is_barred(product) && admissible(routes.pool, routes.wishes, product, routes.artefact, routes.variant);
  };
  std::vector<LexicalHit> all;
  for (const LexicalHit& hit : lexical.hits) {
    if (hit.words == lexical.words_read) all.push_back(hit);
  }
  record.note("all_words", static_cast<std::int64_t>(all.size()));
  record.note("any_word", static_cast<std::int64_t>(lexical.hits.size()));
  const bool enough = static_cast<std::int64_t>(all.size()) >= r.and_enough;
  routes.vote(best_of(std::move(all), depth, routes.artefact, pass), r.weight_and);
  if (!enough) routes.vote(best_of(lexical.hits, depth, routes.artefact, pass), r.weight_or);
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
    ProductSet set(routes.artefact.product_count());
    for (const Ordinal product : products) set.insert(product);
    sizes.push_back(static_cast<std::int64_t>(products.size()));
    routes.vote(best_of(hits_within(set, lexical.hits), static_cast<std::size_t>(r.route_depth), routes.artefact,
                        [&](Ordinal product) { return !routes.is_barred(product); }),
                r.weight_phrase);
  }
  record.note("phrases", std::move(sizes));
}

void vote_columns(Routes& routes, const LexicalHits& lexical) {
  const Variant::Retrieve& r = routes.variant.retrieve;
  const auto depth = static_cast<std::size_t>(r.route_depth);
  const auto pass = [&](Ordinal product) { return !routes.is_barred(product); };
  if (!routes.pool.constrained || routes.pool.kept.empty()) return;
  routes.vote(best_of(hits_within(routes.pool.products, lexical.hits), depth, routes.artefact, pass), r.weight_exact);
  if (routes.pool.kept.size() < 2) return;
  for (const Clause& clause : routes.pool.kept) {
    if (!clause.requirement->is_type) continue;
    routes.vote(best_of(hits_within(clause.satisfied, lexical.hits), depth, routes.artefact,
                        [&](Ordinal product) {
                          return pass(product) && admissible(routes.pool, routes.wishes, product, routes.artefact, routes.variant);
                        }),
                r.weight_category);
  }
}

// Nothing is wished for yet, or nothing that was wished for led anywhere: what most people rate.
void vote_popular(Routes& routes) {
  std::vector<LexicalHit> all;
  routes.pool.products.for_each([&](Ordinal product) {
    all.push_back({product, 0, 0});
    return true;
  });
  routes.vote(best_of(std::move(all), static_cast<std::size_t>(routes.variant.retrieve.route_depth), routes.artefact,
                      [&](Ordinal product) { return !routes.is_barred(product); }),
              fixed_point::whole);
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

std::vector<TermId> liked_words(const Guidance& guidance, const Artefact& artefact) {
  std::vector<TermId> words;
  const auto product = guidance.like ? artefact.find(guidance.like->value) : std::nullopt;
  if (!product || artefact.part_count(*product) == 0) return words;
  for (const TermId term : artefact.part(*product, 0).terms) {
    if (!artefact.is_function_word(term)) words.push_back(term);
  }
  return words;
}

void note_retrieval(const Retrieval& retrieval, const Artefact& artefact, StageRecord& record) {
  record.note("matching", std::int64_t{retrieval.matching});
  record.note("route", static_cast<std::int64_t>(retrieval.route));
  std::vector<std::int64_t> relaxed;
  for (const ClauseRelaxed& clause : retrieval.relaxed) relaxed.push_back(clause.constraint.value);
  record.note("relaxed", std::move(relaxed));
  std::vector<std::string> ids;
  for (const Candidate& candidate : retrieval.candidates) ids.emplace_back(artefact.product_id(candidate.product));
  note_list(record, "candidates", std::move(ids), 8);
}

}  // namespace

Retrieval retrieve(const IntentState& state, const Guidance& guidance, const Artefact& artefact, const Policy& policy, StageRecord& record) {
  const Variant& variant = policy.variant(state.policy_variant);
  const Wishes wishes = compile_wishes(state, artefact, variant);
  Pool pool = build_pool(state, wishes, artefact, variant);
  Routes routes{state, wishes, pool, artefact, variant, barred_products(state, artefact), {}};

  const LexicalQuery query = lexical_query(wishes, liked_words(guidance, artefact), artefact);
  record.note("words", static_cast<std::int64_t>(query.words.size()));
  if (!query.words.empty()) {
    const LexicalHits lexical = score_words(query, artefact, variant.retrieve.postings_budget);
    vote_words(routes, lexical, record);
    vote_phrases(routes, lexical, record);
    vote_columns(routes, lexical);
  } else {
    vote_columns(routes, {});
  }

  Retrieval retrieval;
  retrieval.relaxed = pool.relaxed;
  retrieval.matching = pool.constrained && pool.kept.empty() ? 0 : pool.matching;
  retrieval.route = pool.exact && pool.constrained ? Route::exact : !pool.relaxed.empty() ? Route::relaxed : Route::portfolio;
  if (routes.votes.empty()) {
    vote_popular(routes);
    if (!pool.constrained && query.words.empty()) retrieval.route = Route::popular;
  }
  retrieval.candidates = fuse(std::move(routes.votes), static_cast<std::size_t>(variant.retrieve.candidates_max));
  if (pool.constrained && !pool.kept.empty()) {
    pool.products.for_each([&](Ordinal product) {
      if (!routes.is_barred(product)) retrieval.exact.push_back(product);
      return static_cast<std::int64_t>(retrieval.exact.size()) < variant.retrieve.pool_max;
    });
  }
  if (retrieval.candidates.empty()) retrieval.route = Route::none;
  note_retrieval(retrieval, artefact, record);
  return retrieval;
}

}  // namespace turnstone
