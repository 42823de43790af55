#include "workers/cue_book.h"

#include <gtest/gtest.h>

#include "workers/policy.h"

namespace turnstone {
namespace {

using Terms = std::vector<std::string>;

TEST(CueBook, TheLongestPhraseWins) {
  const auto book = CueBook::parse("[cue]\nnegate = [\"not\"]\nharmless = [\"not only\"]\n");
  ASSERT_TRUE(book) << book.error().detail;
  const auto longer = book->longest(Terms{"not", "only", "red"}, 0);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->length, 2u);
  EXPECT_TRUE(longer->is(CueKind::harmless));
  EXPECT_FALSE(longer->is(CueKind::negate));
  const auto shorter = book->longest(Terms{"not", "red"}, 0);
  ASSERT_TRUE(shorter);
  EXPECT_EQ(shorter->length, 1u);
  EXPECT_TRUE(shorter->is(CueKind::negate));
  EXPECT_FALSE(book->longest(Terms{"red", "not"}, 0));
}

TEST(CueBook, APhraseMayBeOfSeveralKinds) {
  const auto book = CueBook::parse("[cue]\nat_most = [\"max\"]\nor_less = [\"max\"]\n");
  ASSERT_TRUE(book);
  const auto cue = book->longest(Terms{"max"}, 0);
  ASSERT_TRUE(cue);
  EXPECT_TRUE(cue->is(CueKind::at_most));
  EXPECT_TRUE(cue->is(CueKind::or_less));
}

TEST(CueBook, ContractionsAreReadWrittenOutToo) {
  const auto book = CueBook::parse("[cue]\nwaive = [\"don't care\"]\n");
  ASSERT_TRUE(book);
  EXPECT_TRUE(book->longest(Terms{"dont", "care"}, 0));
  EXPECT_TRUE(book->longest(Terms{"do", "not", "care"}, 0));
  EXPECT_TRUE(book->words().contains("care"));
}

TEST(CueBook, PartsOfSpeechAreApartFromCues) {
  const auto book = CueBook::parse("[cue]\ndrop = [\"forget\"]\n[speech]\nrevoking = [\"forget\", \"forget about\"]\nearlier = [\"before\"]\n");
  ASSERT_TRUE(book);
  const Terms terms{"forget", "about", "before"};
  EXPECT_EQ(book->part(SpeechPart::revoking, terms, 0), 2u);
  EXPECT_EQ(book->part(SpeechPart::earlier, terms, 0), 0u);
  EXPECT_EQ(book->part(SpeechPart::earlier, terms, 2), 1u);
  EXPECT_EQ(book->part(SpeechPart::earlier, terms, 3), 0u);  // behind the end
  ASSERT_TRUE(book->longest(terms, 0));
  EXPECT_EQ(book->longest(terms, 0)->length, 1u);
}

TEST(CueBook, RelativesDimensionsAndPlacesAreLookedUp) {
  const auto book = CueBook::parse(
      "[cue]\n[relative.lighter]\nup = false\nfacets = [\"weight\"]\nphrases = [\"less heavy\"]\nutmost = [\"lightest\"]\n[dimension]\nwidth = [\"wide\"]\n"
      "[place]\nsecond = 2\nlast = -1\nnouns = [\"one\"]\n");
  ASSERT_TRUE(book) << book.error().detail;
  const auto relative = book->longest_relative(Terms{"less", "heavy"}, 0);
  ASSERT_TRUE(relative);
  EXPECT_FALSE(relative->utmost);
  EXPECT_TRUE(book->longest_relative(Terms{"lightest"}, 0)->utmost);
  EXPECT_FALSE(relative->cue->up);
  EXPECT_EQ(relative->cue->facets, Terms{"weight"});
  EXPECT_EQ(book->dimension("wide"), "width");
  EXPECT_EQ(book->ordinal("second"), 2);
  EXPECT_EQ(book->ordinal("last"), -1);
  EXPECT_FALSE(book->ordinal("third"));
  EXPECT_TRUE(book->is_place_noun("one"));
}

TEST(CueBook, WhatItDoesNotKnowIsAnErrorThatNamesIt) {
  const auto kind = CueBook::parse("[cue]\nshout = [\"hey\"]\n");
  ASSERT_FALSE(kind);
  EXPECT_NE(kind.error().detail.find("shout"), std::string::npos);
  const auto part = CueBook::parse("[cue]\n[speech]\nwhisper = [\"psst\"]\n");
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().detail.find("whisper"), std::string::npos);
  EXPECT_FALSE(CueBook::parse("[cue]\nnegate = [\"...\"]\n"));  // no words
  EXPECT_FALSE(CueBook::parse("[cue"));
  EXPECT_FALSE(CueBook::parse(""));
}

TEST(CueBook, TheStandardPolicyKnowsSmallForeignWordsByTheirAccents) {
  const CueBook& book = Policy::standard()->cues();
  EXPECT_TRUE(book.is_accented_small("für"));
  EXPECT_FALSE(book.is_accented_small("fur"));
}

}  // namespace
}  // namespace turnstone
