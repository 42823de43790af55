#include "storage/ledger/rocks_store.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "storage/ledger/anchor.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/owner_lock.h"
#include "storage/ledger/quarantine.h"
#include "storage/ledger/records.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t write_buffer_bytes = 16 * 1024 * 1024;  // RocksDB recovers about 125 MB of log a second: this bounds a restart
constexpr std::size_t block_cache_bytes = 64 * 1024 * 1024;
constexpr int read_only_attempts = 50;
constexpr std::int64_t resume_interval_us = 200'000;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

Error error_of(const rocksdb::Status& status, const std::string& what) {
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::SubCode::kNoSpace) {
    return {ErrorCode::no_space, "the disk is full: " + what + " was refused; free space and send it again"};
  }
  const ErrorCode code = status.IsCorruption() ? ErrorCode::corrupt : ErrorCode::io;
  return {code, what + " failed: " + status.ToString() + (code == ErrorCode::corrupt ? "; run verify and restore a backup" : "")};
}

// RocksDB's own log names keys, and with them sessions: it is kept nowhere.
class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options database_options(rocksdb::Env* env) {
  rocksdb::Options options;
  if (env != nullptr) options.env = env;
  options.info_log = std::make_shared<NoLog>();
  options.create_if_missing = false;
  options.paranoid_checks = true;
  options.recycle_log_file_num = 0;  // a recycled log hides where the old one ended
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.write_buffer_size = write_buffer_bytes;
  options.max_write_buffer_number = 4;
  options.max_total_wal_size = 2 * write_buffer_bytes;
  options.max_background_jobs = 2;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  const auto supported = rocksdb::GetSupportedCompressions();
  const bool zstd = std::find(supported.begin(), supported.end(), rocksdb::kZSTD) != supported.end();
  options.compression = zstd ? rocksdb::kZSTD : rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(block_cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));  // most turn keys asked for are new ones
  table.verify_compression = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

struct Paths {
  std::string directory;
  std::string owner = directory + "/OWNER";
  std::string anchor = directory + "/ANCHOR";
  std::string quarantine = directory + "/quarantine";
  std::string database = directory + "/db";
  bool has_database() const {
    std::error_code error;
    return fs::exists(database + "/CURRENT", error) || (fs::is_directory(database, error) && !fs::is_empty(database, error));
  }
};

class RocksStore final : public Store {
 public:
  RocksStore(std::unique_ptr<rocksdb::DB> database, bool read_only) : database_(std::move(database)), read_only_(read_only) {}
  ~RocksStore() override {
    keeper_.reset();  // its last sync needs the database
    (void)database_->Close();
  }

  Result<std::optional<std::string>> get(std::string_view key) const override {
    std::string value;
    const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return tl::unexpected(error_of(status, "a read"));
    return value;
  }

  Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const override {
    const std::string end = after_prefix(prefix);
    const rocksdb::Slice bound = slice(end);
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> it(database_->NewIterator(options));
    for (it->Seek(slice(from)); it->Valid(); it->Next()) {
      if (!visit(view(it->key()), view(it->value()))) return {};
    }
    if (!it->status().ok()) return tl::unexpected(error_of(it->status(), "a read"));
    return {};
  }

  Result<std::optional<Entry>> last(std::string_view prefix) const override {
    const std::unique_ptr<rocksdb::Iterator> it(database_->NewIterator(rocksdb::ReadOptions()));
    it->SeekForPrev(slice(after_prefix(prefix)));
    if (!it->status().ok()) return tl::unexpected(error_of(it->status(), "a read"));
    if (!it->Valid() || !it->key().starts_with(slice(prefix))) return std::nullopt;
    return Entry{it->key().ToString(), it->value().ToString()};
  }

