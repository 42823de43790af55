// Long sessions: a worker that knows nothing of one goes on from its snapshot, or folds it anew where that does not hold.
#include <gtest/gtest.h>

#include "engine/virtual_world.h"
#include "events/snapshot.h"
#include "storage/ledger/session_state.h"

namespace turnstone {
namespace {

using testing::VirtualWorld;

const SessionId s1{"s1"};

// Turns that name the state before their end, as those of take_turn do.
Served naming_states() {
  Served served = testing::scripted();
  served.turn = [](const IntentState& state, const LoopInput& input) -> Result<LoopProposal> {
    auto proposal = testing::scripted_proposal(state, input);
    if (!proposal) return proposal;
    IntentState after = state;
    for (EventBody& body : proposal->events) {
      if (auto* completed = std::get_if<TurnCompleted>(&body)) completed->state_digest = digest_of(after);
      fold(after, body, input.received.turn);
    }
    return proposal;
  };
  return served;
}

class Snapshots : public ::testing::Test {
 protected:
  void talk(int turns) {
    for (int i = 0; i < turns; ++i) {
      const testing::Reply reply = world.take("s1", "key" + std::to_string(++asked));
      ASSERT_TRUE(world.run_until([&] { return reply->has_value(); }, 2'000));
      ASSERT_TRUE(reply->value()) << reply->value().error().detail;
    }
  }
  // Talks until the session has a snapshot and then some.
  void make_it_long(Served served) {
    first = world.start_worker("w", std::move(served));
    world.run_for(10);
    ASSERT_TRUE(world.create("s1"));
    talk(120);
    ASSERT_GT(world.ledger().head(stream_of(s1))->sequence.value, snapshot_interval_events);
  }
  IntentState folded() {
    IntentState state;
    EXPECT_TRUE(catch_up(world.ledger(), s1, state));
    return state;
  }
  VirtualWorld world;
  WorkerId first;
  int asked = 0;
};

TEST_F(Snapshots, AFreshWorkerGoesOnFromOne) {
  make_it_long(naming_states());
  ASSERT_GE(snapshot_state(world.ledger(), s1).sequence.value, snapshot_interval_events);
  world.kill_worker(first);
  const WorkerId fresh = world.start_worker("w", naming_states());
  talk(1);
  const WorkerCounters& counters = world.core(fresh).counters();
  EXPECT_EQ(counters.snapshots_used, 1U);
  EXPECT_EQ(counters.snapshots_refused, 0U);
  EXPECT_EQ(counters.reads, 1U) << "what follows the snapshot comes with it";
  // Had it gone on from any other state, its TurnCompleted would name another.
  IntentState state;
  const auto events = world.ledger().read(stream_of(s1), Sequence{1}, 10'000);
  ASSERT_TRUE(events);
  for (const Event& event : *events) {
    if (const auto* completed = std::get_if<TurnCompleted>(&event.body)) {
      ASSERT_EQ(completed->state_digest, digest_of(state)) << "turn " << completed->turn.value;
    }
    fold(state, event);
  }
}

TEST_F(Snapshots, ASessionOfSixtyThousandEventsGoesOnWithoutOne) {
  ASSERT_TRUE(world.create("s1"));
  for (std::uint32_t turn = 1; turn <= 120; ++turn) {
    AcceptRequest accept;
    accept.session = s1;
    accept.key = TurnKey{"long" + std::to_string(turn)};
    accept.now = Timestamp{turn};
    const auto accepted = world.ledger().accept(accept);
    ASSERT_TRUE(accepted && std::holds_alternative<Accepted>(*accepted));
    std::vector<EventBody> events(500, IntentClassified{});
    TurnCompleted completed;
    completed.turn = TurnNumber{turn};
    completed.attempt = Attempt{1};
    events.emplace_back(completed);
    CommitRequest commit{s1, completed.turn, completed.attempt, {}, "flight", "{}", accept.now};
    commit.appends = {{stream_of(s1), std::get<Accepted>(*accepted).sequence, std::move(events)}};
    const auto committed = world.ledger().commit(commit);
    ASSERT_TRUE(committed && std::holds_alternative<Committed>(*committed));
  }
  ASSERT_GT(world.ledger().head(stream_of(s1))->sequence, Sequence{60'000});
  first = world.start_worker("w", naming_states());
  world.run_for(10);
  talk(2);
  const WorkerCounters& counters = world.core(first).counters();
  EXPECT_EQ(counters.cold, 1U);
  EXPECT_EQ(counters.warm, 1U);
  EXPECT_LE(counters.reads, 60'500U / bus::range_events_max + 2) << "it reads something twice";
  EXPECT_EQ(world.counters().redispatched, 0U) << "it was taken for hung";
}

TEST_F(Snapshots, OneOfAnotherFoldIsRefusedAndMadeAnew) {
  Served of_another = naming_states();
  of_another.snapshot = [](const IntentState& state) {
    IntentState otherwise = state;
    otherwise.last_constraint.value += 7;
    return encode_snapshot(otherwise, fold_version + 1);
  };
  make_it_long(std::move(of_another));
  EXPECT_EQ(snapshot_state(world.ledger(), s1), IntentState{});
  world.kill_worker(first);
  const WorkerId fresh = world.start_worker("w", naming_states());
  talk(1);
  EXPECT_EQ(world.core(fresh).counters().snapshots_refused, 1U);
  EXPECT_EQ(world.core(fresh).counters().snapshots_used, 0U);
  EXPECT_EQ(folded().turn, TurnNumber{121});
  EXPECT_EQ(folded().last_constraint, ConstraintId{121}) << "the state of the other fold was used";
  EXPECT_NE(snapshot_state(world.ledger(), s1), IntentState{}) << "the turn that had to fold it all leaves one for the next";
}

TEST_F(Snapshots, OneThatDoesNotFitItsEventsIsRefused) {
  Served careless = naming_states();
  careless.snapshot = [](const IntentState& state) {
    IntentState otherwise = state;
    otherwise.last_constraint.value += 7;
    return encode_snapshot(otherwise);
  };
  make_it_long(std::move(careless));
  world.kill_worker(first);
  const WorkerId fresh = world.start_worker("w", naming_states());
  talk(1);
  EXPECT_EQ(world.core(fresh).counters().snapshots_refused, 1U);
  EXPECT_EQ(folded().last_constraint, ConstraintId{121});
}

}  // namespace
}  // namespace turnstone
