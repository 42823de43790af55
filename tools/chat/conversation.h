// The two ways to hold a conversation with an embedded engine: a program through a pipe, a person at a terminal.
#pragma once

#include <cstdio>
#include <string>

#include "tools/chat/script_line.h"
#include "tools/embedded_engine.h"

namespace turnstone {

// --- a program -------------------------------------------------------------------------------------------
// Each input line asks for a turn (script_line.h) and gets one line out before the next is read: the reply document, or {"error":{"code","detail"}} after
// which the next line is read. A session starts at its first line. Blank lines are passed over.
struct ScriptOptions {
  bool json = true;  // false: replies are written for people
  std::string policy_variant = "shopper";
};
// Ends at the end of the input and gives the number of lines that were answered by an error. Error io when the output cannot be written.
Result<std::uint64_t> run_script(EmbeddedEngine& engine, std::FILE* in, std::FILE* out, const ScriptOptions& options);

// --- a person --------------------------------------------------------------------------------------------
struct TerminalOptions {
  std::string session;  // continued when it exists
  std::string policy_variant = "shopper";
  bool kept = false;    // the ledger outlives the program
};
// Reads standard input, writes standard output, until /quit or the end of the input.
Status run_terminal(EmbeddedEngine& engine, Ledger& ledger, const TerminalOptions& options);

}  // namespace turnstone
