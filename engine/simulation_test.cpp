// Seeded runs of engine, workers and clients under faults: every kind of message lost, doubled, late and out of order,
// workers killed and paused, the engine killed. After each run: what was acknowledged is stored, each turn exactly
// once, in order; nothing is left pending; every write was published or can be read.
//
// A failure prints its seed; --gtest_filter and TURNSTONE_SEED=n repeat it alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "engine/virtual_world.h"

namespace turnstone {
namespace {

using testing::Reply;
using testing::VirtualWorld;

struct Asked {
  std::string session;
  std::string key;
  std::string text;
  Reply reply;
  std::optional<TurnReply> acknowledged;  // the first answer; later ones must be the same
  int times = 1;
};

void add(EngineCounters& sum, const EngineCounters& counters) {
  sum.redispatched += counters.redispatched;
  sum.turns_repeated += counters.turns_repeated;
  sum.workers_gone += counters.workers_gone;
  sum.workers_hung += counters.workers_hung;
  sum.fenced += counters.fenced;
  sum.stale += counters.stale;
  sum.turns_parked += counters.turns_parked;
  sum.turns_committed += counters.turns_committed;
}

class FaultyRun {
 public:
  explicit FaultyRun(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) start_worker();
    world_.run_for(20);
    for (int i = 0; i < sessions; ++i) {
      const auto created = world_.create(session(i));
      if (!created || !created->has_value()) throw std::runtime_error("no session");
    }
    set_faults(true);
  }

