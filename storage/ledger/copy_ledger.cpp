#include "storage/ledger/copy_ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "storage/ledger/keys.h"
#include "storage/ledger/open_ledger.h"
#include "storage/ledger/records.h"

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

Status sync_parent(const std::string& path) {
  const fs::path parent = fs::absolute(path).parent_path();
  const int descriptor = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  return synced ? Status() : Status(fail(ErrorCode::io, "cannot sync " + parent.string()));
}

Result<CopiedLedger> copy_into(const Store& source, const std::string& folder) {
  auto target = open_rocks_store(folder, {}, nullptr);
  if (!target) return tl::unexpected(target.error());
  CopiedLedger copied;
  if (auto done = copy_entries(source, **target, copied); !done) return tl::unexpected(done.error());
  const auto mark = last_mark(**target);
  if (!mark) return tl::unexpected(mark.error());
  if (auto synced = (*target)->sync(*mark); !synced) return tl::unexpected(synced.error());
  copied.position = mark->position;
  copied.commit_hash = mark->commit_hash;
  return copied;  // closing it brings the anchor to the disk
}

}  // namespace

Result<CopiedLedger> copy_ledger(const std::string& from, const std::string& to) {
  std::error_code error;
  if (fs::exists(to, error)) return fail(ErrorCode::invalid_argument, to + " exists; name a folder that does not");
  const auto source = open_rocks_store(from, {.mode = OpenMode::read_only, .create_if_missing = false}, nullptr);
  if (!source) return tl::unexpected(source.error());
  const std::string partial = to + ".partial";
  fs::remove_all(partial, error);
  auto copied = copy_into(**source, partial);
  if (!copied) {
    fs::remove_all(partial, error);
    return copied;
  }
  fs::rename(partial, to, error);
  if (error) return fail(ErrorCode::io, "cannot rename " + partial + ": " + error.message());
  if (auto synced = sync_parent(to); !synced) return tl::unexpected(synced.error());
  return copied;
}

}  // namespace turnstone
