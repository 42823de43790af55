#include "tools/transfer/export_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "events/codec.h"
#include "events/documents.h"
#include "events/hex.h"
#include "tools/chat/terminal_text.h"

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* bytes_key = "$bytes";
constexpr const char* text_key = "$text";

// Makes everything in it text that JSON can hold.
void make_plain(Json& value) {
  if (value.is_binary()) {
    const auto& binary = value.get_binary();
    value = Json{{bytes_key, hex_of_bytes({reinterpret_cast<const char*>(binary.data()), binary.size()})}};
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (valid_utf8(text) != text) value = Json{{text_key, hex_of_bytes(text)}};
  } else if (value.is_structured()) {
    for (Json& inner : value) make_plain(inner);
  }
}

bool unmake_plain(Json& value) {
  if (value.is_object()) {
    if (value.size() != 1 || !value.begin()->is_string()) return false;
    const auto bytes = bytes_of_hex(value.begin()->get_ref<const std::string&>());
    const bool binary = value.begin().key() == bytes_key;
    if (!bytes || (!binary && value.begin().key() != text_key)) return false;
    if (binary) value = Json::binary(std::vector<std::uint8_t>(bytes->begin(), bytes->end()));
    else value = *bytes;
    return true;
  }
  if (value.is_array()) {
    for (Json& inner : value) {
      if (!unmake_plain(inner)) return false;
    }
  }
  return true;
}

Result<Json> fields_of(const EventBody& body) {
  const auto payload = encode_payload(body);
  if (!payload) return tl::unexpected(payload.error());
  Json fields = Json::from_msgpack(*payload, true, false);
  make_plain(fields);
  return fields;
}

Result<EventBody> body_of(Json fields, EventType type, std::uint16_t schema_version) {
  if (!fields.is_array() || !unmake_plain(fields)) return fail(ErrorCode::corrupt, "its fields are no list of values");
  std::string payload;
  Json::to_msgpack(fields, payload);
  return decode_payload(type, schema_version, payload);
}

// What was written reads as the same, or nothing is written.
Result<Json> checked_fields(const EventBody& body) {
  auto fields = fields_of(body);
  if (!fields) return fields;
  const EventType type = type_of(body);
  const auto again = body_of(*fields, type, current_schema_version(type));
  if (!again || *again != body) return fail(ErrorCode::internal, fmt::format("a {} cannot be written as JSON and read again", name_of(type)));
  return fields;
}

std::string_view name_of_state(TurnRecord::State state) {
  switch (state) {
    case TurnRecord::State::pending: return "pending";
    case TurnRecord::State::done: return "done";
    case TurnRecord::State::parked: return "parked";
  }
  return "pending";
}

Result<Json> json_of(const Event& event) {
  auto fields = checked_fields(event.body);
  if (!fields) return fields;
  const EventType type = type_of(event.body);
  return Json{{"sequence", event.sequence.value}, {"type", static_cast<unsigned>(type)}, {"name", name_of(type)}, {"schema_version", current_schema_version(type)},
              {"time_us", event.time.value},      {"turn", event.turn.value},            {"fields", *std::move(fields)}};
}

struct LineWriter {
  Result<Json> operator()(const ExportHead& head) const { return Json{{"export", {{"format", head.format}}}}; }
  Result<Json> operator()(const ExportedDocument& document) const {
    return Json{{"document", {{"fingerprint", to_hex(document.fingerprint.value)}, {"text", document.text}}}};
  }
  Result<Json> operator()(const ExportedWrite& write) const {
    Json streams = Json::array();
    for (const ExportedStream& stream : write.streams) {
      Json events = Json::array();
      for (const Event& event : stream.events) {
        auto json = json_of(event);
        if (!json) return json;
        events.push_back(*std::move(json));
      }
      streams.push_back({{"kind", stream.stream.kind == StreamKind::session ? "session" : "profile"}, {"id", stream.stream.name}, {"events", std::move(events)}});
    }
    Json body{{"streams", std::move(streams)}};
    if (write.turn) {
      body["turn"] = {{"number", write.turn->turn.value}, {"state", name_of_state(write.turn->state)}, {"flight_record", hex_of_bytes(write.turn->flight_record)}};
      Json reply = write.turn->reply;
      make_plain(reply);
      body["turn"]["reply"] = std::move(reply);
    }
    return Json{{"write", std::move(body)}};
  }
  Result<Json> operator()(const ExportedWaiting& waiting) const {
    auto fields = checked_fields(waiting.received);
    if (!fields) return fields;
    return Json{{"waiting",
                 {{"session", waiting.session.value}, {"schema_version", current_schema_version(EventType::turn_received)}, {"fields", *std::move(fields)}}}};
  }
  Result<Json> operator()(const ExportCounts& counts) const {
    return Json{{"end",
                 {{"writes", counts.writes}, {"events", counts.events}, {"sessions", counts.sessions}, {"profiles", counts.profiles}, {"turns", counts.turns}, {"waiting", counts.waiting}}}};
  }
};

