// What a body of the ledger has to offer: an ordered map of byte strings with atomic batches and a sync.
//
// All rules of the ledger stand above this line (ledger_core.h) and are the same for every body. A body decides
// only where the bytes lie: in memory, in RocksDB, on a simulated disk that forgets what was not synced.
// Thread safety: reads may run beside each other and beside one write; the core makes no two writes at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/error.h"
#include "events/types.h"

namespace turnstone {

struct WriteBatch {
  std::vector<std::pair<std::string, std::string>> puts;
  std::vector<std::string> removals;
  void put(std::string key, std::string value) { puts.emplace_back(std::move(key), std::move(value)); }
  void remove(std::string key) { removals.push_back(std::move(key)); }
};

// The place in global order up to which something holds.
struct LedgerMark {
  GlobalPosition position;
  Digest commit_hash{};
  friend bool operator==(const LedgerMark&, const LedgerMark&) = default;
};

class Store {
 public:
  // Return false to end the scan.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  using Entry = std::pair<std::string, std::string>;

  virtual ~Store() = default;
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  // Visits, in byte order, the entries that start with `prefix` from `from` (≥ prefix) on. One consistent view.
  virtual Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const = 0;
  // The greatest key that starts with `prefix`.
  virtual Result<std::optional<Entry>> last(std::string_view prefix) const = 0;

  // All or nothing; visible when it returns, durable after a later sync.
  virtual Status write(const WriteBatch& batch) = 0;
  // Everything written before the call is durable when it returns. `mark` names the last write it covers at least.
  virtual Status sync(const LedgerMark& mark) = 0;
};

}  // namespace turnstone
