#include "storage/ledger/ledger_core.h"
#include "storage/ledger/rocks_store.h"

namespace turnstone {

Result<std::unique_ptr<Ledger>> open_ledger(const std::string& directory, const LedgerOptions& options) {
  auto store = open_rocks_store(directory, options, nullptr);
  if (!store) return tl::unexpected(store.error());
  return LedgerCore::open(std::move(*store), plain_payload_codec());
}

}  // namespace turnstone
