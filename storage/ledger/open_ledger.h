// Opening the ledger's RocksDB body over other files than the operating system's (tests, simulation).
#pragma once

#include <memory>
#include <string>

#include "storage/ledger/ledger.h"
#include "storage/ledger/rocks_files.h"
#include "storage/ledger/store.h"

namespace turnstone {

// `env` carries RocksDB's files; null is the operating system's. Owner, anchor and quarantine are always the operating
// system's. Errors as open_ledger.
Result<std::shared_ptr<Store>> open_rocks_store(const std::string& directory, const LedgerOptions& options, rocksdb::Env* env);

}  // namespace turnstone
