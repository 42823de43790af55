// The turn of a simulated run: a pure stand-in for take_turn that makes what it saw checkable.
//
// Events and reply name the turn's text and a digest of the whole state, so that a turn taken from any other state than
// the ledger's differs. A checker executes it again from the stored events.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "workers/loop/worker_core.h"

namespace turnstone::simulation {

Result<LoopProposal> simulated_turn(const IntentState& state, const LoopInput& input);

// Serves the artefact and policy named by `version`; `before` runs first in every turn and may refuse it. Version "two" is of a build that folds
// otherwise: its snapshots, and the digests that its turns name, say so and are of no use to another.
Served simulated_service(std::string_view version, std::function<Status(const LoopInput&)> before);

}  // namespace turnstone::simulation
