#include "storage/ledger/memory_store.h"

#include <mutex>

#include "storage/ledger/ledger.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/sealing_codec.h"

namespace turnstone {

Result<std::optional<std::string>> MemoryStore::get(std::string_view key) const {
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

Status MemoryStore::scan(std::string_view prefix, std::string_view from, const Visit& visit) const {
  const std::shared_lock lock(mutex_);
  for (auto it = entries_.lower_bound(from); it != entries_.end() && it->first.starts_with(prefix); ++it) {
    if (!visit(it->first, it->second)) break;
  }
  return {};
}

Result<std::optional<Store::Entry>> MemoryStore::last(std::string_view prefix) const {
  const std::shared_lock lock(mutex_);
  std::string end(prefix);
  end += '\xff';  // what follows a prefix is a big-endian number below 2^63 or a name in UTF-8: never 0xff
  auto it = entries_.lower_bound(end);
  if (it == entries_.begin() || !(--it)->first.starts_with(prefix)) return std::nullopt;
  return Entry{it->first, it->second};
}

Status MemoryStore::write(const WriteBatch& batch) {
  const std::unique_lock lock(mutex_);
  for (const auto& [key, value] : batch.puts) entries_.insert_or_assign(key, value);
  for (const std::string& key : batch.removals) entries_.erase(key);
  return {};
}

std::unique_ptr<Ledger> make_memory_ledger() {
  auto ledger = LedgerCore::open(std::make_shared<MemoryStore>(), make_sealing_codec(make_memory_key_store()));
  return ledger ? std::move(*ledger) : nullptr;  // an empty store has nothing to refuse
}

}  // namespace turnstone
