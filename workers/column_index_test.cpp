#include "workers/column_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "workers/ask_facet.h"
#include "workers/policy.h"
#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

// 1,400 listings: several blocks of products; every third without a price, few words that most of them hold.
const Artefact& shelves() {
  static const auto artefact = [] {
    std::vector<nlohmann::json> rows;
    for (int i = 0; i < 1'400; ++i) {
      nlohmann::json row = {{"parent_asin", "S" + std::to_string(i)},
                            {"title", std::string(i % 2 == 0 ? "Oak " : "Pine ") + "shelf number " + std::to_string(i)},
                            {"categories", {"Home", "Shelf"}},
                            {"features", {i % 5 == 0 ? "holds heavy books" : "holds light things"}},
                            {"details", {{"Depth", std::to_string(20 + i % 7) + " cm"}}}};
      if (i % 3 != 0) row["price"] = 10 + i % 90;
      rows.push_back(row);
    }
    return index_rows(rows, "shelves");
  }();
  return *artefact;
}

TEST(ColumnIndex, NumbersAreThoseOfTheArtefact) {
  const auto columns = ColumnIndex::of(shelves());
  std::size_t numeric = 0, unknown = 0;
  for (const Facet& facet : shelves().facets()) {
    if (facet.kind != FacetKind::number) continue;
    ++numeric;
    for (std::uint32_t i = 0; i < shelves().product_count(); ++i) {
      const auto number = shelves().number_of(Ordinal{i}, facet.id);
      ASSERT_EQ(columns->number_of(facet.id, Ordinal{i}, shelves()), number) << facet.name << " of product " << i;
      unknown += number ? 0 : 1;
    }
  }
  EXPECT_GE(numeric, 2U);
  EXPECT_GT(unknown, 400U) << "some have no price";
}

TEST(ColumnIndex, EveryValueIsOfItsColumn) {
  const auto columns = ColumnIndex::of(shelves());
  for (const Facet& facet : shelves().facets()) {
    for (const FacetValue& value : shelves().values(facet.id)) EXPECT_EQ(columns->facet_of(value.id), facet.id) << value.text;
  }
}

std::vector<Ordinal> with_all(const std::vector<TermId>& terms, std::size_t at_most) {
  std::vector<Ordinal> products;
  ColumnIndex::of(shelves())->for_each_with_all(terms, shelves(), [&](Ordinal product) {
    products.push_back(product);
    return products.size() < at_most;
  });
  return products;
}

TEST(ColumnIndex, ProductsWithAllWordsAreThoseWhoseListingsHoldThem) {
  const std::vector<std::vector<std::string>> queries = {{"oak"}, {"oak", "heavy"}, {"heavy", "1200"}, {"1201"}, {"pine", "heavy", "25"}, {"oak", "1201"}};
  for (const auto& words : queries) {
    std::vector<TermId> terms;
    for (const std::string& word : words) terms.push_back(shelves().term(word).value());
    std::vector<Ordinal> expected;
    for (std::uint32_t i = 0; i < shelves().product_count(); ++i) {
      const auto held = shelves().terms(Ordinal{i});
      if (std::all_of(terms.begin(), terms.end(), [&](TermId term) { return std::find(held.begin(), held.end(), term) != held.end(); })) {
        expected.push_back(Ordinal{i});
      }
    }
    EXPECT_EQ(with_all(terms, 10'000), expected) << words.front() << " and " << words.size() - 1 << " more";
    if (expected.size() > 3) {
      expected.resize(3);
      EXPECT_EQ(with_all(terms, 3), expected) << "stopped at the third";
    }
  }
}

TEST(GainAtMost, IsNoLessThanWhatTheQuestionBrings) {
  const Variant& variant = Policy::standard()->variant("shopper");
  std::size_t compared = 0;
  for (const auto& [name, artefact] : fields()) {
    for (const std::size_t step : {1U, 3U, 17U}) {
      Posterior pool;
      for (std::uint32_t i = 0; i < artefact->product_count(); i += static_cast<std::uint32_t>(step)) {
        pool.products.push_back(Ordinal{i});
        pool.weights.push_back(1 + static_cast<std::int64_t>(i) * 7919 % 65'536);
        pool.total += pool.weights.back();
      }
      const PoolColumns columns(pool, *artefact);
      for (const Facet& facet : artefact->facets()) {
        if (facet.verdict != Verdict::ask || facet.kind != FacetKind::number) continue;
        const auto question = weigh_facet(facet, columns, 700, variant);
        if (!question) continue;
        const auto bound = gain_at_most(facet, columns, 700, variant);
        ASSERT_TRUE(bound.has_value()) << name << " " << facet.name;
        EXPECT_GE(*bound, question->gain) << name << " " << facet.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace turnstone
