// The ledger's body in memory: a sorted map. For tests, the simulator and trying things out; nothing outlives it.
#pragma once

#include <map>
#include <shared_mutex>

#include "storage/ledger/store.h"

namespace turnstone {

class MemoryStore final : public Store {
 public:
  Result<std::optional<std::string>> get(std::string_view key) const override;
  Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const override;
  Result<std::optional<Entry>> last(std::string_view prefix) const override;
  Status write(const WriteBatch& batch) override;
  Status sync(const LedgerMark&) override { return {}; }

 private:
  mutable std::shared_mutex mutex_;  // guards entries_
  std::map<std::string, std::string, std::less<>> entries_;
};

}  // namespace turnstone
