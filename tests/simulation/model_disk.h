// A disk that keeps its promises and nothing more, and the ledger's Store on it.
//
// Writes go to a log, record by record; a sync makes durable what stood in the log when it began. When the power fails,
// of the rest of the log everything may be gone, or nothing, or it ends within a record, or sectors within it are
// garbage; opening replays it up to the first record whose checksum does not hold. A process that merely dies loses
// nothing that it had written. A full disk refuses writes, a failing one syncs. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/testing/random.h"
#include "storage/ledger/store.h"
#include "tests/simulation/trace.h"

namespace turnstone::simulation {

class ModelDisk {
 public:
  using Entries = std::map<std::string, std::string, std::less<>>;

  explicit ModelDisk(Trace& trace) : trace_(trace) {}

  Status write(const WriteBatch& batch);
  Status begin_sync();  // refused: nothing becomes durable
  void end_sync();      // what stood in the log at the last begin_sync() that was not refused is durable now
  void settle();        // everything is: what an opening does after the log's replay
  void power_fails(testing::Random& random);

  const Entries& entries() const { return live_; }
  // What a power cut at this moment would certainly leave of an entry.
  std::optional<std::string> durable(std::string_view key) const;

  bool full = false;
  bool sync_fails = false;
  bool sync_waits = false;  // a sync is over when it returns, as for whoever calls it and waits

 private:
  Trace& trace_;
  Entries durable_;
  Entries live_;
  std::vector<std::string> log_;  // records that are not durable
  std::size_t syncing_ = 0;       // of them, those that the sync under way covers
};

// One process's opening of the ledger's files; refuses everything once the process is dead.
class OpenDisk final : public Store {
 public:
  explicit OpenDisk(ModelDisk& disk) : disk_(disk) {}
  void process_died() { dead_ = true; }

  Result<std::optional<std::string>> get(std::string_view key) const override;
  Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const override;
  Result<std::optional<Entry>> last(std::string_view prefix) const override;
  Status write(const WriteBatch& batch) override;
  Status sync(const LedgerMark& mark) override;

 private:
  ModelDisk& disk_;
  bool dead_ = false;
};

}  // namespace turnstone::simulation
