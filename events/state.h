// The intent of a session, as its events tell it.
//
// IntentState is a plain value, made by fold alone and read by take_turn. Its size is bounded: tombstones of
// the last tombstones_kept changes, what was shown in the current epoch; everything older stands in the
// ledger. All containers are ordered, so that equal states encode to equal bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/event.h"
#include "events/flight_record.h"

namespace turnstone {

inline constexpr std::size_t tombstones_kept = 64;
inline constexpr std::size_t shown_kept = 2'000;  // products shown in the epoch; the oldest go first

struct Constraint {
  ConstraintSet set;
  TurnNumber turn;  // that set it
  Epoch epoch;      // in which it was set
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct Tombstone {
  Constraint constraint;
  ConstraintTombstoned by;
  TurnNumber turn;  // that buried it
  Epoch epoch;      // in which it was buried
  friend bool operator==(const Tombstone&, const Tombstone&) = default;
};

struct AskedQuestion {
  QuestionAsked question;
  TurnNumber turn;
  std::optional<AnswerOutcome> outcome;  // nullopt: not answered yet
  friend bool operator==(const AskedQuestion&, const AskedQuestion&) = default;
};

struct IntentState {
  SessionId session;
  std::string policy_variant;
  std::optional<ProfileId> profile;
  std::vector<std::int32_t> taste;
  std::vector<std::string> preference_tags;

  Sequence sequence;      // of the last event folded
  TurnNumber turn;        // the last turn received
  TurnNumber completed;   // the last turn completed or parked
  Epoch epoch{1};
  Intent intent = Intent::browsing;
  Permille intent_confidence;

  std::vector<Constraint> active;       // by id
  std::vector<Tombstone> tombstones;    // oldest first, bounded
  ConstraintId last_constraint;         // highest id ever given
  std::map<std::string, std::string> waived;  // facet → words
  std::string recipient;
  std::string recipient_department;

  std::vector<AskedQuestion> asked;     // in this epoch, in order
  std::vector<ProductId> shown;         // in this epoch, in order of first showing, bounded
  std::vector<ShownProduct> last_shown;  // the last non-empty list, in its order ("the second one")
  TurnNumber last_shown_turn;
  Route last_route = Route::none;
  std::set<ProductId> rejected;         // in this session
  std::vector<ConstraintId> relaxed;    // in the last turn

  bool closed = false;
  bool erased = false;
  std::optional<EngineChanged> engine;  // what decides from now on

  friend bool operator==(const IntentState&, const IntentState&) = default;
};

// The state after `event`. Pure and total: an event that does not fit (a tombstone for an unknown id) leaves
// the rest of the state as it is. O(size of the state's touched part).
void fold(IntentState& state, const Event& event);
// The same for an event not yet stored: sequence is the state's next, `turn` the causing turn.
void fold(IntentState& state, const EventBody& body, TurnNumber turn);

// BLAKE2b-256 over a canonical encoding of everything above but `sequence`.
Digest digest_of(const IntentState& state);

}  // namespace turnstone
