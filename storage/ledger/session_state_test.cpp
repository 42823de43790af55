#include "storage/ledger/session_state.h"

#include <gtest/gtest.h>

#include "events/snapshot.h"
#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

const SessionId s1{"s1"};

struct Body {
  const char* name;
  std::unique_ptr<Bed> (*make)();
};

class SessionState : public testing::TestWithParam<Body> {
 protected:
  void SetUp() override { ASSERT_TRUE(bed_->ledger().start_session(started("s1"), std::nullopt, wall_time)); }
  IntentState folded() {
    IntentState state;
    EXPECT_TRUE(catch_up(bed_->ledger(), s1, state));
    return state;
  }
  // A turn whose TurnCompleted names the state before it, with that state as snapshot unless another is given.
  void take_turn(const std::string& key, const std::optional<std::string>& snapshot = std::nullopt, std::uint32_t version = fold_version) {
    const auto turn = std::get<Accepted>(bed_->ledger().accept(turn_request("s1", key)).value());
    CommitRequest request = proposal("s1", turn.turn, turn.attempt, turn.sequence);
    IntentState state = folded();
    std::vector<EventBody>& events = request.appends.front().events;
    for (EventBody& body : events) {
      if (auto* completed = std::get_if<TurnCompleted>(&body)) {
        completed->fold_version = version;
        completed->state_digest = digest_of(state);
        request.snapshot = snapshot ? *snapshot : encode_snapshot(state, version).value();
      }
      fold(state, body, turn.turn);
    }
    ASSERT_TRUE(std::holds_alternative<Committed>(bed_->ledger().commit(request).value()));
  }
  std::unique_ptr<Bed> bed_ = GetParam().make();
};

TEST_P(SessionState, TheLastSnapshotAndWhatFollowsIsTheFoldFromTheFirstEvent) {
  EXPECT_EQ(snapshot_state(bed_->ledger(), s1), IntentState{}) << "there is none yet";
  take_turn("k1");
  take_turn("k2");
  const Sequence before_last{bed_->ledger().head(stream_of(s1))->sequence.value - 1};
  take_turn("k3", "");  // without one: the last one stays
  for (int opening = 0; opening < 2; ++opening) {
    IntentState state = snapshot_state(bed_->ledger(), s1);
    EXPECT_EQ(state.sequence, before_last);
    ASSERT_TRUE(catch_up(bed_->ledger(), s1, state));
    EXPECT_EQ(state, folded());
    EXPECT_EQ(broken_chain(bed_->ledger()), "");
    bed_->reopen();
  }
}

TEST_P(SessionState, OneOfAnotherFoldVersionIsPassedOver) {
  take_turn("k1", std::nullopt, fold_version + 1);
  EXPECT_EQ(snapshot_state(bed_->ledger(), s1), IntentState{});
  take_turn("k2");
  EXPECT_NE(snapshot_state(bed_->ledger(), s1), IntentState{}) << "the next one counts again";
}

TEST_P(SessionState, OneThatIsNotTheStateItsEventNamesIsPassedOver) {
  IntentState other = folded();
  other.recipient = "somebody else";
  take_turn("k1", encode_snapshot(other).value());
  EXPECT_EQ(snapshot_state(bed_->ledger(), s1), IntentState{});
  take_turn("k2", "no snapshot at all");
  EXPECT_EQ(snapshot_state(bed_->ledger(), s1), IntentState{});
}

TEST_P(SessionState, ErasureTakesItAlong) {
  take_turn("k1");
  ASSERT_TRUE(bed_->ledger().erase(stream_of(s1), "desk", wall_time).value());
  const auto kept = bed_->ledger().snapshot(s1);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::erased);
}

INSTANTIATE_TEST_SUITE_P(Bodies, SessionState,
                         testing::Values(Body{"memory", []() -> std::unique_ptr<Bed> { return std::make_unique<MemoryBed>(); }},
                                         Body{"rocksdb", []() -> std::unique_ptr<Bed> { return std::make_unique<RocksBed>(Durability::synced); }}),
                         [](const auto& body) { return body.param.name; });

}  // namespace
}  // namespace turnstone
