// Turns written to a ledger by itself: the events, the reply and the flight record of an ordinary one in size.
#pragma once

#include <cstdint>
#include <string>

#include "storage/ledger/ledger.h"

namespace turnstone {

inline constexpr std::uint64_t events_of_a_ledger_turn = 8;  // with TurnReceived and AttemptStarted

Status start_ledger_session(Ledger& ledger, const SessionId& session);
// Accept and commit, without sync.
Status write_ledger_turn(Ledger& ledger, const SessionId& session, std::uint64_t key);

}  // namespace turnstone
