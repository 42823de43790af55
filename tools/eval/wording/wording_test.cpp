#include "tools/eval/wording/wording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "events/ascii.h"
#include "tools/eval/wording/slips.h"
#include "tools/eval/wording/synonyms.h"
#include "tools/eval/wording/values.h"

namespace turnstone {
namespace {

using testing::HasSubstr;

constexpr std::size_t frames_min = 25;
constexpr std::array<FrameSet, 4> frame_sets = {FrameSet::full, FrameSet::full_pair, FrameSet::bare, FrameSet::bare_pair};

std::vector<Meaning> one_of_each() {
  return {{SpeechAct::wants, "Women Jackets", {"100% Cotton"}, {}},
          {SpeechAct::wants_at_first, "Women Jackets", {"Colour group: Dark Blue"}, {}},
          {SpeechAct::explores, "Bow Ties & Cummerbunds", {}, {}},
          {SpeechAct::tells, {}, {"budget around $19.99"}, {}},
          {SpeechAct::tells, {}, {"Machine Wash", "Long sleeves with ribbed cuffs and a wide collar"}, {}},
          {SpeechAct::nothing_more, {}, {}, "material"},
          {SpeechAct::leaves_open, {}, {}, "use_case"},
          {SpeechAct::not_right_yet, {}, {}, {}},
          {SpeechAct::changes_her_mind, {}, {"nylon"}, {}}};
}

std::vector<std::string> talk(WordingStyle style, FrameHalf half, std::uint64_t seed) {
  const auto wording = make_wording(style, half, seed);
  std::vector<std::string> said;
  for (const Meaning& meaning : one_of_each()) said.push_back(wording->say(meaning));
  return said;
}

TEST(Frames, EveryActHasManyAndTheHalvesShareNone) {
  for (const SpeechAct act : speech_acts) {
    EXPECT_GE(frames(act, FrameSet::full, FrameHalf::all).size(), frames_min) << to_string(act);
    for (const FrameSet set : frame_sets) {
      const auto all = frames(act, set, FrameHalf::all), dev = frames(act, set, FrameHalf::development), kept = frames(act, set, FrameHalf::reserved);
      EXPECT_FALSE(dev.empty()) << to_string(act);
      EXPECT_FALSE(kept.empty()) << to_string(act);
      const std::set<std::string_view> distinct(all.begin(), all.end());
      EXPECT_EQ(distinct.size(), all.size()) << to_string(act) << " has a frame twice";
      EXPECT_EQ(dev.size() + kept.size(), all.size());
      for (const auto frame : dev) EXPECT_EQ(std::count(kept.begin(), kept.end(), frame), 0) << frame;
    }
  }
  EXPECT_GE(frames(SpeechAct::tells, FrameSet::full_pair, FrameHalf::all).size(), frames_min);
}

TEST(Frames, HoldTheSlotsOfTheirAct) {
  const auto holds = [](std::string_view frame, std::string_view slot) { return frame.find(slot) != std::string_view::npos; };
  for (const FrameSet set : frame_sets) {
    const bool pair = set == FrameSet::full_pair || set == FrameSet::bare_pair;
    for (const SpeechAct act : speech_acts) {
      const bool opens = act == SpeechAct::wants || act == SpeechAct::wants_at_first || act == SpeechAct::explores;
      const bool says = act == SpeechAct::wants || act == SpeechAct::wants_at_first || act == SpeechAct::tells || act == SpeechAct::changes_her_mind;
      for (const auto frame : frames(act, set, FrameHalf::all)) {
        EXPECT_EQ(holds(frame, "{c}"), opens) << frame;
        EXPECT_EQ(holds(frame, "{f}"), says) << frame;
        EXPECT_EQ(holds(frame, "{g}"), pair && act == SpeechAct::tells) << frame;
      }
    }
  }
}

TEST(Frames, AWithdrawalComesBeforeTheFact) {
  for (const FrameSet set : {FrameSet::full, FrameSet::bare}) {
    for (const auto frame : frames(SpeechAct::changes_her_mind, set, FrameHalf::all)) EXPECT_GT(frame.find("{f}"), 10U) << frame;
  }
}

TEST(Wording, TheSameSeedSaysTheSameAndAnotherOneSomethingElse) {
  for (const WordingStyle style : wording_styles) {
    EXPECT_EQ(talk(style, FrameHalf::all, 7), talk(style, FrameHalf::all, 7)) << to_string(style);
    if (style != WordingStyle::canonical) {
      EXPECT_NE(talk(style, FrameHalf::all, 7), talk(style, FrameHalf::all, 8)) << to_string(style);
    }
  }
}

// What is measured with these words is understanding, so they must not come from where the engine's come from.
TEST(Wording, ReadsNothingOfTheEngine) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TURNSTONE_WORDING_SOURCES)) {
    if (entry.path().filename() == "wording_test.cpp") continue;
    ++files;
    std::ifstream source(entry.path());
    for (std::string line; std::getline(source, line);) {
      EXPECT_FALSE(line.starts_with("#include <fstream>") || line.starts_with("#include <filesystem>") || line.starts_with("#include <cstdio>"))
          << entry.path() << ": " << line;
      if (!line.starts_with("#include \"")) continue;
      EXPECT_TRUE(line.starts_with("#include \"tools/eval/wording/") || line == "#include \"tools/generate/random.h\"" || line == "#include \"events/ascii.h\"")
          << entry.path() << ": " << line;
    }
  }
  EXPECT_GE(files, 9U);
}

