// What the verbs that read a ledger share: opening ledger and indexes, and finding what a session was decided by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "events/error.h"
#include "replay/replayer.h"
#include "storage/ledger/ledger.h"

namespace CLI {
class App;
}

namespace turnstone {

struct ReadOptions {
  std::string ledger;
  std::string master_key;  // empty: the ledger's own
  std::vector<std::string> indexes;
  std::string policy_file;  // decides under --what-if instead of the compiled-in one
  bool what_if = false;
  bool json = false;
};

// --master-key, bound to `path`.
void add_master_key_option(CLI::App& command, std::string& path);
// --ledger, --master-key and --json.
void add_ledger_options(CLI::App& command, ReadOptions& options);
// --index, --what-if and --policy-file.
void add_decider_options(CLI::App& command, ReadOptions& options);

// Read only: works beside a live engine.
Result<std::unique_ptr<Ledger>> open_for_reading(const ReadOptions& options);
// For every verb that writes turns. Error refused when the folder is an index or lies in one.
Result<std::unique_ptr<Ledger>> open_for_writing(const std::string& directory, const LedgerOptions& options);
// The same as open_for_reading without its keys where there are none: the chains need no key.
Result<std::unique_ptr<Ledger>> open_for_verification(const ReadOptions& options);

// The sessions of these names, or all there are. Error not_found when the ledger has none of a name: it says which it has.
Result<std::vector<SessionId>> sessions_asked(const Ledger& ledger, const std::vector<std::string>& names);

// The indexes that were given, by fingerprint.
struct Shelf {
  std::vector<std::shared_ptr<const Artefact>> artefacts;
  ArtefactLookup lookup() const;
};
Result<Shelf> open_indexes(const ReadOptions& options);
// With --what-if: the first index and the policy that decide where the recorded ones are not at hand.
Result<std::optional<WhatIf>> what_if_of(const ReadOptions& options, const Shelf& shelf);

}  // namespace turnstone
