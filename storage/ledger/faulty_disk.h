// For tests: a disk under RocksDB that fills up, fails, and loses what was not synced when the power is cut.
//
// Files lie on the real file system; what is kept beside them is how much of each was synced, and whether its name was (by a sync of its folder).
// A process dies within the n-th change it makes: an append is cut anywhere, a sync or a renaming happens or does not. A power cut then takes, of every
// file, nothing, all, or a part of what was not synced, and some altogether of the files made since their folder was synced or something was renamed in
// it. Thread safety: as a FileSystem.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "events/testing/random.h"

namespace turnstone::ledger_test {

class FaultyDisk {
 public:
  explicit FaultyDisk(std::uint64_t seed) : random_(seed) {}

  // A process's view of the disk, until the next start() or power_cut().
  std::unique_ptr<rocksdb::Env> start();
  void die_within(std::uint64_t changes);  // from now on
  void die_now();
  bool dead() const;
  void power_cut();  // the process must be dead and its database closed

  void fill(bool full);        // nothing can be appended or made
  void fail_next_append();     // once, after half of it
  void fail_next_sync();       // once

  // --- for the file system ---
  enum class Fate : std::uint8_t { happens, dies_before, dies_after, is_dead };
  Fate change();
  struct Written {
    std::size_t size;          // of the data, to be appended
    rocksdb::IOStatus status;  // then returned
  };
  Written append(const std::string& name, std::size_t size);
  rocksdb::IOStatus before_sync();
  void made(const std::string& name);
  void grew(const std::string& name, std::size_t bytes);
  void cut(const std::string& name, std::uint64_t size);
  void synced(const std::string& name);
  void renamed(const std::string& from, const std::string& to);
  void removed(const std::string& name);
  void folder_synced(const std::string& folder);
  bool is_full() const;

 private:
  struct File {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;
    bool name_synced = false;
  };
  Fate change_locked();
  void keep_names_locked(const std::string& folder);

  mutable std::mutex mutex_;  // guards everything below
  testing::Random random_;
  std::map<std::string, File> files_;  // since they were made; others are durable as they are
  std::optional<std::uint64_t> changes_left_;
  bool dead_ = false;
  bool full_ = false;
  bool append_fails_ = false;
  bool sync_fails_ = false;
};

}  // namespace turnstone::ledger_test
