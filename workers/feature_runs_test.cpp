#include "workers/feature_runs.h"

#include <gtest/gtest.h>

#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

// The stretches found, as they were said.
std::vector<std::string> runs_of(const std::string& text) {
  const Artefact& artefact = *stage_fixture::fields().at("perfumes");
  const auto policy = Policy::standard();
  const auto lexicon = Lexicon::of(artefact, *policy);
  const Message message = read_message(text, artefact, policy->cues(), *lexicon);
  std::vector<std::string> runs;
  for (const FeatureRun& run : feature_runs(message, artefact)) {
    EXPECT_TRUE(stands_intact(message, run.first, run.last, artefact)) << text;
    runs.push_back(message.said(message.span(run.first, run.last)));
  }
  return runs;
}

// The listings say "Opens with bergamot and pink pepper", "Opens with orange blossom and musk", "Lasts eight hours".
TEST(FeatureRuns, FindWhatStandsInAFactInAnyFrame) {
  EXPECT_EQ(runs_of("I want one that opens with bergamot and pink pepper please"), std::vector<std::string>{"opens with bergamot and pink pepper"});
  EXPECT_EQ(runs_of("hers OPENS WITH: orange-blossom and musk, I think"), std::vector<std::string>{"OPENS WITH: orange-blossom and musk"});
}

TEST(FeatureRuns, NeverCrossTheBorderOfAFact) {
  const auto runs = runs_of("opens with orange blossom and musk lasts eight hours");
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs.front(), "opens with orange blossom and musk");
}

TEST(FeatureRuns, ScatteredOrUnknownWordsAreNone) {
  EXPECT_TRUE(runs_of("pepper with musk and opens bergamot pink").empty());
  EXPECT_TRUE(runs_of("qwzrtl mnbvx plokij uhygtf").empty());
  EXPECT_TRUE(runs_of("musk").empty());
  EXPECT_TRUE(runs_of("").empty());
}

}  // namespace
}  // namespace turnstone
