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
// that was cut short leaves `to`.partial, which the next one replaces.
// Errors: as opening (corrupt, not_found …); invalid_argument (`to` exists), no_space, io. O(bytes of the ledger).
Result<CopiedLedger> copy_ledger(const std::string& from, const std::string& to);

}  // namespace turnstone
