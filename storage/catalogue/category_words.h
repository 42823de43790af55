// Words of titles that name a category in another form than its own: "gartenstuhl" for Gartenstühle, "ventilador" for Ventiladores, and
// "sectional" alone for Sectional Sofas.
//
// Learnt from where words stand, with no grammar: another form of a word begins like it, stands in most titles of the category and in
// hardly any other. A first word names its category alone when hardly any other listing holds it in any of its parts.
#pragma once

#include <vector>

#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"
#include "storage/catalogue/kind_names.h"

namespace turnstone {

// `category` is finished. By key, in byte order. O(words of all listings).
std::vector<KindName> category_words(const Corpus& corpus, const FacetDraft& category);

}  // namespace turnstone
