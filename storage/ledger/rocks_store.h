// The ledger's body in RocksDB, with what RocksDB alone does not give: an owner, an anchor and a quarantine.
//
//     DIR/OWNER        who has the ledger open (owner_lock.h)
//     DIR/ANCHOR       what was acknowledged (anchor.h)
//     DIR/quarantine/  the database's files while it is being opened, and after it was refused (quarantine.h)
//     DIR/db/          RocksDB
#pragma once

#include <memory>
#include <string>

#include "storage/ledger/ledger.h"
#include "storage/ledger/store.h"

namespace rocksdb {
class Env;
}

namespace turnstone {

// `env` carries RocksDB's files; null is the operating system's. The other three are always the operating system's.
Result<std::shared_ptr<Store>> open_rocks_store(const std::string& directory, const LedgerOptions& options, rocksdb::Env* env);

}  // namespace turnstone
