#include "storage/artefact/tokeniser.h"

#include <gmock/gmock.h>

#include "storage/artefact/language.h"

namespace turnstone {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> terms(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : tokenise(text, Language::standard())) out.push_back(token.term);
  return out;
}

TEST(Tokeniser, FoldsCaseAccentsWidthAndInvisibleCharacters) {
  EXPECT_THAT(terms("CAFÉ cafe\u0301 ＵＳＢ co\u200btton"), ElementsAre("cafe", "cafe", "usb", "cotton"));
  EXPECT_THAT(terms("straße naïve ﬁt"), ElementsAre("strasse", "naive", "fit"));
}

TEST(Tokeniser, SplitsAtEverythingThatIsNeitherLetterNorDigit) {
  EXPECT_THAT(terms("black/white, off-white & (red)"), ElementsAre("black", "white", "off", "white", "red"));
  EXPECT_THAT(terms("Intel™ Core® 😀"), ElementsAre("intel", "core"));
}

TEST(Tokeniser, KeepsNumbersAndProgrammingSignsWhole) {
  EXPECT_THAT(terms("$1,299.00 19.99 2,5,7 10,000,000"), ElementsAre("1299.00", "19.99", "2", "5", "7", "10000000"));
  EXPECT_THAT(terms("C++ and C# but a+b"), ElementsAre("c++", "and", "c#", "but", "a", "b"));
}

TEST(Tokeniser, SplitsANumberFromItsUnit) {
  EXPECT_THAT(terms("32GB 144hz 27\" 15.6'' 1080p 18k"), ElementsAre("32", "gb", "144", "hz", "27", "inch", "15.6", "inch", "1080p", "18k"));
  EXPECT_THAT(terms("called \"model 27\" here"), ElementsAre("called", "model", "27", "here"));
  EXPECT_THAT(terms("6½ 26×15"), ElementsAre("6.5", "26x15"));
}

TEST(Tokeniser, ReducesToTheSingular) {
  EXPECT_THAT(terms("dresses watches boxes shoes hoodies hoodie accessories ties"),
              ElementsAre("dress", "watch", "box", "shoe", "hoody", "hoody", "accessory", "tie"));
  EXPECT_THAT(terms("women's womens woman men's children scarves"), ElementsAre("woman", "woman", "woman", "man", "child", "scarf"));
  EXPECT_THAT(terms("this glass bus tennis 90s"), ElementsAre("this", "glass", "bus", "tennis", "90s"));
}

TEST(Tokeniser, NamesTheBytesOfEachWord) {
  const std::string text = "Un café, 32GB";
  const auto tokens = tokenise(text, Language::standard());
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(text.substr(tokens[1].begin, tokens[1].end - tokens[1].begin), "café");
  EXPECT_EQ(text.substr(tokens[2].begin, tokens[2].end - tokens[2].begin), "32");
  EXPECT_EQ(text.substr(tokens[3].begin, tokens[3].end - tokens[3].begin), "GB");
  EXPECT_TRUE(tokens[2].is_number);
  EXPECT_TRUE(tokens[2].space_before);
  EXPECT_FALSE(tokens[3].space_before);
}

TEST(Tokeniser, GivesATokenACharacterInScriptsWithoutSpaces) { EXPECT_THAT(terms("黒い 한국어"), ElementsAre("黒", "い", "한국어")); }

TEST(Tokeniser, TakesAnyBytes) {
  EXPECT_THAT(terms("\xff\xfe red \xc3"), ElementsAre("red"));
  EXPECT_THAT(terms(""), ElementsAre());
  const std::string longest(5000, 'x');
  ASSERT_EQ(terms(longest).size(), 1u);
  EXPECT_EQ(terms(longest)[0].size(), 64u);
}

TEST(Tokeniser, KeysAreTheTermsAlone) {
  EXPECT_EQ(term_key(" Cooler-Master® ", Language::standard()), "cooler master");
  EXPECT_EQ(fold_text("  Café\t au  LAIT "), "cafe au lait");
}

}  // namespace
}  // namespace turnstone
