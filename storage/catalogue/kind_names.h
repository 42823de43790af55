// What titles call the products of a category whose own name is another: "headset" among Headphones, "thermal paste"
// among ThermalCompound, "trs" among Trousers.
//
// A name is a phrase of up to three words that titles end in before a comma or a "with". Most first clauses that hold
// it end in it ("modular" describes power supplies, and seldom ends one), nearly all titles that hold it are of one
// category, and enough of the category's products bear it. Of several categories it names the smallest. Shops' names,
// figures and phrases that end in a category's name or in a shorter such name are none: their last words are understood
// anyway, unless they hardly stand alone ("power supply").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"

namespace turnstone {

struct KindName {
  std::string key;
  std::uint32_t category = 0;  // index of the value in the facet
};

// `category` is finished. By key, in byte order. O(words of all titles).
std::vector<KindName> kind_names(const Corpus& corpus, const FacetDraft& category);

}  // namespace turnstone
