// The list by one number: "the cheapest", "the lightest".
//
// Products that do not say the number stand behind all that do. Pure functions; a pass over the products and a partial sort.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "storage/artefact/artefact.h"
#include "workers/product_set.h"
#include "workers/stages.h"

namespace turnstone {

// The product's number in a facet: its price, its rating, or what a numeric column says.
std::optional<Number> number_in(const Artefact& artefact, Ordinal product, std::string_view facet);
// Whether any product says the number.
bool is_said(const Artefact& artefact, std::string_view facet);
// The first of `products` in this order, at most `at_most`; those without the number only where too few have it.
std::vector<Candidate> first_in_order(const ListOrder& order, const ProductSet& products, const Artefact& artefact, std::size_t at_most);
// Places of a ranking in this order, ties as they are ranked.
std::vector<std::size_t> places_in_order(const ListOrder& order, const Ranking& ranking, const Artefact& artefact);

}  // namespace turnstone
