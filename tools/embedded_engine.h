// Turns without servers: ledger, artefact, policy and clock in one process.
//
// The same ledger protocol as the engine's (storage/ledger/ledger.h): a turn is accepted under its key, decided
// by take_turn, committed with its attempt, synced, and only then answered. What an earlier process left
// pending is finished at open. Sessions move to this engine's artefact, policy and decision version between
// turns (EngineChanged).
//
// Invariants:
//   1. a reply is returned only after sync();
//   2. a cached state is the fold of its stream up to its sequence; every turn first folds what it lacks.
// Thread safety: none; one thread at a time. The ledger may be shared with readers.
// Errors: those of engine/turn_request.h, key_reused for a key that was used for another message, and those of
// the ledger.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "engine/service.h"
#include "events/flight_record.h"
#include "events/state.h"
#include "storage/artefact/artefact.h"
#include "storage/ledger/ledger.h"
#include "workers/policy.h"
#include "workers/trace.h"

namespace turnstone {

struct TurnTimings {  // microseconds
  std::int64_t accept = 0;
  std::int64_t decide = 0;  // take_turn
  std::int64_t commit = 0;
  std::int64_t sync = 0;
  std::int64_t total = 0;
};

struct EmbeddedReply {
  TurnReply reply;
  TurnTimings timings;
};

struct EmbeddedOptions {
  std::string worker = "embedded";
  std::size_t sessions_cached_max = 1'000;  // states kept warm; the least recently used go first
  Reader reader = understand;  // turns that another reader took cannot be replayed.
};

class EmbeddedEngine {
 public:
  // `ledger` and `clock` outlive the engine. Finishes pending turns.
  static Result<std::unique_ptr<EmbeddedEngine>> open(Ledger& ledger, std::shared_ptr<const Artefact> artefact,
                                                      std::shared_ptr<const Policy> policy, const Clock& clock, EmbeddedOptions options = {});

  // False when the session exists already (it stays as it is). `session.session` must be given.
  Result<bool> start_session(const NewSession& session);
  // not_found when the session was never started.
  Result<EmbeddedReply> take_turn(const TurnRequest& request);
  // The session's state now. The reference holds until the next call.
  Result<const IntentState*> state(const SessionId& session);

  std::uint32_t recovered() const { return recovered_; }  // pending turns finished at open
  const std::shared_ptr<const Artefact>& artefact() const { return artefact_; }
  const std::shared_ptr<const Policy>& policy() const { return policy_; }

 private:
  EmbeddedEngine(Ledger& ledger, std::shared_ptr<const Artefact> artefact, std::shared_ptr<const Policy> policy, const Clock& clock,
                 EmbeddedOptions options);

  struct Warm {
    IntentState state;
    Sequence last_snapshot;  // where the stream's snapshot stands, as far as known here
    std::list<std::string>::iterator used;
  };
  // The state folded up to the stream's end.
  Result<IntentState*> caught_up(const SessionId& session);
  Status adopt_engine(const SessionId& session, IntentState& state);
  Status recover();
  Status finish_pending(const PendingTurn& pending);
  Status park(const PendingTurn& pending, const IntentState& state);
  std::string due_snapshot(const IntentState& before, const std::vector<EventBody>& events);
  struct Decided { TurnReply reply; std::int64_t decide = 0; std::int64_t commit = 0; };
  Result<Decided> decide_and_commit(IntentState& state, TurnReceived received, Attempt attempt);
  EngineChanged engine_from(const std::optional<EngineChanged>& before) const;
  Result<std::vector<std::int32_t>> taste_of(const ProfileId& profile) const;

  Ledger& ledger_;
  const std::shared_ptr<const Artefact> artefact_;
  const std::shared_ptr<const Policy> policy_;
  const Clock& clock_;
  const EmbeddedOptions options_;
  std::unordered_map<std::string, Warm> warm_;
  std::list<std::string> by_use_;  // most recently used first
  std::uint32_t recovered_ = 0;
};

// The reply document with `timing_us` added, as it leaves the program.
std::string with_timings(const std::string& document, const TurnTimings& timings);

}  // namespace turnstone
