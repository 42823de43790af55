// A session's state as its events tell it, by the shortest sound way. Pure reads; thread safe as the ledger is.
#pragma once

#include "events/error.h"
#include "events/state.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

// The state that the session's snapshot holds, when it is one that its events name (events/snapshot.h); else an empty one: fold from the first
// event on. Never an error: what is wrong with a ledger shows when the events are read. O(state).
IntentState snapshot_state(const Ledger& ledger, const SessionId& session);

// Folds what follows `state` in its session's stream. Errors: those of Ledger::read. O(events that follow).
Status catch_up(const Ledger& ledger, const SessionId& session, IntentState& state);

}  // namespace turnstone
