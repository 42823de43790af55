#include "storage/artefact/language.h"

#include <gtest/gtest.h>

namespace turnstone {
namespace {

TEST(Language, KnowsUnitsByEveryForm) {
  const Language& language = Language::standard();
  ASSERT_NE(language.unit("inches"), nullptr);
  EXPECT_EQ(language.unit("inches")->name, "inch");
  EXPECT_EQ(language.unit("\"")->kind, "length");
  EXPECT_EQ(language.unit("tb")->factor, whole_number(1000));
  EXPECT_EQ(language.unit("parsec"), nullptr);
}

TEST(Language, KnowsMoneyNumbersAndFamilies) {
  const Language& language = Language::standard();
  EXPECT_EQ(language.currency("bucks"), "$");
  EXPECT_EQ(language.currency("€"), "€");
  EXPECT_EQ(language.currency("shells"), std::nullopt);
  EXPECT_EQ(language.number_word("eighty"), 80);
  EXPECT_EQ(language.family_of("color", "navy"), "blue");
  EXPECT_EQ(language.family_of("recipient", "mom"), "women");
  EXPECT_EQ(language.family_of("color", "sofa"), std::nullopt);
  EXPECT_TRUE(language.in_list("filler", "honestly"));
}

TEST(Language, NamesTheFacetOfAColumn) {
  const Language& language = Language::standard();
  EXPECT_EQ(language.facet_of_column("Colour group"), "color");
  EXPECT_EQ(language.facet_of_column("Frame Material"), "material");
  EXPECT_EQ(language.facet_of_column("ReleaseYear"), "release_year");
  EXPECT_EQ(language.facet_of_column("Age Range (Description)"), "age_range_description");
}

TEST(Language, LaterFilesAddAndWin) {
  const auto language = Language::parse(
      "[table.color]\nblue = [\"navy\"]\n[unit.stone]\nkind = \"mass\"\nfactor = \"6350.2932\"\n"
      "[table.color]\nblue = [\"bleu\"]\ndark = [\"navy\"]\n[list]\nfiller = [\"ben\"]\n");
  ASSERT_TRUE(language.has_value()) << language.error().detail;
  EXPECT_EQ(language->family_of("color", "bleu"), "blue");
  EXPECT_EQ(language->family_of("color", "navy"), "dark");
  EXPECT_EQ(language->unit("stone")->factor, Number{63'502'932});
}

TEST(Language, SaysWhereItsTextIsWrong) {
  const auto broken = Language::parse("[list]\nfiller = [\"a\"]\n[unit.x]\nkind = \"mass\"\n");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(broken.error().detail.find("line 3"), std::string::npos) << broken.error().detail;
  EXPECT_FALSE(Language::parse("[list]\nfiller = [\n").has_value());
  EXPECT_FALSE(Language::parse("[verbs]\na = [\"b\"]\n").has_value());
}

}  // namespace
}  // namespace turnstone
