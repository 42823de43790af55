#include <gtest/gtest.h>

#include "events/state.h"
#include "events/testing/random_events.h"

namespace turnstone {
namespace {

using testing::Random;

// A session told event by event.
class Story {
 public:
  Story& turn(std::uint32_t number) {
    turn_ = TurnNumber{number};
    return *this;
  }
  Story& operator<<(const EventBody& body) {
    fold(state, body, turn_);
    return *this;
  }
  IntentState state;

 private:
  TurnNumber turn_;
};

ConstraintSet wish(std::uint32_t id, std::string facet, std::string value) {
  ConstraintSet set;
  set.id = ConstraintId{id};
  set.facet = std::move(facet);
  set.said = value;
  set.value.any_of = {std::move(value)};
  return set;
}

ProductsShown show(std::initializer_list<const char*> ids) {
  ProductsShown shown{Route::portfolio, 100, {}};
  for (const char* id : ids) shown.products.push_back({ProductId{id}, Score{1}, Permille{500}});
  return shown;
}

TEST(Fold, PrefixThenRestIsAll) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const auto events = testing::random_stream(random, 150);
    IntentState all;
    for (const Event& event : events) fold(all, event);
    for (std::size_t cut = 0; cut <= events.size(); cut += 1 + random.below(25)) {
      IntentState state;
      for (std::size_t i = 0; i < cut; ++i) fold(state, events[i]);
      IntentState resumed = state;  // a state is a plain value: a copy goes on as well as the original
      for (std::size_t i = cut; i < events.size(); ++i) fold(resumed, events[i]);
      ASSERT_EQ(resumed, all) << "seed " << seed << " cut " << cut;
      ASSERT_EQ(digest_of(resumed), digest_of(all));
    }
    EXPECT_EQ(all.sequence, events.back().sequence);
  }
}

TEST(Fold, StoredAndUnstoredEventsGiveTheSameState) {
  Random random(99);
  IntentState stored;
  IntentState proposed;
  for (const Event& event : testing::random_stream(random, 300)) {
    fold(stored, event);
    fold(proposed, event.body, event.turn);
  }
  EXPECT_EQ(stored, proposed);
}

