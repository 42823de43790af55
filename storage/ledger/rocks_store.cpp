#include "storage/ledger/rocks_store.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include "storage/ledger/keys.h"
#include "storage/ledger/ledger.h"

namespace turnstone {
namespace {

constexpr std::int64_t recovery_interval_us = 200'000;
constexpr std::size_t probe_bytes = 1024 * 1024;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// A prefix ends in a letter, a kind or a zero byte: its last byte can always be raised.
std::string after_prefix(std::string_view prefix) {
  std::string end(prefix);
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

tl::unexpected<Error> gone() { return fail(ErrorCode::io, "the ledger's database could not be opened again; restart the engine"); }

Result<std::optional<Store::Entry>> last_in(rocksdb::DB& database, std::string_view prefix) {
  const std::unique_ptr<rocksdb::Iterator> it(database.NewIterator(rocksdb::ReadOptions()));
  const std::string end = after_prefix(prefix);
  it->SeekForPrev(slice(end));
  if (!it->status().ok()) return tl::unexpected(error_of(it->status(), "a read"));
  if (!it->Valid() || !it->key().starts_with(slice(prefix))) return std::nullopt;
  return Store::Entry{it->key().ToString(), it->value().ToString()};
}

}  // namespace

RocksStore::RocksStore(LedgerPaths paths, rocksdb::Env* env, std::unique_ptr<rocksdb::DB> database, bool read_only)
    : paths_(std::move(paths)), env_(env), read_only_(read_only), database_(std::move(database)) {}

RocksStore::~RocksStore() {
  keeper_.reset();  // its last sync needs the database
  if (database_) (void)database_->Close();
}

void RocksStore::keep(OwnerLock lock, std::unique_ptr<AnchorFile> anchor, bool fast) {
  lock_ = std::make_unique<OwnerLock>(std::move(lock));
  fast_ = fast;
  last_commit_ = last(keys::commits).value_or(std::nullopt);
  keeper_ = std::make_unique<AnchorKeeper>(std::move(anchor), fast ? std::function<Status()>([this] { return sync_log(); }) : nullptr);
}

Result<std::optional<std::string>> RocksStore::get(std::string_view key) const {
  const std::shared_lock use(in_use_);
  if (!database_) return gone();
  std::string value;
  const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return tl::unexpected(error_of(status, "a read"));
  return value;
}

Status RocksStore::scan(std::string_view prefix, std::string_view from, const Visit& visit) const {
  const std::shared_lock use(in_use_);
  if (!database_) return gone();
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

Result<std::optional<Store::Entry>> RocksStore::last(std::string_view prefix) const {
  const std::shared_lock use(in_use_);
  if (!database_) return gone();
  return last_in(*database_, prefix);
}

Status RocksStore::write(const WriteBatch& batch) {
  if (read_only_) return fail(ErrorCode::invalid_argument, "the ledger was opened read-only; nothing can be written");
  rocksdb::WriteBatch out;
  for (const auto& [key, value] : batch.puts) (void)out.Put(key, value);
  for (const std::string& key : batch.removals) (void)out.Delete(key);
  const auto put = [&] {
    const std::shared_lock use(in_use_);  // a reopening sees both the write and its mark, or neither
    if (!database_) return rocksdb::Status::IOError("the database is closed");
    const rocksdb::Status written = database_->Write(rocksdb::WriteOptions(), &out);
    if (written.ok() && !batch.puts.empty() && batch.puts.back().first.starts_with(keys::commits)) last_commit_ = batch.puts.back();
    return written;
  };
  if (auto usable = mend_log(); !usable) return usable;
  rocksdb::Status status = put();
  if (!status.ok()) {
    note_failure(error_of(status, "a write"));
    if (mend_log()) status = put();
  }
  if (!status.ok()) {
    note_failure(error_of(status, "a write"));
    return tl::unexpected(error_of(status, "a write"));
  }
  return {};
}

Status RocksStore::sync(const LedgerMark& mark) {
  if (read_only_) return {};
  if (!keeper_ || !fast_) {
    if (auto synced = sync_log(); !synced) return synced;
  }
  return keeper_ ? keeper_->note(mark) : Status();
}

// One at a time: the kernel tells of a page it could not write once, so a sync beside the one that is told would succeed without it.
Status RocksStore::sync_log() {
  const std::lock_guard alone(sync_mutex_);
  if (auto usable = mend_log(); !usable) return usable;
  const std::shared_lock use(in_use_);
  if (!database_) return gone();
  const rocksdb::Status status = database_->SyncWAL();
  if (status.ok()) return {};
  log_in_doubt_.store(true);
  return tl::unexpected(error_of(status, "a disk sync"));
}

void RocksStore::note_failure(Error failure) {
  const std::lock_guard lock(recovery_mutex_);
  failure_ = std::move(failure);
  log_failed_.store(true);
}

// Whoever waited for the mutex while another mended finds both flags down.
Status RocksStore::mend_log() {
  if (!log_in_doubt_.load() && !log_failed_.load()) return {};
  const std::lock_guard lock(recovery_mutex_);
  if (log_in_doubt_.load()) {
    if (!recover(true)) return fail(ErrorCode::io, "the disk refused a sync a moment ago; what was written since is not durable yet, try again");
    const std::shared_lock use(in_use_);
    if (!database_) return gone();
    const rocksdb::Status flushed = database_->Flush(rocksdb::FlushOptions());
    if (!flushed.ok()) return tl::unexpected(error_of(flushed, "a disk sync"));
    log_in_doubt_.store(false);
  }
  if (!log_failed_.load() || recover(false)) return {};
  return tl::unexpected(failure_);
}

bool RocksStore::recover(bool keep_memory) {
  const std::int64_t now = system_clock().monotonic_us();
  if (now < next_recovery_us_) return false;
  next_recovery_us_ = now + recovery_interval_us;
  return has_space() && ((keep_memory && resume()) || reopen());
}

bool RocksStore::has_space() const {
  rocksdb::Env* env = env_ != nullptr ? env_ : rocksdb::Env::Default();
  const std::string name = paths_.database + "/space-probe";
  std::unique_ptr<rocksdb::WritableFile> file;
  rocksdb::Status status = env->NewWritableFile(name, &file, rocksdb::EnvOptions());
  if (status.ok()) status = file->Append(std::string(probe_bytes, '\0'));
  if (status.ok()) status = file->Sync();
  if (file) (void)file->Close();
  (void)env->DeleteFile(name);
  return status.ok();
}

bool RocksStore::resume() {
  const std::shared_lock use(in_use_);
  return database_ && writable_ && database_->Resume().ok();
}

bool RocksStore::reopen() {
  const std::unique_lock use(in_use_);
  if (database_) (void)database_->Close();
  database_.reset();
  auto opened = open_database(paths_, database_options(env_, Recovery::strict), false);
  const bool writable = opened.has_value();
  if (!writable) opened = open_database(paths_, database_options(env_, Recovery::strict), true);  // reads go on
  if (!opened) return false;
  database_ = std::move(*opened);
  writable_ = writable;
  // It must end where the ledger believes it does, neither before nor (with a write that was refused) after.
  if (last_in(*database_, keys::commits).value_or(std::nullopt) != last_commit_) database_.reset();
  if (!writable || database_ == nullptr) return false;
  log_failed_.store(false);
  return true;
}

}  // namespace turnstone
