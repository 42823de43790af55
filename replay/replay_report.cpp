#include "replay/replay_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace turnstone {
namespace {

using Json = nlohmann::json;

constexpr std::array outcomes{ReplayOutcome::identical, ReplayOutcome::diverged, ReplayOutcome::incomplete, ReplayOutcome::refused,
                              ReplayOutcome::parked};

std::array<std::size_t, outcomes.size()> count_outcomes(const std::vector<SessionReplay>& sessions) {
  std::array<std::size_t, outcomes.size()> counts{};
  for (const SessionReplay& session : sessions) {
    for (const TurnReplay& turn : session.turns) ++counts[static_cast<std::size_t>(turn.outcome)];
  }
  return counts;
}

std::uint64_t count_events(const std::vector<SessionReplay>& sessions) {
  std::uint64_t events = 0;
  for (const SessionReplay& session : sessions) events += session.events;
  return events;
}

std::string_view overall(int exit_code) {
  switch (exit_code) {
    case 0:
      return "identical";
    case 1:
      return "diverged";
    case 4:
      return "refused";
    default:
      return "unreadable";
  }
}

}  // namespace

std::string replay_line(const SessionId& session, const TurnReplay& turn) {
  std::string line = fmt::format("turn {} {}", turn.turn.value, to_string(turn.outcome));
  if (turn.what_if) line += " (what-if)";
  if (turn.divergence) {
    const Divergence& d = *turn.divergence;
    line += fmt::format(": session {}, turn {}, stage {}, field {}: recorded={} replayed={}", session.value, turn.turn.value, d.stage, d.field,
                        d.recorded, d.replayed);
  } else if (turn.outcome == ReplayOutcome::incomplete) {
    line += fmt::format(" after event {}", turn.after.value);
  } else if (!turn.reason.empty()) {
    line += ": " + turn.reason;
  }
  return line;
}

std::string replay_summary(const std::vector<SessionReplay>& sessions) {
  const auto counts = count_outcomes(sessions);
  std::string line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", counts[i], to_string(outcomes[i]));
  }
  return fmt::format("{} turn(s): {}; {} session(s), {} event(s)", counts[0] + counts[1] + counts[2] + counts[3] + counts[4],
                     line.empty() ? "none" : line, sessions.size(), count_events(sessions));
}

nlohmann::json to_json(const TurnReplay& turn) {
  Json json{{"turn", turn.turn.value}, {"outcome", to_string(turn.outcome)}, {"after_event", turn.after.value}, {"what_if", turn.what_if}};
  if (turn.divergence) {
    const Divergence& d = *turn.divergence;
    json["divergence"] = {{"stage", d.stage}, {"field", d.field}, {"recorded", d.recorded}, {"replayed", d.replayed}};
  }
  if (!turn.reason.empty()) json["reason"] = turn.reason;
  return json;
}

nlohmann::json to_json(const SessionReplay& session) {
  Json turns = Json::array();
  for (const TurnReplay& turn : session.turns) turns.push_back(to_json(turn));
  Json json{{"session", session.session.value}, {"events", session.events}, {"turns", std::move(turns)}};
  if (session.error) json["error"] = {{"code", to_string(session.error->code)}, {"detail", session.error->detail}};
  return json;
}

nlohmann::json replay_document(const std::vector<SessionReplay>& sessions) {
  Json list = Json::array();
  for (const SessionReplay& session : sessions) list.push_back(to_json(session));
  Json json{{"outcome", overall(replay_exit_code(sessions))}, {"events", count_events(sessions)}, {"sessions", std::move(list)}};
  const auto counts = count_outcomes(sessions);
  for (std::size_t i = 0; i < counts.size(); ++i) json["turns"][std::string(to_string(outcomes[i]))] = counts[i];
  return json;
}

}  // namespace turnstone
