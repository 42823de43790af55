// Which struct stands for which stored type number, at compile time. One row an event type; the rows stand in
// the order of EventBody's alternatives.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "events/event.h"

namespace turnstone {

struct EventKind {
  EventType type;
  std::string_view name;
  std::uint16_t schema_version;  // that encode writes
};

inline constexpr std::array<EventKind, std::variant_size_v<EventBody>> event_kinds{{
    {EventType::session_started, "SessionStarted", 1},       {EventType::turn_received, "TurnReceived", 1},
    {EventType::attempt_started, "AttemptStarted", 1},       {EventType::intent_classified, "IntentClassified", 1},
    {EventType::constraint_set, "ConstraintSet", 1},         {EventType::constraint_tombstoned, "ConstraintTombstoned", 1},
    {EventType::preference_waived, "PreferenceWaived", 1},   {EventType::recipient_set, "RecipientSet", 1},
    {EventType::reference_resolved, "ReferenceResolved", 1}, {EventType::product_rejected, "ProductRejected", 1},
    {EventType::epoch_advanced, "EpochAdvanced", 1},         {EventType::clause_relaxed, "ClauseRelaxed", 1},
    {EventType::question_asked, "QuestionAsked", 1},         {EventType::question_answered, "QuestionAnswered", 1},
    {EventType::products_shown, "ProductsShown", 1},         {EventType::reply_sent, "ReplySent", 1},
    {EventType::turn_completed, "TurnCompleted", 1},         {EventType::turn_parked, "TurnParked", 1},
    {EventType::engine_changed, "EngineChanged", 1},         {EventType::profile_updated, "ProfileUpdated", 1},
    {EventType::session_closed, "SessionClosed", 1},         {EventType::session_erased, "SessionErased", 1},
}};

// Position among EventBody's alternatives; nullopt for a number that this build does not know.
constexpr std::optional<std::size_t> alternative_of(EventType type) {
  for (std::size_t i = 0; i < event_kinds.size(); ++i) {
    if (event_kinds[i].type == type) return i;
  }
  return std::nullopt;
}

}  // namespace turnstone
