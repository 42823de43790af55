#include "tools/verbs/read_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "replay/session_reader.h"
#include "replay/wording.h"
#include "storage/artefact/format.h"
#include "tools/policy_file.h"
#include "tools/verbs/verb.h"

namespace turnstone {

void add_ledger_options(CLI::App& command, ReadOptions& options) {
  command.add_option("--ledger", options.ledger, "Folder of the ledger; it is only read, also beside a running engine")->required();
  add_master_key_option(command, options.master_key);
  add_json_flag(command, options.json);
}

void add_master_key_option(CLI::App& command, std::string& path) {
  command.add_option("--master-key", path, "File of the master key; without it LEDGER/MASTER, which a new ledger gets");
}

void add_decider_options(CLI::App& command, ReadOptions& options) {
  command.add_option("--index", options.indexes, "Folder that `turnstone index` wrote; may be given more than once");
  command.add_flag("--what-if", options.what_if, "Decide with the --policy-file given, and with the index given where the recorded one is not at hand");
  command.add_option("--policy-file", options.policy_file, "Policy that decides under --what-if; without it the recorded one, or the compiled-in one where that is not at hand");
}

Result<std::unique_ptr<Ledger>> open_for_reading(const ReadOptions& options) {
  return open_ledger(options.ledger, {.mode = OpenMode::read_only, .create_if_missing = false, .master_key = options.master_key});
}

Result<std::unique_ptr<Ledger>> open_for_writing(const std::string& directory, const LedgerOptions& options) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(directory, error);
  for (const std::filesystem::path& place : {folder, folder.parent_path()}) {
    if (std::filesystem::exists(place / format::file_name, error)) {
      return fail(ErrorCode::refused, fmt::format("{} is an index, and a ledger must not lie in one: the next `turnstone index` would write beside it; name another folder",
                                                  place.string()));
    }
  }
  return open_ledger(directory, options);
}

Result<std::unique_ptr<Ledger>> open_for_verification(const ReadOptions& options) {
  return open_ledger(options.ledger, {.mode = OpenMode::read_only, .create_if_missing = false, .master_key = options.master_key, .keys_optional = true});
}

ArtefactLookup Shelf::lookup() const {
  return [artefacts = artefacts](const Fingerprint& fingerprint) -> std::shared_ptr<const Artefact> {
    for (const auto& artefact : artefacts) {
      if (artefact->fingerprint() == fingerprint) return artefact;
    }
    return nullptr;
  };
}

namespace {

std::string sessions_there_are(const Ledger& ledger) {
  constexpr std::size_t named_max = 5;
  const auto all = all_sessions(ledger);
  if (!all) return "";
  if (all->empty()) return "; it has no session";
  std::string text = fmt::format("; it has {}: ", all->size());
  for (std::size_t i = 0; i < std::min(all->size(), named_max); ++i) text += (i > 0 ? ", " : "") + one_line((*all)[i].value);
  return text + (all->size() > named_max ? " …; turnstone audit without --session tells of all" : "");
}

}  // namespace

Result<std::vector<SessionId>> sessions_asked(const Ledger& ledger, const std::vector<std::string>& names) {
  if (names.empty()) return all_sessions(ledger);
  std::vector<SessionId> sessions;
  for (const std::string& name : names) {
    sessions.emplace_back(name);
    const auto head = ledger.head(stream_of(sessions.back()));
    if (!head && head.error().code == ErrorCode::not_found) return fail(ErrorCode::not_found, head.error().detail + sessions_there_are(ledger));
  }
  return sessions;
}

Result<Shelf> open_indexes(const ReadOptions& options) {
  Shelf shelf;
  for (const std::string& directory : options.indexes) {
    auto artefact = Artefact::open(directory);
    if (!artefact) return tl::unexpected(std::move(artefact.error()));
    shelf.artefacts.push_back(std::move(*artefact));
  }
  return shelf;
}

Result<std::optional<WhatIf>> what_if_of(const ReadOptions& options, const Shelf& shelf) {
  if (!options.what_if) {
    if (options.policy_file.empty()) return std::nullopt;
    return fail(ErrorCode::invalid_argument, "--policy-file decides under --what-if only; give both");
  }
  if (shelf.artefacts.empty()) return fail(ErrorCode::invalid_argument, "--what-if needs --index: the one that shall decide");
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(std::move(policy.error()));
  return WhatIf{shelf.artefacts.front(), std::move(*policy), !options.policy_file.empty()};
}

}  // namespace turnstone
