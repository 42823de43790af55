// Every way of altering a ledger's bytes that an unkeyed chain can show, done to the bytes themselves.
#include "replay/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "events/codec.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_fixture.h"
#include "storage/ledger/records.h"

namespace turnstone {
namespace {

using ledger_test::proposal;
using ledger_test::started;
using ledger_test::turn_request;

const StreamId s1{StreamKind::session, "s1"};

class Verify : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::make_shared<MemoryStore>();
    auto ledger = open();
    for (const char* session : {"s1", "s2"}) {
      ASSERT_TRUE(ledger->start_session(started(session), std::nullopt, ledger_test::wall_time));
      for (int turn = 1; turn <= 4; ++turn) {
        const std::string key = "k" + std::to_string(turn);
        const auto accepted = ledger->accept(turn_request(session, key, "message " + key));
        ASSERT_TRUE(accepted);
        const auto& in = std::get<Accepted>(*accepted);
        const auto committed = ledger->commit(proposal(session, in.turn, in.attempt, in.sequence, "reply " + key));
        ASSERT_TRUE(committed && std::holds_alternative<Committed>(*committed));
      }
    }
  }
  std::unique_ptr<Ledger> open() { return std::move(*LedgerCore::open(store_, plain_payload_codec())); }
  VerifyReport verify() { return *verify_ledger(*open()); }

  std::string get(const std::string& key) { return **store_->get(key); }
  void put(const std::string& key, std::string value) {
    WriteBatch batch;
    batch.put(key, std::move(value));
    ASSERT_TRUE(store_->write(batch));
  }
  void remove(const std::string& key) {
    WriteBatch batch;
    batch.remove(key);
    ASSERT_TRUE(store_->write(batch));
  }
  static std::string key(std::uint64_t sequence) { return keys::event(s1, Sequence{sequence}); }

  // A record of this stream's place with a true hash, built on `previous`.
  static std::string forged(const std::string& stored, std::uint64_t sequence, const Digest& previous, std::string_view text,
                            Digest* hash = nullptr) {
    auto event = *records::decode_event(stored);
    const std::string payload = *encode_payload(IntentClassified{Intent::browsing, Permille{1}, std::string(text)});
    event.type = EventType::intent_classified;
    event.payload = payload;
    event.previous_hash = previous;
    event.hash = chain_hash(previous, Envelope{s1, Sequence{sequence}, event.type, event.schema_version, event.time, event.turn}, payload);
    if (hash != nullptr) *hash = event.hash;
    return records::encode(event);
  }
  void move_head(std::uint64_t sequence, const Digest& hash) {
    auto head = *records::decode_head(get(keys::head(s1)));
    head.sequence = Sequence{sequence};
    head.hash = hash;
    put(keys::head(s1), records::encode(head));
  }
  Digest hash_at(std::uint64_t sequence) { return records::decode_event(get(key(sequence)))->hash; }

  void expect_damage(DamageKind kind, std::uint64_t sequence) {
    const VerifyReport report = verify();
    ASSERT_FALSE(report.sound());
    const Damage* found = nullptr;
    for (const Damage& damage : report.damages) {
      if (damage.stream == s1 && found == nullptr) found = &damage;
    }
    ASSERT_NE(found, nullptr) << describe(report.damages.front());
    EXPECT_EQ(to_string(found->kind), to_string(kind)) << describe(*found);
    EXPECT_EQ(found->sequence, Sequence{sequence}) << describe(*found);
  }

  std::shared_ptr<MemoryStore> store_;
};

TEST_F(Verify, ASoundLedgerIsSound) {
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound()) << describe(report.damages.front());
  EXPECT_EQ(report.streams, 2U);
  EXPECT_EQ(report.events, 2U * (1 + 4 * 5));
  EXPECT_EQ(report.turns, 8U);
  EXPECT_EQ(report.commits, report.position.value);
  const auto json = to_json(report);
  EXPECT_EQ(json["sound"], true);
  EXPECT_EQ(json["meaning"], verification_meaning);
}

TEST_F(Verify, AnEditedPayloadIsNamed) {
  std::string bytes = get(key(9));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  put(key(9), bytes);
  expect_damage(DamageKind::edited, 9);
}

TEST_F(Verify, AnEditWithARecomputedHashIsNamed) {
  put(key(9), forged(get(key(9)), 9, hash_at(8), "rewritten"));
  expect_damage(DamageKind::edited, 9);
}

TEST_F(Verify, ARewrittenTailIsNamedByTheCommitChain) {
  Digest hash = hash_at(8);
  for (std::uint64_t at = 9; at <= 21; ++at) put(key(at), forged(get(key(at)), at, hash, "rewritten", &hash));
  move_head(21, hash);
  const VerifyReport report = verify();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages.front().kind, DamageKind::edited);
  EXPECT_GE(report.damages.front().sequence, Sequence{9});
  EXPECT_LE(report.damages.front().sequence, Sequence{11}) << "the first commit at or after the rewriting names its hash";
}

