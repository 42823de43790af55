#include "workers/lexicon.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

std::shared_ptr<const Lexicon> lexicon(const std::string& field) {
  return Lexicon::of(*stage_fixture::fields().at(field), *Policy::standard());
}

TEST(SlipCost, LikelierSlipsCostLess) {
  EXPECT_EQ(slip_cost("black", "black", 30), 0);
  EXPECT_EQ(slip_cost("blakc", "black", 30), 7);   // swapped
  EXPECT_EQ(slip_cost("blackk", "black", 30), 6);  // doubled
  EXPECT_EQ(slip_cost("blqck", "black", 30), 8);   // neighbouring keys
  EXPECT_EQ(slip_cost("blick", "black", 30), 9);   // one vowel for another
  EXPECT_EQ(slip_cost("blck", "black", 30), 10);   // dropped
  EXPECT_EQ(slip_cost("blpck", "black", 30), 12);  // any other
  EXPECT_EQ(slip_cost("nlack", "black", 30), 12);  // neighbouring keys, but the first letter
}

TEST(SlipCost, StopsAtItsLimit) {
  EXPECT_EQ(slip_cost("black", "white", 10), 11);
  EXPECT_EQ(slip_cost(std::string(40, 'a'), "black", 10), 11);
  EXPECT_EQ(slip_cost("", "a", 5), 6);
}

TEST(Lexicon, MendsToTheUniqueNearNeighbour) {
  const auto words = lexicon("furniture");
  EXPECT_EQ(words->mend("blakc"), "black");
  EXPECT_EQ(words->mend("armchiar"), "armchair");
  EXPECT_EQ(words->mend("disregrad"), "disregard");
  EXPECT_FALSE(words->mend("black"));       // known
  EXPECT_FALSE(words->mend("qwzrtlmnb"));   // nothing is near
  EXPECT_FALSE(words->mend("blk"));         // too short to tell
  EXPECT_FALSE(words->mend("b1ack5"));      // digits are no slips
}

TEST(Lexicon, KnowsFamiliesListsAndColumns) {
  const auto words = lexicon("furniture");
  EXPECT_EQ(words->family("color", "navy"), "blue");
  EXPECT_EQ(words->family("synonym", "couch"), "sofa");
  EXPECT_FALSE(words->family("color", "oak"));
  EXPECT_FALSE(words->family("no such table", "navy"));
  EXPECT_TRUE(words->in_list("function", "the"));
  EXPECT_EQ(words->facet_named("colour", false), "color");
  EXPECT_EQ(words->facet_named("fabric", false), "material");
  EXPECT_FALSE(words->facet_named("make", false));
}

TEST(Lexicon, CountsWhatAKindOfProductFills) {
  const Artefact& cars = *stage_fixture::fields().at("cars");
  const auto words = lexicon("cars");
  const Facet* category = cars.facet("category");
  ASSERT_NE(category, nullptr);
  const auto van = cars.find_value(category->id, "van");
  ASSERT_TRUE(van);
  EXPECT_EQ(words->filled(*van, cars.facet("gearbox")->id), 40u);  // a quarter of 160 cars
  EXPECT_FALSE(words->numbers_of(*van).empty());
}

}  // namespace
}  // namespace turnstone
