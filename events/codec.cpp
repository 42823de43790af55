#include "events/codec.h"

#include <array>
#include <utility>

#include "events/event_table.h"
#include "events/msgpack_fields.h"
#include "events/upcast.h"

namespace turnstone {
namespace {

constexpr DecodeLimits flight_record_limits{.payload_bytes_max = flight_record_bytes_max};

using Decoder = Result<EventBody> (*)(std::string_view bytes);

template <std::size_t Alternative>
Result<EventBody> decode_alternative(std::string_view bytes) {
  auto body = decode_fields<std::variant_alternative_t<Alternative, EventBody>>(bytes);
  if (!body) return tl::unexpected(std::move(body.error()));
  return EventBody(std::in_place_index<Alternative>, std::move(*body));
}

template <std::size_t... Alternatives>
constexpr auto make_decoders(std::index_sequence<Alternatives...>) {
  return std::array<Decoder, sizeof...(Alternatives)>{&decode_alternative<Alternatives>...};
}

constexpr auto decoders = make_decoders(std::make_index_sequence<std::variant_size_v<EventBody>>{});

Result<EventBody> decode_latest(std::size_t alternative, std::string_view bytes) {
  auto body = decoders[alternative](bytes);
  if (!body) body.error().detail = std::string(event_kinds[alternative].name) + ": " + body.error().detail;
  return body;
}

}  // namespace

std::uint16_t current_schema_version(EventType type) {
  const auto alternative = alternative_of(type);
  return alternative ? event_kinds[*alternative].schema_version : std::uint16_t{0};
}

Result<std::string> encode_payload(const EventBody& body) {
  auto bytes = std::visit([](const auto& event) { return encode_fields(event); }, body);
  if (!bytes) bytes.error().detail = std::string(event_kinds[body.index()].name) + ' ' + bytes.error().detail;
  return bytes;
}

Result<EventBody> decode_payload(EventType type, std::uint16_t schema_version, std::string_view bytes) {
  const auto alternative = alternative_of(type);
  if (!alternative) {
    return fail(ErrorCode::unsupported,
                "event type " + std::to_string(static_cast<unsigned>(type)) + " is not known to this build; read it with a newer version");
  }
  const std::uint16_t latest = event_kinds[*alternative].schema_version;
  if (schema_version == latest) return decode_latest(*alternative, bytes);
  auto current = upcast(upcasters(), type, schema_version, latest, bytes);
  if (!current) return tl::unexpected(std::move(current.error()));
  return decode_latest(*alternative, *current);
}

Result<std::string> encode_flight_record(const FlightRecord& record) { return encode_fields(record, flight_record_limits); }

Result<FlightRecord> decode_flight_record(std::string_view bytes) {
  auto record = decode_fields<FlightRecord>(bytes, flight_record_limits);
  if (!record) record.error().detail = "flight record: " + record.error().detail;
  return record;
}

std::string_view to_string(Stage stage) { return vocabulary_name(stage); }

}  // namespace turnstone
