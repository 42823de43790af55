#include "replay/divergence.h"

#include <gtest/gtest.h>

#include "events/testing/examples.h"

namespace turnstone {
namespace {

FlightRecord sample() { return testing::example_flight_record(); }

void expect_difference(const FlightRecord& recorded, const FlightRecord& replayed, const Divergence& expected) {
  const auto found = first_difference(recorded, replayed);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, expected) << found->stage << ' ' << found->field << ' ' << found->recorded << ' ' << found->replayed;
}

TEST(FlightDifference, EqualRecordsHaveNone) { EXPECT_FALSE(first_difference(sample(), sample())); }

TEST(FlightDifference, AValueIsNamedWithItsPlaceInTheList) {
  FlightRecord replayed = sample();
  replayed.stages[1].decided[0].value = std::vector<std::int64_t>{1'000'000'007, -3, 1};
  expect_difference(sample(), replayed, {"rank", "scores[2]", "0", "1"});
  replayed.stages[1].decided[0].value = std::vector<std::int64_t>{1'000'000'007};
  expect_difference(sample(), replayed, {"rank", "scores[1]", "-3", "(absent)"});
  expect_difference(replayed, sample(), {"rank", "scores[1]", "(absent)", "-3"});
  replayed = sample();
  replayed.stages[1].decided[3].value = "popular";
  expect_difference(sample(), replayed, {"rank", "fallback", "\"none\"", "\"popular\""});
  replayed.stages[1].decided[3].value = 4;
  expect_difference(sample(), replayed, {"rank", "fallback", "\"none\"", "4"});
}

TEST(FlightDifference, TheFirstDifferenceInTheOrderOfTheTurnIsNamed) {
  FlightRecord replayed = sample();
  replayed.stages[1].decided[2].value = 99;
  replayed.stages[0].decided[0].value = std::vector<std::string>{"color=blue", "category=boots"};
  expect_difference(sample(), replayed, {"understand", "signals[0]", "\"color=red\"", "\"color=blue\""});
}

TEST(FlightDifference, FieldsAndStagesAreMissedInBothDirections) {
  FlightRecord shorter = sample();
  shorter.stages[1].decided.pop_back();
  expect_difference(sample(), shorter, {"rank", "fallback", "\"none\"", "(absent)"});
  expect_difference(shorter, sample(), {"rank", "fallback", "(absent)", "\"none\""});
  shorter = sample();
  shorter.stages[1].decided.erase(shorter.stages[1].decided.begin());
  expect_difference(sample(), shorter, {"rank", "scores", "[1000000007,-3,0]", "(absent)"});
  expect_difference(shorter, sample(), {"rank", "scores", "(absent)", "[1000000007,-3,0]"});
  shorter = sample();
  shorter.stages.pop_back();
  expect_difference(sample(), shorter, {"rank", "stage", "rank", "(absent)"});
  expect_difference(shorter, sample(), {"rank", "stage", "(absent)", "rank"});
}

TEST(FlightDifference, AnotherOrderOfFieldsIsADifference) {
  FlightRecord replayed = sample();
  std::swap(replayed.stages[1].decided[0], replayed.stages[1].decided[1]);
  expect_difference(sample(), replayed, {"rank", "order of fields, position 0", "\"scores\"", "\"ties\""});
}

TEST(EventDifference, OneMoreOneLessAndAnotherAreNamed) {
  const auto all = testing::example_events();
  const std::vector<EventBody> recorded(all.begin() + 3, all.begin() + 6);
  EXPECT_FALSE(first_difference(recorded, recorded));
  std::vector<EventBody> replayed(recorded.begin(), recorded.end() - 1);
  auto found = first_difference(recorded, replayed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->field, "events[2]");
  EXPECT_EQ(found->replayed, "(absent)");
  EXPECT_TRUE(found->recorded.starts_with("ConstraintTombstoned {"));
  found = first_difference(replayed, recorded);
  EXPECT_EQ(found->recorded, "(absent)");
  replayed = recorded;
  std::get<ConstraintSet>(replayed[1]).value.upper = whole_number(41);
  found = first_difference(recorded, replayed);
  EXPECT_EQ(*found, (Divergence{"revise", "events[1] ConstraintSet/value/max", "39.99", "41"})) << found->field;
  replayed[1] = all[13];
  found = first_difference(recorded, replayed);
  EXPECT_EQ(found->stage, "revise");
  EXPECT_TRUE(found->replayed.starts_with("QuestionAnswered"));
}

TEST(EventDifference, NumbersTooFineForADocumentStillDiffer) {
  ConstraintSet one;
  one.value.number = Number{8'999'999'999'999'999'999};
  ConstraintSet other = one;
  other.value.number = Number{8'999'999'999'999'999'998};
  EXPECT_TRUE(first_difference({EventBody(one)}, {EventBody(other)}));
}

TEST(ReplyDifference, TimingsAreNoPartOfAReply) {
  EXPECT_FALSE(first_reply_difference(R"({"message":"a","timing_us":{"total":3}})", R"({"message":"a"})"));
  const auto found = first_reply_difference(R"({"recommendations":[{"id":"A"},{"id":"B"}]})", R"({"recommendations":[{"id":"A"},{"id":"C"}]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Divergence{"reply", "reply/recommendations/1/id", "\"B\"", "\"C\""}));
  EXPECT_EQ(first_reply_difference("{}", R"({"a":1})")->recorded, "(absent)");
  EXPECT_EQ(first_reply_difference(R"({"a":1})", "{}")->replayed, "(absent)");
  EXPECT_TRUE(first_reply_difference("no json", "{}"));
}

}  // namespace
}  // namespace turnstone