TEST_F(Verify, ADeletedEventIsNamed) {
  remove(key(9));
  expect_damage(DamageKind::deleted, 9);
}

TEST_F(Verify, ADeletedEventWithTheRestMovedUpIsNamed) {
  for (std::uint64_t at = 9; at < 21; ++at) put(key(at), get(key(at + 1)));
  const Digest last = hash_at(21);
  remove(key(21));
  move_head(20, last);
  expect_damage(DamageKind::deleted, 9);
}

TEST_F(Verify, AnInsertedEventIsNamed) {
  const Digest last = hash_at(21);
  put(key(22), get(key(21)));
  for (std::uint64_t at = 21; at > 9; --at) put(key(at), get(key(at - 1)));
  const std::string ninth = get(key(9));
  auto stranger = *records::decode_event(ninth);
  stranger.previous_hash = blake2b("nothing here");
  stranger.hash = blake2b("a hash of nothing");
  put(key(9), records::encode(stranger));
  move_head(22, last);
  expect_damage(DamageKind::inserted, 9);
}

TEST_F(Verify, ExchangedEventsAreNamed) {
  const std::string ninth = get(key(9));
  put(key(9), get(key(10)));
  put(key(10), ninth);
  expect_damage(DamageKind::reordered, 9);
}

TEST_F(Verify, ACutTailIsNamed) {
  for (std::uint64_t at = 17; at <= 21; ++at) remove(key(at));
  expect_damage(DamageKind::cut_tail, 17);
}

TEST_F(Verify, ATailCutTogetherWithItsHeadIsNamedByTheCommitChain) {
  for (std::uint64_t at = 17; at <= 21; ++at) remove(key(at));
  move_head(16, hash_at(16));
  expect_damage(DamageKind::cut_tail, 17);
}

TEST_F(Verify, EventsThatNoCommitKnowsAreNamed) {
  Digest hash{};
  put(key(22), forged(get(key(21)), 22, hash_at(21), "added", &hash));
  move_head(22, hash);
  expect_damage(DamageKind::inserted, 22);
}

TEST_F(Verify, AStreamThatIsGoneIsNamed) {
  for (std::uint64_t at = 1; at <= 21; ++at) remove(key(at));
  remove(keys::head(s1));
  expect_damage(DamageKind::deleted, 1);
}

TEST_F(Verify, AHeadWithAnotherHashIsNamed) {
  move_head(21, blake2b("another"));
  expect_damage(DamageKind::edited, 21);
}

TEST_F(Verify, CommitRecordsAreNamedByPosition) {
  const std::string third = keys::commit(GlobalPosition{3});
  const std::string before = get(third);
  auto record = *records::decode_commit(before);
  record.time = Timestamp{record.time.value + 1};
  put(third, records::encode(record));
  VerifyReport report = verify();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages.front().kind, DamageKind::edited);
  EXPECT_EQ(report.damages.front().position, GlobalPosition{3});
  remove(third);
  report = verify();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages.front().kind, DamageKind::deleted);
  EXPECT_EQ(report.damages.front().position, GlobalPosition{3});
}

TEST_F(Verify, AStoredReplyThatWasAlteredIsNamed) {
  const std::string turn = keys::turn(s1, TurnNumber{2});
  std::string bytes = get(turn);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  put(turn, bytes);
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages.front().kind, DamageKind::edited);
  EXPECT_NE(report.damages.front().detail.find("turn 2"), std::string::npos);
}

// Any single flipped byte in any event, head or commit record is noticed.
TEST_F(Verify, EveryFlippedByteIsNoticed) {
  std::vector<std::string> places;
  for (std::uint64_t at = 1; at <= 21; ++at) places.push_back(key(at));
  for (std::uint64_t at = 1; at <= open()->position().value; ++at) places.push_back(keys::commit(GlobalPosition{at}));
  for (const std::string& place : places) {
    const std::string before = get(place);
    for (std::size_t i = 0; i < before.size(); i += 3) {
      std::string bytes = before;
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
      put(place, bytes);
      const auto opened = LedgerCore::open(store_, plain_payload_codec());
      if (!opened) continue;  // refused at open: noticed
      const auto report = verify_ledger(**opened);
      ASSERT_TRUE(!report || !report->sound()) << "byte " << i << " of an entry of " << before.size() << " bytes";
    }
    put(place, before);
  }
  EXPECT_TRUE(verify().sound());
}

}  // namespace
}  // namespace turnstone
