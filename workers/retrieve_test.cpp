#include <gtest/gtest.h>

#include <algorithm>

#include "workers/requirement.h"
#include "workers/retrieve_pool.h"
#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

TEST(Retrieve, WishesAreIntersected) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().wish("category", "Armchair").wish("color", "Red").get(), artefact);
  EXPECT_EQ(stages.retrieval.matching, 12U);
  EXPECT_EQ(stages.retrieval.exact.size(), 12U);
  for (const Ordinal product : stages.retrieval.exact) {
    EXPECT_TRUE(has_value(artefact, product, "category", "armchair")) << artefact.title(product);
    EXPECT_TRUE(has_value(artefact, product, "color", "red")) << artefact.title(product);
  }
  EXPECT_TRUE(stages.retrieval.relaxed.empty());
}

TEST(Retrieve, ContradictedProductsAreNoCandidates) {
  const Artefact& artefact = furniture_artefact();
  for (const Candidate& candidate : run_stages(StateOf().wish("category", "Desk").wish("color", "Blue").get(), artefact).retrieval.candidates) {
    EXPECT_TRUE(has_value(artefact, candidate.product, "color", "blue")) << artefact.title(candidate.product);
  }
}

TEST(Retrieve, ADescriptionThatNamesAKindDoesNotMakeOneOfIt) {
  std::vector<nlohmann::json> rows = furniture();
  for (std::size_t i = 0; i < rows.size(); i += 24) {
    rows[i]["title"] = "Nordhem recliner " + std::to_string(i);
    rows[i]["categories"] = {"Home", "Furniture", "Recliner"};
  }
  rows[2]["features"] = {"Stands well beside any recliner"};
  rows[3]["title"] = "Kestrel stool that turns into a recliner";
  const auto artefact = index_rows(rows, "named_kind");
  const auto stages = run_stages(StateOf().wish("category", "Recliner").get(), *artefact);
  std::vector<std::string_view> others;
  for (const Candidate& candidate : stages.retrieval.candidates) {
    if (!has_value(*artefact, candidate.product, "category", "recliner")) others.push_back(artefact->product_id(candidate.product));
  }
  EXPECT_EQ(others, std::vector<std::string_view>{"F0003"});
}

TEST(Retrieve, RejectedValuesAndProductsStayOut) {
  const Artefact& artefact = furniture_artefact();
  StateOf state;
  state.wish("category", "Stool").wish("color", "Black", Operator::is_not);
  const auto before = run_stages(state.get(), artefact);
  ASSERT_FALSE(before.ranking.products.empty());
  for (const Ranked& ranked : before.ranking.products) EXPECT_FALSE(has_value(artefact, ranked.product, "color", "black"));
  const ProductId best{std::string(artefact.product_id(before.ranking.products.front().product))};
  const auto after = run_stages(state.event(ProductRejected{best, "not that one"}).get(), artefact);
  EXPECT_EQ(after.retrieval.matching + 1, before.retrieval.matching);
  for (const Ranked& ranked : after.ranking.products) EXPECT_NE(artefact.product_id(ranked.product), best.value);
}

TEST(Retrieve, WordsOfListingsAreGivenUpBeforeColumns) {
  const Artefact& artefact = furniture_artefact();
  StateOf state;
  state.wish("category", "Armchair").wish("feature", "Kestrel solid steel folds").wish("color", "Red").wish("material", "Pine");
  const auto stages = run_stages(state.get(), artefact);
  ASSERT_FALSE(stages.retrieval.relaxed.empty());
  EXPECT_EQ(stages.retrieval.relaxed.front().constraint, ConstraintId{2}) << "though it was said before the color";
}

