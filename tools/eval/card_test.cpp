#include "tools/eval/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProductRow row() {
  ProductRow out;
  out.id = "P1";
  out.title = "Trail Jacket";
  out.categories = {"Clothing, Shoes & Jewelry", "Women", "Jackets & Coats"};
  return out;
}

TEST(HiddenCard, FeaturesInOrderThenDetailsAsKeyAndValue) {
  ProductRow product = row();
  product.features = {"two pockets", "taped seams"};
  product.details = {{"Hood", "detachable"}, {"Zip", "two-way"}};
  const HiddenCard card = hidden_card(product);
  EXPECT_THAT(card.hard, ElementsAre("two pockets", "taped seams"));
  EXPECT_THAT(card.soft, ElementsAre("Hood: detachable", "Zip: two-way"));
  EXPECT_THAT(card.facts, ElementsAre("two pockets", "taped seams", "Hood: detachable", "Zip: two-way"));
}

TEST(HiddenCard, MaterialFirstColourSecondPriceLast) {
  ProductRow product = row();
  product.features = {"taped seams"};
  product.description = {"Soft NYLON shell in Navy or Red."};
  product.price = parse_number("49.90");
  const HiddenCard card = hidden_card(product);
  EXPECT_THAT(card.facts, ElementsAre("nylon", "color: red", "taped seams", "budget around $49.9"));
}

TEST(HiddenCard, TheFirstWordOfTheTextNotOfTheList) {
  ProductRow product = row();
  product.features = {"wool outside, cotton inside"};
  EXPECT_EQ(hidden_card(product).hard.front(), "wool");
  product.title = "Leather Jacket";
  EXPECT_EQ(hidden_card(product).hard.front(), "leather");
}

TEST(HiddenCard, WholeWordsOnly) {
  ProductRow product = row();
  product.features = {"woollen look", "covered buttons", "cotton-like touch"};
  const HiddenCard card = hidden_card(product);
  EXPECT_THAT(card.facts, ElementsAre("cotton", "woollen look", "covered buttons", "cotton-like touch"));
}

TEST(HiddenCard, ColourAloneStandsSecond) {
  ProductRow product = row();
  product.features = {"taped seams"};
  product.store = "Blue Ridge";
  EXPECT_THAT(hidden_card(product).facts, ElementsAre("taped seams", "color: blue"));
  product.features.clear();
  EXPECT_THAT(hidden_card(product).facts, ElementsAre("color: blue"));
}

TEST(HiddenCard, FourFactsAtMostAndThePriceOnlyWhenItIsAmongThem) {
  ProductRow product = row();
  product.features = {"a", "b", "c", "d", "e"};
  product.price = parse_number("10");
  EXPECT_THAT(hidden_card(product).facts, ElementsAre("a", "b", "c", "d"));
}

TEST(HiddenCard, SoftIsTheFirstAgainWhenThereAreNone) {
  ProductRow product = row();
  product.features = {"taped seams"};
  const HiddenCard card = hidden_card(product);
  EXPECT_THAT(card.hard, ElementsAre("taped seams"));
  EXPECT_THAT(card.soft, ElementsAre("taped seams"));
  EXPECT_THAT(card.facts, ElementsAre("taped seams"));
}

TEST(HiddenCard, TheTitleWhenThereIsNothingElse) {
  const HiddenCard card = hidden_card(row());
  EXPECT_THAT(card.facts, ElementsAre("Trail Jacket"));
}

TEST(HiddenCard, TidyFacts) {
  EXPECT_EQ(tidy_fact("  - two \t\n pockets\xC2\xA0here ;.,"), "two pockets here");
  EXPECT_EQ(tidy_fact(" -;,. "), "");
  std::string longer;
  for (int at = 0; at < 200; ++at) longer += "\xC3\xA9";
  EXPECT_EQ(tidy_fact(longer).size(), 2 * fact_characters_max);
}

TEST(HiddenCard, DuplicatesAreDropped) {
  ProductRow product = row();
  product.features = {"two pockets", " two  pockets. ", "taped seams"};
  EXPECT_THAT(hidden_card(product).facts, ElementsAre("two pockets", "taped seams"));
}

TEST(HiddenCard, CategoryIsTheLastTwoPartsAtCommas) {
  ProductRow product = row();
  EXPECT_EQ(hidden_card(product).category, "Women Jackets & Coats");
  product.categories = {"Clothing, Shoes & Jewelry", "Men", "Shirts, Ties, Belts"};
  EXPECT_EQ(hidden_card(product).category, "Ties Belts");
  product.categories = {"Clothing, Shoes & Jewelry"};
  EXPECT_EQ(hidden_card(product).category, "clothing item");
  product.categories = {"Laptops"};
  EXPECT_EQ(hidden_card(product).category, "Laptops");
}

TEST(FactClass, InTheOrderOfTheRules) {
  EXPECT_EQ(class_of("budget around $20"), FactClass::budget);
  EXPECT_EQ(class_of("under 30 mm"), FactClass::budget);
  EXPECT_EQ(class_of("weight <= 5 kg"), FactClass::budget);
  EXPECT_EQ(class_of("understated cut"), FactClass::feature);
  EXPECT_EQ(class_of("Leather sole, black"), FactClass::material);
  EXPECT_EQ(class_of("woollen lining"), FactClass::material);
  EXPECT_EQ(class_of("Color: teal"), FactClass::color);
  EXPECT_EQ(class_of("covered buttons"), FactClass::color);
  EXPECT_EQ(class_of("Wide brim"), FactClass::size);
  EXPECT_EQ(class_of("Department: Women"), FactClass::style);
  EXPECT_EQ(class_of("long sleeves for winter"), FactClass::style);
  EXPECT_EQ(class_of("made for the gym"), FactClass::use_case);
  EXPECT_EQ(class_of("two pockets"), FactClass::feature);
}

}  // namespace
}  // namespace turnstone
