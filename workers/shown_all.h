// Whether a list leaves nothing that matches unshown: then no question divides what is left, and the reply says so.
#pragma once

#include "workers/stages.h"

namespace turnstone {

// Something matches, and all of it stands in the list or was shown before. Pure; O(matches · list), at once where more match than the list holds.
bool shows_all_matches(const Retrieval& retrieval, const Slate& slate);

}  // namespace turnstone
