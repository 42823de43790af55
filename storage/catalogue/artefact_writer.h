// Writes an artefact file: beside its place, synced, then renamed into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"
#include "events/types.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facet_draft.h"
#include "storage/catalogue/postings.h"
#include "storage/catalogue/vocabulary.h"

namespace turnstone {

struct ArtefactContent {
  const Corpus& corpus;
  const Postings& postings;
  const FacetDrafts& facets;  // finished
  const std::vector<PhraseDraft>& vocabulary;
  std::string_view audit_json;
};

// The whole file as bytes. The same content gives the same bytes. Errors: limit_exceeded (a section over its range).
Result<std::string> encode_artefact(const ArtefactContent& content);

}  // namespace turnstone