Result<Event> event_of(const Json& json, const StreamId& stream) {
  Event event;
  event.stream = stream;
  event.sequence = Sequence{json.at("sequence").get<std::uint64_t>()};
  event.schema_version = json.at("schema_version").get<std::uint16_t>();
  event.time = Timestamp{json.at("time_us").get<std::int64_t>()};
  event.turn = TurnNumber{json.at("turn").get<std::uint32_t>()};
  auto body = body_of(json.at("fields"), static_cast<EventType>(json.at("type").get<std::uint16_t>()), event.schema_version);
  if (!body) return tl::unexpected(body.error());
  event.body = *std::move(body);
  return event;
}

Result<ExportLine> write_of(const Json& json) {
  ExportedWrite write;
  for (const Json& part : json.at("streams")) {
    const auto& kind = part.at("kind").get_ref<const std::string&>();
    if (kind != "session" && kind != "profile") return fail(ErrorCode::corrupt, "a stream is neither session nor profile");
    ExportedStream stream{{kind == "session" ? StreamKind::session : StreamKind::profile, part.at("id").get<std::string>()}, {}};
    for (const Json& item : part.at("events")) {
      auto event = event_of(item, stream.stream);
      if (!event) return tl::unexpected(event.error());
      if (!stream.events.empty() && event->sequence != next(stream.events.back().sequence)) return fail(ErrorCode::corrupt, "an event is out of sequence");
      stream.events.push_back(*std::move(event));
    }
    if (stream.events.empty()) return fail(ErrorCode::corrupt, "a stream has no event");
    write.streams.push_back(std::move(stream));
  }
  if (write.streams.empty()) return fail(ErrorCode::corrupt, "a write has no stream");
  if (!json.contains("turn")) return write;
  const Json& turn = json.at("turn");
  const auto flight = bytes_of_hex(turn.at("flight_record").get_ref<const std::string&>());
  Json reply = turn.at("reply");
  if (!flight || !unmake_plain(reply)) return fail(ErrorCode::corrupt, "a turn's flight record or reply is broken");
  TurnRecord record;
  record.turn = TurnNumber{turn.at("number").get<std::uint32_t>()};
  record.state = turn.at("state") == "parked" ? TurnRecord::State::parked : TurnRecord::State::done;
  record.flight_record = *flight;
  record.reply = reply.get<std::string>();
  write.turn = std::move(record);
  return write;
}

Result<ExportLine> line_of(const Json& json) {
  if (json.contains("export")) {
    const int format = json.at("export").at("format").get<int>();
    if (format > export_format) {
      return fail(ErrorCode::unsupported, fmt::format("export format {} was written by a newer program; this one reads up to {}", format, export_format));
    }
    return ExportHead{format};
  }
  if (json.contains("document")) {
    const auto fingerprint = parse_digest(json.at("document").at("fingerprint").get_ref<const std::string&>());
    if (!fingerprint) return fail(ErrorCode::corrupt, "a document's fingerprint is none");
    return ExportedDocument{Fingerprint{*fingerprint}, json.at("document").at("text").get<std::string>()};
  }
  if (json.contains("write")) return write_of(json.at("write"));
  if (json.contains("waiting")) {
    const Json& waiting = json.at("waiting");
    auto body = body_of(waiting.at("fields"), EventType::turn_received, waiting.at("schema_version").get<std::uint16_t>());
    if (!body) return tl::unexpected(body.error());
    return ExportedWaiting{SessionId{waiting.at("session").get<std::string>()}, std::get<TurnReceived>(*std::move(body))};
  }
  if (json.contains("end")) {
    const Json& end = json.at("end");
    const auto number = [&end](const char* name) { return end.at(name).get<std::uint64_t>(); };
    return ExportCounts{number("writes"), number("events"), number("sessions"), number("profiles"), number("turns"), number("waiting")};
  }
  return fail(ErrorCode::corrupt, "it is no line of an export");
}

}  // namespace

Result<std::string> write_export_line(const ExportLine& line) {
  auto json = std::visit(LineWriter{}, line);
  if (!json) return tl::unexpected(json.error());
  std::string text = json->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > export_line_bytes_max) return fail(ErrorCode::limit_exceeded, fmt::format("a write is larger than {} bytes as a line", export_line_bytes_max));
  return text;
}

Result<ExportLine> read_export_line(std::string_view text) {
  if (text.size() > export_line_bytes_max) return fail(ErrorCode::limit_exceeded, fmt::format("it is longer than {} bytes", export_line_bytes_max));
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= static_cast<int>(decode_limits.depth_max) + 8; };
  const Json json = Json::parse(text, shallow, false);
  if (!json.is_object()) return fail(ErrorCode::corrupt, "it is no JSON object");
  try {
    return line_of(json);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::corrupt, error.what());
  }
}

void count(const ExportLine& line, ExportCounts& counts) {
  if (std::holds_alternative<ExportedWaiting>(line)) ++counts.waiting;
  const auto* write = std::get_if<ExportedWrite>(&line);
  if (write == nullptr) return;
  ++counts.writes;
  counts.turns += write->turn.has_value();
  for (const ExportedStream& stream : write->streams) {
    counts.events += stream.events.size();
    if (stream.events.front().sequence.value != 1) continue;
    ++(stream.stream.kind == StreamKind::session ? counts.sessions : counts.profiles);
  }
}

}  // namespace turnstone
