// Opening the RocksDB ledger: who owns it, whether it is complete, and what to say when it is not.
#include "storage/ledger/open_ledger.h"

#include <rocksdb/db.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "storage/ledger/bytes.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/quarantine.h"
#include "storage/ledger/records.h"
#include "storage/ledger/rocks_store.h"
#include "storage/ledger/sealing_codec.h"
#include "storage/ledger/sync_folder.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

constexpr int read_only_attempts = 50;

std::string numbered(GlobalPosition position) { return std::to_string(position.value); }

Result<LedgerMark> last_mark(const Store& store) {
  auto last = store.last(keys::commits);
  if (!last) return tl::unexpected(last.error());
  if (!*last) return LedgerMark{};
  const auto record = records::decode_commit((*last)->second);
  if (!record) return fail(ErrorCode::corrupt, "the last commit record is damaged");
  return LedgerMark{record->position, record->hash};
}

std::string way_out(const LedgerPaths& paths, bool quarantined) {
  return (quarantined ? "; the files as they were found are kept in " + paths.quarantine : std::string()) +
         "; restore a backup, or start the engine once with --accept-loss to go on without what is missing";
}

tl::unexpected<Error> incomplete(const LedgerPaths& paths, GlobalPosition readable, const LedgerMark& anchor, const std::string& why, bool quarantined) {
  const std::string range = readable < anchor.position
                                ? "positions " + numbered(next(readable)) + " to " + numbered(anchor.position) + " were acknowledged and are missing"
                                : "what follows position " + numbered(readable) + " cannot be read";
  return fail(ErrorCode::corrupt, "the ledger in " + paths.directory + " is incomplete: " + range + " (" + why + ")" + way_out(paths, quarantined));
}

// Refuses a ledger that ends before its anchor, or that has another history than it.
Status check_anchor(const Store& store, const LedgerPaths& paths, const LedgerMark& anchor, bool quarantined) {
  auto found = last_mark(store);
  if (!found) return tl::unexpected(found.error());
  if (found->position < anchor.position) {
    return incomplete(paths, found->position, anchor, "the database ends at position " + numbered(found->position), quarantined);
  }
  if (anchor.position.value == 0) return {};
  auto bytes = store.get(keys::commit(anchor.position));
  if (!bytes) return tl::unexpected(bytes.error());
  const auto record = *bytes ? records::decode_commit(**bytes) : std::nullopt;
  if (!record || record->hash != anchor.commit_hash) {
    return fail(ErrorCode::corrupt, "the ledger in " + paths.directory + " has another commit at position " + numbered(anchor.position) +
                                        " than the one that was acknowledged" + way_out(paths, quarantined));
  }
  return {};
}

// How far the database can be read although it cannot be opened; changes nothing on disk.
GlobalPosition readable_position(const LedgerPaths& paths, rocksdb::Env* env) {
  auto database = open_database(paths, database_options(env, Recovery::as_far_as_readable), true);
  if (!database) return {};
  const RocksStore store(paths, env, std::move(*database), true);
  auto mark = last_mark(store);
  return mark ? mark->position : GlobalPosition{};
}

Status make_directory(const std::string& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return {};
  fs::create_directories(directory, error);
  if (!error) fs::permissions(directory, fs::perms::owner_all, error);
  if (error) return fail(ErrorCode::io, "cannot create " + directory + ": " + error.message());
  return {};
}

// The anchor as it stands before the database is touched. A new ledger gets one first, so that a database
// without an anchor is always a loss.
Result<LedgerMark> anchor_before(const LedgerPaths& paths, const LedgerOptions& options) {
  auto mark = AnchorFile::read(paths.anchor);
  if (mark) return mark;
  const bool fresh = mark.error().code == ErrorCode::not_found && !paths.has_database();
  if (fresh && !options.create_if_missing) return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  if (!fresh && !options.accept_loss) {
    if (mark.error().code == ErrorCode::io) return mark;
    return fail(ErrorCode::corrupt, mark.error().detail + ": whether the ledger is complete cannot be told" + way_out(paths, false));
  }
  if (auto made = AnchorFile::open(paths.anchor, {}, true); !made) return tl::unexpected(made.error());
  if (auto synced = sync_folder(paths.directory); !synced) return tl::unexpected(synced.error());
  return LedgerMark{};
}

