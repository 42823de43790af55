// The numbers of one policy variant: weights, gates, slate and question rules.
//
// Every number is an integer on a scale of workers/fixed_point.h (bits and points: millibits; shares: permille;
// the rest are counts). What each means stands here; the values stand in workers/policy/variants.toml, where a
// name that is not listed here, or a value outside its range, is an error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

struct Variant {
  struct Retrieve {
    std::int64_t candidates_max = 0;        // what rank looks at
    std::int64_t and_enough = 0;            // strict AND hits from which OR is not needed
    std::int64_t route_depth = 0;           // ranks of a route that are fused
    std::int64_t postings_budget = 0;       // postings that OR reads, rarest terms first; the rest only adds to found products
    std::int64_t phrases_max = 0;           // phrase routes a turn
    std::int64_t phrase_checks_max = 0;     // products checked for one phrase
    std::int64_t phrase_products_max = 0;   // a phrase that more products hold is no rare disclosure
    std::int64_t rank_offset = 0;           // k of reciprocal rank fusion
    std::int64_t weight_exact = 0;          // route weights, permille
    std::int64_t weight_and = 0;
    std::int64_t weight_or = 0;
    std::int64_t weight_category = 0;
    std::int64_t weight_phrase = 0;
    std::int64_t filled_facet = 0;          // permille of products from which a word facet counts as filled
    std::int64_t broad_type = 0;            // millibits: a category that tells less excludes nothing ("clothing" among clothes)
    std::int64_t relax_confidence = 0;      // soft clauses at or under this confidence go first
    std::int64_t relax_soft_max = 0;        // soft clauses given up before a hard one
    std::int64_t pool_max = 0;              // products of the exact pool that ask looks at
    std::int64_t show_again = 0;            // so few matches are shown again when the shopper has narrowed to them
    friend bool operator==(const Retrieve&, const Retrieve&) = default;
  } retrieve;

  struct Rank {
    std::int64_t word_anywhere = 0;         // permille of a word's IDF when it stands anywhere in the listing
    std::int64_t word_together = 0;         // … when it stands in the part that holds most of the requirement
    std::int64_t phrase = 0;                // … when it is in the longest intact run of the requirement's words
    std::int64_t whole_part = 0;            // … scaled by how much of that part the requirement is
    std::int64_t prominence = 0;            // points for evidence in the listing's first fact …
    std::int64_t prominence_step = 0;       // … less for each fact that stands before it
    std::int64_t telling = 0;               // millibits of a wording from which prominence counts in full
    std::int64_t facet_match = 0;           // permille of a value's information, log2(filled / count)
    std::int64_t facet_match_max = 0;       // points at most
    std::int64_t facet_contradiction = 0;   // points lost when the listing says otherwise …
    std::int64_t facet_contradiction_mentioned = 0;  // … but holds the words all the same
    std::int64_t type_in_title = 0;         // points for the product type's head noun in the title
    std::int64_t type_in_category = 0;      // points for the category value
    std::int64_t type_mismatch = 0;         // points lost when the listing's categories are all others
    std::int64_t telling_type = 0;          // millibits of a category from which the two count in full
    std::int64_t number_fit = 0;            // points for a number within its bounds or equal
    std::int64_t number_miss = 0;           // points lost for one outside
    std::int64_t number_slope = 0;          // points lost for each doubling between the number wished for and the listing's
    std::int64_t precision = 0;             // points when the whole listing is the shopper's evidence, less in proportion
    std::int64_t rejected_value = 0;        // points lost for a rejected value in its facet …
    std::int64_t rejected_mention = 0;      // … or in the title only
    std::int64_t department_mismatch = 0;   // points lost for a listing made for somebody else
    std::int64_t soft = 0;                  // permille that a soft requirement counts
    std::int64_t archived = 0;              // permille that a withdrawn one counts
    std::int64_t preference_tag = 0;        // points for a profile's tag in the listing
    std::int64_t popularity = 0;            // points of the most popular product: the window of near ties
    std::int64_t liked = 0;                 // permille: likeness to a product that was pointed at
    friend bool operator==(const Rank&, const Rank&) = default;
  } rank;

  struct Gate {
    std::int64_t temperature = 0;           // permille: scores are divided by it before the posterior
    std::int64_t outside = 0;               // points under the best at which "none of these" stands
    std::int64_t confidence_temperature = 0;  // the same two for the confidence that is shown: fitted so that it is a probability
    std::int64_t confidence_outside = 0;
    std::int64_t show_within = 0;           // points under the best that are still shown
    std::int64_t products_max = 0;          // at most, whatever top_k says
    std::int64_t trusted_pool = 0;          // exact unrelaxed pools up to this size are shown whole
    std::int64_t rank_value = 0;            // what the target is worth at rank 1, permille of a session (1/rank below)
    std::int64_t hit_value = 0;             // what it is worth at any rank
    std::int64_t turn_cost = 0;             // what one more turn costs
    std::int64_t leaving = 0;               // permille of shoppers who leave rather than take one more turn
    std::int64_t by_value = 0;              // 1: the slate's size is decided by the values above; 0: all that clears
    std::int64_t learning = 0;              // millibits that the open question must be expected to bring for the list to wait for it
    friend bool operator==(const Gate&, const Gate&) = default;
  } gate;

  struct Ask {
    std::int64_t questions_max = 0;         // a turn
    std::int64_t options_max = 0;           // a question
    std::int64_t options_cover = 0;         // permille of the filled pool that the options must cover
    std::int64_t pool_sample = 0;           // products of the pool that facets are weighed over
    std::int64_t coverage_min = 0;          // permille of the pool that must fill a facet
    std::int64_t gain_min = 0;              // millibits under which no facet question is asked
    std::int64_t answerable = 0;            // permille of shoppers who can answer about a facet …
    std::int64_t answerable_brand = 0;
    std::int64_t answerable_price = 0;
    std::int64_t answerable_detail = 0;     // … about a column without a common name
    std::int64_t open_yield = 0;            // millibits that the first open question brings
    std::int64_t open_again = 0;            // permille of that for each time it was answered before
    std::int64_t open_known = 0;            // millibits less for each wish that is known
    std::int64_t settled = 0;               // millibits of entropy under which nothing needs asking
    friend bool operator==(const Ask&, const Ask&) = default;
  } ask;

  friend bool operator==(const Variant&, const Variant&) = default;
};

// Reads the tables `base` (every number), then `name` (what differs) from a bundle's [variants]. Errors:
// invalid_argument, naming the key that is unknown, missing, no integer or out of range.
Result<std::map<std::string, Variant>> parse_variants(std::string_view toml);

}  // namespace turnstone
