// What a question about one facet would tell, and the options it would offer.
//
//   gain = coverage · answerable · H(option)
//
// where H is the entropy of the option that the target would fall under (the eight best options and "something
// else"), coverage the share of the pool whose listing fills the facet, and answerable the share of shoppers who
// can say. A shopper who cannot, or whose product is silent, tells nothing: the don't-know branch brings 0.
#pragma once

#include <optional>
#include <vector>

#include "workers/ask_pool.h"
#include "workers/variant.h"

namespace turnstone {

struct FacetQuestion {
  FacetId facet;
  std::vector<QuestionOption> options;
  Millibits gain;
  Permille coverage;
  Permille options_cover;  // of the filled pool
};

// The gain of words is estimated from their values as they are, which overlap; settle_options() makes options of them.
// nullopt when too little of the pool fills it, when its best options cover too little of what is filled, or
// when it divides nothing. O(values of the facet), or O(numbers of its column).
std::optional<FacetQuestion> weigh_facet(const Facet& facet, const PoolColumns& columns, std::int64_t answerable, const Variant& variant);

// No question with options tells more than this: that all its options and "something else" are alike likely.
std::int64_t entropy_most(const Variant& variant);

// No less than the gain that weigh_facet() gives for a numeric column, and quickly told: its options can tell no more than if all were alike
// likely. nullopt where weigh_facet() gives none because too little of the pool fills it.
std::optional<Millibits> gain_at_most(const Facet& numbers, const PoolColumns& columns, std::int64_t answerable, const Variant& variant);

// The question with its options and the gain that they bring; nullopt when they cover too little or divide nothing. Options of words are values
// that fewer products have than `narrower_than`.
std::optional<FacetQuestion> settle_options(FacetQuestion question, const PoolColumns& columns, std::int64_t answerable, std::uint32_t narrower_than,
                                            const Artefact& artefact, const Variant& variant);

}  // namespace turnstone