// The database is complete (or its loss accepted): from here on this process keeps it.
Status take_over(RocksStore& store, OwnerLock lock, const LedgerPaths& paths, const LedgerOptions& options) {
  auto mark = last_mark(store);
  if (!mark) return tl::unexpected(mark.error());
  if (options.accept_loss) {
    if (auto kept = keep_quarantine(paths.quarantine); !kept) return tl::unexpected(kept.error());
  } else if (auto emptied = empty_quarantine(paths.quarantine); !emptied) {
    return emptied;
  }
  auto file = AnchorFile::open(paths.anchor, *mark, options.accept_loss);
  if (!file) return tl::unexpected(file.error());
  if (auto synced = sync_folder(paths.directory); !synced) return synced;
  store.keep(std::move(lock), std::move(*file), options.durability == Durability::fast);
  return {};
}

// A new ledger gets a folder of its own: what else lies there is somebody's.
Status expect_own_folder(const LedgerPaths& paths) {
  std::error_code error;
  if (paths.has_database() || fs::exists(paths.anchor, error)) return {};
  for (fs::directory_iterator it(paths.directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool own = name.starts_with("OWNER") || name.starts_with("KEYS") || name.starts_with("MASTER") || name.starts_with("quarantine") || name == "db";
    if (own || name.starts_with(".") || name == "lost+found") continue;
    return fail(ErrorCode::refused, paths.directory + " is no ledger and holds other files (" + name + "); name a folder of its own");
  }
  return {};
}

Result<std::shared_ptr<Store>> open_for_writing(const LedgerPaths& paths, const LedgerOptions& options, rocksdb::Env* env) {
  std::error_code error;
  if (auto own = expect_own_folder(paths); !own) return tl::unexpected(own.error());
  if (!fs::exists(paths.directory, error) && !options.create_if_missing) return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  if (auto made = make_directory(paths.directory); !made) return tl::unexpected(made.error());
  auto lock = OwnerLock::take(paths.owner);
  if (!lock) return tl::unexpected(lock.error());
  auto anchor = anchor_before(paths, options);
  if (!anchor) return tl::unexpected(anchor.error());
  const bool acknowledged = anchor->position.value > 0 && !options.accept_loss;
  if (acknowledged && !paths.has_database()) return incomplete(paths, {}, *anchor, paths.database + " is gone", false);
  if (auto kept = fill_quarantine(paths.database, paths.quarantine); !kept) return tl::unexpected(kept.error());

  rocksdb::Options database = database_options(env, options.accept_loss ? Recovery::as_far_as_readable : Recovery::strict);
  database.create_if_missing = !acknowledged;  // never a new, empty database in the place of one that held turns
  auto opened = open_database(paths, database, false);
  if (!opened) {
    if (opened.error().code != ErrorCode::corrupt) return tl::unexpected(opened.error());
    return incomplete(paths, readable_position(paths, env), *anchor, opened.error().detail, true);
  }
  auto store = std::make_shared<RocksStore>(paths, env, std::move(*opened), false);
  if (!options.accept_loss) {
    if (auto checked = check_anchor(*store, paths, *anchor, true); !checked) return tl::unexpected(checked.error());
  }
  if (auto taken = take_over(*store, std::move(*lock), paths, options); !taken) return tl::unexpected(taken.error());
  return store;
}

// Changes whenever the live engine's set of tables and logs does (one is deleted only after the manifest says so):
// a view opened between two equal ones is of one moment.
std::string manifest_of(const LedgerPaths& paths) {
  std::string all;
  std::error_code error;
  for (fs::directory_iterator it(paths.database, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code gone;
    if (name.starts_with("MANIFEST-")) all += name + " " + std::to_string(fs::file_size(it->path(), gone)) + "\n";
  }
  return all;
}

Result<std::shared_ptr<Store>> open_for_reading(const LedgerPaths& paths, rocksdb::Env* env) {
  if (!paths.has_database()) {
    auto anchor = AnchorFile::read(paths.anchor);
    if (anchor && anchor->position.value > 0) return incomplete(paths, {}, *anchor, paths.database + " is gone", false);
    return fail(ErrorCode::not_found, "there is no ledger in " + paths.directory);
  }
  rocksdb::Options options = database_options(env, Recovery::strict);
  options.max_open_files = -1;  // all tables are opened at once, so that the live engine may delete them
  for (int attempt = 1;; ++attempt) {
    auto anchor = AnchorFile::read(paths.anchor);  // before the database: a live engine moves on
    if (!anchor) return fail(ErrorCode::corrupt, anchor.error().detail + ": whether the ledger is complete cannot be told" + way_out(paths, false));
    const std::string before = manifest_of(paths);
    auto opened = open_database(paths, options, true);
    const bool moved = before != manifest_of(paths);
    if (!moved && !opened) return incomplete(paths, readable_position(paths, env), *anchor, opened.error().detail, false);
    if (!moved) {
      auto store = std::make_shared<RocksStore>(paths, env, std::move(*opened), true);
      if (auto checked = check_anchor(*store, paths, *anchor, false); !checked) return tl::unexpected(checked.error());
      return store;
    }
    if (attempt == read_only_attempts) return fail(ErrorCode::busy, "the ledger in " + paths.directory + " changes too fast to be opened; try again");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// What seals this ledger. Keys are made for a new one only: in an old one, missing keys are a loss.
Result<std::shared_ptr<const PayloadCodec>> codec_for(Store& store, const LedgerPaths& paths, const LedgerOptions& options) {
  const auto layout = LedgerCore::layout_of(store);
  if (!layout) return tl::unexpected(layout.error());
  if (*layout && **layout == plain_payload_codec().layout()) return std::shared_ptr<const PayloadCodec>(std::shared_ptr<void>(), &plain_payload_codec());
  const KeyFiles files{paths.keys, options.master_key.empty() ? paths.master : options.master_key};
  std::error_code error;
  const bool writes = options.mode == OpenMode::read_write;
  if (writes && *layout && !fs::exists(files.keys, error)) {
    return fail(ErrorCode::corrupt, "the key store " + files.keys + " is gone, and without it the ledger cannot be read; put the last copy of it back");
  }
  auto opened = open_key_store(files, writes);
  if (opened && options.accept_loss && *layout) {  // sessions that were lost keep their keys to themselves: no new one shares them
    WriteBatch batch;
    batch.put(std::string(keys::next_key), ByteWriter().u32(slots_end(files.keys).value).take());
    if (auto written = store.write(batch); !written) return tl::unexpected(written.error());
  }
  if (opened) return make_sealing_codec(std::move(*opened));
  if (!writes && options.keys_optional) return make_sealing_codec(nullptr);
  return tl::unexpected(opened.error());
}

}  // namespace

Result<std::shared_ptr<Store>> open_rocks_store(const std::string& directory, const LedgerOptions& options, rocksdb::Env* env) {
  const LedgerPaths paths(directory);
  if (options.mode == OpenMode::read_only) return open_for_reading(paths, env);
  if (!options.accept_loss) return open_for_writing(paths, options, env);
  LedgerOptions strict = options;
  strict.accept_loss = false;
  auto complete = open_for_writing(paths, strict, env);  // a loss is accepted only where there is one
  if (complete || complete.error().code != ErrorCode::corrupt) return complete;
  return open_for_writing(paths, options, env);
}

Status rotate_ledger_master_key(const std::string& directory, const std::string& master_key) {
  const LedgerPaths paths(directory);
  if (!paths.has_database()) return fail(ErrorCode::not_found, "there is no ledger in " + directory);
  const auto lock = OwnerLock::take(paths.owner);
  if (!lock) return tl::unexpected(lock.error());
  return rotate_master_key({paths.keys, master_key.empty() ? paths.master : master_key});
}

Result<std::unique_ptr<Ledger>> open_ledger(const std::string& directory, const LedgerOptions& options) {
  auto store = open_rocks_store(directory, options, nullptr);
  if (!store) return tl::unexpected(store.error());
  auto codec = codec_for(**store, LedgerPaths(directory), options);
  if (!codec) return tl::unexpected(codec.error());
  return LedgerCore::open(std::move(*store), std::move(*codec));
}

}  // namespace turnstone