TEST(Wording, WhatWasSaidInBetweenMovesNothing) {
  const auto alone = make_wording(WordingStyle::natural, FrameHalf::all, 3);
  const auto after = make_wording(WordingStyle::natural, FrameHalf::all, 3);
  after->say({SpeechAct::not_right_yet, {}, {}, {}});
  after->say({SpeechAct::nothing_more, {}, {}, "color"});
  const Meaning meaning{SpeechAct::tells, {}, {"Machine Wash"}, {}};
  EXPECT_EQ(alone->say(meaning), after->say(meaning));
}

TEST(Wording, NaturalKeepsTheValuesOfTheListing) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto said = talk(WordingStyle::natural, FrameHalf::all, seed);
    EXPECT_THAT(ascii_lower(said[0]), HasSubstr("100% cotton")) << "seed " << seed;
    EXPECT_THAT(ascii_lower(said[0]), HasSubstr("women jackets")) << "seed " << seed;
    EXPECT_THAT(ascii_lower(said[1]), HasSubstr("dark blue")) << "seed " << seed;
    EXPECT_THAT(said[3], HasSubstr("19.99")) << "seed " << seed;
    EXPECT_THAT(ascii_lower(said[4]), HasSubstr("long sleeves with ribbed cuffs and a wide collar")) << "seed " << seed;
    EXPECT_THAT(ascii_lower(said[8]), HasSubstr("nylon")) << "seed " << seed;
  }
}

TEST(Wording, ParaphraseSaysItInOtherWordsAndKeepsNumbers) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto said = talk(WordingStyle::paraphrase, FrameHalf::all, seed);
    EXPECT_THAT(said[3], HasSubstr("19.99")) << "seed " << seed;
    changed += ascii_lower(said[4]).find("long sleeves with ribbed cuffs and a wide collar") == std::string::npos ? 1 : 0;
  }
  EXPECT_GT(changed, 50U);
}

TEST(Wording, TypoDiffersFromNaturalByAFewLetters) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto natural = talk(WordingStyle::natural, FrameHalf::all, seed), typo = talk(WordingStyle::typo, FrameHalf::all, seed);
    for (std::size_t at = 0; at < natural.size(); ++at) {
      const auto right = split_words(natural[at]), wrong = split_words(typo[at]);
      ASSERT_EQ(right.size(), wrong.size()) << natural[at];
      std::size_t slips = 0;
      for (std::size_t word = 0; word < right.size(); ++word) {
        slips += right[word] != wrong[word] ? 1 : 0;
        EXPECT_LE(right[word].size(), wrong[word].size() + 1);
        EXPECT_LE(wrong[word].size(), right[word].size() + 1);
      }
      const bool able = std::any_of(right.begin(), right.end(), [](const std::string& word) {
        Random random(1);
        return slipped_word(word, random) != word;
      });
      EXPECT_EQ(slips > 0, able) << natural[at];
    }
  }
}

