#include "tools/verbs/conversation_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "storage/artefact/artefact.h"
#include "storage/ledger/ledger.h"
#include "tools/chat/conversation.h"
#include "tools/policy_file.h"
#include "tools/verbs/read_options.h"

namespace turnstone {

namespace {

Result<std::unique_ptr<Ledger>> open_own_ledger(const ConversationOptions& options) {
  if (options.ledger.empty()) return make_memory_ledger();
  LedgerOptions ledger;
  ledger.durability = options.durability == "fast" ? Durability::fast : Durability::synced;
  ledger.master_key = options.master_key;
  return open_for_writing(options.ledger, ledger);
}

Result<ExitCode> play_script(const ConversationOptions& options, EmbeddedEngine& engine) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, &std::fclose);
  if (options.script != "-") {
    file.reset(std::fopen(options.script.c_str(), "rb"));
    if (!file) return fail(ErrorCode::not_found, fmt::format("{} cannot be opened ({}); check the path", options.script, std::strerror(errno)));
  }
  const auto refused = run_script(engine, file ? file.get() : stdin, stdout, {options.json, options.policy});
  if (!refused) return tl::unexpected(refused.error());
  if (*refused == 0) return ExitCode::success;
  fmt::print(stderr, "turnstone: {} line(s) of the script were answered by an error\n", *refused);
  return ExitCode::negative;
}

}  // namespace

void add_conversation_options(CLI::App& command, ConversationOptions& options) {
  command.add_option("--ledger", options.ledger, "Folder of the ledger, made when missing; without it nothing is kept");
  add_master_key_option(command, options.master_key);
  command.add_option("--script", options.script, "Read one JSON object a line from this file (- is standard input), one reply a line; exit 1 when a line was answered by an error");
  command.add_option("--session", options.session, "Terminal: the conversation to begin or to go on with");
  command.add_option("--policy", options.policy, "Variant for sessions that name none")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  command.add_option("--policy-file", options.policy_file, "Policy to use instead of the compiled-in one");
  command.add_option("--durability", options.durability, "fast survives a killed process but not a power cut")
      ->check(CLI::IsMember({"synced", "fast"}))
      ->capture_default_str();
  add_json_flag(command, options.json);
}

Result<ExitCode> hold_conversation(const ConversationOptions& options, const std::string& index) {
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(policy.error());
  auto artefact = Artefact::open(index);
  if (!artefact) return tl::unexpected(artefact.error());
  auto ledger = open_own_ledger(options);
  if (!ledger) return tl::unexpected(ledger.error());
  auto engine = EmbeddedEngine::open(**ledger, *artefact, *policy, system_clock());
  if (!engine) return tl::unexpected(engine.error());
  if ((*engine)->recovered() > 0) fmt::print(stderr, "turnstone: finished {} turn(s) that an earlier run left open\n", (*engine)->recovered());
  if (!options.script.empty()) return play_script(options, **engine);
  const std::string session = options.session.empty() ? "chat-" + fresh_turn_key().value.substr(5, 8) : options.session;
  if (auto ended = run_terminal(**engine, **ledger, {session, options.policy, !options.ledger.empty()}); !ended) return tl::unexpected(ended.error());
  return ExitCode::success;
}

}  // namespace turnstone
