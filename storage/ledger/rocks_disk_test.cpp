// A disk that is full, or that fails to sync, for a while: refused with a clear error, readable, and going on after.
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "events/testing/eventually.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_fixture.h"
#include "storage/ledger/open_ledger.h"

namespace turnstone {
namespace {

using namespace ledger_test;

struct DiskSwitches {
  std::atomic<bool> full = false;         // nothing can be appended
  std::atomic<bool> says_so = true;       // and the file system tells (a quota does not)
  std::atomic<bool> sync_fails = false;   // logs cannot be synced
  std::atomic<int> tables_written = 0;
  std::atomic<int> tables_refused = 0;    // the next so many cannot be made
  enum class Gate { open, closes, closed };
  std::atomic<Gate> gate = Gate::open;    // `closes`: the next append to a log waits until it opens again
  std::function<void()> on_probe;         // when space is looked for before the database is opened again

  void pass_gate() {
    Gate closing = Gate::closes;
    if (!gate.compare_exchange_strong(closing, Gate::closed)) return;
    testing::eventually([&] { return gate != Gate::closed; });
  }
};

class SwitchedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  SwitchedFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, bool log, DiskSwitches& disk)
      : FSWritableFileOwnerWrapper(std::move(file)), log_(log), disk_(disk) {}
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    if (disk_.full) return half(data, options, context);
    if (log_) disk_.pass_gate();
    return FSWritableFileOwnerWrapper::Append(data, options, context);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options, const rocksdb::DataVerificationInfo& info,
                           rocksdb::IODebugContext* context) override {
    if (disk_.full) return half(data, options, context);
    if (log_) disk_.pass_gate();
    return FSWritableFileOwnerWrapper::Append(data, options, info, context);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    if (disk_.sync_fails && log_) return rocksdb::IOStatus::IOError("the disk did not take it");
    return FSWritableFileOwnerWrapper::Sync(options, context);
  }

 private:
  // What a disk does that becomes full within a write.
  rocksdb::IOStatus half(const rocksdb::Slice& data, const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) {
    (void)FSWritableFileOwnerWrapper::Append(rocksdb::Slice(data.data(), data.size() / 2), options, context);
    return rocksdb::IOStatus::NoSpace("No space left on device");
  }
  const bool log_;
  DiskSwitches& disk_;
};

class SwitchedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit SwitchedFileSystem(DiskSwitches& disk) : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}
  const char* Name() const override { return "SwitchedFileSystem"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options, std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override {
    if (disk_.full) return rocksdb::IOStatus::NoSpace("No space left on device");
    if (name.ends_with("space-probe") && disk_.on_probe) std::exchange(disk_.on_probe, nullptr)();
    if (name.ends_with(".sst") && disk_.tables_refused > 0 && disk_.tables_refused-- > 0) return rocksdb::IOStatus::IOError("the disk did not take it");
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, &file, context);
    if (!status.ok()) return status;
    if (name.ends_with(".sst")) ++disk_.tables_written;
    *result = std::make_unique<SwitchedFile>(std::move(file), name.ends_with(".log"), disk_);
    return status;
  }

  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options, uint64_t* free, rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus status = FileSystemWrapper::GetFreeSpace(path, options, free, context);
    if (disk_.full && disk_.says_so) *free = 0;
    return status;
  }

 private:
  DiskSwitches& disk_;
};

class RocksDisk : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> open(rocksdb::Env* env) {
    auto store = open_rocks_store(directory_.path() + "/l", {}, env);
    EXPECT_TRUE(store) << store.error().detail;
    return store ? std::move(*LedgerCore::open(std::move(*store), plain_payload_codec())) : nullptr;
  }
  void fill_and_free_the_disk(bool nothing_in_memory);
  TemporaryDirectory directory_;
  DiskSwitches disk_;
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(std::make_shared<SwitchedFileSystem>(disk_));
};

void RocksDisk::fill_and_free_the_disk(bool nothing_in_memory) {
  auto ledger = open(env_.get());
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  const Accepted turn = std::get<Accepted>(*ledger->accept(turn_request("s1", "k1")));
  if (nothing_in_memory) {
    ledger.reset();
    ledger = open(env_.get());
  }
  ASSERT_TRUE(ledger->sync());
  const CommitRequest request = proposal("s1", turn.turn, turn.attempt, turn.sequence);

  disk_.full = true;
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i < 3 ? 0 : 10));  // long enough for an attempt to come back
    auto refused = ledger->commit(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::no_space) << refused.error().detail;
    EXPECT_NE(refused.error().detail.find("free space"), std::string::npos);
  }
  EXPECT_EQ(ledger->accept(turn_request("s1", "k2")).error().code, ErrorCode::no_space);
  EXPECT_EQ(ledger->read(stream_of(SessionId{"s1"}), Sequence{1}, 10)->size(), 3u);
  EXPECT_TRUE(std::holds_alternative<InFlight>(*ledger->accept(turn_request("s1", "k1"))));

  disk_.full = false;
  Result<CommitOutcome> outcome = fail(ErrorCode::no_space, "");
  testing::eventually([&] { return outcome || (outcome = ledger->commit(request)); });  // resuming is tried again at most every 200 ms
  ASSERT_TRUE(outcome) << outcome.error().detail;
  ASSERT_TRUE(std::holds_alternative<Committed>(*outcome));
  EXPECT_TRUE(ledger->sync());
  ASSERT_TRUE(std::holds_alternative<Accepted>(*ledger->accept(turn_request("s1", "k2"))));
  EXPECT_EQ(broken_chain(*ledger), "");
  ledger.reset();
  ledger = open(nullptr);
  EXPECT_EQ(ledger->head(stream_of(SessionId{"s1"}))->sequence, Sequence{8});
  EXPECT_EQ(broken_chain(*ledger), "");
}

