// Entries that were changed behind the ledger's back: every read says which stream and event, and skips nothing.
#include <gtest/gtest.h>

#include <thread>

#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

class LedgerDamage : public testing::Test {
 protected:
  void SetUp() override {
    ledger_ = std::move(*LedgerCore::open(store_, plain_payload_codec()));
    ASSERT_TRUE(ledger_->start_session(started("s1"), std::nullopt, wall_time));
    for (int i = 1; i <= 3; ++i) {
      const Accepted turn = std::get<Accepted>(*ledger_->accept(turn_request("s1", "k" + std::to_string(i))));
      ASSERT_TRUE(std::holds_alternative<Committed>(*ledger_->commit(proposal("s1", turn.turn, turn.attempt, turn.sequence))));
    }
    ASSERT_EQ(broken_chain(*ledger_), "");
  }
  void remove(const std::string& key) {
    WriteBatch batch;
    batch.remove(key);
    ASSERT_TRUE(store_->write(batch));
  }
  void replace(const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.put(key, value);
    ASSERT_TRUE(store_->write(batch));
  }
  std::string value(const std::string& key) { return store_->get(key)->value_or(""); }
  void expect_damage(std::string_view name) {
    auto events = ledger_->read(stream_, Sequence{1}, 100);
    ASSERT_FALSE(events);
    EXPECT_EQ(events.error().code, ErrorCode::corrupt);
    EXPECT_NE(events.error().detail.find(name), std::string::npos) << events.error().detail;
    EXPECT_NE(events.error().detail.find("s1"), std::string::npos) << events.error().detail;
  }

  const StreamId stream_{StreamKind::session, "s1"};
  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(LedgerDamage, AMissingEventIsNamedWhereverItIs) {
  for (const std::uint64_t sequence : {1u, 5u, 16u}) {
    const std::string key = keys::event(stream_, Sequence{sequence});
    const std::string kept = value(key);
    remove(key);
    expect_damage("event " + std::to_string(sequence) + " ");
    replace(key, kept);
  }
  EXPECT_TRUE(ledger_->read(stream_, Sequence{1}, 100));
}

TEST_F(LedgerDamage, SwappedEventsBreakTheLink) {
  const std::string a = keys::event(stream_, Sequence{5}), b = keys::event(stream_, Sequence{6});
  const std::string value_a = value(a);
  replace(a, value(b));
  replace(b, value_a);
  expect_damage("event 5 ");
}

TEST_F(LedgerDamage, EveryChangedByteOfAnEventIsSeen) {
  const std::string key = keys::event(stream_, Sequence{5});
  const std::string kept = value(key);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::string changed = kept;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    replace(key, changed);
    EXPECT_NE(broken_chain(*ledger_), "") << "byte " << i;
  }
}

TEST_F(LedgerDamage, ATruncatedEventOrHeadIsDamage) {
  const std::string key = keys::event(stream_, Sequence{7});
  const std::string kept = value(key);
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{79}, kept.size() - 1}) {
    replace(key, kept.substr(0, size));
    expect_damage("event 7 ");
  }
  replace(key, kept);
  replace(keys::head(stream_), value(keys::head(stream_)).substr(1));
  expect_damage("the head");
  EXPECT_EQ(ledger_->accept(turn_request("s1", "new")).error().code, ErrorCode::corrupt);
}

TEST_F(LedgerDamage, AnUnknownEventTypeIsATypedRefusal) {
  const std::string key = keys::event(stream_, Sequence{5});
  std::string changed = value(key);
  changed[0] = 0x7f;
  replace(key, changed);
  auto events = ledger_->read(stream_, Sequence{1}, 100);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::unsupported);
  EXPECT_NE(events.error().detail.find("event 5 of session \"s1\""), std::string::npos) << events.error().detail;
}

TEST_F(LedgerDamage, CommitRecordsAreCompleteOrNamed) {
  remove(keys::commit(GlobalPosition{3}));
  auto commits = ledger_->commits(GlobalPosition{1}, 100);
  ASSERT_FALSE(commits);
  EXPECT_EQ(commits.error().code, ErrorCode::corrupt);
  EXPECT_NE(commits.error().detail.find("commit record 3"), std::string::npos) << commits.error().detail;
}

