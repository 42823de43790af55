// What an erasure takes with it: sessions by id, by profile or by age, and the forks of each.
// O(sessions) reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/ledger/ledger.h"

namespace turnstone {

// Exactly one is given.
struct ErasureScope {
  std::optional<SessionId> session;
  std::optional<ProfileId> profile;     // the profile's own stream, and every session that names it
  std::optional<Timestamp> idle_since;  // sessions whose last event is older
};

struct ErasureReport {
  std::vector<StreamId> erased;  // what this call erased, by the ids that were known until then
  std::uint64_t before = 0;      // erased already
};

// What is to be erased, forks before their parents, so that an erasure that was cut short can be ended. Reads only; may run beside writers.
// Errors: not_found (nothing of that session or profile), invalid_argument, those of the reads.
Result<std::vector<StreamId>> erasure_targets(const Ledger& ledger, const ErasureScope& scope);

// Erases all of it. Errors: those of erasure_targets and of Ledger::erase; call it again to end one that failed.
Result<ErasureReport> erase_scope(Ledger& ledger, const ErasureScope& scope, const std::string& by, Timestamp now);

}  // namespace turnstone
