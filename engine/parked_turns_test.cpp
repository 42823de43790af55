#include "engine/parked_turns.h"

#include <gmock/gmock.h>

#include "engine/virtual_world.h"

namespace turnstone {
namespace {

using testing::Reply;
using testing::VirtualWorld;

// The turns whose text is "broken" are given back by every worker.
Served fragile() {
  Served served = testing::scripted();
  served.turn = [](const IntentState& state, const LoopInput& input) -> Result<LoopProposal> {
    if (input.received.text == "broken" && !input.received.retry_of) return fail(ErrorCode::internal, "it broke");
    return testing::scripted_proposal(state, input);
  };
  return served;
}

TEST(ParkedTurns, AreListedWithTheirMessageAndTriedAgainOnce) {
  VirtualWorld world;
  world.start_worker("w", fragile());
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const auto done = [&](const Reply& reply) { return world.run_until([&] { return reply->has_value(); }, 10'000) && (*reply)->has_value(); };
  ASSERT_TRUE(done(world.take("s1", "k1", "fine")));
  ASSERT_TRUE(done(world.take("s1", "k2", "broken")));
  ASSERT_TRUE(done(world.take("s1", "k3", "fine again")));

  auto parked = parked_turns(world.ledger()).value();
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].session, SessionId{"s1"});
  EXPECT_EQ(parked[0].turn, TurnNumber{2});
  EXPECT_EQ(parked[0].received.text, "broken");
  EXPECT_EQ(parked[0].parked.reason, "it broke");
  EXPECT_EQ(parked[0].parked.attempts, 3U);
  EXPECT_FALSE(parked[0].retried_as);

  for (int i = 0; i < 2; ++i) {  // the second time it is answered from the first
    const Reply retried = world.retry("s1", TurnNumber{2}, "broken");
    ASSERT_TRUE(done(retried));
    EXPECT_EQ((*retried)->value().turn, TurnNumber{4});
    EXPECT_FALSE((*retried)->value().parked);
  }
  parked = parked_turns(world.ledger()).value();
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].retried_as, TurnNumber{4});
}

TEST(ParkedTurns, OnlyAParkedTurnCanBeTriedAgain) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply first = world.take("s1", "k1", "fine");
  ASSERT_TRUE(world.run_until([&] { return first->has_value(); }, 1'000));
  for (const std::uint32_t turn : {1U, 2U}) {
    const Reply refused = world.retry("s1", TurnNumber{turn}, "fine");
    ASSERT_TRUE(refused->has_value());
    EXPECT_EQ((*refused)->error().code, ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(parked_turns(world.ledger()).value().empty());
}

}  // namespace
}  // namespace turnstone
