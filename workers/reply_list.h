// What a reply says about its list: how many products match, which of those here do, what the others lack, and what was
// given up so that any match. Never more than the list holds to: a product that misses a wish is told from one that matches.
//
// Pure; thread safe.
#pragma once

#include <string>

#include "workers/stages.h"

namespace turnstone {

std::string list_sentence(const IntentState& state, const Retrieval& retrieval, const Slate& slate, const Artefact& artefact);

}  // namespace turnstone
