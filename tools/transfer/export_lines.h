// The lines of an exported ledger (docs/export-format.md): plain values ↔ JSON text.
//
//   {"export": {"format": 1}}                                                       first
//   {"document": {"fingerprint", "text"}}                                           a policy, before the first write that names it
//   {"write": {"streams": [{"kind", "id", "events": [event …]} …], "turn"?: {"number", "state", "flight_record", "reply"}}}
//   {"waiting": {"session", "fields"}}                                              a turn that waits behind another at the end
//   {"end": {"writes", "events", "sessions", "profiles", "turns", "waiting"}}       last: nothing is missing
//
//   event: {"sequence", "type", "name", "schema_version", "time_us", "turn", "fields"}
//
// `fields` is the payload's msgpack array in JSON; what JSON cannot hold (bytes, text that is no UTF-8) is {"$bytes": hex} or
// {"$text": hex}. A line is bounded on the way in. Pure; thread safe; linear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/error.h"
#include "events/event.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

inline constexpr int export_format = 1;
inline constexpr std::size_t export_line_bytes_max = 64u << 20;

struct ExportHead {
  int format = export_format;
};
struct ExportedDocument {
  Fingerprint fingerprint;
  std::string text;
};
// What one write of the ledger appended, as far as it can be read, and the turn that it ended.
struct ExportedStream {
  StreamId stream;
  std::vector<Event> events;
};
struct ExportedWrite {
  std::vector<ExportedStream> streams;  // a turn's session first
  std::optional<TurnRecord> turn;
};
struct ExportedWaiting {
  SessionId session;
  TurnReceived received;
};
struct ExportCounts {
  std::uint64_t writes = 0, events = 0, sessions = 0, profiles = 0, turns = 0, waiting = 0;
  friend bool operator==(const ExportCounts&, const ExportCounts&) = default;
};
using ExportLine = std::variant<ExportHead, ExportedDocument, ExportedWrite, ExportedWaiting, ExportCounts>;

// Without the line's end. Errors: limit_exceeded; internal when the text would not be read as the same again.
Result<std::string> write_export_line(const ExportLine& line);
// Errors: corrupt (what is wrong with it), unsupported (a newer format, type or schema version), limit_exceeded.
Result<ExportLine> read_export_line(std::string_view text);

// Adds what a line holds.
void count(const ExportLine& line, ExportCounts& counts);

}  // namespace turnstone
