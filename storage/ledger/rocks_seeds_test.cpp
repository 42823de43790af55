// Turns over a real RocksDB whose disk fills up, fails and loses what was not synced, and whose process dies within any change of a file: a hundred
// seeds. After each death the ledger opens, and holds whatever was acknowledged, once, in order, with chains that verify. TURNSTONE_SEED=n runs that
// seed alone; RocksDB's own threads share the disk, so that what fails under load may need a few runs to fail again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "storage/ledger/faulty_disk.h"
#include "storage/ledger/ledger_fixture.h"
#include "storage/ledger/open_ledger.h"

namespace turnstone {
namespace {

using namespace ledger_test;
namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr std::uint64_t seeds = 25;
#else
constexpr std::uint64_t seeds = 100;
#endif
constexpr int lives = 5;       // of the process, in a seed
constexpr int steps = 30;      // in a life at most
constexpr int sessions = 3;

class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed), disk_(random_.bits()), keys_(make_memory_key_store()) {}

  void run() {
    for (int life = 0; life < lives && !::testing::Test::HasFatalFailure(); ++life) {
      open_at_last();
      if (::testing::Test::HasFatalFailure()) return;
      check();
      if (random_.one_in(2)) disk_.die_within(60);
      for (int step = 0; step < steps && !disk_.dead(); ++step) {
        make_trouble();
        take_a_step();
      }
      die();
    }
    open_at_last();
    if (!::testing::Test::HasFatalFailure()) check();
    ledger_.reset();
  }
  std::uint64_t acknowledgements() const { return acknowledgements_; }
  std::uint64_t deaths_at_opening() const { return deaths_at_opening_; }

