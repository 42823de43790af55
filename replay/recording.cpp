#include "replay/recording.h"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "events/codec.h"
#include "events/hex.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

Status write_line(std::ostream& out, const Json& line) {
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  if (!out) return fail(ErrorCode::io, "the recording could not be written; free space or choose another place");
  return {};
}

Result<Json> event_line(const Event& event) {
  const auto payload = encode_payload(event.body);
  if (!payload) return tl::unexpected(payload.error());
  const EventType type = type_of(event.body);
  return Json{{"event",
               {{"sequence", event.sequence.value},
                {"type", static_cast<unsigned>(type)},
                {"name", name_of(type)},
                {"schema_version", current_schema_version(type)},
                {"time_us", event.time.value},
                {"turn", event.turn.value},
                {"payload", hex_of_bytes(*payload)}}}};
}

// Reads one file, line by line, into recordings.
class RecordingReader {
 public:
  Status line(std::string_view text) {
    ++number_;
    if (text.empty()) return {};
    if (text.size() > recording_line_bytes_max) return broken("is longer than the limit");
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || json.empty()) return broken("is no JSON object");
    try {
      if (json.contains("recording")) return start(json.at("recording"));
      if (recordings_.empty()) return broken("comes before the line that names its session");
      if (json.contains("event")) return add_event(json.at("event"));
      if (json.contains("turn")) return add_turn(json.at("turn"));
    } catch (const Json::exception& error) {
      return broken(error.what());
    }
    return broken("is neither recording, event nor turn");
  }
  std::vector<Recording> take() { return std::move(recordings_); }

 private:
  Status start(const Json& json) {
    const int format = json.at("format").get<int>();
    if (format > recording_format) {
      return fail(ErrorCode::unsupported,
                  fmt::format("recording format {} was written by a newer program; this one reads up to {}", format, recording_format));
    }
    Recording recording;
    recording.session = SessionId{json.at("session").get<std::string>()};
    for (const auto& [hex, source] : json.at("policies").items()) {
      const auto digest = parse_digest(hex);
      if (!digest) return broken("names a policy by something that is no fingerprint");
      recording.policies.emplace(Fingerprint{*digest}, source.get<std::string>());
    }
    recordings_.push_back(std::move(recording));
    return {};
  }
  Status add_event(const Json& json) {
    Recording& recording = recordings_.back();
    const auto payload = bytes_of_hex(json.at("payload").get_ref<const std::string&>());
    if (!payload) return broken("holds a payload that is no hex");
    Event event;
    event.stream = stream_of(recording.session);
    event.sequence = Sequence{json.at("sequence").get<std::uint64_t>()};
    if (event.sequence.value != recording.events.size() + 1) return broken("holds an event out of sequence");
    event.schema_version = json.at("schema_version").get<std::uint16_t>();
    event.time = Timestamp{json.at("time_us").get<std::int64_t>()};
    event.turn = TurnNumber{json.at("turn").get<std::uint32_t>()};
    auto body = decode_payload(static_cast<EventType>(json.at("type").get<std::uint16_t>()), event.schema_version, *payload);
    if (!body) return fail(body.error().code, fmt::format("line {} of the recording: {}", number_, body.error().detail));
    event.body = std::move(*body);
    recording.events.push_back(std::move(event));
    return {};
  }
  Status add_turn(const Json& json) {
    const auto flight = bytes_of_hex(json.at("flight_record").get_ref<const std::string&>());
    if (!flight) return broken("holds a flight record that is no hex");
    recordings_.back().turns[TurnNumber{json.at("number").get<std::uint32_t>()}] = {*flight, json.at("reply").get<std::string>()};
    return {};
  }
  Status broken(std::string_view what) const { return fail(ErrorCode::corrupt, fmt::format("line {} of the recording {}", number_, what)); }

  std::vector<Recording> recordings_;
  std::uint64_t number_ = 0;
};

}  // namespace

Status write_recording(std::ostream& out, const Recording& recording) {
  Json policies = Json::object();
  for (const auto& [fingerprint, source] : recording.policies) policies[to_hex(fingerprint.value)] = source;
  Json artefacts = Json::array();
  for (const Event& event : recording.events) {
    const auto* completed = std::get_if<TurnCompleted>(&event.body);
    if (completed == nullptr) continue;
    const Json hex = to_hex(completed->artefact.value);
    if (std::find(artefacts.begin(), artefacts.end(), hex) == artefacts.end()) artefacts.push_back(hex);
  }
  const Json head{
      {"recording",
       {{"format", recording_format}, {"session", recording.session.value}, {"policies", std::move(policies)}, {"artefacts", std::move(artefacts)}}}};
  if (auto written = write_line(out, head); !written) return written;
  for (const Event& event : recording.events) {
    const auto line = event_line(event);
    if (!line) return tl::unexpected(line.error());
    if (auto written = write_line(out, *line); !written) return written;
  }
  for (const auto& [turn, recorded] : recording.turns) {
    const Json line{{"turn", {{"number", turn.value}, {"flight_record", hex_of_bytes(recorded.flight_record)}, {"reply", recorded.reply}}}};
    if (auto written = write_line(out, line); !written) return written;
  }
  return {};
}

Result<std::vector<Recording>> read_recordings(std::istream& in) {
  RecordingReader reader;
  for (std::string line; std::getline(in, line);) {
    if (auto read = reader.line(line); !read) return tl::unexpected(std::move(read.error()));
  }
  return reader.take();
}

}  // namespace turnstone