TEST(Fold, StateIsBounded) {
  Story story;
  for (std::uint32_t i = 1; i <= 5'000; ++i) {
    story.turn(i) << wish(i, "facet" + std::to_string(i), "v") << show({("p" + std::to_string(i)).c_str()}) << QuestionAsked{}
                  << ProductRejected{ProductId{"p" + std::to_string(i)}, ""} << PreferenceWaived{"other" + std::to_string(i), ""};
    if (i % 2 == 0) story << ConstraintTombstoned{ConstraintId{i}, TombstoneReason::revoked, std::nullopt, ""};
  }
  const IntentState& state = story.state;
  EXPECT_EQ(state.tombstones.size(), tombstones_kept);
  EXPECT_EQ(state.active.size(), active_kept - 1) << "full, and one tombstoned since";
  EXPECT_EQ(state.active.back().set.id, ConstraintId{4'999});
  EXPECT_EQ(state.shown.size(), shown_kept);
  EXPECT_EQ(state.shown.back(), ProductId{"p5000"});
  EXPECT_EQ(state.asked.size(), asked_kept);
  EXPECT_EQ(state.rejected.size(), rejected_kept);
  EXPECT_TRUE(state.rejected.contains(ProductId{"p5000"}));
  EXPECT_EQ(state.waived.size(), waived_kept);
  EXPECT_TRUE(state.waived.contains("other5000"));
}

TEST(Fold, ACorrectionIsATombstoneInTheSameEpoch) {
  Story story;
  story.turn(1) << wish(1, "color", "black");
  story.turn(2) << ConstraintTombstoned{ConstraintId{1}, TombstoneReason::superseded, ConstraintId{2}, "red instead"} << wish(2, "color", "red");
  ASSERT_EQ(story.state.active.size(), 1U);
  EXPECT_EQ(story.state.active[0].set.value.any_of, std::vector<std::string>{"red"});
  EXPECT_EQ(story.state.active[0].turn, TurnNumber{2});
  ASSERT_EQ(story.state.tombstones.size(), 1U);
  EXPECT_EQ(story.state.tombstones[0].constraint.set.id, ConstraintId{1});
  EXPECT_EQ(story.state.tombstones[0].constraint.turn, TurnNumber{1});
  EXPECT_EQ(story.state.tombstones[0].turn, TurnNumber{2});
  EXPECT_EQ(story.state.epoch, Epoch{1});
}

TEST(Fold, ActiveConstraintsStandById) {
  Story story;
  story << wish(3, "a", "x") << wish(1, "b", "x") << wish(2, "c", "x") << wish(1, "b", "y");
  ASSERT_EQ(story.state.active.size(), 3U);
  EXPECT_EQ(story.state.active[0].set.value.any_of[0], "y");
  EXPECT_EQ(story.state.active[1].set.id, ConstraintId{2});
  EXPECT_EQ(story.state.last_constraint, ConstraintId{3});
}

TEST(Fold, AnEpochArchivesWhatItListsAndKeepsTheRest) {
  Story story;
  story.turn(1) << wish(1, "category", "shoes") << wish(2, "price", "40") << wish(3, "color", "red") << PreferenceWaived{"brand", "any brand"}
                << RecipientSet{"mom", "women", "for my mom"} << show({"a", "b"}) << QuestionAsked{"size", "", {}, {}, {}, {}, ""}
                << ProductRejected{ProductId{"b"}, "not b"} << ClauseRelaxed{ConstraintId{3}, "", 0, 3};
  story.turn(2) << EpochAdvanced{Epoch{1}, Epoch{2}, EpochReason::new_product, {ConstraintId{2}}, {ConstraintId{1}, ConstraintId{3}}};
  const IntentState& state = story.state;
  EXPECT_EQ(state.epoch, Epoch{2});
  ASSERT_EQ(state.active.size(), 1U);
  EXPECT_EQ(state.active[0].set.facet, "price");
  ASSERT_EQ(state.tombstones.size(), 2U);
  EXPECT_EQ(state.tombstones[0].by.reason, TombstoneReason::archived);
  EXPECT_EQ(state.tombstones[0].epoch, Epoch{1}) << "buried in the epoch that ends";
  EXPECT_TRUE(state.shown.empty() && state.asked.empty() && state.waived.empty() && state.relaxed.empty());
  EXPECT_EQ(state.last_shown.size(), 2U) << "\"the second one\" still resolves";
  EXPECT_EQ(state.recipient, "mom");
  EXPECT_TRUE(state.rejected.contains(ProductId{"b"}));
  story << EpochAdvanced{Epoch{2}, Epoch{3}, EpochReason::started_over, {}, {ConstraintId{2}}};
  EXPECT_TRUE(story.state.active.empty());
  EXPECT_TRUE(story.state.recipient.empty() && story.state.recipient_department.empty());
}

TEST(Fold, AWaiverIsLiftedByAValueOnItsFacet) {
  Story story;
  story << PreferenceWaived{"color", "any colour"} << PreferenceWaived{"brand", "any brand"} << wish(1, "color", "red");
  EXPECT_EQ(story.state.waived, (std::map<std::string, std::string>{{"brand", "any brand"}}));
}

TEST(Fold, AnAnswerMarksTheLatestQuestionOnItsFacet) {
  Story story;
  const auto question = [](const char* facet) { return QuestionAsked{facet, "", {}, {}, {}, {}, ""}; };
  story << question("color") << question("size") << question("color") << QuestionAnswered{"color", AnswerOutcome::declined}
        << QuestionAnswered{"brand", AnswerOutcome::value};
  EXPECT_EQ(story.state.asked[0].outcome, std::nullopt);
  EXPECT_EQ(story.state.asked[1].outcome, std::nullopt);
  EXPECT_EQ(story.state.asked[2].outcome, AnswerOutcome::declined);
}

TEST(Fold, AnEmptyListKeepsTheLastOne) {
  Story story;
  story.turn(1) << show({"a", "b"});
  story.turn(2) << show({"b", "c"});
  story.turn(3) << ProductsShown{Route::none, 0, {}};
  EXPECT_EQ(story.state.shown, (std::vector<ProductId>{ProductId{"a"}, ProductId{"b"}, ProductId{"c"}}));
  EXPECT_EQ(story.state.last_shown[1].id, ProductId{"c"});
  EXPECT_EQ(story.state.last_shown_turn, TurnNumber{2});
  EXPECT_EQ(story.state.last_route, Route::none);
}

TEST(Fold, TurnsRelaxationsAndTheEndOfASession) {
  Story story;
  story << SessionStarted{SessionId{"s"}, "http", "shopper", std::nullopt, {1, 2}, {"casual"}, std::nullopt};
  story.turn(1) << TurnReceived{TurnNumber{1}, TurnKey{"k"}, "x", 10, "", std::nullopt} << ClauseRelaxed{ConstraintId{1}, "", 0, 1}
                << TurnCompleted{TurnNumber{1}, Attempt{1}, {}, {}, 1, {}, 1, {}};
  EXPECT_EQ(story.state.completed, TurnNumber{1});
  EXPECT_EQ(story.state.relaxed.size(), 1U);
  story.turn(2) << TurnReceived{TurnNumber{2}, TurnKey{"k2"}, "y", 10, "", std::nullopt};
  EXPECT_TRUE(story.state.relaxed.empty());
  story << TurnParked{TurnNumber{2}, "", 3};
  EXPECT_EQ(story.state.completed, TurnNumber{2});
  story << SessionClosed{};
  EXPECT_TRUE(story.state.closed);
  story << SessionErased{"operator"};
  IntentState erased;
  erased.session = SessionId{"s"};
  erased.sequence = story.state.sequence;
  erased.erased = true;
  EXPECT_EQ(story.state, erased) << "nothing of an erased session stays in its state";
}

TEST(Fold, EventsThatDoNotFitLeaveTheStateAsItIs) {
  Story story;
  story << wish(1, "color", "red");
  const IntentState before = story.state;
  story << ConstraintTombstoned{ConstraintId{9}, TombstoneReason::revoked, std::nullopt, ""} << QuestionAnswered{"size", AnswerOutcome::value}
        << AttemptStarted{} << ReferenceResolved{} << ReplySent{"hello"} << ProfileUpdated{};
  IntentState after = story.state;
  after.sequence = before.sequence;
  EXPECT_EQ(after, before);
}

TEST(Digest, CoversEverythingButTheSequence) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    IntentState state;
    for (const Event& event : testing::random_stream(random, 60)) fold(state, event);
    IntentState moved = state;
    moved.sequence = Sequence{state.sequence.value + 1};
    EXPECT_EQ(digest_of(state), digest_of(moved));
    IntentState other = state;
    other.rejected.insert(ProductId{"\x01 a product that no stream names"});
    EXPECT_NE(digest_of(state), digest_of(other));
    other = state;
    other.intent_confidence = Permille{state.intent_confidence.value ^ 1};
    EXPECT_NE(digest_of(state), digest_of(other));
    other = state;
    other.closed = !state.closed;
    EXPECT_NE(digest_of(state), digest_of(other));
  }
}

TEST(Digest, OfTheEmptyStateIsFixed) {
  // Written into every ledger: raise fold_version when this changes.
  EXPECT_EQ(fold_version, 1U);
  EXPECT_EQ(to_hex(digest_of(IntentState{})), "8f481fb4d9cc6e4846e53e820b65a19224b1bd2e4c7f3be7c4baa57db4c68d6b");
}

}  // namespace
}  // namespace turnstone
