// Facets from the catalogue's columns, fields and texts.
#pragma once

#include <string_view>
#include <vector>

#include "storage/catalogue/column_audit.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"
#include "storage/catalogue/table_matcher.h"

namespace turnstone {

// How a facet with a language table of the same name reads its values.
struct TableFacet {
  std::string_view name;
  bool members_are_synonyms;  // "large" is l; but navy is navy, and blue besides
  bool only_members;          // a cell that holds no member says nothing about this facet
  bool body_text;             // features and descriptions speak of it, too, not only titles and categories
};
// "men" stands in thousands of women's listings, so an audience is never read from body text; nor are sizes.
inline constexpr TableFacet table_facets[] = {
    {"color", false, false, true}, {"material", false, false, true}, {"size", true, false, false}, {"department", true, true, false}};

const TableFacet* table_facet(std::string_view name);

// Columns of the details → facets, by Language::facet_of_column.
void add_column_facets(const Corpus& corpus, std::vector<Column>& columns, FacetDrafts& facets);
// Brand (store and brand columns, known brands at the start of titles), price, rating, rating_count.
void add_field_facets(const Corpus& corpus, const std::string& currency, FacetDrafts& facets);
// Short feature bullets that recur → facet "feature".
void add_feature_facet(const Corpus& corpus, FacetDrafts& facets);
// What titles, categories and features say of colour, material, audience, size and of the common facets' values,
// for products whose own columns are silent.
void add_text_facets(const Corpus& corpus, FacetDrafts& facets);

}  // namespace turnstone