TEST_F(LedgerDamage, AnotherLayoutIsRefused) {
  replace(std::string(keys::format), "\x02");
  ledger_.reset();
  auto opened = LedgerCore::open(store_, plain_payload_codec());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::unsupported);
}

TEST_F(LedgerDamage, AChangedDocumentIsNotServed) {
  const Fingerprint fingerprint = ledger_->put_document("a policy").value();
  replace(keys::document(fingerprint), "another policy");
  EXPECT_EQ(ledger_->document(fingerprint).error().code, ErrorCode::corrupt);
}

TEST_F(LedgerDamage, AChangedReplyShowsInTheCommitRecord) {
  const auto record = ledger_->commits(GlobalPosition{3}, 1)->front();
  ASSERT_EQ(record.turn, TurnNumber{1});
  EXPECT_EQ(record.turn_hash, ledger_->turn_hash(SessionId{"s1"}, TurnNumber{1}).value());
  const std::string key = keys::turn(stream_, TurnNumber{1});
  std::string changed = value(key);
  changed.back() = '!';
  replace(key, changed);
  EXPECT_NE(record.turn_hash, ledger_->turn_hash(SessionId{"s1"}, TurnNumber{1}).value());
}

// --- group commit ----------------------------------------------------------------------------------------

// A memory store whose syncs wait until they are let through, and may fail.
class GatedStore final : public Store {
 public:
  Result<std::optional<std::string>> get(std::string_view key) const override { return entries_.get(key); }
  Status scan(std::string_view prefix, std::string_view from, const Visit& visit) const override { return entries_.scan(prefix, from, visit); }
  Result<std::optional<Entry>> last(std::string_view prefix) const override { return entries_.last(prefix); }
  Status write(const WriteBatch& batch) override { return entries_.write(batch); }
  Status sync(const LedgerMark& mark) override {
    std::unique_lock lock(mutex_);
    ++syncs_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    if (failing_) return fail(ErrorCode::io, "the disk is gone");
    covered_ = mark.position;
    return {};
  }
  void open_gate() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void fail_syncs(bool failing) {
    const std::lock_guard lock(mutex_);
    failing_ = failing;
  }
  void await_sync() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return syncs_ > 0; });
  }
  int syncs() {
    const std::lock_guard lock(mutex_);
    return syncs_;
  }
  GlobalPosition covered() {
    const std::lock_guard lock(mutex_);
    return covered_;
  }

 private:
  MemoryStore entries_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int syncs_ = 0;
  bool open_ = false, failing_ = false;
  GlobalPosition covered_;
};

TEST(GroupCommit, CallersThatComeDuringASyncShareTheNextOne) {
  auto store = std::make_shared<GatedStore>();
  auto ledger = std::move(*LedgerCore::open(store, plain_payload_codec()));
  ASSERT_TRUE(ledger->start_session(started("first"), std::nullopt, wall_time));
  std::vector<std::thread> running;
  running.emplace_back([&] { EXPECT_TRUE(ledger->sync()); });
  store->await_sync();  // the first sync is under way, and does not cover what follows
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(ledger->start_session(started("s" + std::to_string(i)), std::nullopt, wall_time));
    running.emplace_back([&] { EXPECT_TRUE(ledger->sync()); });
  }
  store->open_gate();
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(store->syncs(), 2);
  EXPECT_EQ(store->covered(), ledger->position());
  EXPECT_TRUE(ledger->sync());  // nothing new: no disk sync
  EXPECT_EQ(store->syncs(), 2);
}

TEST(GroupCommit, AFailedSyncAcknowledgesNobody) {
  auto store = std::make_shared<GatedStore>();
  auto ledger = std::move(*LedgerCore::open(store, plain_payload_codec()));
  store->open_gate();
  store->fail_syncs(true);
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i) {
    running.emplace_back([&] { EXPECT_FALSE(ledger->sync()); });
  }
  for (std::thread& thread : running) thread.join();
  store->fail_syncs(false);
  EXPECT_TRUE(ledger->sync());
  EXPECT_EQ(store->covered(), ledger->position());
}

}  // namespace
}  // namespace turnstone
