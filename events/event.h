// Every event type of the ledger, as plain structs.
//
// An event is a fact in the past tense. Fields are stored by position (msgpack array) and shown by name
// (JSON), both in the order of fields(). To change a type: append fields, raise its schema version, and add
// an upcaster (events/upcast.h); never reorder, never reuse. Ids are the catalogue's; ordinals never stand here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/fields.h"
#include "events/number.h"
#include "events/types.h"

namespace turnstone {

// --- closed vocabularies (stored as their number: append only) -------------------------------------
enum class Intent : std::uint8_t { browsing = 0, buying = 1 };
enum class Operator : std::uint8_t { is = 0, is_not = 1, at_most = 2, at_least = 3, between = 4, about = 5 };
enum class Strength : std::uint8_t { hard = 0, soft = 1 };
enum class Source : std::uint8_t { said = 0, answered = 1, reference = 2, profile = 3, model = 4 };
enum class TombstoneReason : std::uint8_t { superseded = 0, revoked = 1, contradicted = 2, waived = 3, archived = 4 };
enum class EpochReason : std::uint8_t { new_product = 0, started_over = 1, wishes_revoked = 2, additional_search = 3, returned = 4 };
enum class AnswerOutcome : std::uint8_t { value = 0, waived = 1, declined = 2, off_topic = 3 };
enum class Route : std::uint8_t { none = 0, exact = 1, portfolio = 2, relaxed = 3, popular = 4, previous = 5 };
enum class CloseReason : std::uint8_t { requested = 0, idle = 1, said_goodbye = 2 };

// --- shared parts ----------------------------------------------------------------------------------
// Bytes [begin, end) of the message's UTF-8 text.
struct TextSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  static constexpr auto fields() { return std::tuple{field("begin", &TextSpan::begin), field("end", &TextSpan::end)}; }
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

// What a constraint compares with. `is`/`is_not` by words: any_of (one or more canonical values, any of
// them). Numbers: `number` alone for is, is_not, at_most, at_least and about; `number`..`upper` for between.
struct ConstraintValue {
  std::vector<std::string> any_of;
  std::optional<Number> number;
  std::optional<Number> upper;
  static constexpr auto fields() {
    return std::tuple{field("any_of", &ConstraintValue::any_of), field("number", &ConstraintValue::number),
                      field("upper", &ConstraintValue::upper)};
  }
  friend bool operator==(const ConstraintValue&, const ConstraintValue&) = default;
};

struct QuestionOption {
  std::string value;
  std::uint32_t count = 0;
  static constexpr auto fields() { return std::tuple{field("value", &QuestionOption::value), field("count", &QuestionOption::count)}; }
  friend bool operator==(const QuestionOption&, const QuestionOption&) = default;
};

struct ShownProduct {
  ProductId id;
  Score score;
  Permille confidence;
  static constexpr auto fields() {
    return std::tuple{field("id", &ShownProduct::id), field("score", &ShownProduct::score), field("confidence", &ShownProduct::confidence)};
  }
  friend bool operator==(const ShownProduct&, const ShownProduct&) = default;
};

// --- the events ------------------------------------------------------------------------------------
struct SessionStarted {
  SessionId session;
  std::string channel;                      // "http", "chat", "eval" …
  std::string policy_variant;               // "shopper" or "benchmark"
  std::optional<ProfileId> profile;
  std::vector<std::int32_t> taste;          // frozen copy of the profile's unit vector; empty = none
  std::vector<std::string> preference_tags;  // profile_summary: soft hints, never a filter
  std::optional<SessionId> forked_from;
  static constexpr auto fields() {
    return std::tuple{field("session", &SessionStarted::session), field("channel", &SessionStarted::channel),
                      field("policy_variant", &SessionStarted::policy_variant), field("profile", &SessionStarted::profile),
                      field("taste", &SessionStarted::taste), field("preference_tags", &SessionStarted::preference_tags),
                      field("forked_from", &SessionStarted::forked_from)};
  }
  friend bool operator==(const SessionStarted&, const SessionStarted&) = default;
};

struct TurnReceived {
  TurnNumber turn;
  TurnKey key;
  std::string text;
  std::uint32_t top_k = 10;                  // at most this many products in the reply; 1..100
  std::string front_end;                     // free metadata of the front end, ≤ 1,000 bytes
  std::optional<TurnNumber> retry_of;        // a parked turn tried again is a new turn
  static constexpr auto fields() {
    return std::tuple{field("turn", &TurnReceived::turn), field("key", &TurnReceived::key), field("text", &TurnReceived::text),
                      field("top_k", &TurnReceived::top_k), field("front_end", &TurnReceived::front_end),
                      field("retry_of", &TurnReceived::retry_of)};
  }
  friend bool operator==(const TurnReceived&, const TurnReceived&) = default;
};

struct AttemptStarted {
  TurnNumber turn;
  Attempt attempt;
  WorkerId worker;  // empty while not yet assigned
  static constexpr auto fields() {
    return std::tuple{field("turn", &AttemptStarted::turn), field("attempt", &AttemptStarted::attempt), field("worker", &AttemptStarted::worker)};
  }
  friend bool operator==(const AttemptStarted&, const AttemptStarted&) = default;
};

struct IntentClassified {
  Intent intent = Intent::browsing;
  Permille confidence;
  std::string evidence;  // the words or the fact that decided
  static constexpr auto fields() {
    return std::tuple{field("intent", &IntentClassified::intent), field("confidence", &IntentClassified::confidence),
                      field("evidence", &IntentClassified::evidence)};
  }
  friend bool operator==(const IntentClassified&, const IntentClassified&) = default;
};

struct ConstraintSet {
  ConstraintId id;
  std::string facet;  // category, brand, color … or the catalogue's column in snake case
  Operator op = Operator::is;
  ConstraintValue value;
  std::string unit;  // "", "$", "gb", "inch" …
  Strength strength = Strength::hard;
  Source source = Source::said;
  Permille confidence;
  std::string said;  // the shopper's own words
  TextSpan span;     // in the message of the causing turn; empty when source is not said/answered
  std::optional<ConstraintId> restored_from;
  static constexpr auto fields() {
    return std::tuple{field("id", &ConstraintSet::id), field("facet", &ConstraintSet::facet), field("op", &ConstraintSet::op),
                      field("value", &ConstraintSet::value), field("unit", &ConstraintSet::unit), field("strength", &ConstraintSet::strength),
                      field("source", &ConstraintSet::source), field("confidence", &ConstraintSet::confidence),
                      field("said", &ConstraintSet::said), field("span", &ConstraintSet::span),
                      field("restored_from", &ConstraintSet::restored_from)};
  }
  friend bool operator==(const ConstraintSet&, const ConstraintSet&) = default;
};

struct ConstraintTombstoned {
  ConstraintId id;
  TombstoneReason reason = TombstoneReason::superseded;
  std::optional<ConstraintId> by;  // the constraint that took its place, when there is one; itself: undone, and not to come back
  std::string words;               // which words did it
  static constexpr auto fields() {
    return std::tuple{field("id", &ConstraintTombstoned::id), field("reason", &ConstraintTombstoned::reason),
                      field("by", &ConstraintTombstoned::by), field("words", &ConstraintTombstoned::words)};
  }
  friend bool operator==(const ConstraintTombstoned&, const ConstraintTombstoned&) = default;
};

struct PreferenceWaived {
  std::string facet;
  std::string words;
  static constexpr auto fields() { return std::tuple{field("facet", &PreferenceWaived::facet), field("words", &PreferenceWaived::words)}; }
  friend bool operator==(const PreferenceWaived&, const PreferenceWaived&) = default;
};

struct RecipientSet {
  std::string recipient;  // "mom", "boy" …; empty = the shopper
  std::string department;  // what it implies in this catalogue; empty = nothing
  std::string words;
  static constexpr auto fields() {
    return std::tuple{field("recipient", &RecipientSet::recipient), field("department", &RecipientSet::department), field("words", &RecipientSet::words)};
  }
  friend bool operator==(const RecipientSet&, const RecipientSet&) = default;
};

struct ReferenceResolved {
  std::string words;
  ProductId product;
  std::vector<std::string> taken;  // facets taken from it
  static constexpr auto fields() {
    return std::tuple{field("words", &ReferenceResolved::words), field("product", &ReferenceResolved::product), field("taken", &ReferenceResolved::taken)};
  }
  friend bool operator==(const ReferenceResolved&, const ReferenceResolved&) = default;
};

struct ProductRejected {
  ProductId product;
  std::string words;
  static constexpr auto fields() { return std::tuple{field("product", &ProductRejected::product), field("words", &ProductRejected::words)}; }
  friend bool operator==(const ProductRejected&, const ProductRejected&) = default;
};

struct EpochAdvanced {
  Epoch from;
  Epoch to;
  EpochReason reason = EpochReason::new_product;
  std::vector<ConstraintId> carried;
  std::vector<ConstraintId> archived;
  static constexpr auto fields() {
    return std::tuple{field("from", &EpochAdvanced::from), field("to", &EpochAdvanced::to), field("reason", &EpochAdvanced::reason),
                      field("carried", &EpochAdvanced::carried), field("archived", &EpochAdvanced::archived)};
  }
  friend bool operator==(const EpochAdvanced&, const EpochAdvanced&) = default;
};

struct ClauseRelaxed {
  ConstraintId constraint;
  std::string why;
  std::uint32_t pool_before = 0;
  std::uint32_t pool_after = 0;
  static constexpr auto fields() {
    return std::tuple{field("constraint", &ClauseRelaxed::constraint), field("why", &ClauseRelaxed::why),
                      field("pool_before", &ClauseRelaxed::pool_before), field("pool_after", &ClauseRelaxed::pool_after)};
  }
  friend bool operator==(const ClauseRelaxed&, const ClauseRelaxed&) = default;
};

// One event a question; a reply asks at most three. facet "other" is the open question.
struct QuestionAsked {
  std::string facet;
  std::string text;
  std::vector<QuestionOption> options;
  Millibits gain;
  Millibits entropy_before;
  Permille coverage;
  std::string rationale;
  static constexpr auto fields() {
    return std::tuple{field("facet", &QuestionAsked::facet), field("text", &QuestionAsked::text), field("options", &QuestionAsked::options),
                      field("gain", &QuestionAsked::gain), field("entropy_before", &QuestionAsked::entropy_before),
                      field("coverage", &QuestionAsked::coverage), field("rationale", &QuestionAsked::rationale)};
  }
  friend bool operator==(const QuestionAsked&, const QuestionAsked&) = default;
};

struct QuestionAnswered {
  std::string facet;
  AnswerOutcome outcome = AnswerOutcome::value;
  static constexpr auto fields() { return std::tuple{field("facet", &QuestionAnswered::facet), field("outcome", &QuestionAnswered::outcome)}; }
  friend bool operator==(const QuestionAnswered&, const QuestionAnswered&) = default;
};

struct ProductsShown {
  Route route = Route::none;
  std::uint32_t matching = 0;  // size of the pool that satisfies every hard constraint
  std::vector<ShownProduct> products;
  static constexpr auto fields() {
    return std::tuple{field("route", &ProductsShown::route), field("matching", &ProductsShown::matching), field("products", &ProductsShown::products)};
  }
  friend bool operator==(const ProductsShown&, const ProductsShown&) = default;
};

struct ReplySent {
  std::string text;
  static constexpr auto fields() { return std::tuple{field("text", &ReplySent::text)}; }
  friend bool operator==(const ReplySent&, const ReplySent&) = default;
};

struct TurnCompleted {
  TurnNumber turn;
  Attempt attempt;
  Fingerprint artefact;
  Fingerprint policy;
  std::uint32_t decision_version = 0;
  Digest flight_digest{};  // BLAKE2b-256 of the encoded flight record
  std::uint32_t fold_version = 0;
  Digest state_digest{};   // of the state after every event of the turn before this one
  static constexpr auto fields() {
    return std::tuple{field("turn", &TurnCompleted::turn), field("attempt", &TurnCompleted::attempt), field("artefact", &TurnCompleted::artefact),
                      field("policy", &TurnCompleted::policy), field("decision_version", &TurnCompleted::decision_version),
                      field("flight_digest", &TurnCompleted::flight_digest), field("fold_version", &TurnCompleted::fold_version),
                      field("state_digest", &TurnCompleted::state_digest)};
  }
  friend bool operator==(const TurnCompleted&, const TurnCompleted&) = default;
};

struct TurnParked {
  TurnNumber turn;
  std::string reason;
  std::uint32_t attempts = 0;
  static constexpr auto fields() {
    return std::tuple{field("turn", &TurnParked::turn), field("reason", &TurnParked::reason), field("attempts", &TurnParked::attempts)};
  }
  friend bool operator==(const TurnParked&, const TurnParked&) = default;
};

// From the next turn on, decisions are made by `to`. Written between turns only; also once before the
// first turn (all "from" zero) so that a stream says from its start what decides.
struct EngineChanged {
  Fingerprint artefact_from;
  Fingerprint artefact_to;
  Fingerprint policy_from;
  Fingerprint policy_to;
  std::uint32_t decision_from = 0;
  std::uint32_t decision_to = 0;
  static constexpr auto fields() {
    return std::tuple{field("artefact_from", &EngineChanged::artefact_from), field("artefact_to", &EngineChanged::artefact_to),
                      field("policy_from", &EngineChanged::policy_from), field("policy_to", &EngineChanged::policy_to),
                      field("decision_from", &EngineChanged::decision_from), field("decision_to", &EngineChanged::decision_to)};
  }
  friend bool operator==(const EngineChanged&, const EngineChanged&) = default;
};

struct ProfileUpdated {
  ProfileId profile;
  std::vector<std::int32_t> taste;
  Permille alpha;
  Permille similarity;
  static constexpr auto fields() {
    return std::tuple{field("profile", &ProfileUpdated::profile), field("taste", &ProfileUpdated::taste), field("alpha", &ProfileUpdated::alpha),
                      field("similarity", &ProfileUpdated::similarity)};
  }
  friend bool operator==(const ProfileUpdated&, const ProfileUpdated&) = default;
};

struct SessionClosed {
  CloseReason reason = CloseReason::requested;
  static constexpr auto fields() { return std::tuple{field("reason", &SessionClosed::reason)}; }
  friend bool operator==(const SessionClosed&, const SessionClosed&) = default;
};

struct SessionErased {
  std::string by;
  static constexpr auto fields() { return std::tuple{field("by", &SessionErased::by)}; }
  friend bool operator==(const SessionErased&, const SessionErased&) = default;
};

// The order of alternatives is not the stored number: see EventType.
using EventBody =
    std::variant<SessionStarted, TurnReceived, AttemptStarted, IntentClassified, ConstraintSet, ConstraintTombstoned, PreferenceWaived,
                 RecipientSet, ReferenceResolved, ProductRejected, EpochAdvanced, ClauseRelaxed, QuestionAsked, QuestionAnswered,
                 ProductsShown, ReplySent, TurnCompleted, TurnParked, EngineChanged, ProfileUpdated, SessionClosed, SessionErased>;

// Stored type numbers: append only, never reuse.
enum class EventType : std::uint16_t {
  session_started = 1, turn_received = 2, attempt_started = 3, intent_classified = 4, constraint_set = 5, constraint_tombstoned = 6,
  preference_waived = 7, recipient_set = 8, reference_resolved = 9, product_rejected = 10, epoch_advanced = 11, clause_relaxed = 12,
  question_asked = 13, question_answered = 14, products_shown = 15, reply_sent = 16, turn_completed = 17, turn_parked = 18,
  engine_changed = 19, profile_updated = 20, session_closed = 21, session_erased = 22,
};

EventType type_of(const EventBody& body);
std::string_view name_of(EventType type);  // "ConstraintSet"; "unknown" for a number this build does not know

// --- streams ---------------------------------------------------------------------------------------
enum class StreamKind : std::uint8_t { session = 's', profile = 'p' };

struct StreamId {
  StreamKind kind = StreamKind::session;
  std::string name;  // the session's or profile's id
  friend bool operator==(const StreamId&, const StreamId&) = default;
  friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

inline StreamId stream_of(const SessionId& session) { return {StreamKind::session, session.value}; }
inline StreamId stream_of(const ProfileId& profile) { return {StreamKind::profile, profile.value}; }

// An event as the ledger holds it.
struct Event {
  StreamId stream;
  Sequence sequence;
  std::uint16_t schema_version = 1;
  Timestamp time;            // when it was written; for people, never for decisions
  TurnNumber turn;           // the causing turn; 0 = none
  EventBody body;
  Digest previous_hash{};
  Digest hash{};
};

}  // namespace turnstone