  void play() {
    for (int round = 0; round < 160; ++round) {
      ask();
      if (chance(12)) meddle();
      world_.run_for(static_cast<std::int64_t>(random_() % 30));
      collect();
    }
    set_faults(false);
    for (const WorkerId& worker : world_.workers()) world_.pause(worker, false);
    if (!world_.engine_runs()) world_.start_engine();
    if (world_.workers().empty()) start_worker();
    const bool done = world_.run_until(
        [&] {
          ask_again();
          collect();
          return std::all_of(asked_.begin(), asked_.end(), [](const Asked& a) { return a.acknowledged.has_value(); });
        },
        60'000);
    ASSERT_TRUE(done) << "a turn is stuck";
    world_.run_for(2'000);
  }

  void check() {
    EXPECT_EQ(world_.counters().in_flight + world_.counters().waiting, 0U);
    EXPECT_TRUE(world_.ledger().pending().value().empty());
    for (const Asked& asked : asked_) {
      const auto stored = world_.ledger().turn(SessionId{asked.session}, asked.acknowledged->turn);
      ASSERT_TRUE(stored);
      EXPECT_EQ(stored->reply, asked.acknowledged->document) << "acknowledged is not what is stored";
    }
    for (int i = 0; i < sessions; ++i) check_session(session(i));
  }

  EngineCounters totals() const {
    EngineCounters sum = totals_;
    add(sum, world_.counters());
    return sum;
  }

 private:
  static constexpr int sessions = 5;
  static std::string session(int i) { return "s" + std::to_string(i); }
  bool chance(unsigned percent) { return random_() % 100 < percent; }

  void start_worker() {
    world_.start_worker("w" + std::to_string(random_() % 3), testing::scripted(), static_cast<std::int64_t>(random_() % 4) * 3'000,
                        1 + random_() % 8);
  }

  void set_faults(bool on) {
    if (!on) return world_.network.set_plan(nullptr);
    const unsigned severity = random_() % 4;
    world_.network.set_plan([this, severity](const bus::FrameOnItsWay&) {
      std::vector<std::int64_t> delays;
      const unsigned fate = random_() % 100;
      if (fate < severity * 3) return delays;                                                            // lost
      delays.push_back(fate < 40 ? static_cast<std::int64_t>(random_() % (severity * 20'000 + 1)) : 0);  // late, overtaken
      if (fate > 100 - severity * 4) delays.push_back(static_cast<std::int64_t>(random_() % 50'000));    // doubled
      return delays;
    });
  }

  void ask() {
    if (chance(25) && !asked_.empty()) {  // a front end that repeats itself
      Asked& again = asked_[random_() % asked_.size()];
      again.reply = world_.take(again.session, again.key, again.text);
      ++again.times;
      return;
    }
    const std::string key = "k" + std::to_string(asked_.size());
    Asked asked{session(static_cast<int>(random_() % sessions)), key, "text of " + key, nullptr, std::nullopt};
    asked.reply = world_.take(asked.session, asked.key, asked.text);
    asked_.push_back(std::move(asked));
  }

  void ask_again() {
    for (Asked& asked : asked_) {
      const bool open = asked.reply && !asked.reply->has_value() && world_.now_ms() % 1'000 != 0;
      if (asked.acknowledged || open) continue;
      asked.reply = world_.take(asked.session, asked.key, asked.text);
    }
  }

  void collect() {
    for (Asked& asked : asked_) {
      if (!asked.reply || !asked.reply->has_value() || !(*asked.reply)->has_value()) continue;
      const TurnReply& reply = (*asked.reply)->value();
      if (asked.acknowledged) {
        EXPECT_EQ(asked.acknowledged->turn, reply.turn);
        EXPECT_EQ(asked.acknowledged->document, reply.document);
      }
      asked.acknowledged = reply;
      asked.reply = nullptr;
    }
  }

  void meddle() {
    const auto workers = world_.workers();
    const unsigned what = random_() % 100;
    if (what < 25 && !workers.empty()) {
      world_.kill_worker(workers[random_() % workers.size()]);
    } else if (what < 50) {
      if (workers.size() < 5) start_worker();
    } else if (what < 65 && !workers.empty()) {
      world_.pause(workers[random_() % workers.size()]);
    } else if (what < 85) {
      for (const WorkerId& worker : workers) world_.pause(worker, false);
    } else {
      add(totals_, world_.counters());
      world_.kill_engine();
      world_.run_for(static_cast<std::int64_t>(random_() % 200));
      world_.start_engine();
    }
  }

  void check_session(const std::string& name) {
    const auto events = world_.ledger().read(stream_of(SessionId{name}), Sequence{1}, 100'000);
    ASSERT_TRUE(events);
    std::uint64_t sequence = 0;
    std::uint32_t received = 0;
    std::uint32_t finished = 0;
    std::set<std::string> keys;
    std::string last_key;
    for (const Event& event : *events) {
      EXPECT_EQ(event.sequence.value, ++sequence);
      if (const auto* turn = std::get_if<TurnReceived>(&event.body)) {
        EXPECT_EQ(turn->turn.value, ++received);
        EXPECT_EQ(finished + 1, received) << "a turn began before the one before it ended";
        EXPECT_TRUE(keys.insert(turn->key.value).second) << "a key was received twice";
        last_key = turn->key.value;
      } else if (const auto* completed = std::get_if<TurnCompleted>(&event.body)) {
        EXPECT_EQ(completed->turn.value, ++finished);
      } else if (const auto* parked = std::get_if<TurnParked>(&event.body)) {
        EXPECT_EQ(parked->turn.value, ++finished);
      } else if (const auto* set = std::get_if<ConstraintSet>(&event.body)) {
        EXPECT_EQ(set->said, "text of " + last_key) << "a proposal of another turn was committed";
        EXPECT_EQ(set->facet, "turn_" + std::to_string(received));
      }
    }
    EXPECT_EQ(received, finished);
  }

  std::mt19937 random_;
  VirtualWorld world_;
  std::vector<Asked> asked_;
  EngineCounters totals_;
};

TEST(Simulation, AcknowledgedIsStoredOnceAndInOrder) {
  unsigned first = 1;
  unsigned last = 25;
  const char* only = std::getenv("TURNSTONE_SEED");
  if (only != nullptr) first = last = static_cast<unsigned>(std::atoi(only));
  EngineCounters sum;
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("TURNSTONE_SEED=" + std::to_string(seed));
    FaultyRun run(seed);
    ASSERT_NO_FATAL_FAILURE(run.play());
    ASSERT_NO_FATAL_FAILURE(run.check());
    ASSERT_FALSE(::testing::Test::HasFailure());
    add(sum, run.totals());
  }
  if (only != nullptr) return;
  // The faults did happen, and what they bring about was met.
  EXPECT_GT(sum.turns_committed, 1'000U);
  EXPECT_GT(sum.redispatched, 100U);
  EXPECT_GT(sum.turns_repeated, 100U);
  EXPECT_GT(sum.fenced, 10U);
  EXPECT_GT(sum.stale, 0U);
  EXPECT_GT(sum.turns_parked, 0U);
  EXPECT_GT(sum.workers_gone, 10U);
  EXPECT_GT(sum.workers_hung, 10U);
}

}  // namespace
}  // namespace turnstone
