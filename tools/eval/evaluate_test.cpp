// What knows both the shopper and the engine: perfect reading, the knowing shopper, the trees she is held against.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "replay/testing/conversation.h"
#include "tools/eval/ablation.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/entropy_audit.h"
#include "tools/eval/ground.h"
#include "tools/eval/knowing_shopper.h"
#include "tools/eval/oracle_reader.h"
#include "tools/eval/question_tree.h"

namespace turnstone {
namespace {

const Artefact& artefact() { return *testing::generated_artefact(); }

const Signal* wish_for(const Reading& reading, std::string_view facet) {
  const auto found = std::find_if(reading.signals.begin(), reading.signals.end(),
                                  [facet](const Signal& signal) { return signal.kind == SignalKind::wish && signal.facet == facet; });
  return found == reading.signals.end() ? nullptr : &*found;
}

bool says(const Reading& reading, Act act) {
  return std::any_of(reading.signals.begin(), reading.signals.end(),
                     [act](const Signal& signal) { return signal.kind == SignalKind::act && signal.act == act; });
}

std::string most_frequent_text(std::string_view facet_name) {
  const Facet* facet = artefact().facet(facet_name);
  return facet == nullptr || facet->value_count == 0 ? std::string() : std::string(artefact().values(facet->id).front().text);
}

TEST(Ground, AnIndexOfAnotherCatalogueIsRefused) {
  std::string folder = (std::filesystem::temp_directory_path() / "turnstone-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto write = [&](const std::string& name, const std::string& second) {
    std::ofstream(folder + "/" + name) << R"({"parent_asin":"b","title":"Oak table","store":"Nord","price":20.5,"features":["round"]})" << "\n" << second << "\n";
    return folder + "/" + name;
  };
  const std::string mine = write("mine", R"({"parent_asin":"a","title":"Pine chair","details":{"Color":"Blue"}})");
  IndexOptions index;
  index.write_sqlite = false;
  ASSERT_TRUE(build_index(mine, folder + "/index", index));
  const GroundOptions options{.index = folder + "/index", .catalogue = mine, .sessions = {}, .policy_file = {}, .generate_sessions = 1};
  const auto same = load_ground(options);
  ASSERT_TRUE(same) << same.error().detail;
  EXPECT_EQ(same->catalogue, catalogue_fingerprint(same->rows));
  GroundOptions other = options;
  for (const char* line : {R"({"parent_asin":"a","title":"Pine chair","price":3,"details":{"Color":"Blue"}})", R"({"parent_asin":"c","title":"Pine chair","details":{"Color":"Blue"}})", ""}) {
    other.catalogue = write("other", line);
    const auto foreign = load_ground(other);
    ASSERT_FALSE(foreign) << line;
    EXPECT_EQ(foreign.error().code, ErrorCode::refused);
    EXPECT_THAT(foreign.error().detail, ::testing::HasSubstr(to_hex(same->catalogue.value).substr(0, 16)));
  }
  std::filesystem::remove_all(folder);
}

TEST(OracleReader, ReadsFactsByWhatTheyAreInTheCatalogue) {
  const std::string category = most_frequent_text("category"), color = most_frequent_text("color");
  const Reading reading = read_meaning({SpeechAct::wants, category, {"Color: " + color, "budget around $19.99"}, {}}, "anything", artefact());
  EXPECT_TRUE(says(reading, Act::buying));
  ASSERT_NE(wish_for(reading, "category"), nullptr);
  EXPECT_EQ(wish_for(reading, "category")->value.any_of.front(), category);
  ASSERT_NE(wish_for(reading, "color"), nullptr);
  EXPECT_EQ(wish_for(reading, "color")->value.any_of.front(), color);
  ASSERT_NE(wish_for(reading, "price"), nullptr);
  EXPECT_EQ(wish_for(reading, "price")->op, Operator::about);
  EXPECT_EQ(wish_for(reading, "price")->value.number, parse_number("19.99"));
  for (const Signal& signal : reading.signals) EXPECT_EQ(signal.span, (TextSpan{0, 8}));
}

TEST(OracleReader, ReadsActsAndKeepsUnknownFactsInTheirWords) {
  EXPECT_TRUE(says(read_meaning({SpeechAct::nothing_more, {}, {}, "color"}, "", artefact()), Act::decline));
  EXPECT_TRUE(says(read_meaning({SpeechAct::leaves_open, {}, {}, "color"}, "", artefact()), Act::up_to_you));
  const Reading reading = read_meaning({SpeechAct::changes_her_mind, {}, {"A fact that no listing holds"}, {}}, "x", artefact());
  EXPECT_TRUE(says(reading, Act::revoke_all));
  ASSERT_NE(wish_for(reading, "feature"), nullptr);
  EXPECT_EQ(wish_for(reading, "feature")->value.any_of.front(), "A fact that no listing holds");
}

TEST(EmbeddedAgent, DecidesFromTheMeaningWhenTheOracleReads) {
  const std::string category = most_frequent_text("category");
  const Utterance mumbled{"mumble", {SpeechAct::wants, category, {"budget around $19.99"}, {}}};
  const auto said = [&](EmbeddedAgent::ReadBy read_by) {
    auto agent = EmbeddedAgent::make(testing::generated_artefact(), Policy::standard(), "shopper", read_by);
    const auto answer = agent ? (*agent)->say(mumbled) : tl::unexpected(agent.error());
    return answer ? answer->reply.message : answer.error().detail;
  };
  EXPECT_THAT(said(EmbeddedAgent::ReadBy::oracle), ::testing::HasSubstr("19.99"));
  EXPECT_THAT(said(EmbeddedAgent::ReadBy::engine), ::testing::Not(::testing::HasSubstr("19.99")));
}

TEST(Ablations, EachChangesThePolicyAndNothingElse) {
  const auto policy = Policy::standard();
  for (const Ablation& ablation : ablations()) {
    const auto changed = without(*policy, "benchmark", ablation);
    ASSERT_TRUE(changed.has_value()) << ablation.name << ": " << changed.error().detail;
    EXPECT_NE((*changed)->variant("benchmark"), policy->variant("benchmark")) << ablation.name << " is switched off already";
    EXPECT_EQ((*changed)->variant("shopper"), policy->variant("shopper")) << ablation.name;
  }
  EXPECT_FALSE(without(*policy, "benchmark", {"no such part", {{"rank", "no_such_key", 0}}}).has_value());
}

TEST(OptionRange, ReadsWhatOptionsLookLike) {
  const auto number = [](const char* text) { return *parse_number(text); };
  EXPECT_TRUE(read_option_range("under $25")->holds(number("24.99")));
  EXPECT_FALSE(read_option_range("under $25")->holds(number("25")));
  EXPECT_TRUE(read_option_range("$25 to $50")->holds(number("25")));
  EXPECT_FALSE(read_option_range("$25 to $50")->holds(number("50")));
  EXPECT_TRUE(read_option_range("1,200 gb or more")->holds(number("1200")));
  EXPECT_TRUE(read_option_range("144 hz")->holds(number("144")));
  EXPECT_FALSE(read_option_range("144 hz")->holds(number("145")));
  EXPECT_FALSE(read_option_range("blue").has_value());
}

TEST(KnowingShopper, AnswersByAnOptionOrSaysWhyNot) {
  const Facet* color = artefact().facet("color");
  ASSERT_NE(color, nullptr);
  const FacetValue& value = artefact().values(color->id).front();
  const Ordinal product = artefact().products_with(value.id).front();
  EXPECT_EQ(answer_to({"color", {"nothing of the kind", std::string(value.text)}}, product, artefact()), value.text);
  EXPECT_EQ(answer_to({"color", {"nothing of the kind"}}, product, artefact()), says_something_else);
  EXPECT_EQ(answer_to({"other", {}}, product, artefact()), says_unknown);
  Ordinal silent{0};
  while (silent.value < artefact().product_count() && !artefact().values_of(silent, color->id).empty()) ++silent.value;
  if (silent.value < artefact().product_count()) {
    EXPECT_EQ(answer_to({"color", {std::string(value.text)}}, silent, artefact()), says_unknown);
  }
}

TEST(KnowingShopper, TellsNothingButItsCategoryUnasked) {
  const auto shopper = knowing_shopper("Jackets", Ordinal{0}, artefact(), canonical_wording());
  EXPECT_EQ(shopper->opening().text, "I'm looking for Jackets, but I'm still exploring.");
  EXPECT_EQ(shopper->reply(AgentReply{}, 2).meaning.act, SpeechAct::not_right_yet);
  EXPECT_TRUE(shopper->hit_counts(1));
}

TEST(QuestionTree, GreedyNeedsFewestQuestionsAndEachAskerComesToTheProduct) {
  std::vector<Ordinal> all;
  for (std::uint32_t at = 0; at < artefact().product_count(); ++at) all.push_back(Ordinal{at});
  std::map<AskingRule, std::uint64_t> sum;
  for (const AskingRule rule : asking_rules) {
    QuestionTree tree(artefact(), rule, 1), again(artefact(), rule, 1);
    for (const Ordinal product : all) {
      const std::uint32_t steps = tree.steps_to(product, 0, all, 20);
      EXPECT_EQ(steps, again.steps_to(product, 0, all, 20));
      EXPECT_GE(steps, 100U);
      EXPECT_LE(steps, 2'000U);
      sum[rule] += steps;
    }
  }
  for (const AskingRule rule : {AskingRule::random, AskingRule::coverage, AskingRule::entropy})
    EXPECT_LE(sum[AskingRule::greedy], sum[rule]) << to_string(rule);
  EXPECT_LT(sum[AskingRule::greedy], sum[AskingRule::random]);
}

TEST(QuestionTree, AFewProductsNeedNoQuestion) {
  QuestionTree tree(artefact(), AskingRule::greedy, 1);
  EXPECT_EQ(tree.steps_to(Ordinal{3}, 0, {Ordinal{1}, Ordinal{3}, Ordinal{4}}, 20), 0U);
}

TEST(EntropyAudit, TellsEveryQuestionAndWhatCameOfIt) {
  const auto ledger = make_memory_ledger();
  testing::Conversation conversation(*ledger, testing::generated_artefact(), "s1");
  for (const char* message : {"I am looking for a jacket", "I don't know", "blue"}) conversation.say(message);
  const auto audit = audit_session(*ledger, SessionId{"s1"});
  ASSERT_TRUE(audit.has_value());
  const EntropyAudit told = entropy_audit(*audit, &artefact());
  std::size_t asked = 0;
  for (const AuditTurn& turn : audit->turns) {
    for (const Event& event : turn.events) asked += std::holds_alternative<QuestionAsked>(event.body) ? 1 : 0;
  }
  ASSERT_GT(asked, 0U);
  ASSERT_EQ(told.questions.size(), asked);
  for (std::size_t at = 0; at + 1 < told.questions.size(); ++at) {
    const AskedEntropy& question = told.questions[at];
    if (question.realised) {
      EXPECT_EQ(question.realised->value, question.before.value - told.questions[at + 1].before.value);
    }
  }
  EXPECT_TRUE(std::any_of(told.questions.begin(), told.questions.end(), [](const AskedEntropy& question) { return question.realised.has_value(); }));
  ASSERT_TRUE(told.greedy_questions.has_value());
  EXPECT_GT(*told.greedy_questions, 0);
  EXPECT_FALSE(entropy_audit(*audit, nullptr).greedy_questions.has_value());
  EXPECT_THAT(entropy_text(told), ::testing::HasSubstr(told.questions.front().facet));
}

TEST(OpeningPool, HoldsTheProductAndNamesItsCategory) {
  const Facet* category = artefact().facet("category");
  ASSERT_NE(category, nullptr);
  const FacetValue& value = artefact().values(category->id).front();
  const Ordinal product = artefact().products_with(value.id).front();
  const OpeningPool pool = opening_pool("Some " + std::string(value.text), product, artefact());
  EXPECT_EQ(pool.name, value.id.value);
  EXPECT_EQ(pool.products.size(), value.count);
  const OpeningPool other = opening_pool("no such thing", product, artefact());
  EXPECT_TRUE(std::binary_search(other.products.begin(), other.products.end(), product));
}

}  // namespace
}  // namespace turnstone
