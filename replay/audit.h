// The timeline of a session's intent, for somebody who was not there.
//
// One AuditTurn a turn, one AuditEntry an event that says something: what was said, what it set, what it buried
// and by which words, what was waived, where the epoch advanced, what was relaxed, asked (and why), shown and
// replied. Built from the events alone; an index, when there is one, adds product titles.
// Pure; linear in the events.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

class Ledger;

struct AuditEntry {
  std::string kind;   // "set", "dropped", "waived", "epoch" …: the closed list stands in audit.cpp
  std::string text;   // one sentence for people
  std::string aside;  // what stands behind it: strength, source, confidence, gain …
  Sequence sequence;  // of the event
};

struct AuditTurn {
  TurnNumber turn;  // 0: before the first turn, or between turns
  Timestamp time;
  Epoch epoch{1};  // at its end
  std::string said;
  std::uint32_t attempts = 0;
  std::vector<AuditEntry> entries;
  std::vector<Event> events;  // as recorded, for the JSON form
};

struct Audit {
  SessionId session;
  std::string policy_variant;
  Timestamp started;
  std::vector<AuditTurn> turns;
};

// A product's title; empty when it is not known.
using TitleLookup = std::function<std::string(const ProductId&)>;

// Feeds on a session's events in order.
Audit audit_events(const SessionId& session, const std::vector<Event>& events, const TitleLookup& title = {});
// Errors: not_found, erased, corrupt, io.
Result<Audit> audit_session(const Ledger& ledger, const SessionId& session, const TitleLookup& title = {});

struct AuditTextOptions {
  bool colour = false;      // ANSI; on for terminals only
  std::size_t width = 110;  // columns; longer texts are wrapped under their column
};
std::string audit_text(const Audit& audit, const AuditTextOptions& options);
nlohmann::json to_json(const Audit& audit);

}  // namespace turnstone