TEST(Retrieve, WhatMatchesAndWasShownIsTold) {
  const Artefact& artefact = furniture_artefact();
  StateOf state;
  state.wish("category", "Armchair").wish("color", "Red");
  const auto first = run_stages(state.get(), artefact);
  ProductsShown shown;
  for (const SlateEntry& entry : first.slate.products) {
    shown.products.push_back({ProductId{std::string(artefact.product_id(entry.product))}, {}, {}});
  }
  ASSERT_EQ(shown.products.size(), 10U);
  const auto then = run_stages(state.event(shown).get(), artefact).retrieval;
  EXPECT_EQ(then.matching, 12U);
  EXPECT_EQ(then.exact.size(), 2U);
  ASSERT_EQ(then.seen.size(), 10U);
  EXPECT_EQ(then.seen.front(), first.slate.products.back().product) << "the latest first";
}

// Who is told that a product matches is told the truth: the sets that retrieval intersects and the look at one listing agree.
TEST(Retrieve, OneListingSatisfiesWhatTheSetsSay) {
  for (const auto& [field, artefact] : fields()) {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      StateOf state;
      for (std::uint32_t w = 0; w < 3; ++w) {
        const Facet& facet = artefact->facets()[(seed * 7 + w * 5) % artefact->facets().size()];
        const std::string name(facet.name);
        if (facet.kind == FacetKind::number) {
          state.number(name, seed % 2 == 0 ? Operator::at_most : Operator::at_least, 60 + seed);
        } else if (facet.value_count > 0) {
          state.wish(name, std::string(artefact->value(ValueId{facet.first_value.value + seed % facet.value_count}).text));
        }
      }
      if (seed % 3 == 0) state.wish("feature", seed % 2 == 0 ? "bergamot" : "folds flat");
      const Variant& variant = Policy::standard()->variant("shopper");
      const Wishes wishes = compile_wishes(state.get(), *artefact, variant);
      const Pool pool = build_pool(state.get(), wishes, *artefact, variant);
      for (std::uint32_t p = 0; p < artefact->product_count(); ++p) {
        const bool all = std::all_of(wishes.requirements.begin(), wishes.requirements.end(), [&](const Requirement& requirement) {
          const bool kept = std::any_of(pool.kept.begin(), pool.kept.end(), [&](const Clause& c) { return c.requirement == &requirement; });
          return !kept || satisfies(requirement, Ordinal{p}, *artefact);
        });
        ASSERT_EQ(pool.products.contains(Ordinal{p}), all) << field << " seed " << seed << ": " << artefact->title(Ordinal{p});
      }
    }
  }
}

TEST(Retrieve, AMissingPriceIsUnknown) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().wish("category", "Desk").number("price", Operator::at_most, 100).get(), artefact);
  bool unpriced = false;
  for (const Candidate& candidate : stages.retrieval.candidates) {
    const auto price = artefact.price(candidate.product);
    unpriced |= !price;
    if (price) {
      EXPECT_LE(*price, whole_number(100)) << artefact.title(candidate.product);
    }
  }
  EXPECT_TRUE(unpriced);
}

