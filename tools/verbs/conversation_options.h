// What `chat` and `try` share: the options of a conversation with an embedded engine, and holding it.
#pragma once

#include <string>

#include "events/error.h"
#include "tools/verbs/verb.h"

namespace turnstone {

struct ConversationOptions {
  std::string ledger;  // empty: nothing is kept
  std::string master_key;
  std::string script;  // empty: a terminal
  std::string policy_file;
  std::string policy = "shopper";
  std::string durability = "synced";
  std::string session;
  bool json = false;
};
void add_conversation_options(CLI::App& command, ConversationOptions& options);

// Until the end of the input. `negative` when a line of a script was answered by an error.
Result<ExitCode> hold_conversation(const ConversationOptions& options, const std::string& index);

}  // namespace turnstone
