#include "tools/eval/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace turnstone {
namespace {

using Json = nlohmann::json;

// Answers with prepared replies, the last one again and again; remembers what it was told.
class ScriptedAgent final : public Agent {
 public:
  explicit ScriptedAgent(std::vector<AgentReply> replies) : replies_(std::move(replies)) {}
  Result<Answer> say(const Utterance& utterance) override {
    heard.push_back(utterance.text);
    Answer answer;
    answer.reply = replies_[std::min(heard.size(), replies_.size()) - 1];
    answer.route = "exact";
    answer.entropy_millibits = 3000;
    return answer;
  }
  std::vector<std::string> heard;

 private:
  std::vector<AgentReply> replies_;
};

AgentReply shows(std::vector<std::string> products, std::optional<std::string> ask = "other") {
  AgentReply reply;
  reply.products = std::move(products);
  reply.ask_attribute = std::move(ask);
  return reply;
}

std::vector<ProductRow> catalogue() {
  std::vector<ProductRow> rows;
  for (const char* id : {"A", "B", "C"}) {
    ProductRow row;
    row.id = id;
    row.title = std::string("Jacket ") + id;
    row.features = {"two pockets", "taped seams"};
    rows.push_back(row);
  }
  return rows;
}

Outcome trial(Scenario scenario, ScriptedAgent& agent) {
  const auto rows = catalogue();
  auto outcome = run_trial({"sample", scenario, "B"}, RowIndex(rows), {1}, agent);
  EXPECT_TRUE(outcome.has_value());
  return *std::move(outcome);
}

TEST(Trial, TheFirstListWithTheTargetEndsItAndFreezesTheRank) {
  ScriptedAgent agent({shows({"A"}), shows({"C", "A", "B"}), shows({"B"})});
  const Outcome outcome = trial(Scenario::browsing, agent);
  EXPECT_EQ(outcome.turn, 2U);
  EXPECT_EQ(outcome.rank, 3U);
  EXPECT_EQ(agent.heard.size(), 2U);
  EXPECT_EQ(outcome.precision_asked, 6U);
  EXPECT_EQ(outcome.precision_met, 6U);
}

TEST(Trial, TenTurnsAtMostAndAMissIsTurnEleven) {
  ScriptedAgent agent({shows({"A"})});
  const Outcome outcome = trial(Scenario::buying, agent);
  EXPECT_EQ(outcome.turn, 11U);
  EXPECT_EQ(outcome.rank, 0U);
  EXPECT_EQ(agent.heard.size(), 10U);
}

TEST(Trial, OnlyTheTopTenCounts) {
  ScriptedAgent agent({shows({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "B"})});
  EXPECT_EQ(trial(Scenario::browsing, agent).rank, 0U);
}

TEST(Trial, AfterAnOverrideOnlyLaterHitsCount) {
  ScriptedAgent agent({shows({"B"})});
  const Outcome outcome = trial(Scenario::intent_override, agent);
  EXPECT_TRUE(outcome.turn == 3 || outcome.turn == 4) << outcome.turn;
  EXPECT_EQ(agent.heard.back(), "Actually, ignore my earlier preference. What I need is: two pockets.");
}

TEST(Trial, ATargetOutsideTheCatalogueIsAnError) {
  const auto rows = catalogue();
  ScriptedAgent agent({shows({"A"})});
  const auto outcome = run_trial({"sample", Scenario::buying, "Z"}, RowIndex(rows), {1}, agent);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::not_found);
}

TEST(Meets, AllWordsInTheListingOrThePriceNearTheBudget) {
  ProductRow row;
  row.title = "Red Jacket";
  row.details = {{"Hood", "detachable"}};
  row.price = parse_number("110");
  EXPECT_TRUE(meets(row, "color: red"));
  EXPECT_TRUE(meets(row, "Hood: Detachable"));
  EXPECT_FALSE(meets(row, "taped seams"));
  EXPECT_TRUE(meets(row, "budget around $100"));
  EXPECT_FALSE(meets(row, "budget around $90"));
  row.price.reset();
  EXPECT_FALSE(meets(row, "budget around $100"));
}

