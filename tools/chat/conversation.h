// The two ways to hold a conversation with an embedded engine: a program through a pipe, a person at a terminal.
#pragma once

#include <cstdio>
#include <string>

#include "tools/embedded_engine.h"

namespace turnstone {

// --- a program -------------------------------------------------------------------------------------------
// Each input line is one JSON object,
//
//     {"session": "s1", "message": "…", "turn_key": "…"?, "profile": "user-7"?,
//      "profile_summary": {"preference_tags": […]}?, "top_k": 10?, "policy": "shopper"|"benchmark"?}
//
// and gets one line out before the next is read: the reply document, or {"error":{"code","detail"}} after which
// the next line is read. A session starts at its first line. Blank lines are passed over.
inline constexpr std::size_t script_line_bytes_max = 1 << 20;

struct ScriptOptions {
  bool json = true;  // false: replies are written for people
  std::string policy_variant = "shopper";
};
// Ends at the end of the input and gives the number of lines that were answered by an error. Error io when the output cannot be written.
Result<std::uint64_t> run_script(EmbeddedEngine& engine, std::FILE* in, std::FILE* out, const ScriptOptions& options);

// What one line asks for; for run_script and its tests. Errors: invalid_argument, limit_exceeded.
struct ScriptLine {
  NewSession session;
  TurnRequest turn;
};
Result<ScriptLine> parse_script_line(std::string_view line, const std::string& policy_variant);

// --- a person --------------------------------------------------------------------------------------------
struct TerminalOptions {
  std::string session;  // continued when it exists
  std::string policy_variant = "shopper";
  bool kept = false;    // the ledger outlives the program
};
// Reads standard input, writes standard output, until /quit or the end of the input.
Status run_terminal(EmbeddedEngine& engine, Ledger& ledger, const TerminalOptions& options);

// A key that no other turn has.
TurnKey fresh_turn_key();

}  // namespace turnstone
