// The first difference between what was recorded and what a replay made of it.
//
// Flight records are compared stage by stage and field by field in the order they were written; then events one
// by one; then reply documents. Both directions are told apart: something recorded that the replay lacks has
// replayed = "(absent)", something new has recorded = "(absent)". Pure; linear in the records.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/event.h"
#include "events/flight_record.h"

namespace turnstone {

inline constexpr std::string_view absent = "(absent)";

struct Divergence {
  std::string stage;  // of the turn, or "record" when the record contradicts itself
  std::string field;  // "scores[2]", "events[3].value", "reply/recommendations/0/id"
  std::string recorded;
  std::string replayed;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

std::optional<Divergence> first_difference(const FlightRecord& recorded, const FlightRecord& replayed);
std::optional<Divergence> first_difference(const std::vector<EventBody>& recorded, const std::vector<EventBody>& replayed);
// Documents are JSON texts; timing_us, added on the way out, is no part of them.
std::optional<Divergence> first_reply_difference(std::string_view recorded, std::string_view replayed);

// The stage that makes events of this type; "record" for those that the engine writes.
std::string_view stage_of(EventType type);

}  // namespace turnstone
