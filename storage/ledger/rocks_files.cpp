#include "storage/ledger/rocks_files.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <filesystem>

#include "storage/ledger/keys.h"

#if defined(__SANITIZE_THREAD__)
// RocksDB's library is not instrumented: its own synchronisation is invisible to the thread sanitizer.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:librocksdb\n"; }
#endif

namespace turnstone {
namespace {

constexpr std::size_t block_cache_bytes = 64 * 1024 * 1024;

// RocksDB's own log names keys, and with them sessions: it is kept nowhere.
class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// What keys that follow each other have in common: the events of one stream, the commit records. RocksDB then puts the next one beside the last
// instead of looking for its place, which is most of what a write takes.
class FollowedKeys final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "turnstone.FollowedKeys"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), key.size() - sizeof(std::uint64_t)}; }
  bool InDomain(const rocksdb::Slice& key) const override { return keys::numbered({key.data(), key.size()}); }
};

}  // namespace

bool LedgerPaths::has_database() const {
  std::error_code error;
  return std::filesystem::is_directory(database, error) && !std::filesystem::is_empty(database, error);
}

Error error_of(const rocksdb::Status& status, const std::string& what) {
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::SubCode::kNoSpace) {
    return {ErrorCode::no_space, "the disk is full: " + what + " was refused; free space and send it again"};
  }
  const bool missing = status.IsPathNotFound() || status.IsNotFound() || status.IsInvalidArgument();
  if (!status.IsCorruption() && !missing) return {ErrorCode::io, what + " failed: " + status.ToString() + "; check the disk"};
  return {ErrorCode::corrupt, what + " failed: " + status.ToString() + "; run verify and restore a backup"};
}

rocksdb::Options database_options(rocksdb::Env* env, Recovery recovery) {
  rocksdb::Options options;
  if (env != nullptr) options.env = env;
  options.info_log = std::make_shared<NoLog>();
  options.create_if_missing = false;
  options.paranoid_checks = true;
  options.recycle_log_file_num = 0;  // a recycled log hides where the old one ended
  // A tail torn in the last record opens; damage before it is refused. (kPointInTimeRecovery would stop there without a word.)
  options.wal_recovery_mode = recovery == Recovery::strict ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                                                           : rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.write_buffer_size = write_buffer_bytes;
  options.memtable_insert_with_hint_prefix_extractor = std::make_shared<FollowedKeys>();
  options.max_write_buffer_number = 4;
  options.max_total_wal_size = 2 * write_buffer_bytes;
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;  // RocksStore brings it back, when there is space again
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  const auto supported = rocksdb::GetSupportedCompressions();
  const bool zstd = std::find(supported.begin(), supported.end(), rocksdb::kZSTD) != supported.end();
  const rocksdb::CompressionType deep = zstd ? rocksdb::kZSTD : rocksdb::kNoCompression;
  options.compression = deep;
  // The youngest tables are written while turns wait for the same disk and processor, at a start as well, and are soon merged into deeper ones.
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression, deep, deep, deep, deep, deep};
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(block_cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));  // most turn keys asked for are new ones
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Result<std::unique_ptr<rocksdb::DB>> open_database(const LedgerPaths& paths, const rocksdb::Options& options, bool read_only) {
  rocksdb::DB* database = nullptr;
  const rocksdb::Status status = read_only ? rocksdb::DB::OpenForReadOnly(options, paths.database, &database)
                                           : rocksdb::DB::Open(options, paths.database, &database);
  if (!status.ok()) return tl::unexpected(error_of(status, "opening " + paths.database));
  return std::unique_ptr<rocksdb::DB>(database);
}

}  // namespace turnstone
