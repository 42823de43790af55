// Events, states and flight records as JSON documents (for people and the public API; never for decisions).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "events/event.h"
#include "events/flight_record.h"
#include "events/state.h"

namespace turnstone {

nlohmann::json to_json(const EventBody& body);              // {"facet": …} by field name
nlohmann::json to_json(const Event& event);                 // envelope + "type" + "body"
nlohmann::json to_json(const FlightRecord& record);
nlohmann::json to_json(const ConstraintValue& value, Operator op);  // "red", ["cotton","linen"], 40, {"min","max"}
// The public state document of the API: session, turn, epoch, intent, category, constraints (active and
// tombstoned), waived, asked, shown, about.
nlohmann::json state_document(const IntentState& state);

// Names of the closed vocabularies ("at_most", "superseded", …).
std::string_view to_string(Intent value);
std::string_view to_string(Operator value);
std::string_view to_string(Strength value);
std::string_view to_string(Source value);
std::string_view to_string(TombstoneReason value);
std::string_view to_string(EpochReason value);
std::string_view to_string(AnswerOutcome value);
std::string_view to_string(Route value);
std::string_view to_string(CloseReason value);

}  // namespace turnstone
