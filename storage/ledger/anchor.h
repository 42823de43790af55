// The anchor: what the ledger had acknowledged, kept outside the database.
//
// RocksDB opens without a word when acknowledged writes are missing at the end of its log. The anchor is a small
// file with two checksummed slots (position, commit hash), written in turn after each disk sync of the log; a
// ledger that ends before its anchor is refused. A slot torn by a power cut leaves the other one, which is older by
// one sync. The anchor is never ahead of the log: a slot is written only when the log was synced.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "events/error.h"
#include "storage/ledger/store.h"

namespace turnstone {

// Not thread safe but for sync() beside note(). Each function is O(1).
class AnchorFile {
 public:
  // Errors: not_found, corrupt (no slot is sound), io.
  static Result<LedgerMark> read(const std::string& path);
  // Opens the file for writing, creating it with `mark` in both slots when it is missing or `replace` is set.
  static Result<std::unique_ptr<AnchorFile>> open(const std::string& path, const LedgerMark& mark, bool replace);
  ~AnchorFile();
  AnchorFile(const AnchorFile&) = delete;
  AnchorFile& operator=(const AnchorFile&) = delete;

  Status note(const LedgerMark& mark);
  Status sync();

 private:
  AnchorFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  std::string path_;
  std::uint64_t generation_ = 0;  // of the newest slot
};

// How far the ledger in `directory` is durable; also beside its engine. Errors: as AnchorFile::read, not_found in words for whoever named the folder.
Result<LedgerMark> acknowledged_in(const std::string& directory);

// Keeps the anchor file up to date beside the writers: a note costs one small write; a thread brings it to the disk
// at most once an interval, when idle, and at the end. Where the log itself is not synced by the callers (`fast`),
// the thread syncs the log first. Thread safety: note() may be called from any thread.
class AnchorKeeper {
 public:
  // sync_log is empty when notes are of synced writes already.
  AnchorKeeper(std::unique_ptr<AnchorFile> file, std::function<Status()> sync_log);
  ~AnchorKeeper();  // brings the last note to the disk
  Status note(const LedgerMark& mark);

 private:
  void run();
  void bring_to_disk(const LedgerMark& mark);

  std::unique_ptr<AnchorFile> file_;
  std::function<Status()> sync_log_;
  std::mutex mutex_;  // guards the three below and the file's slots
  std::condition_variable changed_;
  std::optional<LedgerMark> noted_;  // not on the disk yet
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace turnstone
