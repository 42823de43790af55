#include "workers/gate_value.h"

#include <gtest/gtest.h>

#include "workers/policy.h"

namespace turnstone {
namespace {

Variant::Gate gate_with(std::int64_t leaving) {
  Variant::Gate gate = Policy::standard()->variant("benchmark").gate;
  gate.rank_value = 300;
  gate.hit_value = 500;
  gate.turn_cost = 20;
  gate.leaving = leaving;
  return gate;
}

TEST(BestListSize, NothingToShow) { EXPECT_EQ(best_list_size({}, 10, gate_with(100)), 0U); }

TEST(BestListSize, PatientShoppersSeeOneAtATime) {
  const std::vector<std::int64_t> few(5, 200'000);
  EXPECT_EQ(best_list_size(few, 10, gate_with(0)), 1U);
}

TEST(BestListSize, ALongTailPaysForEachTurn) {
  const std::vector<std::int64_t> many(10, 100'000);  // one at a time would make nine wait
  EXPECT_EQ(best_list_size(many, 10, gate_with(0)), 2U);
}

TEST(BestListSize, ImpatientShoppersSeeAllAtOnce) {
  const std::vector<std::int64_t> even(10, 100'000);
  EXPECT_EQ(best_list_size(even, 10, gate_with(900)), 10U);
  EXPECT_EQ(best_list_size(even, 3, gate_with(900)), 3U);
}

// Every way to cut the products into lists, valued one by one.
std::int64_t best_by_force(const std::vector<std::int64_t>& chances, std::size_t from, std::size_t at_most, const Variant::Gate& gate) {
  if (from == chances.size()) return 0;
  std::int64_t best = 0;
  for (std::size_t k = 1; k <= std::min(at_most, chances.size() - from); ++k) {
    std::int64_t value = 0, rest = 0;
    for (std::size_t j = 0; j < k; ++j) value += chances[from + j] * (gate.hit_value + gate.rank_value / static_cast<std::int64_t>(j + 1));
    for (std::size_t j = from + k; j < chances.size(); ++j) rest += chances[j];
    value += best_by_force(chances, from + k, at_most, gate) * (1000 - gate.leaving) / 1000 - rest * gate.turn_cost;
    if (k == 1 || value > best) best = value;
  }
  return best;
}

std::int64_t value_of_size(const std::vector<std::int64_t>& chances, std::size_t size, std::size_t at_most, const Variant::Gate& gate) {
  std::int64_t value = 0, rest = 0;
  for (std::size_t j = 0; j < size; ++j) value += chances[j] * (gate.hit_value + gate.rank_value / static_cast<std::int64_t>(j + 1));
  for (std::size_t j = size; j < chances.size(); ++j) rest += chances[j];
  return value + best_by_force(chances, size, at_most, gate) * (1000 - gate.leaving) / 1000 - rest * gate.turn_cost;
}

TEST(BestListSize, AgreesWithTryingEverything) {
  const std::vector<std::vector<std::int64_t>> posteriors = {
      {900'000, 50'000, 20'000, 10'000}, {200'000, 200'000, 200'000, 200'000, 200'000}, {500'000, 400'000}, {300'000, 100'000, 90'000, 80'000, 70'000, 60'000}};
  for (const auto& chances : posteriors) {
    for (const std::int64_t leaving : {0, 50, 100, 200, 400}) {
      const Variant::Gate gate = gate_with(leaving);
      const std::size_t size = best_list_size(chances, 4, gate);
      EXPECT_EQ(value_of_size(chances, size, 4, gate), best_by_force(chances, 0, 4, gate)) << "leaving " << leaving;
    }
  }
}

TEST(WhileLearning, WaitingIsWorthLessTheLessIsLearnt) {
  const Variant::Gate gate = gate_with(50);
  std::int64_t last = value_of_waiting(0, 10, gate);
  EXPECT_EQ(last, 800 * 950 / 1000 - 20) << "certain from the next turn on";
  for (std::int64_t uncertainty = 500; uncertainty <= 12'000; uncertainty += 500) {
    const std::int64_t value = value_of_waiting(uncertainty, 10, gate);
    EXPECT_LE(value, last) << uncertainty;
    last = value;
  }
}

TEST(WhileLearning, OneProductBeforeATellingAnswerAndAFullListBeforeAnEmptyOne) {
  const Variant::Gate gate = gate_with(50);
  EXPECT_EQ(list_size_while_learning(0, 10, gate), 1U);
  EXPECT_EQ(list_size_while_learning(9'000, 10, gate), 10U);
  EXPECT_EQ(list_size_while_learning(9'000, 3, gate), 3U);
}

}  // namespace
}  // namespace turnstone
