#include "storage/ledger/copy_ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

void take_turn(Ledger& ledger, const std::string& session, int number) {
  const std::string name = std::to_string(number);
  const auto accepted = std::get<Accepted>(ledger.accept(turn_request(session, "k" + name)).value());
  const auto committed = ledger.commit(proposal(session, accepted.turn, accepted.attempt, accepted.sequence, "reply " + name));
  ASSERT_TRUE(std::holds_alternative<Committed>(committed.value()));
  ASSERT_TRUE(ledger.sync());
}

// A copy holds no keys: it is read with those of the ledger it was made from.
std::unique_ptr<Ledger> open_copy(const std::string& path, const std::string& live) {
  EXPECT_TRUE(copy_key_files(live, path));
  auto opened = open_ledger(path, {.create_if_missing = false});
  EXPECT_TRUE(opened) << opened.error().detail;
  return opened ? std::move(*opened) : nullptr;
}

TEST(CopyLedger, MadeWhileSixteenWriteItHoldsWhatWasAcknowledgedBeforeItBegan) {
  const TemporaryDirectory directory;
  const std::string live = directory.path() + "/live";
  const std::string copy = directory.path() + "/copy";
  auto ledger = open_ledger(live, {}).value();
  constexpr int writers = 16;
  std::atomic<bool> stop = false;
  std::array<std::atomic<int>, writers> acknowledged{};
  for (int i = 0; i < writers; ++i) ASSERT_TRUE(ledger->start_session(started("s" + std::to_string(i)), std::nullopt, wall_time));
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 1; !stop; ++turn) {
        take_turn(*ledger, "s" + std::to_string(i), turn);
        acknowledged[static_cast<std::size_t>(i)] = turn;
      }
    });
  }
  while (acknowledged[0] < 5 || acknowledged[writers - 1] < 5) std::this_thread::yield();
  std::array<int, writers> before{};
  for (std::size_t i = 0; i < writers; ++i) before[i] = acknowledged[i];
  const GlobalPosition position_before = ledger->position();
  const auto copied = copy_ledger(live, copy);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(copied) << copied.error().detail;

  const auto restored = open_copy(copy, live);
  ASSERT_NE(restored, nullptr);
  EXPECT_EQ(broken_chain(*restored), "");
  EXPECT_EQ(restored->position(), copied->position);
  EXPECT_EQ(restored->commits(copied->position, 1)->front().hash, copied->commit_hash);
  EXPECT_GE(copied->position.value + writers * 2, position_before.value);
  for (std::size_t i = 0; i < writers; ++i) {
    const SessionId session{"s" + std::to_string(i)};
    for (int turn = 1; turn <= before[i]; ++turn) {
      EXPECT_EQ(restored->turn(session, TurnNumber{static_cast<std::uint32_t>(turn)})->reply, "reply " + std::to_string(turn));
    }
    // It is a ledger that goes on: keys are known, turns are numbered on.
    if (before[i] == 0) continue;
    EXPECT_TRUE(std::holds_alternative<Done>(*restored->accept(turn_request(session.value, "k1"))));
  }
}

TEST(CopyLedger, ThereAndBackIsTheSameLedger) {
  const TemporaryDirectory directory;
  const std::string live = directory.path() + "/live";
  {
    auto ledger = open_ledger(live, {}).value();
    ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
    ASSERT_TRUE(ledger->put_document("a policy"));
    for (int turn = 1; turn <= 20; ++turn) take_turn(*ledger, "s1", turn);
    ASSERT_TRUE(ledger->accept(turn_request("s1", "open")));
    ASSERT_TRUE(ledger->accept(turn_request("s1", "waits")));
    ASSERT_TRUE(ledger->sync());
  }
  const auto first = copy_ledger(live, directory.path() + "/copy");
  const auto second = copy_ledger(directory.path() + "/copy", directory.path() + "/back");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->commit_hash, second->commit_hash);
  EXPECT_EQ(first->entries, second->entries);
  EXPECT_EQ(first->bytes, second->bytes);
  const auto back = open_copy(directory.path() + "/back", live);
  EXPECT_EQ(back->pending()->size(), 2U);
  EXPECT_TRUE(back->document(Fingerprint{body("a policy")}));
  EXPECT_EQ(broken_chain(*back), "");
}

TEST(CopyLedger, NewSessionsOfARestoredLedgerShareNoKeyWithThoseBegunAfterTheBackup) {
  const TemporaryDirectory directory;
  const std::string live = directory.path() + "/live", backup = directory.path() + "/backups/monday/", back = directory.path() + "/back";
  std::filesystem::create_directories(directory.path() + "/backups");
  auto ledger = open_ledger(live, {}).value();
  ASSERT_TRUE(ledger->start_session(started("before"), std::nullopt, wall_time));
  ASSERT_TRUE(ledger->sync());
  ASSERT_TRUE(copy_ledger(live, backup)) << "a slash at the end is no other folder";
  ASSERT_TRUE(ledger->start_session(started("after"), std::nullopt, wall_time));
  ASSERT_TRUE(ledger->sync());
  ledger.reset();
  ASSERT_TRUE(copy_ledger(backup, back, live));
  {
    auto restored = open_ledger(back, {}).value();
    ASSERT_TRUE(restored->start_session(started("new"), std::nullopt, wall_time));
    ASSERT_TRUE(restored->sync());
    ASSERT_TRUE(restored->erase(stream_of(SessionId{"new"}), "desk", wall_time));
  }
  std::filesystem::copy_file(back + "/KEYS", live + "/KEYS", std::filesystem::copy_options::overwrite_existing);
  ledger = open_ledger(live, {}).value();
  EXPECT_TRUE(ledger->read(stream_of(SessionId{"before"}), Sequence{1}, 9));
  EXPECT_TRUE(ledger->read(stream_of(SessionId{"after"}), Sequence{1}, 9));
}

TEST(CopyLedger, NeverReplacesAFolderAndCopiesNoDamagedLedger) {
  const TemporaryDirectory directory;
  const std::string live = directory.path() + "/live";
  EXPECT_EQ(copy_ledger(live, directory.path() + "/copy").error().code, ErrorCode::not_found);
  {
    auto ledger = open_ledger(live, {}).value();
    ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
    for (int turn = 1; turn <= 3; ++turn) take_turn(*ledger, "s1", turn);
  }
  EXPECT_EQ(copy_ledger(live, live).error().code, ErrorCode::invalid_argument);
  std::filesystem::remove_all(live + "/db");
  EXPECT_EQ(copy_ledger(live, directory.path() + "/copy").error().code, ErrorCode::corrupt);
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/copy"));
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/copy.partial"));
}

}  // namespace
}  // namespace turnstone
