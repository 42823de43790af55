// What the ledger's tests share: the bodies under test, and requests that a sequencer would make.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "events/chain.h"
#include "storage/ledger/ledger.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/memory_store.h"
#include "storage/ledger/sealing_codec.h"

namespace turnstone::ledger_test {

// A directory of its own, gone at the end. In memory where the system has such a place (and TMPDIR names no other):
// what these tests damage and kill does not depend on the disk.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code none;
    const bool in_memory = std::getenv("TMPDIR") == nullptr && std::filesystem::is_directory("/dev/shm", none);
    const std::filesystem::path parent = in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "turnstone-ledger-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A ledger that can be closed and opened again.
class Bed {
 public:
  virtual ~Bed() = default;
  Ledger& ledger() { return *ledger_; }
  void reopen() {
    ledger_.reset();
    ledger_ = open();
    ASSERT_NE(ledger_, nullptr);
  }

 protected:
  virtual std::unique_ptr<Ledger> open() = 0;
  std::unique_ptr<Ledger> ledger_;
};

class MemoryBed final : public Bed {
 public:
  MemoryBed() { ledger_ = open(); }

 private:
  std::unique_ptr<Ledger> open() override {
    auto opened = LedgerCore::open(store_, make_sealing_codec(keys_));
    return opened ? std::move(*opened) : nullptr;
  }
  std::shared_ptr<Store> store_ = std::make_shared<MemoryStore>();
  std::shared_ptr<KeyStore> keys_ = make_memory_key_store();
};

class RocksBed final : public Bed {
 public:
  explicit RocksBed(Durability durability) : options_{durability, OpenMode::read_write, true, false, "", false} { ledger_ = open(); }
  const std::string& path() const { return directory_.path(); }

 private:
  std::unique_ptr<Ledger> open() override {
    auto opened = open_ledger(directory_.path(), options_);
    EXPECT_TRUE(opened) << opened.error().detail;
    return opened ? std::move(*opened) : nullptr;
  }
  TemporaryDirectory directory_;
  LedgerOptions options_;
};

inline constexpr Timestamp wall_time{1'700'000'000'000'000};  // the same for every write: nothing may rest on it

inline Digest body(std::string_view text) { return blake2b(text); }

inline SessionStarted started(std::string_view session) {
  SessionStarted event;
  event.session = SessionId{std::string(session)};
  event.channel = "http";
  event.policy_variant = "shopper";
  return event;
}

inline AcceptRequest turn_request(std::string_view session, std::string_view key, std::string_view text = "a red dress") {
  AcceptRequest request;
  request.session = SessionId{std::string(session)};
  request.key = TurnKey{std::string(key)};
  request.body_mac = body(text);
  request.received.text = std::string(text);
  request.now = wall_time;
  return request;
}

// The least a turn can decide.
inline std::vector<EventBody> decided(TurnNumber turn, Attempt attempt, std::string_view reply) {
  TurnCompleted completed;
  completed.turn = turn;
  completed.attempt = attempt;
  completed.decision_version = 1;  // any: golden bytes do not move with decisions
  return {IntentClassified{Intent::buying, Permille{700}, "a red dress"}, ReplySent{std::string(reply)}, completed};
}

inline CommitRequest proposal(std::string_view session, TurnNumber turn, Attempt attempt, Sequence expected, std::string_view reply = "Here you are.") {
  CommitRequest request;
  request.session = SessionId{std::string(session)};
  request.turn = turn;
  request.attempt = attempt;
  request.appends = {{stream_of(request.session), expected, decided(turn, attempt, reply)}};
  request.flight_record = "flight of " + std::string(reply);
  request.reply = std::string(reply);
  request.now = wall_time;
  return request;
}

// Why the chains do not hold; empty when they do. Walks every stream and the commit records.
inline std::string broken_chain(const Ledger& ledger) {
  for (const StreamKind kind : {StreamKind::session, StreamKind::profile}) {
    auto heads = ledger.streams(kind, std::nullopt, 100'000);
    if (!heads) return heads.error().detail;
    for (const StreamHead& head : *heads) {
      auto events = ledger.read(head.stream, Sequence{1}, 1'000'000);
      auto stored = ledger.stored_range(head.stream, Sequence{1}, 1'000'000);
      const bool erased = !events && events.error().code == ErrorCode::erased;  // its chain holds all the same
      if (!events && !erased) return events.error().detail;
      if (!stored) return stored.error().detail;
      if ((!erased && events->size() != head.sequence.value) || stored->size() != head.sequence.value) return head.stream.name + ": another count than the head says";
      Digest previous = chain_origin;
      for (std::size_t i = 0; i < stored->size(); ++i) {
        const Ledger::StoredEvent& kept = (*stored)[i];
        if (kept.previous_hash != previous || chain_hash(previous, kept.envelope, kept.payload) != kept.hash) {
          return head.stream.name + ": broken link at " + std::to_string(i + 1);
        }
        previous = kept.hash;
        if (erased) continue;
        const Event& event = (*events)[i];
        const Envelope envelope{head.stream, Sequence{i + 1}, type_of(event.body), event.schema_version, event.time, event.turn};
        if (event.sequence.value != i + 1 || event.previous_hash != kept.previous_hash || event.hash != kept.hash) {
          return head.stream.name + ": read and stored differ at " + std::to_string(i + 1);
        }
        if (kept.envelope != encode_envelope(envelope)) return head.stream.name + ": another envelope at " + std::to_string(i + 1);
      }
      if (previous != head.hash) return head.stream.name + ": the head has another hash";
    }
  }
  auto commits = ledger.commits(GlobalPosition{1}, 1'000'000);
  if (!commits) return commits.error().detail;
  if (commits->size() != ledger.position().value) return "another number of commit records than positions";
  Digest previous{};
  for (const CommitRecord& record : *commits) {
    if (commit_hash(previous, record) != record.hash) return "commit record " + std::to_string(record.position.value) + " has another hash";
    previous = record.hash;
  }
  return {};
}

}  // namespace turnstone::ledger_test