  Status write(const WriteBatch& batch) override {
    if (read_only_) return fail(ErrorCode::invalid_argument, "the ledger was opened read-only; nothing can be written");
    rocksdb::WriteBatch out;
    for (const auto& [key, value] : batch.puts) (void)out.Put(key, value);
    for (const std::string& key : batch.removals) (void)out.Delete(key);
    rocksdb::Status status = database_->Write(rocksdb::WriteOptions(), &out);
    if (!status.ok() && resume()) status = database_->Write(rocksdb::WriteOptions(), &out);
    if (!status.ok()) return tl::unexpected(error_of(status, "a write"));
    return {};
  }

  Status sync(const LedgerMark& mark) override {
    if (read_only_) return {};
    if (keeper_ == nullptr) return sync_log();
    if (!fast_) {
      if (auto synced = sync_log(); !synced) return synced;
    }
    return keeper_->note(mark);
  }

  void keep(OwnerLock lock, std::unique_ptr<AnchorFile> anchor, bool fast) {
    lock_ = std::make_unique<OwnerLock>(std::move(lock));
    fast_ = fast;
    keeper_ = std::make_unique<AnchorKeeper>(std::move(anchor), fast ? std::function<Status()>([this] { return sync_log(); }) : nullptr);
  }

 private:
  // A prefix ends in a letter, a kind or a zero byte: its last byte can always be raised.
  static std::string after_prefix(std::string_view prefix) {
    std::string end(prefix);
    end.back() = static_cast<char>(end.back() + 1);
    return end;
  }

  // After a failed sync nobody knows which pages the kernel dropped. What the log may lack is still in memory:
  // only when all of it was written and synced anew, as tables, may the next sync succeed.
  Status sync_log() {
    if (log_in_doubt_.load()) {
      (void)database_->Resume();
      const rocksdb::Status flushed = database_->Flush(rocksdb::FlushOptions());
      if (!flushed.ok()) return tl::unexpected(error_of(flushed, "a disk sync"));
      log_in_doubt_.store(false);
    }
    const rocksdb::Status status = database_->SyncWAL();
    if (status.ok()) return {};
    log_in_doubt_.store(true);
    return tl::unexpected(error_of(status, "a disk sync"));
  }

  // Brings a database back that stopped writing (disk full). At most once an interval: it writes all of its memory.
  bool resume() {
    const std::int64_t now = system_clock().monotonic_us();
    if (now < next_resume_us_) return false;
    next_resume_us_ = now + resume_interval_us;
    return database_->Resume().ok();
  }

  std::unique_ptr<OwnerLock> lock_;  // released last
  std::unique_ptr<rocksdb::DB> database_;
  std::unique_ptr<AnchorKeeper> keeper_;
  const bool read_only_;
  bool fast_ = false;
  std::atomic<bool> log_in_doubt_ = false;
  std::int64_t next_resume_us_ = 0;  // written under the ledger's write lock
};

// --- opening -------------------------------------------------------------------------------------------

std::string numbered(std::uint64_t position) { return std::to_string(position); }

Result<LedgerMark> last_mark(const Store& store) {
  auto last = store.last(keys::commits);
  if (!last) return tl::unexpected(last.error());
  if (!*last) return LedgerMark{};
  const auto record = records::decode_commit((*last)->second);
  if (!record) return fail(ErrorCode::corrupt, "the last commit record is damaged");
  return LedgerMark{record->position, record->hash};
}

std::string way_out(const Paths& paths, bool quarantined) {
  return (quarantined ? "; the files as they were found are kept in " + paths.quarantine : std::string()) +
         "; restore a backup, or open the ledger once with accept_loss to go on without what is missing";
}

tl::unexpected<Error> incomplete(const Paths& paths, std::uint64_t first_missing, const LedgerMark& anchor, const std::string& why, bool quarantined) {
  const std::string range = first_missing <= anchor.position.value
                                ? "positions " + numbered(first_missing) + " to " + numbered(anchor.position.value) + " were acknowledged and are missing"
                                : "everything up to position " + numbered(anchor.position.value) + " can be read, what follows cannot";
  return fail(ErrorCode::corrupt, "the ledger in " + paths.directory + " is incomplete: " + range + " (" + why + ")" + way_out(paths, quarantined));
}

