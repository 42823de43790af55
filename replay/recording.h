// A session as it was recorded: everything replay needs and nothing else. Taken from a ledger (session_reader.h)
// or from a portable recording file, which golden tests and other builds replay without a ledger.
//
// A recording file is JSON lines: one `recording` line a session (format version, session, policies by
// fingerprint, artefacts by fingerprint), then its `event` lines in order and its `turn` lines. Payloads and
// flight records are hex of their stored bytes; every line is bounded. Plain values; thread safe.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

inline constexpr int recording_format = 1;
inline constexpr std::size_t recording_line_bytes_max = 8 * 1024 * 1024;

// What a turn left besides its events.
struct RecordedTurn {
  std::string flight_record;  // encoded
  std::string reply;          // the reply document; empty = not kept
};

struct Recording {
  SessionId session;
  std::vector<Event> events;                    // in order, from the stream's first
  std::map<TurnNumber, RecordedTurn> turns;     // completed ones
  std::map<Fingerprint, std::string> policies;  // sources of all policies that decided
};

// Errors: io (the stream does not take it), limit_exceeded (an event that cannot be encoded).
Status write_recording(std::ostream& out, const Recording& recording);
// All recordings of a file. Errors: corrupt (names the line), unsupported (newer format), limit_exceeded.
Result<std::vector<Recording>> read_recordings(std::istream& in);

}  // namespace turnstone
