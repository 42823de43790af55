// Keeps the database's files as they were before it was opened.
//
// Opening RocksDB changes its directory: recovered logs are deleted, even those of which it read half. So every file
// that holds data is hard-linked into a folder first, and the links go only when the ledger was found complete.
#pragma once

#include <string>

#include "events/error.h"

namespace turnstone {

// Links (or, where the file system has no hard links, copies) log, table and manifest files of `database` into
// `folder`. A folder filled by an earlier opening that did not succeed is left as it is: it shows the oldest state.
// O(number of files).
Status fill_quarantine(const std::string& database, const std::string& folder);
Status empty_quarantine(const std::string& folder);
// Sets the folder aside under a name of its own for a person to look at; gives that name.
Result<std::string> keep_quarantine(const std::string& folder);

}  // namespace turnstone
