// Replay: the recorded session against a second execution of the pure core.
//
// SessionReplayer is fed a session's events in order and sees nothing beyond the event it was last given, so a
// replay of turn N cannot know of anything later. For every turn it rebuilds the state by folding the recorded
// events up to the turn's last AttemptStarted, executes the turn, and compares flight record, events and reply.
// The record itself is checked first: the digest of the flight record and of the state. A record is refused, not
// diverged, when it was made by an artefact, policy or decision version that is not at hand; under a what-if it is executed
// with the ones given instead.
// Thread safety: one replayer, one thread; any number side by side (artefacts and policies are immutable).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/state.h"
#include "replay/divergence.h"
#include "replay/recording.h"
#include "workers/turn.h"

namespace turnstone {

// nullptr when it is not at hand.
using ArtefactLookup = std::function<std::shared_ptr<const Artefact>(const Fingerprint&)>;
using PolicyLookup = std::function<std::shared_ptr<const Policy>(const Fingerprint&)>;
// What executes a turn: take_turn; tests give their own to show that replay notices.
using TurnExecutor = std::function<Proposal(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy)>;

// What decides where the recorded artefact or policy is not at hand, or the decision version is another.
struct WhatIf {
  std::shared_ptr<const Artefact> artefact;
  std::shared_ptr<const Policy> policy;
  bool policy_chosen = false;  // the policy decides also where the recorded one is at hand

  bool replaces(const Fingerprint& recorded) const { return policy_chosen && policy->fingerprint() != recorded; }
};

struct ReplayOptions {
  bool check_only = false;              // fold and digests; no turn is executed
  std::optional<TurnNumber> only_turn;  // execute this one alone and stop after it
  std::optional<WhatIf> what_if;
  TurnExecutor execute = take_turn;
};

enum class ReplayOutcome : std::uint8_t { identical, diverged, incomplete, refused, parked };
std::string_view to_string(ReplayOutcome outcome);

struct TurnReplay {
  TurnNumber turn;
  ReplayOutcome outcome = ReplayOutcome::identical;
  std::optional<Divergence> divergence;  // diverged
  Sequence after;                        // the last event of the turn that was seen
  std::string reason;                    // refused, parked, incomplete: one sentence
  bool what_if = false;                  // executed under another artefact, policy or decision version
};

struct SessionReplay {
  SessionId session;
  std::vector<TurnReplay> turns;
  std::uint64_t events = 0;
  std::optional<Error> error;  // reading ended with it
};

struct ReplaySources {
  ArtefactLookup artefact;
  PolicyLookup policy;
  std::function<Result<RecordedTurn>(TurnNumber)> turn;  // what a completed turn left besides its events
};

class SessionReplayer {
 public:
  SessionReplayer(SessionId session, ReplaySources sources, ReplayOptions options);
  // False: nothing more is needed (only_turn has been replayed).
  bool feed(const Event& event);
  // The stream has ended; a turn without its end is incomplete.
  SessionReplay finish();
  // Reading the stream failed: what was judged so far, and nothing about the open turn.
  SessionReplay abandon();

 private:
  struct OpenTurn {
    TurnReceived received;
    Attempt attempt;
    IntentState before;               // at the last AttemptStarted
    std::vector<EventBody> produced;  // since then
  };

  bool wanted(TurnNumber turn) const { return !options_.only_turn || *options_.only_turn == turn; }
  void complete(const TurnCompleted& completed, Sequence sequence);
  void park(const TurnParked& parked, Sequence sequence);
  TurnReplay judge(const OpenTurn& open, const TurnCompleted& completed);
  std::optional<Divergence> check_record(const OpenTurn& open, const TurnCompleted& completed, const RecordedTurn& recorded) const;
  std::optional<Divergence> compare(const OpenTurn& open, const TurnCompleted& completed, const RecordedTurn& recorded, const Artefact& artefact,
                                    const Policy& policy, bool what_if) const;

  ReplaySources sources_;
  ReplayOptions options_;
  SessionReplay result_;
  IntentState state_;
  std::optional<OpenTurn> open_;
};

SessionReplay replay_recording(const Recording& recording, const ArtefactLookup& artefact, const ReplayOptions& options);

// Exit code of a set of replays: 0 identical, 1 diverged, 3 unreadable, 4 refused, erased or incomplete.
int replay_exit_code(const std::vector<SessionReplay>& sessions);

}  // namespace turnstone
