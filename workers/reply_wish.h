// Wishes in few words, as replies name them.
//
// Pure; thread safe.
#pragma once

#include <string>
#include <vector>

#include "events/state.h"

namespace turnstone {

// "red", "not black", "price up to $50".
std::string wish_text(const ConstraintSet& set);
// "a, b and c"; what is over six is counted.
std::string list_text(const std::vector<std::string>& items);
// An active or buried constraint; nullptr when there is none.
const ConstraintSet* find_constraint(const IntentState& state, ConstraintId id);

}  // namespace turnstone