Outcome made(Scenario scenario, std::uint32_t turn, std::uint32_t rank, const char* id) {
  Outcome outcome;
  outcome.session = {id, scenario, "B"};
  outcome.turn = turn;
  outcome.rank = rank;
  outcome.turns.resize(std::min(turn, turns_max));
  return outcome;
}

std::vector<Outcome> three() {
  return {made(Scenario::buying, 1, 1, "a"), made(Scenario::browsing, 4, 2, "b"), made(Scenario::browsing, missed_turn, 0, "c")};
}

TEST(Score, ByTheFormula) {
  const auto outcomes = three();
  const Figures figures = measure({&outcomes[0], &outcomes[1], &outcomes[2]}, 1);
  EXPECT_DOUBLE_EQ(figures.hit_rate.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(figures.mrr.value, 0.5);                  // (1 + 1/2 + 0) / 3
  EXPECT_DOUBLE_EQ(figures.mttc.value, 16.0 / 3);            // (1 + 4 + 11) / 3
  EXPECT_NEAR(figures.technical_score.value, 0.5 * 2 / 3 + 0.3 * 0.5 + 0.2 * (11 - 16.0 / 3) / 10, 1e-12);
  EXPECT_LE(figures.technical_score.low, figures.technical_score.value);
  EXPECT_GE(figures.technical_score.high, figures.technical_score.value);
  EXPECT_DOUBLE_EQ(figures.solved_in_3, 1.0 / 3);
  EXPECT_DOUBLE_EQ(figures.depth, 5.0);                      // (1 + 4 + 10) / 3
}

TEST(Report, SaysWhichShareOfPerfectReadingIsReached) {
  const auto reached = three(), perfect = std::vector<Outcome>{made(Scenario::buying, 1, 1, "a"), made(Scenario::browsing, 1, 1, "b"), made(Scenario::browsing, 1, 1, "c")};
  const Json document = Json::parse(report(reached, Subject{}, &perfect));
  EXPECT_DOUBLE_EQ(document.at("oracle").at("technical_score").get<double>(), 1.0);
  EXPECT_NEAR(document.at("oracle").at("share_reached").get<double>(), document.at("overall").at("technical_score").at("value").get<double>(), 1e-6);
  EXPECT_FALSE(Json::parse(report(reached, Subject{})).contains("oracle"));
}

TEST(Calibration, ForecastsAgainstWhatWasTrue) {
  Outcome outcome = made(Scenario::buying, 1, 1, "a");
  outcome.turns[0].answer.reply.products = {"B", "C"};  // B is the target
  outcome.turns[0].answer.reply.confidences = {800, 100};
  const auto calibration = measure({&outcome}, 1).calibration;
  EXPECT_EQ(calibration.shown, 2U);
  EXPECT_DOUBLE_EQ(calibration.base_rate, 0.5);
  EXPECT_DOUBLE_EQ(calibration.brier, (0.2 * 0.2 + 0.1 * 0.1) / 2);
  EXPECT_DOUBLE_EQ(calibration.brier_of_base, 0.25);
  EXPECT_DOUBLE_EQ(calibration.expected_error, (0.2 + 0.1) / 2);
  EXPECT_TRUE(is_calibrated({outcome}, 0.16));
  EXPECT_FALSE(is_calibrated({outcome}, 0.14));
  outcome.turns[0].answer.reply.confidences = {100, 800};  // no better than knowing nothing
  EXPECT_FALSE(is_calibrated({outcome}, 1.0));
}

TEST(PairedDifference, IsTheMeanOfTheSessionsOwnDifferences) {
  auto worse = three();
  worse[0] = made(Scenario::buying, 3, 1, "a");  // two turns later: 0.04
  const Interval worth = paired_difference(three(), worse, 1);
  EXPECT_NEAR(worth.value, 0.04 / 3, 1e-9);
  EXPECT_GE(worth.low, 0);
  EXPECT_LE(worth.high, 0.04 + 1e-9);
  EXPECT_EQ(paired_difference(three(), three(), 1).value, 0);
}

TEST(Ratchet, AFallWithinTheSlackIsNone) {
  auto worse = three();
  worse[1] = made(Scenario::browsing, 5, 2, "b");  // one turn later of three sessions: 0.02 / 3
  EXPECT_EQ(*compare(report(worse, Subject{}), report(three(), Subject{})), Ratchet::lower);
  EXPECT_EQ(*compare(report(worse, Subject{}), report(three(), Subject{}), 0.01), Ratchet::within_slack);
  EXPECT_EQ(*compare(report(worse, Subject{}), report(three(), Subject{}), 0.005), Ratchet::lower);
  EXPECT_EQ(*compare(report(three(), Subject{}), report(worse, Subject{})), Ratchet::higher);
}

TEST(Ratchet, AnotherSubjectIsRefusedByName) {
  Subject mine;
  mine.artefact = "a1";
  mine.policy = "p1";
  mine.catalogue = "c1c1c1c1c1c1c1c1c1";
  mine.sessions = "s1";
  mine.variant = "shopper";
  const auto refusal = [&](auto change) {
    Subject other = mine;
    change(other);
    const auto compared = compare(report(three(), mine), report(three(), other));
    return compared ? std::string() : std::string(to_string(compared.error().code)) + " " + compared.error().detail;
  };
  const std::string refused(to_string(ErrorCode::refused));
  EXPECT_EQ(refusal([](Subject& s) { s.catalogue = "c2"; }),
            refused + " the baseline was measured with another catalogue (c2 there, c1c1c1c1c1c1c1c1 here); compare like with like");
  EXPECT_NE(refusal([](Subject& s) { s.sessions = "s2"; }), "");
  EXPECT_NE(refusal([](Subject& s) { s.variant = "benchmark"; }), "");
  EXPECT_NE(refusal([](Subject& s) { s.wording = "typo"; }), "");
  EXPECT_NE(refusal([](Subject& s) { s.seed = 2; }), "");
  EXPECT_EQ(refusal([](Subject& s) { s.artefact = "a2"; }), "") << "what is compared";
  EXPECT_EQ(refusal([](Subject& s) { s.policy = "p2"; }), "");
  Json old = Json::parse(report(three(), mine));
  old["subject"].erase("catalogue");
  EXPECT_TRUE(compare(report(three(), mine), old.dump()));
  old["subject"]["artefact"] = "a2";
  EXPECT_FALSE(compare(report(three(), mine), old.dump()));
}

TEST(Report, SameOutcomesSameBytes) {
  EXPECT_EQ(report(three(), Subject{}), report(three(), Subject{}));
  const Json document = Json::parse(report(three(), Subject{}));
  EXPECT_EQ(document.at("scenarios").size(), 2U);
  EXPECT_EQ(document.at("sessions").at(2).at("turn"), 11);
}

TEST(Ratchet, TellsIdenticalEqualHigherAndLowerApart) {
  const std::string base = report(three(), Subject{});
  auto renamed = three();
  renamed[0].session.sample_id = "z";
  auto better = three();
  better[2] = made(Scenario::browsing, 9, 5, "c");
  EXPECT_EQ(*compare(base, base), Ratchet::identical);
  EXPECT_EQ(*compare(report(renamed, Subject{}), base), Ratchet::score_equal);
  EXPECT_EQ(*compare(report(better, Subject{}), base), Ratchet::higher);
  EXPECT_EQ(*compare(base, report(better, Subject{})), Ratchet::lower);
  EXPECT_FALSE(compare(base, "{}").has_value());
  EXPECT_FALSE(compare(base, "not json").has_value());
}

}  // namespace
}  // namespace turnstone
