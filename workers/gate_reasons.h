// Why a product is shown, in short phrases whose every fact stands in its listing.
#pragma once

#include <string>
#include <vector>

#include "workers/requirement.h"

namespace turnstone {

// At most four, the shopper's own wishes in the order they were said.
std::vector<std::string> reasons_for(const Wishes& wishes, Ordinal product, const Artefact& artefact);
// The shopper's wishes that the product's listing does not hold to: conditions it does not satisfy, and what she refused and it has.
std::vector<ConstraintId> misses_of(const Wishes& wishes, Ordinal product, const Artefact& artefact);
// "$19.99", "€20"; a currency without a sign of its own stands behind: "200 kr".
std::string money_text(std::string_view sign, Number number);
// "19.99 $" is for machines: "$19.99", "27 inch", "850 w".
std::string number_text(const Facet& facet, Number number);

}  // namespace turnstone
