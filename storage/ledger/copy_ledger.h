// Backup and restore: a whole ledger, as it is at one moment, into a new folder.
#pragma once

#include <cstdint>
#include <string>

#include "events/error.h"
#include "events/types.h"

namespace turnstone {

struct CopiedLedger {
  GlobalPosition position;  // of the last write that the copy holds
  Digest commit_hash{};     // of its commit record: what `verify` of the copy must name
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

// Copies the ledger in `from` to `to`, which must not exist. Works beside the engine that writes `from`: the copy holds
// everything that was acknowledged before the call. `to` appears at the end, complete and synced, or not at all; a copy
// that was cut short leaves `to`.partial, which the next one replaces. With `key_files`, a folder that holds newer key files than the
// copied ledger knows, they come with it, and new sessions get keys behind all of theirs.
// Errors: as opening (corrupt, not_found …); invalid_argument (`to` exists), no_space, io. O(bytes of the ledger).
Result<CopiedLedger> copy_ledger(const std::string& from, const std::string& to, const std::string& key_files = {});

}  // namespace turnstone
