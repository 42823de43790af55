#include "workers/list_order.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using stage_fixture::StateOf;

Guidance ordered(const std::string& facet, bool up) {
  Guidance guidance = stage_fixture::learnt();
  guidance.order = ListOrder{facet, up};
  return guidance;
}

// The matching products' prices, ascending.
std::vector<Number> prices_of(const Artefact& artefact, const std::string& category) {
  std::vector<Number> prices;
  for (std::uint32_t i = 0; i < artefact.product_count(); ++i) {
    const auto price = artefact.price(Ordinal{i});
    if (price && stage_fixture::has_value(artefact, Ordinal{i}, "category", category)) prices.push_back(*price);
  }
  std::sort(prices.begin(), prices.end());
  return prices;
}

TEST(ListOrder, ShowsTheCheapestOfAllThatMatch) {
  const Artefact& artefact = *stage_fixture::fields().at("perfumes");
  StateOf state;
  state.wish("category", "eau de parfum");
  const auto stages = stage_fixture::run_stages(state.get(), artefact, 5, ordered("price", false));
  const auto prices = prices_of(artefact, "eau de parfum");
  ASSERT_EQ(stages.slate.products.size(), 5u);
  ASSERT_GE(prices.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(artefact.price(stages.slate.products[i].product), prices[i]) << i;
}

TEST(ListOrder, GoesUpToo) {
  const Artefact& artefact = *stage_fixture::fields().at("perfumes");
  StateOf state;
  state.wish("category", "eau de parfum");
  const auto stages = stage_fixture::run_stages(state.get(), artefact, 3, ordered("price", true));
  const auto prices = prices_of(artefact, "eau de parfum");
  ASSERT_EQ(stages.slate.products.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(artefact.price(stages.slate.products[i].product), prices[prices.size() - 1 - i]) << i;
}

TEST(ListOrder, ProductsWithoutTheNumberStandLast) {
  const Artefact& artefact = *stage_fixture::fields().at("perfumes");
  ProductSet all(artefact.product_count(), true);
  EXPECT_EQ(first_in_order({"no such column", false}, all, artefact, 4).size(), 4u);
  const auto first = first_in_order({"volume", false}, all, artefact, artefact.product_count());
  ASSERT_EQ(first.size(), artefact.product_count());
  for (std::size_t i = 1; i < first.size(); ++i) {
    const auto before = number_in(artefact, first[i - 1].product, "volume");
    const auto after = number_in(artefact, first[i].product, "volume");
    if (after) {
      ASSERT_TRUE(before);
      EXPECT_LE(before->value, after->value);
    }
  }
}

TEST(ListOrder, KnowsWhichNumbersAreSaid) {
  const Artefact& artefact = *stage_fixture::fields().at("perfumes");
  EXPECT_TRUE(is_said(artefact, "price"));
  EXPECT_TRUE(is_said(artefact, "volume"));
  EXPECT_FALSE(is_said(artefact, "no such column"));
}

}  // namespace
}  // namespace turnstone
