// Turns that no attempt could finish: what was asked, why it was given up, whether it was tried again.
//
// Read from the ledger alone; thread safe as the ledger is. O(finished turns), and the length of each session that holds
// a parked one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

struct ParkedTurn {
  SessionId session;
  TurnNumber turn;
  TurnReceived received;
  TurnParked parked;
  Timestamp at;                          // when it was parked
  std::optional<TurnNumber> retried_as;  // the last turn that tries it again
};

// In the order in which they were parked.
Result<std::vector<ParkedTurn>> parked_turns(const Ledger& ledger);

// The key under which a parked turn is tried again: the same each time, so that asking twice tries once.
TurnKey retry_key(TurnNumber parked);

}  // namespace turnstone
