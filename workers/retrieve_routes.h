// The lexical routes: words scored by impacts, and intact phrases of rare disclosures.
//
// Pure; thread safe. Postings are added up by blocks of products, so that memory does not grow with the catalogue.
#pragma once

#include <vector>

#include "workers/requirement.h"

namespace turnstone {

struct LexicalHit {
  Ordinal product;
  std::uint32_t impact = 0;   // sum of the words' impacts
  std::uint16_t words = 0;    // how many of the query's words the product holds
};

struct LexicalQuery {
  std::vector<TermId> words;  // distinct, rarest first; each weighs
  std::vector<std::int64_t> shares;  // permille, parallel to words
};

LexicalQuery lexical_query(const Wishes& wishes, const std::vector<TermId>& more, const Artefact& artefact);

// Term-at-a-time over impacts, rarest words first, until `postings_budget` is spent: words after that are left to
// ranking, which sees them all (`words_read` says how many were read). Hits are in ascending order of product.
struct LexicalHits {
  std::vector<LexicalHit> hits;
  std::size_t words_read = 0;
};
// Products are taken in blocks whose accumulators stay in the nearest caches; the hits are the same whatever the block.
inline constexpr std::uint32_t score_block = 1U << 15;
LexicalHits score_words(const LexicalQuery& query, const Artefact& artefact, std::int64_t postings_budget, std::uint32_t block_products = score_block);

// Products that hold a wording's heaviest run of words intact; empty when that run is no rare disclosure: when
// more than phrase_products_max products hold it, or more than phrase_checks_max would have to be read.
std::vector<Ordinal> phrase_products(const Wording& wording, const Artefact& artefact, const Variant& variant);

}  // namespace turnstone
