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
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

struct ChatOptions {
  std::string index;
  std::string ledger;
  std::string master_key;
  std::string script;
  std::string policy_file;
  std::string policy = "shopper";
  std::string durability = "synced";
  std::string session;
  bool json = false;
};

Result<std::unique_ptr<Ledger>> open_chat_ledger(const ChatOptions& options) {
  if (options.ledger.empty()) return make_memory_ledger();
  LedgerOptions ledger;
  ledger.durability = options.durability == "fast" ? Durability::fast : Durability::synced;
  ledger.master_key = options.master_key;
  return open_ledger(options.ledger, ledger);
}

Status converse(const ChatOptions& options, EmbeddedEngine& engine, Ledger& ledger) {
  if (options.script.empty()) {
    const std::string session = options.session.empty() ? "chat-" + fresh_turn_key().value.substr(5, 8) : options.session;
    return run_terminal(engine, ledger, {session, options.policy, !options.ledger.empty()});
  }
  const ScriptOptions script{options.json, options.policy};
  if (options.script == "-") return run_script(engine, stdin, stdout, script);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(options.script.c_str(), "rb"), &std::fclose);
  if (!in) return fail(ErrorCode::not_found, fmt::format("{} cannot be opened ({}); check the path", options.script, std::strerror(errno)));
  return run_script(engine, in.get(), stdout, script);
}

Result<ExitCode> run_chat(const ChatOptions& options) {
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(policy.error());
  auto artefact = Artefact::open(options.index);
  if (!artefact) return tl::unexpected(artefact.error());
  auto ledger = open_chat_ledger(options);
  if (!ledger) return tl::unexpected(ledger.error());
  auto engine = EmbeddedEngine::open(**ledger, *artefact, *policy, system_clock());
  if (!engine) return tl::unexpected(engine.error());
  if ((*engine)->recovered() > 0) fmt::print(stderr, "turnstone: finished {} turn(s) that an earlier run left open\n", (*engine)->recovered());
  if (auto ended = converse(options, **engine, **ledger); !ended) return tl::unexpected(ended.error());
  return ExitCode::success;
}

}  // namespace

Verb add_chat(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App& command = add_command(app, "chat", "Talk to a catalogue, at the terminal or line by line from a program; no servers",
                                  "turnstone chat --index idx --ledger ledger\n"
                                  "echo '{\"session\": \"s1\", \"message\": \"a red dress under $40\"}' |"
                                  " turnstone chat --index idx --ledger ledger --script - --json");
  command.add_option("--index", options->index, "Folder that `turnstone index` wrote")->required();
  command.add_option("--ledger", options->ledger, "Folder of the ledger, made when missing; without it nothing is kept");
  add_master_key_option(command, options->master_key);
  command.add_option("--script", options->script, "Read one JSON object a line from this file (- is standard input), one reply a line");
  command.add_option("--session", options->session, "Terminal: the conversation to begin or to go on with");
  command.add_option("--policy", options->policy, "Variant for sessions that name none")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  command.add_option("--policy-file", options->policy_file, "Policy to use instead of the compiled-in one");
  command.add_option("--durability", options->durability, "fast survives a killed process but not a power cut")
      ->check(CLI::IsMember({"synced", "fast"}))
      ->capture_default_str();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_chat(*options); }};
}

}  // namespace turnstone
