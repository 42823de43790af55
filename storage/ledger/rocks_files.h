// How RocksDB is set up for the ledger, and where its files lie. Internal to the RocksDB body.
//
//     DIR/OWNER        who has the ledger open (owner_lock.h)
//     DIR/ANCHOR       what was acknowledged (anchor.h)
//     DIR/quarantine/  the database's files while it is being opened, and after it was refused (quarantine.h)
//     DIR/db/          RocksDB
//     DIR/KEYS         the keys of its streams, wrapped (key_store.h)
//     DIR/MASTER       the master key, unless it is kept elsewhere
#pragma once

#include <memory>
#include <string>

#include "events/error.h"

namespace rocksdb {
class DB;
class Env;
struct Options;
class Status;
}  // namespace rocksdb

namespace turnstone {

struct LedgerPaths {
  explicit LedgerPaths(std::string root)
      : directory(std::move(root)),
        owner(directory + "/OWNER"),
        anchor(directory + "/ANCHOR"),
        quarantine(directory + "/quarantine"),
        database(directory + "/db"),
        keys(directory + "/KEYS"),
        master(directory + "/MASTER") {}
  bool has_database() const;  // any file at all
  std::string directory, owner, anchor, quarantine, database, keys, master;
};

inline constexpr std::size_t write_buffer_bytes = 16 * 1024 * 1024;  // RocksDB recovers about 125 MB of log a second: this bounds a restart

enum class Recovery { strict, as_far_as_readable };  // of a damaged log: refuse, or stop before the damage
rocksdb::Options database_options(rocksdb::Env* env, Recovery recovery);
// corrupt also when a file that the database names is missing.
Error error_of(const rocksdb::Status& status, const std::string& what);
Result<std::unique_ptr<rocksdb::DB>> open_database(const LedgerPaths& paths, const rocksdb::Options& options, bool read_only);

}  // namespace turnstone