TEST(Retrieve, TheWishInTheWayIsGivenUpAndNamed) {
  const Artefact& artefact = *fields().at("cars");  // every car tells its power, none has a thousand watts
  const auto stages = run_stages(StateOf().wish("category", "Van").wish("fuel_type", "Diesel").number("power", Operator::at_least, 1'000).get(), artefact);
  ASSERT_EQ(stages.retrieval.relaxed.size(), 1U);
  EXPECT_EQ(stages.retrieval.relaxed[0].constraint, ConstraintId{3});
  EXPECT_GT(stages.retrieval.relaxed[0].pool_after, 0U);
  EXPECT_EQ(stages.retrieval.route, Route::relaxed);
  for (const Ordinal product : stages.retrieval.exact) EXPECT_TRUE(has_value(artefact, product, "fuel_type", "diesel"));
}

TEST(Retrieve, NothingIsGivenUpWhereThePriceIsUnknown) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().wish("category", "Desk").wish("color", "Black").number("price", Operator::at_least, 1'000).get(), artefact);
  EXPECT_TRUE(stages.retrieval.relaxed.empty());
  EXPECT_FALSE(stages.retrieval.exact.empty());
  for (const Ordinal product : stages.retrieval.exact) EXPECT_FALSE(artefact.price(product).has_value());
}

TEST(Retrieve, UnsureSoftWishesGoBeforeHardOnes) {
  const Artefact& artefact = furniture_artefact();
  // No stool is called a bookcase.
  const auto stages = run_stages(StateOf()
                                     .wish("category", "Stool")
                                     .wish("color", "Red")
                                     .wish("feature", "series 7 bookcase", Operator::is, Strength::soft, 300)
                                     .get(),
                                 artefact);
  ASSERT_FALSE(stages.retrieval.relaxed.empty());
  EXPECT_EQ(stages.retrieval.relaxed[0].constraint, ConstraintId{3});
  EXPECT_EQ(stages.retrieval.relaxed[0].pool_before, 0U);
  EXPECT_EQ(stages.retrieval.relaxed[0].pool_after, 12U);
  EXPECT_LE(stages.retrieval.relaxed.size(), 1U);
}

TEST(Retrieve, PagesGoOnUntilTheEpochAdvances) {
  const Artefact& artefact = furniture_artefact();
  StateOf state;
  state.wish("category", "Bookcase");
  std::set<std::string> seen;
  for (int page = 0; page < 4; ++page) {
    const auto stages = run_stages(state.get(), artefact);
    ProductsShown shown{stages.slate.route, stages.retrieval.matching, {}};
    for (const SlateEntry& entry : stages.slate.products) {
      const std::string id(artefact.product_id(entry.product));
      EXPECT_TRUE(seen.insert(id).second) << id << " was shown before";
      shown.products.push_back({ProductId{id}, entry.score, entry.confidence});
    }
    EXPECT_FALSE(shown.products.empty());
    state.event(shown);
  }
  const auto first = run_stages(StateOf().wish("category", "Bookcase").get(), artefact);
  state.event(EpochAdvanced{Epoch{1}, Epoch{2}, EpochReason::new_product, {ConstraintId{1}}, {}});
  const auto again = run_stages(state.get(), artefact);
  ASSERT_FALSE(again.slate.products.empty());
  EXPECT_EQ(again.slate.products[0].product, first.slate.products[0].product);
}

TEST(Retrieve, RarePhrasesAreFoundWhateverTheColumnsSay) {
  const Artefact& artefact = furniture_artefact();
  // The category was misread; the words of the bullet still lead to the products.
  const auto stages = run_stages(StateOf().wish("category", "Armchair").wish("feature", "folds flat for storage").get(), artefact);
  ASSERT_FALSE(stages.ranking.products.empty());
  bool found = false;
  for (const Candidate& candidate : stages.retrieval.candidates) found |= !has_value(artefact, candidate.product, "category", "armchair");
  EXPECT_TRUE(found);
}

TEST(Retrieve, WithoutWishesThePopularOnesLead) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().get(), artefact);
  EXPECT_EQ(stages.retrieval.route, Route::popular);
  ASSERT_GE(stages.retrieval.candidates.size(), 2U);
  EXPECT_GE(artefact.popularity(stages.retrieval.candidates[0].product), artefact.popularity(stages.retrieval.candidates[1].product));
}

TEST(NumberBounds, YearsAndCountsAreWhatTheyAreMeasuresNearlySo) {
  ConstraintSet set;
  set.facet = "year";
  set.op = Operator::is;
  set.value.number = whole_number(2018);
  EXPECT_FALSE(ranges_of(set).front().holds(whole_number(2017)));
  EXPECT_TRUE(ranges_of(set).front().holds(whole_number(2018)));
  set.facet = "screen_size";
  set.unit = "inch";
  set.value.number = whole_number(27);
  EXPECT_TRUE(ranges_of(set).front().holds(*parse_number("26.9")));
  EXPECT_FALSE(ranges_of(set).front().holds(whole_number(26)));
}

}  // namespace
}  // namespace turnstone
