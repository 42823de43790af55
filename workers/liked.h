// The product that "something like the second one" points at, as wishes that weigh and never exclude: its kind
// and the words of its title and categories.
#pragma once

#include <vector>

#include "workers/requirement.h"
#include "workers/stages.h"

namespace turnstone {

struct Liked {
  std::vector<ValueId> kinds;  // ascending; its category values that tell something
  Wording words;
  bool is_kind(Ordinal product, const Artefact& artefact) const;
};

// Empty when the guidance points at nothing that the catalogue has.
Liked compile_liked(const Guidance& guidance, const Artefact& artefact, const Variant& variant);

}  // namespace turnstone
