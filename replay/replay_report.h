// Replays told to people and to programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/replayer.h"

namespace turnstone {

// "turn 3 identical", "turn 4 diverged: session s1, turn 4, stage rank, field scores[2]: recorded=7 replayed=8".
std::string replay_line(const SessionId& session, const TurnReplay& turn);
// One line: turns by outcome, sessions, events.
std::string replay_summary(const std::vector<SessionReplay>& sessions);

nlohmann::json to_json(const TurnReplay& turn);
nlohmann::json to_json(const SessionReplay& session);
nlohmann::json replay_document(const std::vector<SessionReplay>& sessions);  // {"outcome", "sessions": […], counts}

}  // namespace turnstone
