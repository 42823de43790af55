// The msgpack codec of event payloads, bus messages and flight records, with decode limits.
//
// A payload is a msgpack array of the struct's fields in order. Decoding never trusts a length: arrays,
// strings and depth are bounded (decode_limits) before anything is allocated; hostile bytes give
// ErrorCode::corrupt, a newer schema version or unknown type gives ErrorCode::unsupported. Encoding refuses
// what decoding would refuse. Pure; thread safe; linear in the number of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/event.h"
#include "events/flight_record.h"

namespace turnstone {

struct DecodeLimits {
  std::uint32_t array_items_max = 10'000;
  std::uint32_t string_bytes_max = 64 * 1024;
  std::uint32_t depth_max = 16;
  std::uint32_t payload_bytes_max = 1024 * 1024;
};
inline constexpr DecodeLimits decode_limits{};

// The schema version that encode writes for this type.
std::uint16_t current_schema_version(EventType type);

Result<std::string> encode_payload(const EventBody& body);
// Older versions pass through the upcasters (events/upcast.h) and come out as the current struct.
Result<EventBody> decode_payload(EventType type, std::uint16_t schema_version, std::string_view bytes);

Result<std::string> encode_flight_record(const FlightRecord& record);
Result<FlightRecord> decode_flight_record(std::string_view bytes);

}  // namespace turnstone