TEST(Wording, TerseSaysOneToFourWords) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::string& said : talk(WordingStyle::terse, FrameHalf::all, seed)) {
      const auto words = split_words(said);
      const auto count = std::count_if(words.begin(), words.end(), [](const std::string& word) {
        return std::any_of(word.begin(), word.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
      });
      EXPECT_GE(count, 1) << "seed " << seed;
      EXPECT_LE(count, 4) << "seed " << seed << ": " << said;
    }
  }
}

TEST(Wording, TerseNamesWhatANumberIsOf) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string said = ascii_lower(make_wording(WordingStyle::terse, FrameHalf::all, seed)->say({SpeechAct::tells, {}, {"quantity: 1", "memory: 8"}, {}}));
    EXPECT_THAT(said, HasSubstr("quantity 1")) << "seed " << seed;
    EXPECT_THAT(said, HasSubstr("memory 8")) << "seed " << seed;
  }
}

TEST(Wording, ChattyHoldsTheFactAmongMuchElse) {
  std::size_t negated = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto wording = make_wording(WordingStyle::chatty, FrameHalf::all, seed);
    const std::string said = ascii_lower(wording->say({SpeechAct::tells, {}, {"long sleeves"}, {}}));
    const bool direct = said.find("long sleeves") != std::string::npos, opposite = said.find("short sleeves") != std::string::npos;
    EXPECT_NE(direct, opposite) << "seed " << seed << ": " << said;
    EXPECT_GT(split_words(said).size(), 5U) << said;
    negated += opposite ? 1 : 0;
  }
  EXPECT_GT(negated, 15U);
  EXPECT_LT(negated, 45U);
}

TEST(Slips, ChangeOneWordByOneSlipAndLeaveTheRestAlone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    EXPECT_NE(slipped_word("actually", random), "actually") << "seed " << seed;
    EXPECT_NE(slipped_word("(llll),", random), "(llll),") << "seed " << seed;
    for (const char* never : {"red", "100%", "32x34", "t-shirt", "größe", ""}) EXPECT_EQ(slipped_word(never, random), never) << "seed " << seed;
  }
}

TEST(Values, PartsOfAFact) {
  EXPECT_EQ(parts_of_fact("Colour group: Dark Blue").label, "Colour group");
  EXPECT_EQ(parts_of_fact("Colour group: Dark Blue").value, "Dark Blue");
  EXPECT_TRUE(parts_of_fact("budget around $19.99").amount);
  EXPECT_EQ(parts_of_fact("budget around $19.99").value, "19.99");
  EXPECT_EQ(parts_of_fact("Machine Wash").label, "");
}

TEST(Values, BareWordsSayTheValueAndTheLabelWhereAValueAloneSaysNothing) {
  EXPECT_EQ(join_words(bare_words("Colour group: Dark Blue", 2)), "Dark Blue");
  EXPECT_EQ(join_words(bare_words("memory: 8", 2)), "memory 8");
  EXPECT_EQ(join_words(bare_words("is OEM: False", 3)), "no OEM");
  EXPECT_EQ(join_words(bare_words("A collar with the ribbed hem", 2)), "collar ribbed");
}

TEST(Values, ANegationIsOfTheOppositeAndOnlyOfShortFacts) {
  Random random(1);
  EXPECT_THAT(negated_opposite("slim fit", random), HasSubstr("loose fit"));
  EXPECT_THAT(negated_opposite("Short sleeves", random), HasSubstr("long sleeves"));
  EXPECT_EQ(negated_opposite("nylon", random), "");
  EXPECT_EQ(negated_opposite("A slim collar with a very long ribbed hem", random), "");
}

TEST(Values, SynonymsAreOtherWords) {
  for (const WordPair& pair : synonyms()) {
    EXPECT_NE(pair.from, pair.to);
    EXPECT_EQ(ascii_lower(pair.from), pair.from);
    EXPECT_LE(split_words(pair.from).size(), synonym_words_max) << pair.from;
  }
}

}  // namespace
}  // namespace turnstone