// Refuses a ledger that ends before its anchor, or that has another history than it.
Status check_anchor(const Store& store, const Paths& paths, const LedgerMark& anchor, bool quarantined) {
  auto found = last_mark(store);
  if (!found) return tl::unexpected(found.error());
  if (found->position < anchor.position) {
    return incomplete(paths, found->position.value + 1, anchor, "the database ends at position " + numbered(found->position.value), quarantined);
  }
  if (anchor.position.value == 0) return {};
  auto bytes = store.get(keys::commit(anchor.position));
  if (!bytes) return tl::unexpected(bytes.error());
  const auto record = *bytes ? records::decode_commit(**bytes) : std::nullopt;
  if (!record || record->hash != anchor.commit_hash) {
    return fail(ErrorCode::corrupt, "the ledger in " + paths.directory + " has another commit at position " + numbered(anchor.position.value) +
                                        " than the one that was acknowledged" + way_out(paths, quarantined));
  }
  return {};
}

Result<std::unique_ptr<rocksdb::DB>> open_database(const Paths& paths, const rocksdb::Options& options, bool read_only) {
  rocksdb::DB* database = nullptr;
  const rocksdb::Status status = read_only ? rocksdb::DB::OpenForReadOnly(options, paths.database, &database)
                                           : rocksdb::DB::Open(options, paths.database, &database);
  if (!status.ok()) return tl::unexpected(error_of(status, "opening " + paths.database));
  return std::unique_ptr<rocksdb::DB>(database);
}

// How far the database can be read although it cannot be opened; changes nothing on disk.
std::uint64_t readable_position(const Paths& paths, rocksdb::Options options) {
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  auto database = open_database(paths, options, true);
  if (!database) return 0;
  const RocksStore store(std::move(*database), true);
  auto mark = last_mark(store);
  return mark ? mark->position.value : 0;
}

Status make_directory(const std::string& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return {};
  fs::create_directories(directory, error);
  if (!error) fs::permissions(directory, fs::perms::owner_all, error);
  if (error) return fail(ErrorCode::io, "cannot create " + directory + ": " + error.message());
  return {};
}

// Makes names created in `directory` survive a power cut.
Status sync_directory(const std::string& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!synced) return fail(ErrorCode::io, "cannot sync " + directory);
  return {};
}

// The anchor as it stands before the database is touched. A new ledger gets one first, so that a database
// without an anchor is always a loss.
Result<LedgerMark> anchor_before(const Paths& paths, const LedgerOptions& options) {
  auto mark = AnchorFile::read(paths.anchor);
  if (mark) return mark;
  const bool fresh = mark.error().code == ErrorCode::not_found && !paths.has_database();
  if (fresh && !options.create_if_missing) return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  if (!fresh && !options.accept_loss) {
    if (mark.error().code == ErrorCode::io) return mark;
    return fail(ErrorCode::corrupt, mark.error().detail + ": whether the ledger is complete cannot be told" + way_out(paths, false));
  }
  if (auto made = AnchorFile::open(paths.anchor, {}, true); !made) return tl::unexpected(made.error());
  if (auto synced = sync_directory(paths.directory); !synced) return tl::unexpected(synced.error());
  return LedgerMark{};
}

