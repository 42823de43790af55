#include "workers/reply_list.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

// A state with three wishes and a list made by hand.
struct Told {
  StateOf state;
  Retrieval retrieval;
  Slate slate;
  Told() { state.wish("category", "Desk").wish("color", "Red").wish("material", "Oak"); }
  Told& product(std::vector<ConstraintId> misses) {
    slate.route = Route::portfolio;
    const Ordinal product{static_cast<std::uint32_t>(slate.products.size())};
    if (misses.empty()) retrieval.exact.push_back(product);
    slate.products.push_back({product, Score{1}, Permille{1}, {}, std::move(misses)});
    return *this;
  }
  Told& matching(std::uint32_t count) {
    retrieval.matching = count;
    return *this;
  }
  Told& gave_up(int id) {
    retrieval.relaxed.push_back({ConstraintId{static_cast<std::uint32_t>(id)}, "no product satisfies all wishes", 0, retrieval.matching});
    return *this;
  }
  std::string sentence() const { return list_sentence(state.get(), retrieval, slate, furniture_artefact()); }
};

constexpr ConstraintId desk{1}, red{2}, oak{3};

TEST(ReplyList, CountsWhatMatches) {
  EXPECT_EQ(Told().product({}).matching(1).sentence(), "One product matches.");
  EXPECT_EQ(Told().product({}).product({}).matching(40).sentence(), "40 products match.");
}

TEST(ReplyList, TellsNearMissesFromWhatMatches) {
  EXPECT_EQ(Told().product({}).product({red}).product({}).product({red, oak}).matching(2).sentence(),
            "2 products match: numbers 1 and 3; the others come near without holding to Red and Oak.");
  EXPECT_EQ(Told().product({}).product({}).product({}).product({desk}).matching(30).sentence(),
            "30 products match, of those here numbers 1 to 3; the others come near without holding to Desk.");
}

TEST(ReplyList, NamesWhatWasGivenUpAndWhatElseIsMissed) {
  EXPECT_EQ(Told().product({red}).product({desk, red}).matching(1).gave_up(2).sentence(),
            "Nothing has all of that. Without Red, these come nearest.") << "nothing of the pool is left to show";
  Told told;
  told.product({red}).product({desk, red}).matching(1).gave_up(2);
  told.retrieval.exact = {Ordinal{0}};
  EXPECT_EQ(told.sentence(), "Nothing has all of that. Without Red, one product matches: number 1; the others come near without holding to Desk.");
  EXPECT_EQ(Told().product({desk, red, oak}).gave_up(1).gave_up(2).gave_up(3).sentence(),
            "Nothing has all of that, so these come near without holding to Desk, Red and Oak.");
}

TEST(ReplyList, NamesWhatMatchesAndWasShownBefore) {
  Told told;
  told.product({oak}).matching(1);
  told.retrieval.seen = {Ordinal{7}};
  const std::string title(furniture_artefact().title(Ordinal{7}));
  EXPECT_EQ(told.sentence(), "The one product that matches has been shown: “" + title + "”; these come near without holding to Oak.");
  told.slate.products.clear();
  told.slate.empty_reason = "everything that comes near these wishes has been shown";
  EXPECT_EQ(told.sentence(), "The one product that matches has been shown: “" + title + "”.");
}

TEST(ReplyList, CountsWhatAnOrderBringsBack) {
  Told told;
  told.product({}).product({}).matching(2);
  told.retrieval.exact.clear();
  told.retrieval.seen = {Ordinal{0}, Ordinal{1}};
  EXPECT_EQ(told.sentence(), "2 products match.");
}

// Whatever is wished for: a reply that says how many match, and lists more than that, names what the others lack.
TEST(ReplyList, ACountNeverContradictsItsList) {
  int near_misses = 0;
  for (const auto& [field, artefact] : fields()) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      StateOf state;
      for (std::uint32_t w = 0; w < 2 + seed % 3; ++w) {
        const Facet& facet = artefact->facets()[(seed * 11 + w * 3) % artefact->facets().size()];
        if (facet.value_count == 0) continue;
        state.wish(std::string(facet.name), std::string(artefact->value(ValueId{facet.first_value.value + (seed + w) % facet.value_count}).text));
      }
      state.wish("feature", field == "perfumes" ? "orange blossom" : "folds flat for storage");
      const auto stages = run_stages(state.get(), *artefact);
      const std::string sentence = list_sentence(state.get(), stages.retrieval, stages.slate, *artefact);
      if (stages.retrieval.exact.empty() || stages.slate.products.size() <= stages.retrieval.matching) continue;
      ++near_misses;
      EXPECT_NE(sentence.find("without holding to"), std::string::npos) << field << " seed " << seed << ": " << sentence;
    }
  }
  EXPECT_GT(near_misses, 0);
}

}  // namespace
}  // namespace turnstone