 private:
  Result<std::unique_ptr<Ledger>> open() {
    env_ = disk_.start();
    if (random_.one_in(4)) disk_.die_within(25);  // dies while it opens, perhaps
    auto store = open_rocks_store(path(), {}, env_.get());
    if (!store) return tl::unexpected(store.error());
    return LedgerCore::open(std::move(*store), make_sealing_codec(keys_));
  }
  void open_at_last() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      auto opened = open();
      if (opened && !disk_.dead()) {
        ledger_ = std::move(*opened);
        return;
      }
      ASSERT_TRUE(disk_.dead()) << "a ledger that lost nothing acknowledged is refused: " << (opened ? "" : opened.error().detail);
      ++deaths_at_opening_;
      ledger_.reset();
      if (opened) opened->reset();
      if (random_.one_in(2)) disk_.power_cut();
    }
    FAIL() << "the ledger does not open in 50 attempts";
  }
  // Of the anchor, a power cut may take what was written within the last moments.
  void die() {
    const std::string anchor = path() + "/ANCHOR";
    const bool power = random_.one_in(2);
    disk_.die_now();
    ledger_.reset();
    if (!power) return;
    disk_.power_cut();
    if (!kept_anchor_.empty() && random_.one_in(2)) fs::copy_file(kept_anchor_, anchor, fs::copy_options::overwrite_existing);
  }

  void make_trouble() {
    switch (random_.below(12)) {
      case 0:
        disk_.fail_next_append();
        break;
      case 1:
        disk_.fail_next_sync();
        break;
      case 2:
        disk_.fill(true);
        break;
      default:
        disk_.fill(false);
    }
  }

  void take_a_step() {
    const std::string session = "s" + std::to_string(random_.below(sessions));
    switch (random_.below(6)) {
      case 0:
        (void)ledger_->start_session(started(session), std::nullopt, wall_time);
        break;
      case 1:
      case 2:
        accept(session);
        break;
      case 3:
        finish(session);
        break;
      case 4:
        raise(session);
        break;
      default:
        sync();
    }
  }
  void accept(const std::string& session) {
    // Now and then one that is known already: a front end that repeats itself.
    const std::uint64_t number = random_.one_in(4) ? random_.below(asked_ + 1) : ++asked_;
    (void)ledger_->accept(turn_request(session, session + "-" + std::to_string(number)));
  }
  std::optional<PendingTurn> in_flight(const std::string& session) {
    const auto pending = ledger_->pending();
    if (!pending) return std::nullopt;
    for (const PendingTurn& turn : *pending) {
      if (turn.session.value == session && turn.attempt != Attempt{0}) return turn;
    }
    return std::nullopt;
  }
  void finish(const std::string& session) {
    const auto turn = in_flight(session);
    if (!turn) return;
    const std::string reply = "reply to " + turn->received.key.value;
    const auto outcome = ledger_->commit(proposal(session, turn->turn, turn->attempt, turn->head, reply));
    if (outcome && std::holds_alternative<Committed>(*outcome)) written_[turn->received.key.value] = {session, turn->turn};
  }
  void raise(const std::string& session) {
    if (const auto turn = in_flight(session)) (void)ledger_->raise_attempt(SessionId{session}, turn->turn, WorkerId{"w"}, wall_time);
  }
  void sync() {
    kept_anchor_ = directory_.path() + "/anchor-before";
    std::error_code none;
    fs::copy_file(path() + "/ANCHOR", kept_anchor_, fs::copy_options::overwrite_existing, none);
    const GlobalPosition position = ledger_->position();
    const auto written = written_;
    if (!ledger_->sync()) return;
    ++acknowledgements_;
    acknowledged_ = written;
    const auto record = position.value > 0 ? ledger_->commits(position, 1) : Result<std::vector<CommitRecord>>(std::vector<CommitRecord>{});
    if (record && !record->empty()) acknowledged_at_ = record->front();
  }

  void check() {
    ASSERT_GE(ledger_->position(), acknowledged_at_.position) << "acknowledged writes are gone";
    if (acknowledged_at_.position.value > 0) {
      const auto record = ledger_->commits(acknowledged_at_.position, 1);
      ASSERT_TRUE(record && !record->empty());
      ASSERT_EQ(record->front().hash, acknowledged_at_.hash) << "another history than was acknowledged";
    }
    ASSERT_EQ(broken_chain(*ledger_), "");
    for (const auto& [key, turn] : acknowledged_) {
      const auto again = ledger_->accept(turn_request(turn.first, key));
      if (disk_.dead()) return;
      ASSERT_TRUE(again) << again.error().detail;
      const auto* done = std::get_if<Done>(&*again);
      ASSERT_TRUE(done != nullptr && done->turn == turn.second && done->reply == "reply to " + key) << key << " is not done as it was acknowledged";
    }
    written_ = acknowledged_;
  }
  std::string path() const { return directory_.path() + "/l"; }

  using Turns = std::map<std::string, std::pair<std::string, TurnNumber>>;  // by key
  const TemporaryDirectory directory_;
  testing::Random random_;
  FaultyDisk disk_;
  std::shared_ptr<KeyStore> keys_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<Ledger> ledger_;
  std::uint64_t asked_ = 0;
  Turns written_, acknowledged_;
  CommitRecord acknowledged_at_;
  std::string kept_anchor_;
  std::uint64_t acknowledgements_ = 0, deaths_at_opening_ = 0;
};

TEST(RocksSeeds, WhateverTheDiskDoesWhatWasAcknowledgedIsThere) {
  std::uint64_t acknowledgements = 0, deaths_at_opening = 0;
  const char* only = std::getenv("TURNSTONE_SEED");
  const std::uint64_t first = only != nullptr ? std::stoull(only) : 1;
  const std::uint64_t last = only != nullptr ? first : seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("TURNSTONE_SEED=" + std::to_string(seed));
    Life life(seed);
    life.run();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    acknowledgements += life.acknowledgements();
    deaths_at_opening += life.deaths_at_opening();
  }
  if (only != nullptr) return;  // one seed proves nothing about how many there are
  EXPECT_GT(acknowledgements, 2 * seeds) << "too little was acknowledged for this to prove much";
  EXPECT_GT(deaths_at_opening, seeds / 4);
}

}  // namespace
}  // namespace turnstone
