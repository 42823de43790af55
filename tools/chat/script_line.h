// One line of a program that holds conversations through a pipe: a JSON object,
//
//     {"session": "s1", "message": "…", "turn_key": "…"?, "profile": "user-7"?,
//      "profile_summary": {"preference_tags": […]}?, "top_k": 10?, "policy": "shopper"|"benchmark"?}
//
// Thread-safe; linear in the line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/service.h"

namespace turnstone {

inline constexpr std::size_t script_line_bytes_max = 1 << 20;

struct ScriptLine {
  NewSession session;
  TurnRequest turn;
};
// Errors: invalid_argument, limit_exceeded.
Result<ScriptLine> parse_script_line(std::string_view line, const std::string& policy_variant);

// A key that no other turn has.
TurnKey fresh_turn_key();

}  // namespace turnstone
