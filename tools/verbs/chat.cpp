#include <CLI/CLI.hpp>
#include <memory>

#include "tools/verbs/conversation_options.h"

namespace turnstone {

namespace {

struct ChatOptions : ConversationOptions {
  std::string index;
};

}  // namespace

Verb add_chat(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App& command = add_command(app, "chat", "Talk to a catalogue, at the terminal or line by line from a program; no servers",
                                  "turnstone chat --index idx --ledger ledger\n"
                                  "echo '{\"session\": \"s1\", \"message\": \"a red dress under $40\"}' |"
                                  " turnstone chat --index idx --ledger ledger --script - --json");
  command.add_option("--index", options->index, "Folder that `turnstone index` wrote")->required();
  add_conversation_options(command, *options);
  return {&command, [options] { return hold_conversation(*options, options->index); }};
}

}  // namespace turnstone
