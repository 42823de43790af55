#include "engine/dispatch.h"

#include <gtest/gtest.h>

#include <map>

#include "events/chain.h"

namespace turnstone {
namespace {

const bus::Decider one{Fingerprint{blake2b("artefact one")}, Fingerprint{blake2b("policy")}, 1};
const bus::Decider two{Fingerprint{blake2b("artefact two")}, Fingerprint{blake2b("policy")}, 1};

bus::Hello hello(const std::string& id, const bus::Decider& decider = one, std::uint32_t credit = 4) {
  return {bus::protocol_version, WorkerId{id}, id, {decider.artefact}, {decider.policy}, {decider.decision_version}, credit};
}
SessionId session(int i) { return SessionId{"s" + std::to_string(i)}; }

class DispatchTest : public ::testing::Test {
 protected:
  void join(const std::string& id, const bus::Decider& decider = one, std::uint32_t credit = 4) { dispatch.hello(hello(id, decider, credit), now); }
  void pass(std::int64_t ms) { now = after_ms(now, ms); }
  Dispatch dispatch{DispatchOptions{}};
  Instant now{1'000'000};
};

TEST_F(DispatchTest, KeepsASessionWithItsWorkerAndMovesOnlyThoseOfTheOneThatWent) {
  for (const char* id : {"a", "b", "c", "d"}) join(id);
  std::map<int, WorkerId> homes;
  std::map<WorkerId, int> load;
  for (int i = 0; i < 400; ++i) {
    homes[i] = *dispatch.choose(session(i), one);
    ++load[homes[i]];
    EXPECT_EQ(dispatch.choose(session(i), one), homes[i]);
  }
  for (const auto& [id, sessions] : load) EXPECT_GT(sessions, 50) << id.value;
  dispatch.remove(WorkerId{"c"});
  for (int i = 0; i < 400; ++i) {
    if (homes[i] == WorkerId{"c"}) continue;
    EXPECT_EQ(dispatch.choose(session(i), one), homes[i]) << i;
  }
}

TEST_F(DispatchTest, SpreadsTurnsEvenlyUnderLoad) {
  for (int w = 0; w < 8; ++w) join("w" + std::to_string(w));
  for (int i = 0; i < 8; ++i) dispatch.assign(session(i), *dispatch.choose(session(i), one), now);
  for (const WorkerStatus& worker : dispatch.status()) EXPECT_EQ(worker.held, 1U) << worker.id.value;
}

TEST_F(DispatchTest, GivesNoMoreThanCredit) {
  join("a", one, 2);
  join("b", one, 1);
  for (int i = 0; i < 3; ++i) dispatch.assign(session(i), *dispatch.choose(session(i), one), now);
  EXPECT_FALSE(dispatch.choose(session(3), one));
  EXPECT_FALSE(dispatch.has_room());
  dispatch.credit(WorkerId{"b"}, 2);
  EXPECT_EQ(dispatch.choose(session(3), one), WorkerId{"b"});
  dispatch.release(session(0), now);
  EXPECT_TRUE(dispatch.has_room());
}

TEST_F(DispatchTest, MatchesWhatWorkersServe) {
  join("a", one);
  pass(1);
  join("b", two);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(dispatch.choose(session(i), one), WorkerId{"a"});
    EXPECT_EQ(dispatch.choose(session(i), two), WorkerId{"b"});
  }
  EXPECT_EQ(dispatch.current(), two);  // joined last
  dispatch.remove(WorkerId{"b"});
  EXPECT_FALSE(dispatch.served(two));
  EXPECT_EQ(dispatch.current(), one);
}

TEST_F(DispatchTest, AWorkerWhosePolicyIsNotStoredWaits) {
  join("a");
  dispatch.await_document(WorkerId{"a"}, one.policy);
  EXPECT_FALSE(dispatch.choose(session(1), one));
  EXPECT_FALSE(dispatch.current());
  dispatch.document_stored(one.policy);
  EXPECT_TRUE(dispatch.choose(session(1), one));
}

TEST_F(DispatchTest, ReadersGetNoTasks) {
  bus::Hello reader;
  reader.worker = WorkerId{"viewer"};
  dispatch.hello(reader, now);
  EXPECT_EQ(dispatch.live(), 0U);
  EXPECT_FALSE(dispatch.current());
  EXPECT_EQ(dispatch.status().at(0).reason, "reads only");
}

TEST_F(DispatchTest, PingsBusyWorkersMoreOften) {
  join("idle");
  join("busy");
  dispatch.assign(session(1), WorkerId{"busy"}, now);
  std::map<WorkerId, int> pings;
  for (int ms = 0; ms < 500; ++ms) {
    pass(1);
    for (const WorkerId& id : dispatch.due(now).ping) {
      ++pings[id];
      dispatch.heard(id, now);
    }
  }
  EXPECT_EQ(pings[WorkerId{"busy"}], 10);
  EXPECT_EQ(pings[WorkerId{"idle"}], 2);
}

TEST_F(DispatchTest, PatienceBeginsWhenATaskCanHaveBegun) {
  join("a");
  for (int i = 0; i < 3; ++i) dispatch.assign(session(i), WorkerId{"a"}, now);
  pass(600);
  EXPECT_TRUE(dispatch.due(now).lost.empty());
  dispatch.release(session(0), now);  // finished the first
  pass(600);
  EXPECT_TRUE(dispatch.due(now).lost.empty());
  pass(101);
  const auto due = dispatch.due(now);
  EXPECT_EQ(due.lost.size(), 2U);
  EXPECT_EQ(due.hung, std::vector{WorkerId{"a"}});
  EXPECT_FALSE(dispatch.choose(session(9), one));
  dispatch.heard(WorkerId{"a"}, now);
  EXPECT_TRUE(dispatch.choose(session(9), one));
}

TEST_F(DispatchTest, EachTryMayTakeTwiceAsLong) {
  join("a");
  std::uint32_t tries = 0;
  for (const std::int64_t allowed_ms : {700, 1'400, 2'800}) {
    dispatch.heard(WorkerId{"a"}, now);
    dispatch.assign(session(1), WorkerId{"a"}, now, tries++);
    pass(allowed_ms - 1);
    EXPECT_TRUE(dispatch.due(now).lost.empty());
    pass(1);
    EXPECT_EQ(dispatch.due(now).lost.size(), 1U);
  }
}

TEST_F(DispatchTest, AvoidsTheWorkerThatGaveATurnBack) {
  join("a");
  EXPECT_EQ(dispatch.choose(session(1), one, WorkerId{"a"}), WorkerId{"a"});  // better than none
  join("b");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(dispatch.choose(session(i), one, WorkerId{"a"}), WorkerId{"b"});
}

TEST_F(DispatchTest, ReadingOnIsProgressReadingTheSameAgainIsNot) {
  join("a");
  dispatch.assign(session(1), WorkerId{"a"}, now);
  for (std::uint64_t from = 1; from <= 5; ++from) {
    pass(600);
    EXPECT_TRUE(dispatch.due(now).lost.empty());
    dispatch.reading(session(1), WorkerId{"a"}, Sequence{from}, now);
  }
  pass(600);
  dispatch.reading(session(1), WorkerId{"a"}, Sequence{5}, now);
  pass(101);
  EXPECT_EQ(dispatch.due(now).lost.size(), 1U);
}

TEST_F(DispatchTest, ForgetsTheSilentAndNeverSleepsThroughADeadline) {
  join("a");
  std::int64_t forgotten_at = 0;
  const Instant begin = now;
  for (int steps = 0; steps < 1'000 && forgotten_at == 0; ++steps) {
    now = dispatch.next_due();  // as the shell does: it wakes exactly when told
    if (!dispatch.due(now).forgotten.empty()) forgotten_at = (now.value - begin.value) / 1'000;
  }
  EXPECT_EQ(forgotten_at, 5'000);
  EXPECT_TRUE(dispatch.status().empty());
}

TEST_F(DispatchTest, TakesNoMoreWorkersThanTheLimit) {
  for (std::size_t i = 0; i < bus::workers_max; ++i) ASSERT_EQ(dispatch.hello(hello("w" + std::to_string(i)), now), Dispatch::Joined::fresh);
  EXPECT_EQ(dispatch.hello(hello("more"), now), Dispatch::Joined::full);
  EXPECT_EQ(dispatch.hello(hello("w0"), now), Dispatch::Joined::again);
}

}  // namespace
}  // namespace turnstone
