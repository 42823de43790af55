// Sessions out of a ledger: as recordings, and straight into replays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/state.h"
#include "replay/recording.h"
#include "replay/replayer.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

inline constexpr std::size_t events_per_read = 512;

// All sessions but the erased ones, by name. Errors: those of Ledger::streams.
Result<std::vector<SessionId>> all_sessions(const Ledger& ledger);

// Calls visit(event) in order until it returns false. `page` bounds what is read ahead of the visit.
Status for_each_event(const Ledger& ledger, const StreamId& stream, const std::function<bool(const Event&)>& visit,
                      std::size_t page = events_per_read);

// The whole session. Errors: not_found, erased, corrupt (names the event or turn), io.
Result<Recording> record_session(const Ledger& ledger, const SessionId& session);

// Policies as the ledger keeps them, and the one compiled in. Parsed once; thread safe.
PolicyLookup policies_of(const Ledger& ledger);

// Under options.only_turn no event after that turn is read. What cannot be read ends up in SessionReplay::error.
SessionReplay replay_session(const Ledger& ledger, const SessionId& session, const ArtefactLookup& artefact, const PolicyLookup& policy,
                             const ReplayOptions& options);
// Many at once on `threads` threads; results in the order of `sessions`. `done` is called after each, from one
// thread at a time.
std::vector<SessionReplay> replay_sessions(const Ledger& ledger, const std::vector<SessionId>& sessions, const ArtefactLookup& artefact,
                                           const PolicyLookup& policy, const ReplayOptions& options, unsigned threads,
                                           const std::function<void(const SessionReplay&)>& done = {});

// The state and the message at the start of a turn (after its last AttemptStarted), for explain.
struct TurnStart {
  IntentState state;
  TurnInput input;
  std::optional<TurnCompleted> completed;  // nullopt: the turn has not ended, or was parked
};
// The last turn that was received. Errors: not_found when there is none.
Result<TurnNumber> last_turn(const Ledger& ledger, const SessionId& session);
Result<TurnStart> read_turn_start(const Ledger& ledger, const SessionId& session, TurnNumber turn);

}  // namespace turnstone
