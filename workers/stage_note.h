// Lists in a flight record: the head as it is, the rest as its length and digest, so that a record stays small
// and still differs whenever the list does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/flight_record.h"

namespace turnstone {

void note_list(StageRecord& record, const std::string& name, std::vector<std::string> values, std::size_t head);
void note_list(StageRecord& record, const std::string& name, std::vector<std::int64_t> values, std::size_t head);
void note_list(StageRecord& record, const std::string& name, const std::vector<std::string_view>& values, std::size_t head);

// Cuts a record to `flight_record_bytes_max` encoded bytes: the longest lists and strings are halved first, each
// leaving its length and digest behind. Returns the encoded bytes.
std::string bounded_flight_bytes(FlightRecord& record);

}  // namespace turnstone