Result<std::shared_ptr<Store>> open_for_writing(const Paths& paths, const LedgerOptions& options, rocksdb::Env* env) {
  std::error_code error;
  if (!fs::exists(paths.directory, error) && !options.create_if_missing) return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  if (auto made = make_directory(paths.directory); !made) return tl::unexpected(made.error());
  auto lock = OwnerLock::take(paths.owner);
  if (!lock) return tl::unexpected(lock.error());
  auto anchor = anchor_before(paths, options);
  if (!anchor) return tl::unexpected(anchor.error());
  if (auto kept = fill_quarantine(paths.database, paths.quarantine); !kept) return tl::unexpected(kept.error());

  rocksdb::Options database = database_options(env);
  database.create_if_missing = anchor->position.value == 0 || options.accept_loss;
  if (options.accept_loss) database.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  if (anchor->position.value > 0 && !paths.has_database() && !options.accept_loss) return incomplete(paths, 1, *anchor, paths.database + " is gone", false);
  auto opened = open_database(paths, database, false);
  if (!opened) {
    const ErrorCode code = opened.error().code;
    if (code == ErrorCode::no_space || (code == ErrorCode::io && paths.has_database() && fs::exists(paths.database + "/CURRENT", error))) {
      return tl::unexpected(opened.error());
    }
    return incomplete(paths, readable_position(paths, database_options(env)) + 1, *anchor, opened.error().detail, true);
  }
  auto store = std::make_shared<RocksStore>(std::move(*opened), false);
  if (!options.accept_loss) {
    if (auto checked = check_anchor(*store, paths, *anchor, true); !checked) return tl::unexpected(checked.error());
  }
  auto mark = last_mark(*store);
  if (!mark) return tl::unexpected(mark.error());
  if (options.accept_loss) {
    if (auto kept = keep_quarantine(paths.quarantine); !kept) return tl::unexpected(kept.error());
  } else if (auto emptied = empty_quarantine(paths.quarantine); !emptied) {
    return tl::unexpected(emptied.error());
  }
  auto file = AnchorFile::open(paths.anchor, *mark, options.accept_loss);
  if (!file) return tl::unexpected(file.error());
  if (auto synced = sync_directory(paths.directory); !synced) return tl::unexpected(synced.error());
  store->keep(std::move(*lock), std::move(*file), options.durability == Durability::fast);
  return store;
}

// Changes whenever the live engine's set of files does: a view opened between two equal ones is of one moment.
std::string files_of(const Paths& paths) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(paths.database, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with("MANIFEST-")) name += " " + std::to_string(fs::file_size(it->path(), error));
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += name + "\n";
  return all;
}

Result<std::shared_ptr<Store>> open_for_reading(const Paths& paths, rocksdb::Env* env) {
  if (!paths.has_database()) {
    auto anchor = AnchorFile::read(paths.anchor);
    if (anchor && anchor->position.value > 0) return incomplete(paths, 1, *anchor, paths.database + " is gone", false);
    return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  }
  rocksdb::Options options = database_options(env);
  options.max_open_files = -1;  // all tables are opened at once, so that the live engine may delete them
  for (int attempt = 1;; ++attempt) {
    auto anchor = AnchorFile::read(paths.anchor);  // before the database: a live engine moves on
    if (!anchor) return fail(ErrorCode::corrupt, anchor.error().detail + ": whether the ledger is complete cannot be told" + way_out(paths, false));
    const std::string before = files_of(paths);
    auto opened = open_database(paths, options, true);
    const bool moved = before != files_of(paths);
    if (!moved && !opened) return incomplete(paths, readable_position(paths, options) + 1, *anchor, opened.error().detail, false);
    if (!moved) {
      auto store = std::make_shared<RocksStore>(std::move(*opened), true);
      if (auto checked = check_anchor(*store, paths, *anchor, false); !checked) return tl::unexpected(checked.error());
      return store;
    }
    if (attempt == read_only_attempts) return fail(ErrorCode::busy, "the ledger in " + paths.directory + " changes too fast to be opened; try again");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Result<std::shared_ptr<Store>> open_rocks_store(const std::string& directory, const LedgerOptions& options, rocksdb::Env* env) {
  const Paths paths{directory};
  return options.mode == OpenMode::read_only ? open_for_reading(paths, env) : open_for_writing(paths, options, env);
}

}  // namespace turnstone