TEST_F(RocksDisk, AFullDiskRefusesTurnsKeepsReadingAndGoesOnWithoutRestart) { fill_and_free_the_disk(false); }

TEST_F(RocksDisk, TheFirstWriteAfterAnOpeningMayBeTheOneThatFails) { fill_and_free_the_disk(true); }

TEST_F(RocksDisk, SoDoesAQuotaOfWhichTheFileSystemDoesNotTell) {
  disk_.says_so = false;
  fill_and_free_the_disk(false);
}

TEST_F(RocksDisk, AfterAFailedSyncNothingIsAcknowledgedUntilAllWasWrittenAnew) {
  auto ledger = open(env_.get());
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  const int tables = disk_.tables_written;
  disk_.sync_fails = true;
  auto failed = ledger->sync();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::io);
  EXPECT_FALSE(ledger->sync());
  disk_.sync_fails = false;
  Status synced = ledger->sync();
  testing::eventually([&] { return synced || (synced = ledger->sync()); });  // tried again at most every 200 ms
  ASSERT_TRUE(synced) << synced.error().detail;
  EXPECT_GT(disk_.tables_written, tables) << "what the log may lack has to be written again";
  ASSERT_TRUE(std::holds_alternative<Accepted>(*ledger->accept(turn_request("s1", "k1"))));
  ASSERT_TRUE(ledger->sync());
  ledger.reset();
  ledger = open(nullptr);
  EXPECT_EQ(ledger->head(stream_of(SessionId{"s1"}))->sequence, Sequence{3});
}

// Writes and syncs are of two threads: one may find the log in doubt while the other is within a write.
class RocksRaces : public RocksDisk {
 protected:
  void SetUp() override {
    store_ = open_rocks_store(directory_.path() + "/l", {}, env_.get()).value();
    ASSERT_TRUE(write(1));
    ASSERT_TRUE(store_->sync({}));
    disk_.sync_fails = true;
  }
  Status write(std::uint64_t position) {
    WriteBatch batch;
    batch.put(keys::commit(GlobalPosition{position}), "commit " + std::to_string(position));
    return store_->write(batch);
  }
  bool has(std::uint64_t position) const { return store_->get(keys::commit(GlobalPosition{position})).value_or(std::nullopt).has_value(); }
  bool sync_in_the_end() {
    bool synced = false;
    return testing::eventually([&] { return synced = synced || store_->sync({}); });
  }
  std::shared_ptr<Store> store_;
};

TEST_F(RocksRaces, AWriteUnderWayWhileTheDatabaseIsOpenedAgainIsNotHeldAgainstIt) {
  disk_.gate = DiskSwitches::Gate::closes;
  Status written = fail(ErrorCode::internal, "not yet");
  std::thread writer([&] { written = write(2); });
  while (disk_.gate != DiskSwitches::Gate::closed) std::this_thread::yield();
  EXPECT_FALSE(store_->sync({}));
  disk_.sync_fails = false;
  disk_.tables_refused = 1;  // and at first for reading only
  disk_.on_probe = [&] { disk_.gate = DiskSwitches::Gate::open; };
  const bool synced = sync_in_the_end();
  writer.join();
  EXPECT_TRUE(synced) << "the database ends with a write that nobody noted, so it is refused until a restart";
  EXPECT_TRUE(written) << written.error().detail;
  EXPECT_TRUE(has(2));
  EXPECT_TRUE(write(3)) << "and it goes on";
}

// Whether a thread of this process waits for something, a lock for one.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 3, ") S") == 0;
}

TEST_F(RocksRaces, WhoeverWaitedWhileAnotherMendedFindsItMended) {
  EXPECT_FALSE(store_->sync({}));
  disk_.sync_fails = false;
  Status written = fail(ErrorCode::internal, "not yet");
  std::thread writer;
  std::atomic<pid_t> writing = 0;
  bool waited = false;
  disk_.on_probe = [&] {
    writer = std::thread([&] {
      writing = ::gettid();
      written = write(2);
    });
    waited = testing::eventually([&] { return writing != 0 && sleeps(writing); });
  };
  EXPECT_TRUE(sync_in_the_end());
  ASSERT_TRUE(writer.joinable());
  writer.join();
  EXPECT_TRUE(waited) << "the write was let in while another mended";
  EXPECT_TRUE(written) << written.error().detail;
  EXPECT_TRUE(has(2));
}

}  // namespace
}  // namespace turnstone
