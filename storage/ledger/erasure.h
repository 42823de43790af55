// What an erasure takes with it: sessions by id, by profile or by age, and the forks of each.
// O(sessions) reads; memory follows what is found and the number of forks.
#pragma once

#include <map>
#include <optional>
#include <set>
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

// Looks for what is to be erased, some sessions at a time, so that whoever serves others meanwhile is held up by none of it. Reads only. A session
// that is started while it looks may be missed: whoever lets others write meanwhile keeps new sessions out of the scope (Sequencer::create_session).
// Thread safety: none.
class ErasureSearch {
 public:
  ErasureSearch(const Ledger& ledger, ErasureScope scope);

  // Looks at up to `sessions` more. True: all were looked at. Errors: not_found (nothing of that session or profile), invalid_argument (not exactly one
  // scope), those of the reads.
  Result<bool> look(std::size_t sessions);
  // When all were looked at: what is to be erased, forks before their parents, so that an erasure that was cut short can be ended.
  std::vector<StreamId> take_targets();
  const ErasureScope& scope() const { return scope_; }

 private:
  Status look_at(const StreamHead& head);
  void choose_forks();
  Status choose_named();

  const Ledger& ledger_;
  ErasureScope scope_;
  std::optional<std::string> after_;  // stored name of the last session that was looked at
  std::vector<StreamId> targets_;     // in the order in which they were found
  std::set<SessionId> parents_;       // whose forks go with them
  std::multimap<SessionId, SessionId> forks_;  // of sessions that are not in scope themselves, by parent
};

// Erases all of it. Errors: those of ErasureSearch::look and of Ledger::erase; call it again to end one that failed.
Result<ErasureReport> erase_scope(Ledger& ledger, const ErasureScope& scope, const std::string& by, Timestamp now);

}  // namespace turnstone
