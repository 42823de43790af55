#include "workers/message.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

struct Read {
  std::shared_ptr<const Lexicon> lexicon;
  std::string text;
  Message message;
};

Read read(const std::string& field, const std::string& text) {
  const Artefact& artefact = *stage_fixture::fields().at(field);
  const auto policy = Policy::standard();
  Read result{Lexicon::of(artefact, *policy), text, {}};
  result.message = read_message(result.text, artefact, policy->cues(), *result.lexicon);
  return result;
}

TEST(Message, TheStrongestSignBetweenTwoWordsIsTheirGap) {
  const Read r = read("furniture", "red,blue - oak; pine. steel: red-blue oak/pine desk=steel");
  const std::vector<Gap> wanted{Gap::none,   Gap::comma, Gap::dash,  Gap::semicolon, Gap::stop,
                                Gap::colon,  Gap::hyphen, Gap::space, Gap::slash,     Gap::space, Gap::colon};
  ASSERT_EQ(r.message.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(r.message.words[i].gap, wanted[i]) << r.message.terms[i];
}

TEST(Message, SpansNameTheBytesOfTheWord) {
  const Read r = read("furniture", "  a BLACK desk!");
  ASSERT_EQ(r.message.size(), 3u);
  EXPECT_EQ(r.message.said(r.message.words[1].span), "BLACK");
  EXPECT_EQ(r.message.said(r.message.span(0, 3)), "a BLACK desk");
  EXPECT_EQ(r.message.terms[1], "black");
}

TEST(Message, CurrencyAndPercentSignsBelongToTheirNumber) {
  const Read r = read("furniture", "under $30, 100% oak, #2");
  ASSERT_EQ(r.message.size(), 5u);
  EXPECT_EQ(r.message.words[1].currency, "$");
  EXPECT_TRUE(r.message.words[2].percent);
  EXPECT_TRUE(r.message.words[4].hash);
  EXPECT_TRUE(r.message.words[3].currency.empty());
}

TEST(Message, ACurrencySignBehindItsNumberBelongsToIt) {
  const Read r = read("furniture", "80€ for oak, 1.200 € and 5 $30");
  ASSERT_EQ(r.message.size(), 7u);
  EXPECT_EQ(r.message.words[0].currency, "€");
  EXPECT_TRUE(r.message.words[1].currency.empty());
  EXPECT_EQ(r.message.words[3].currency, "€");
  EXPECT_TRUE(r.message.words[5].currency.empty());
  EXPECT_EQ(r.message.words[6].currency, "$");
}

TEST(Message, SlipsAreMendedAndKnownWordsAreNot) {
  const Read r = read("furniture", "a blakc armchiar of oak");
  ASSERT_EQ(r.message.size(), 5u);
  EXPECT_EQ(r.message.terms[1], "black");
  EXPECT_TRUE(r.message.words[1].mended);
  EXPECT_EQ(r.message.terms[2], "armchair");
  EXPECT_EQ(r.message.terms[4], "oak");
  EXPECT_FALSE(r.message.words[4].mended);
}

TEST(Message, ASmallForeignWordIsNotTheWordItFoldsTo) {
  EXPECT_TRUE(read("furniture", "ein Stuhl für mich").message.words[2].function);
  EXPECT_FALSE(read("furniture", "a fur rug").message.words[1].function);
}

TEST(Message, PhrasesAndColumnNamesAreTheLongestThatBeginAtAWord) {
  const Read r = read("cars", "fuel type: petrol, gearbox automatic");
  ASSERT_EQ(r.message.size(), 5u);
  EXPECT_EQ(r.message.facet_names[0].name, "fuel_type");
  EXPECT_EQ(r.message.facet_names[0].length, 2u);
  EXPECT_EQ(r.message.phrases[2].length, 1u);
  EXPECT_EQ(r.message.phrases[2].key, "petrol");
  EXPECT_EQ(r.message.facet_names[3].name, "gearbox");
}

// A catalogue with a maker called APC, cases, and graphics cards that it calls GPU.
std::shared_ptr<const Artefact> hardware() {
  using namespace stage_fixture;
  std::vector<json> rows;
  for (int i = 0; i < 40; ++i) {
    const std::string kind = i % 2 == 0 ? "PC Case" : "GPU", maker = i % 4 < 2 ? "APC" : "Zeta";
    rows.push_back(item(numbered("H", i), maker + " model " + std::to_string(i) + " " + kind, {kind}, {{"Brand", maker}, {"Graphics", "integrated"}}));
  }
  return index_rows(rows, "hardware");
}

Message read_hardware(const std::string& text) {
  static const auto artefact = hardware();
  const auto policy = Policy::standard();
  return read_message(text, *artefact, policy->cues(), *Lexicon::of(*artefact, *policy));
}

TEST(Message, AnArticleIsNotJoinedToTheNextWord) {
  const Message message = read_hardware("a pc case");
  EXPECT_EQ(message.phrases[0].length, 0u);
  EXPECT_EQ(message.phrases[1].key, "pc case");
  EXPECT_EQ(read_hardware("an apc unit").phrases[1].key, "apc");
}

TEST(Message, WordsOfTheSameMeaningCountWhateverTheFirstOfThemMeansAlone) {
  const Message message = read_hardware("a graphics card");
  EXPECT_EQ(message.phrases[1].length, 2u);
  EXPECT_EQ(message.phrases[1].key, "gpu");
}

TEST(Message, IsBoundedInWords) {
  std::string text;
  for (std::size_t i = 0; i < message_words_max + 500; ++i) text += "oak ";
  EXPECT_EQ(read("furniture", text).message.size(), message_words_max);
}

}  // namespace
}  // namespace turnstone
