// The ledger's body in RocksDB: reads, batches, shared syncs, and coming back after the disk was full.
//
// A full disk: the write is refused with no_space, reads go on. At most every 200 ms a refused write probes for space;
// when there is some, the database is opened again underneath its readers: the log may end in half a record, and RocksDB
// resumed with nothing in memory would write on behind it.
// Until then writes and syncs are refused alike; in the reopening what the failed log holds becomes tables, and with that durable.
// A failed sync: nobody knows which pages the kernel dropped. What the log may lack is still in memory; only when all
// of it was written and synced anew, as tables, can a later sync succeed. RocksDB is resumed for that where it will.
// Thread safety: as Store. Opening stands in open_ledger.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "storage/ledger/anchor.h"
#include "storage/ledger/owner_lock.h"
#include "storage/ledger/rocks_files.h"
#include "storage/ledger/store.h"

namespace turnstone {

class RocksStore final : public Store {
 public:
  RocksStore(LedgerPaths paths, rocksdb::Env* env, std::unique_ptr<rocksdb::DB> database, bool read_only);
  ~RocksStore() override;
  // From now on this process owns the ledger and keeps its anchor. `fast`: syncs return at once.
  void keep(OwnerLock lock, std::unique_ptr<AnchorFile> anchor, bool fast);

  Result<std::optional<std::string>> get(std::string_view key) const override;
  Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const override;
  Result<std::optional<Entry>> last(std::string_view prefix) const override;
  Status write(const WriteBatch& batch) override;
  Status sync(const LedgerMark& mark) override;

 private:
  Status sync_log();
  Status mend_log();  // nothing is written to, or asked of, a log that has failed before
  void note_failure(Error failure);
  bool recover(bool keep_memory);  // true when writing may be tried again; with recovery_mutex_ held, as the three below
  bool has_space() const;          // by writing a file and removing it
  bool resume();
  bool reopen();

  const LedgerPaths paths_;
  rocksdb::Env* const env_;
  const bool read_only_;
  std::unique_ptr<OwnerLock> lock_;  // released after the database was closed
  mutable std::shared_mutex in_use_;  // guards database_: shared for its use, exclusive to replace it
  std::unique_ptr<rocksdb::DB> database_;
  bool writable_ = true;  // false while it could be opened for reading only; guarded by in_use_ as well
  std::unique_ptr<AnchorKeeper> keeper_;
  bool fast_ = false;
  std::atomic<bool> log_in_doubt_ = false;
  std::atomic<bool> log_failed_ = false;  // an append did: RocksDB asserts that nobody goes on with this log, and ends the process
  std::mutex sync_mutex_;      // one sync of the log at a time; taken before recovery_mutex_
  std::mutex recovery_mutex_;  // guards the two below and the lowering of the flags above; taken before in_use_
  std::int64_t next_recovery_us_ = 0;
  Error failure_;  // of the last write that was refused
  std::optional<Entry> last_commit_;  // what a database opened again has to end with; by the one writer under in_use_ shared, read under it exclusive
};

}  // namespace turnstone
