// What the engine tells of a session by folding its events; no turn code takes part. Pure reads of the ledger;
// thread safe as the ledger is. The latest state costs what stands behind its snapshot, an earlier one is linear in its sequence.
#pragma once

#include <optional>
#include <string>

#include "events/error.h"
#include "events/state.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

// The state after turn `at`, or after everything. Errors: not_found (no such session, or no such turn yet).
Result<IntentState> state_at(const Ledger& ledger, const SessionId& session, std::optional<TurnNumber> at);

// The same as the public state document (JSON text).
Result<std::string> state_document_at(const Ledger& ledger, const SessionId& session, std::optional<TurnNumber> at);

// What a shopper gets for a turn that could not be finished: a public reply without products.
struct ParkedReply {
  std::string text;
  std::string document;
};
ParkedReply parked_reply(const Ledger& ledger, const SessionId& session, TurnNumber turn);

}  // namespace turnstone
