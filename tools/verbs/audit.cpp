#include "replay/audit.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "replay/session_reader.h"
#include "tools/progress.h"
#include "tools/eval/entropy_audit.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct Options : ReadOptions {
  std::vector<std::string> sessions;
  bool entropy = false;
};

// Titles from the first of the given indexes that knows the product.
TitleLookup titles_of(const Shelf& shelf) {
  return [artefacts = shelf.artefacts](const ProductId& id) -> std::string {
    for (const auto& artefact : artefacts) {
      if (const auto product = artefact->find(id.value)) return std::string(artefact->title(*product));
    }
    return "";
  };
}

Result<ExitCode> run_audit(const Options& options) {
  auto ledger = open_for_reading(options);
  if (!ledger) return tl::unexpected(std::move(ledger.error()));
  auto shelf = open_indexes(options);
  if (!shelf) return tl::unexpected(std::move(shelf.error()));
  const auto sessions = sessions_asked(**ledger, options.sessions);
  if (!sessions) return tl::unexpected(sessions.error());
  const TitleLookup titles = titles_of(*shelf);
  AuditTextOptions text;
  text.colour = colours_wanted(STDOUT_FILENO);
  text.width = static_cast<std::size_t>(std::clamp(terminal_columns(STDOUT_FILENO), 60, 140));
  bool first = true;
  for (const SessionId& session : *sessions) {
    const auto audit = audit_session(**ledger, session, titles);
    if (!audit) return tl::unexpected(audit.error());
    if (options.entropy) {
      const EntropyAudit asked = entropy_audit(*audit, shelf->artefacts.empty() ? nullptr : shelf->artefacts.front().get());
      fmt::print("{}{}", options.json || first ? "" : "\n", options.json ? to_json(asked).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" : entropy_text(asked));
    } else if (options.json) {
      fmt::print("{}\n", to_json(*audit).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{}{}", first ? "" : "\n", audit_text(*audit, text));
    }
    first = false;
  }
  return ExitCode::success;
}

}  // namespace

Verb add_audit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(app, "audit", "Tell how the intent of a session came about: what was said, set, dropped, asked and shown",
                                  "turnstone audit --ledger ledger --session s1\nturnstone audit --ledger ledger --session s1 --index idx --json\n"
                                  "turnstone audit --ledger ledger --session s1 --index idx --entropy");
  add_ledger_options(command, *options);
  command.add_option("--index", options->indexes, "Adds product titles; may be given more than once");
  command.add_option("--session", options->sessions, "Only this session; may be given more than once; else all");
  command.add_flag("--entropy", options->entropy, "What each question told, beside the bound and, with --index, a greedy asker");
  return {&command, [options] { return run_audit(*options); }};
}

}  // namespace turnstone
