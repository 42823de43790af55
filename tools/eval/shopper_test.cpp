#include "tools/eval/shopper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace turnstone {
namespace {

HiddenCard card() {
  HiddenCard out;
  out.category = "Women Jackets";
  out.hard = {"nylon", "color: red"};
  out.soft = {"two pockets", "long sleeves"};
  out.facts = {"nylon", "color: red", "two pockets", "long sleeves"};
  return out;
}

std::unique_ptr<Shopper> shopper(Scenario scenario, std::uint64_t seed = 1) { return card_shopper(card(), scenario, canonical_wording(), seed); }

AgentReply asking(const char* attribute) {
  AgentReply reply;
  reply.ask_attribute = attribute;
  return reply;
}

TEST(CardShopper, BuyingOpensWithTheFirstHardFactAndDoesNotRepeatIt) {
  const auto who = shopper(Scenario::buying);
  EXPECT_EQ(who->opening().text, "I'm looking for Women Jackets. A key requirement is: nylon.");
  EXPECT_EQ(who->reply(asking("material"), 2).text, "I don't have an additional preference for material.");
  EXPECT_EQ(who->reply(asking("other"), 3).text, "For that, what matters is: color: red; two pockets.");
}

TEST(CardShopper, BrowsingOpensWithTheCategoryAlone) {
  const auto who = shopper(Scenario::browsing);
  EXPECT_EQ(who->opening().text, "I'm looking for Women Jackets, but I'm still exploring.");
  EXPECT_EQ(who->reply(asking("style"), 2).text, "For that, what matters is: long sleeves.");
  EXPECT_EQ(who->reply(asking("style"), 3).text, "I don't have an additional preference for style.");
}

TEST(CardShopper, TwoFactsAReplyUntilNoneIsLeft) {
  const auto who = shopper(Scenario::browsing);
  who->opening();
  EXPECT_EQ(who->reply(asking("other"), 2).text, "For that, what matters is: nylon; color: red.");
  EXPECT_EQ(who->reply(asking("other"), 3).text, "For that, what matters is: two pockets; long sleeves.");
  EXPECT_EQ(who->reply(asking("other"), 4).text, "I don't have an additional preference for other.");
}

TEST(CardShopper, AnAttributeThatNoFactHas) {
  const auto who = shopper(Scenario::browsing);
  who->opening();
  EXPECT_EQ(who->reply(asking("brand"), 2).text, "I don't have an additional preference for brand.");
  EXPECT_EQ(who->reply(asking("category"), 3).text, "I don't have an additional preference for category.");
}

TEST(CardShopper, SaysSoWhenNothingIsAsked) {
  const auto who = shopper(Scenario::browsing);
  who->opening();
  EXPECT_EQ(who->reply(AgentReply{}, 2).text, "Those options are not quite right yet. Ask me about one specific attribute.");
}

TEST(CardShopper, BoundaryLeavesTheFirstQuestionOpenOnce) {
  const auto who = shopper(Scenario::boundary);
  EXPECT_EQ(who->opening().text, "I'm looking for Women Jackets, but I'm still exploring.");
  who->reply(AgentReply{}, 2);
  EXPECT_EQ(who->reply(asking("color"), 3).text, "I don't have a preference for color; please use your judgment.");
  EXPECT_EQ(who->reply(asking("color"), 4).text, "For that, what matters is: color: red.");
}

TEST(CardShopper, OverrideStartsFromTheLastSoftFactAndTurnsToTheFirstHardOne) {
  std::set<std::uint32_t> turns;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto who = shopper(Scenario::intent_override, seed);
    EXPECT_EQ(who->opening().text, "I'm looking for Women Jackets. long sleeves");
    std::uint32_t changed = 0;
    for (std::uint32_t turn = 2; turn <= 5 && changed == 0; ++turn) {
      if (who->reply(asking("brand"), turn).text == "Actually, ignore my earlier preference. What I need is: nylon.") changed = turn;
    }
    ASSERT_TRUE(changed == 3 || changed == 4) << "seed " << seed << " changed on turn " << changed;
    turns.insert(changed);
    EXPECT_FALSE(who->hit_counts(changed - 1));
    EXPECT_TRUE(who->hit_counts(changed));
    EXPECT_TRUE(who->hit_counts(changed + 1));
    EXPECT_EQ(who->reply(asking("other"), 6).text, "For that, what matters is: color: red; two pockets.");
  }
  EXPECT_EQ(turns.size(), 2U) << "both turns must occur";
}

TEST(CardShopper, HitsCountFromTheFirstTurnInEveryOtherScenario) {
  for (const Scenario scenario : {Scenario::buying, Scenario::browsing, Scenario::boundary}) EXPECT_TRUE(shopper(scenario)->hit_counts(1));
}

}  // namespace
}  // namespace turnstone
