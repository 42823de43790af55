// What words and phrases mean in this catalogue: term keys of up to five terms → values of facets.
//
// Phrases are: every value of a facet that may be filtered by; of brands and categories also the form without
// spaces ("gskill", "raincoat"); of brands what is spoken ("oak and iron" for Oak & Iron Co.); members of the language tables for the value of their group ("large" → l);
// the last word of a category of several, where it is no category itself ("cooler" → CPU Cooler); what titles call its
// products (kind_names.h) and in which other form they name it (category_words.h); the label of a
// yes-or-no column for its yes ("rgb"). Bare numbers and grammar words are no phrases.
#pragma once

#include <string>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"

namespace turnstone {

inline constexpr std::uint32_t phrase_terms_max = 5;

struct PhraseDraft {
  std::string key;
  std::vector<Sense> senses;  // by falling count, then facet, then value
};

// `facets` are finished; facet ids are their ranks by name, value ids run on through them. By key, in byte order.
std::vector<PhraseDraft> build_vocabulary(const Corpus& corpus, const FacetDrafts& facets);

}  // namespace turnstone
