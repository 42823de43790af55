#include "workers/retrieve_routes.h"

#include <algorithm>
#include <span>

#include "workers/column_index.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::size_t phrase_words_max = 8;
constexpr std::int64_t rare_word = 7 * fixed_point::bit;  // a single word is a disclosure of its own from here on

struct Accumulator {
  std::uint32_t impact = 0;
  std::uint16_t words = 0;
};

// The run of at most phrase_words_max known words that weighs most; the first such run.
std::span<const WordOfWording> heaviest_run(const Wording& wording) {
  const std::span<const WordOfWording> words(wording.words);
  std::span<const WordOfWording> best;
  std::int64_t best_weight = 0;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::int64_t weight = 0;
    for (std::size_t end = begin; end < words.size() && end - begin < phrase_words_max && words[end].term; ++end) {
      weight += words[end].weight;
      if (weight > best_weight) {
        best_weight = weight;
        best = words.subspan(begin, end - begin + 1);
      }
    }
  }
  return best;
}

bool holds_phrase(std::span<const WordOfWording> phrase, Ordinal product, const Artefact& artefact) {
  const auto terms = artefact.terms(product);
  return std::search(terms.begin(), terms.end(), phrase.begin(), phrase.end(),
                     [](TermId term, const WordOfWording& word) { return term == *word.term; }) != terms.end();
}

}  // namespace

LexicalQuery lexical_query(const Wishes& wishes, const std::vector<TermId>& more, const Artefact& artefact) {
  std::vector<std::pair<TermId, std::int64_t>> words;
  for (const Requirement& requirement : wishes.requirements) {
    if (requirement.rejected) continue;
    for (const Wording& wording : requirement.wordings) {
      for (const WordOfWording& word : wording.words) {
        if (word.weight > 0) words.emplace_back(*word.term, requirement.share);
      }
    }
  }
  for (const TermId term : more) words.emplace_back(term, fixed_point::whole / 2);
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  words.erase(std::unique(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first == b.first; }), words.end());
  std::stable_sort(words.begin(), words.end(), [&](const auto& a, const auto& b) {
    return artefact.document_frequency(a.first) < artefact.document_frequency(b.first);
  });
  LexicalQuery query;
  for (const auto& [term, share] : words) {
    query.words.push_back(term);
    query.shares.push_back(share);
  }
  return query;
}

LexicalHits score_words(const LexicalQuery& query, const Artefact& artefact, std::int64_t postings_budget, std::uint32_t block_products) {
  struct List {
    std::span<const Posting> rest;
    std::uint32_t factor = 0;
  };
  std::vector<List> lists;
  std::size_t read = 0;
  for (std::size_t w = 0; w < query.words.size(); ++w) {
    const auto postings = artefact.postings(query.words[w]);
    if (w > 0 && static_cast<std::int64_t>(postings.size()) > postings_budget) break;
    postings_budget -= static_cast<std::int64_t>(postings.size());
    read += postings.size();
    lists.push_back({postings, static_cast<std::uint32_t>(query.shares[w])});
  }
  LexicalHits result;
  result.words_read = lists.size();
  result.hits.reserve(std::min<std::size_t>(read, artefact.product_count()));
  std::vector<Accumulator> block(std::min(block_products, artefact.product_count()));
  for (std::uint32_t first = 0; first < artefact.product_count(); first += block_products) {
    const std::uint32_t size = std::min(block_products, artefact.product_count() - first);
    bool touched = false;
    for (List& list : lists) {
      std::size_t at = 0;
      for (; at < list.rest.size() && list.rest[at].product.value - first < size; ++at) {
        Accumulator& accumulator = block[list.rest[at].product.value - first];
        accumulator.impact += list.rest[at].impact * list.factor / 1'000U;
        ++accumulator.words;
      }
      touched |= at > 0;
      list.rest = list.rest.subspan(at);
    }
    if (!touched) continue;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (block[i].words == 0) continue;
      result.hits.push_back({Ordinal{first + i}, block[i].impact, block[i].words});
      block[i] = {};
    }
  }
  return result;
}

std::vector<Ordinal> phrase_products(const Wording& wording, const Artefact& artefact, const Variant& variant) {
  const auto phrase = heaviest_run(wording);
  std::vector<TermId> weighing;
  std::int64_t weight = 0;
  for (const WordOfWording& word : phrase) {
    if (word.weight > 0 && std::find(weighing.begin(), weighing.end(), *word.term) == weighing.end()) weighing.push_back(*word.term);
    weight += word.weight;
  }
  if (weighing.empty() || weight < rare_word) return {};
  std::stable_sort(weighing.begin(), weighing.end(),
                   [&](TermId a, TermId b) { return artefact.document_frequency(a) < artefact.document_frequency(b); });
  // Counted are the products that hold the rarest words; read are those alone that hold the others too.
  constexpr std::size_t leading = 3;
  const std::span<const TermId> rarest = std::span<const TermId>(weighing).first(std::min(weighing.size(), leading));
  const auto columns = ColumnIndex::of(artefact);
  std::vector<std::span<const Posting>> others;
  std::vector<const ProductSet*> other_sets;
  for (std::size_t i = rarest.size(); i < weighing.size(); ++i) {
    if (const ProductSet* set = columns->products_if_common(weighing[i])) other_sets.push_back(set);
    else others.push_back(artefact.postings(weighing[i]));
  }
  std::int64_t counted = 0;
  std::vector<Ordinal> candidates;
  columns->for_each_with_all(rarest, artefact, [&](Ordinal product) {
    const bool may_hold = std::all_of(other_sets.begin(), other_sets.end(), [&](const ProductSet* set) { return set->contains(product); });
    const bool holds_others = may_hold && std::all_of(others.begin(), others.end(), [&](std::span<const Posting>& list) {
      list = from_product(list, product);
      return !list.empty() && list.front().product == product;
    });
    if (holds_others) candidates.push_back(product);
    return ++counted <= variant.retrieve.phrase_checks_max;
  });
  if (counted > variant.retrieve.phrase_checks_max) return {};
  std::vector<Ordinal> products;
  for (const Ordinal product : candidates) {
    if (phrase.size() > 1 && !holds_phrase(phrase, product, artefact)) continue;
    products.push_back(product);
    if (static_cast<std::int64_t>(products.size()) > variant.retrieve.phrase_products_max) return {};
  }
  return products;
}

}  // namespace turnstone
