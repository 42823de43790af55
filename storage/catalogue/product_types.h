// The facet "category": nodes of the category paths and mined product types.
//
// A product's values are
//   1. the nodes of its path, without words of an audience ("Women's Clothing" → Clothing), camel case taken apart
//      ("CPUCooler" → CPU Cooler), alternatives split ("Hat/beanie" → hat, beanie); not nodes that merely name a
//      seller's own corner ("Jazzy Ben Shirts": 80 % of its products start with "Jazzy Ben") or hold figures;
//   2. values of columns that name a type (Language::facet_of_column gives "category");
//   3. the head noun of its title: the last known type in the first clause that has one ("Leather Watch Band for
//      Men" → watch band, band). Types are known from 1 and 2; where they are silent, from words that titles of
//      many products end in;
//   4. when 3 finds none: the parts of its last node ("Jackets & Coats" → jacket, coat).
#pragma once

#include "storage/catalogue/column_audit.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"

namespace turnstone {

void add_category_facet(const Corpus& corpus, const std::vector<Column>& columns, FacetDrafts& facets);

// "CPUCooler" → "CPU Cooler", "PCCase" → "PC Case"; anything with a space or without a hump stays as it is.
std::string split_camel_case(std::string_view word);

}  // namespace turnstone
