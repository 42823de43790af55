// The intent of a session, as its events tell it.
//
// IntentState is a plain value, made by fold alone and read by take_turn. Its size is bounded: tombstones of
// the last tombstones_kept changes, what was shown and asked in the current epoch; everything older stands in
// the ledger. All containers are ordered, so that equal states encode to equal bytes.
//
// What each event does to it:
//   SessionStarted        sets session, policy variant, profile, taste, tags
//   TurnReceived          sets turn; what the last turn relaxed is forgotten
//   IntentClassified      sets intent and its confidence
//   ConstraintSet         is active from now on (in place of one with the same id); lifts a waiver of its facet
//   ConstraintTombstoned  moves the constraint from active to tombstones
//   PreferenceWaived      records the waiver; constraints on the facet go by tombstones of their own
//   RecipientSet          sets recipient and department
//   ProductRejected       is remembered for the session
//   EpochAdvanced         archives the constraints it lists (tombstones with reason archived, in its order) and keeps all
//                         others; clears shown, asked, relaxed and waived (a waiver that outlives the epoch is said again by a
//                         PreferenceWaived after it); "start over" also clears the recipient. last_shown stays, so that "the
//                         second one" still resolves
//   ClauseRelaxed         is listed in relaxed
//   QuestionAsked         is appended to asked
//   QuestionAnswered      gives the latest question on that facet its outcome
//   ProductsShown         sets last_route; products, when there are any, are the last_shown and join shown
//   TurnCompleted/Parked  set completed
//   EngineChanged         sets engine
//   SessionClosed         sets closed
//   SessionErased         empties everything but session and sequence, and sets erased
//   AttemptStarted, ReferenceResolved, ReplySent, ProfileUpdated leave the state as it is
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
inline constexpr std::size_t asked_kept = 256;    // questions of the epoch; the oldest go first
inline constexpr std::size_t active_kept = 1'000;  // active constraints; beyond it the oldest is archived
inline constexpr std::size_t rejected_kept = 2'000;  // rejected products; beyond it the first id makes room
inline constexpr std::size_t waived_kept = 1'000;    // waived facets; beyond it the first name makes room

struct Constraint {
  ConstraintSet set;
  TurnNumber turn;  // that set it
  Epoch epoch;      // in which it was set
  static constexpr auto fields() {
    return std::tuple{field("set", &Constraint::set), field("turn", &Constraint::turn), field("epoch", &Constraint::epoch)};
  }
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct Tombstone {
  Constraint constraint;
  ConstraintTombstoned by;
  TurnNumber turn;  // that buried it
  Epoch epoch;      // in which it was buried
  static constexpr auto fields() {
    return std::tuple{field("constraint", &Tombstone::constraint), field("by", &Tombstone::by), field("turn", &Tombstone::turn),
                      field("epoch", &Tombstone::epoch)};
  }
  friend bool operator==(const Tombstone&, const Tombstone&) = default;
};

struct AskedQuestion {
  QuestionAsked question;
  TurnNumber turn;
  std::optional<AnswerOutcome> outcome;  // nullopt: not answered yet
  static constexpr auto fields() {
    return std::tuple{field("question", &AskedQuestion::question), field("turn", &AskedQuestion::turn), field("outcome", &AskedQuestion::outcome)};
  }
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

  static constexpr auto fields() {
    return std::tuple{field("session", &IntentState::session), field("policy_variant", &IntentState::policy_variant),
                      field("profile", &IntentState::profile), field("taste", &IntentState::taste),
                      field("preference_tags", &IntentState::preference_tags), field("sequence", &IntentState::sequence),
                      field("turn", &IntentState::turn), field("completed", &IntentState::completed), field("epoch", &IntentState::epoch),
                      field("intent", &IntentState::intent), field("intent_confidence", &IntentState::intent_confidence),
                      field("active", &IntentState::active), field("tombstones", &IntentState::tombstones),
                      field("last_constraint", &IntentState::last_constraint), field("waived", &IntentState::waived),
                      field("recipient", &IntentState::recipient), field("recipient_department", &IntentState::recipient_department),
                      field("asked", &IntentState::asked), field("shown", &IntentState::shown), field("last_shown", &IntentState::last_shown),
                      field("last_shown_turn", &IntentState::last_shown_turn), field("last_route", &IntentState::last_route),
                      field("rejected", &IntentState::rejected), field("relaxed", &IntentState::relaxed), field("closed", &IntentState::closed),
                      field("erased", &IntentState::erased), field("engine", &IntentState::engine)};
  }
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
