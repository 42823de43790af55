#include "storage/ledger/copy_ledger.h"

#include <filesystem>

#include "storage/ledger/bytes.h"
#include "storage/ledger/key_store.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/open_ledger.h"
#include "storage/ledger/records.h"
#include "storage/ledger/sync_folder.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t batch_bytes = 1024 * 1024;

Result<LedgerMark> last_mark(const Store& store) {
  const auto last = store.last(keys::commits);
  if (!last) return tl::unexpected(last.error());
  if (!*last) return LedgerMark{};
  const auto record = records::decode_commit((*last)->second);
  if (!record) return fail(ErrorCode::corrupt, "the last commit record is damaged; run verify");
  return LedgerMark{record->position, record->hash};
}

// Every entry, kind by kind: a key begins with the capital letter of its kind (keys.h).
Status copy_entries(const Store& from, Store& to, CopiedLedger& copied) {
  WriteBatch batch;
  std::size_t bytes = 0;
  Status status;
  const auto flush = [&] {
    if (!batch.puts.empty()) status = to.write(batch);
    batch = {};
    bytes = 0;
    return status.has_value();
  };
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    const std::string prefix(1, letter);
    auto scanned = from.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
      batch.put(std::string(key), std::string(value));
      ++copied.entries;
      copied.bytes += key.size() + value.size();
      bytes += key.size() + value.size();
      return bytes < batch_bytes || flush();
    });
    if (!scanned) return scanned;
    if (!status || !flush()) return status;
  }
  return {};
}

// Newer keys than the ledger's own: sessions that it does not hold keep theirs to themselves.
Status take_keys(const std::string& key_files, const std::string& folder, Store& to) {
  if (key_files.empty()) return {};
  if (auto copied = copy_key_files(key_files, folder); !copied) return copied;
  WriteBatch batch;
  batch.put(std::string(keys::next_key), ByteWriter().u32(slots_end(folder + "/KEYS").value).take());
  return to.write(batch);
}

Result<CopiedLedger> copy_into(const Store& source, const std::string& folder, const std::string& key_files) {
  auto target = open_rocks_store(folder, {}, nullptr);
  if (!target) return tl::unexpected(target.error());
  CopiedLedger copied;
  if (auto done = copy_entries(source, **target, copied); !done) return tl::unexpected(done.error());
  if (auto done = take_keys(key_files, folder, **target); !done) return tl::unexpected(done.error());
  const auto mark = last_mark(**target);
  if (!mark) return tl::unexpected(mark.error());
  if (auto synced = (*target)->sync(*mark); !synced) return tl::unexpected(synced.error());
  copied.position = mark->position;
  copied.commit_hash = mark->commit_hash;
  return copied;  // closing it brings the anchor to the disk
}

}  // namespace

Result<CopiedLedger> copy_ledger(const std::string& from, const std::string& target, const std::string& key_files) {
  std::string to = target;
  while (to.size() > 1 && to.back() == '/') to.pop_back();
  std::error_code error;
  if (fs::exists(to, error)) return fail(ErrorCode::invalid_argument, to + " exists; name a folder that does not");
  const auto source = open_rocks_store(from, {.mode = OpenMode::read_only, .create_if_missing = false}, nullptr);
  if (!source) return tl::unexpected(source.error());
  const std::string partial = to + ".partial";
  fs::remove_all(partial, error);
  auto copied = copy_into(**source, partial, key_files);
  if (!copied) {
    fs::remove_all(partial, error);
    return copied;
  }
  fs::rename(partial, to, error);
  if (error) {
    const std::string why = error.message();
    fs::remove_all(partial, error);
    return fail(ErrorCode::io, "cannot rename " + partial + ": " + why);
  }
  if (auto synced = sync_folder_of(to); !synced) return tl::unexpected(synced.error());
  return copied;
}

}  // namespace turnstone
