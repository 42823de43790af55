#include "replay/explain.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "replay/audit.h"
#include "replay/testing/conversation.h"

namespace turnstone {
namespace {

using testing::generated_artefact;

class Explain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ledger_ = testing::recorded_ledger(); }
  static void TearDownTestSuite() { ledger_.reset(); }

  static ArtefactLookup lookup() {
    return [](const Fingerprint& fingerprint) { return generated_artefact()->fingerprint() == fingerprint ? generated_artefact() : nullptr; };
  }
  static Explanation explain_one(std::uint32_t turn, const std::string& product) {
    const auto explanation =
        explain(*ledger_, {SessionId{"s1"}, TurnNumber{turn}, ProductId{product}, std::nullopt}, lookup(), policies_of(*ledger_), std::nullopt);
    EXPECT_TRUE(explanation) << explanation.error().detail;
    return *explanation;
  }
  static TurnTrace trace(std::uint32_t turn) {
    const auto start = read_turn_start(*ledger_, SessionId{"s1"}, TurnNumber{turn});
    return trace_turn(start->state, start->input, *generated_artefact(), *Policy::standard());
  }
  static std::string id(Ordinal product) { return std::string(generated_artefact()->product_id(product)); }

  static inline std::unique_ptr<Ledger> ledger_;
};

TEST_F(Explain, EveryShownProductHasItsPlaceAndPartsThatSumToItsScore) {
  std::size_t shown = 0;
  for (std::uint32_t turn = 1; turn <= testing::messages().size(); ++turn) {
    const TurnTrace traced = trace(turn);
    for (std::size_t i = 0; i < traced.slate.products.size(); ++i) {
      const Explanation explanation = explain_one(turn, id(traced.slate.products[i].product));
      EXPECT_EQ(explanation.gate, ExplainGate::shown);
      EXPECT_EQ(explanation.place, i + 1);
      std::int64_t sum = 0;
      for (const ScorePart& part : explanation.parts) sum += part.points;
      EXPECT_EQ(Score{sum}, traced.slate.products[i].score);
      EXPECT_FALSE(explanation.wishes.empty());
      ++shown;
    }
  }
  EXPECT_GT(shown, 0U);
}

TEST_F(Explain, EveryProductThatWasNotShownHasAGate) {
  const TurnTrace traced = trace(3);
  std::set<std::string> shown;
  for (const SlateEntry& entry : traced.slate.products) shown.insert(id(entry.product));
  std::set<ExplainGate> gates;
  for (std::uint32_t i = 0; i < generated_artefact()->product_count(); i += 7) {
    const std::string product = id(Ordinal{i});
    const Explanation explanation = explain_one(3, product);
    EXPECT_EQ(explanation.gate == ExplainGate::shown, shown.contains(product));
    EXPECT_FALSE(explanation.verdict.empty());
    gates.insert(explanation.gate);
  }
  EXPECT_GE(gates.size(), 2U) << "all products had the same fate";
}

// Any product at any turn: each has a gate, a sentence, and the parts of its score that a turn would give it.
TEST_F(Explain, EveryProductAtEveryTurnIsExplained) {
  const Artefact& artefact = *generated_artefact();
  ASSERT_GE(testing::messages().size(), 6U);
  std::set<ExplainGate> gates;
  for (std::uint32_t turn = 1; turn <= testing::messages().size(); ++turn) {
    const auto start = read_turn_start(*ledger_, SessionId{"s1"}, TurnNumber{turn});
    ASSERT_TRUE(start);
    const TurnTrace traced = trace(turn);
    std::map<Ordinal, std::size_t> ranks;
    for (std::size_t i = 0; i < traced.ranking.products.size(); ++i) ranks[traced.ranking.products[i].product] = i + 1;
    std::set<Ordinal> shown;
    for (const SlateEntry& entry : traced.slate.products) shown.insert(entry.product);
    for (std::uint32_t p = 0; p < artefact.product_count(); ++p) {
      const Ordinal product{p};
      const Explanation explanation = explain_product(start->state, traced, ProductId{id(product)}, artefact, *Policy::standard());
      SCOPED_TRACE("turn " + std::to_string(turn) + ", " + id(product) + ": " + explanation.verdict);
      gates.insert(explanation.gate);
      ASSERT_FALSE(explanation.verdict.empty());
      ASSERT_NE(explanation.gate, ExplainGate::unknown_product);
      ASSERT_EQ(explanation.gate == ExplainGate::shown, shown.contains(product));
      ASSERT_EQ(explanation.rank.has_value(), ranks.contains(product));
      if (!explanation.rank) continue;
      ASSERT_EQ(*explanation.rank, ranks[product]);
      std::int64_t sum = 0;
      for (const ScorePart& part : explanation.parts) sum += part.points;
      ASSERT_EQ(explanation.score, Score{sum});
    }
  }
  EXPECT_GE(gates.size(), 4U);
}

TEST_F(Explain, WhatWasShownBeforeIsSaidToBe) {
  bool found = false;
  for (std::uint32_t turn = 2; turn <= testing::messages().size(); ++turn) {
    const auto start = read_turn_start(*ledger_, SessionId{"s1"}, TurnNumber{turn});
    for (const ProductId& product : start->state.shown) found = found || explain_one(turn, product.value).gate == ExplainGate::already_shown;
  }
  EXPECT_TRUE(found);
}

TEST_F(Explain, UnknownProductsTurnsAndIndexesAreSaidToBe) {
  EXPECT_EQ(explain_one(1, "no such id").gate, ExplainGate::unknown_product);
  const auto policies = policies_of(*ledger_);
  EXPECT_EQ(explain(*ledger_, {SessionId{"s1"}, TurnNumber{99}, ProductId{"x"}, std::nullopt}, lookup(), policies, std::nullopt).error().code,
            ErrorCode::not_found);
  EXPECT_EQ(explain(*ledger_, {SessionId{"nobody"}, std::nullopt, ProductId{"x"}, std::nullopt}, lookup(), policies, std::nullopt).error().code,
            ErrorCode::not_found);
  const ArtefactLookup none = [](const Fingerprint&) { return nullptr; };
  EXPECT_EQ(explain(*ledger_, {SessionId{"s1"}, std::nullopt, ProductId{"x"}, std::nullopt}, none, policies, std::nullopt).error().code,
            ErrorCode::refused);
  const auto what_if = explain(*ledger_, {SessionId{"s1"}, std::nullopt, ProductId{"x"}, std::nullopt}, none, policies,
                               WhatIf{generated_artefact(), Policy::standard()});
  ASSERT_TRUE(what_if);
  EXPECT_TRUE(what_if->what_if);
  std::string source = Policy::standard()->source();
  source.replace(source.find("trusted_pool = 10"), 17, "trusted_pool = 9");
  const auto chosen = explain(*ledger_, {SessionId{"s1"}, std::nullopt, ProductId{"x"}, std::nullopt}, lookup(), policies,
                              WhatIf{generated_artefact(), Policy::parse(source).value(), true});
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(chosen->what_if);
}

TEST_F(Explain, TextAndJsonTellTheSame) {
  const TurnTrace traced = trace(1);
  ASSERT_FALSE(traced.slate.products.empty());
  const Explanation explanation = explain_one(1, id(traced.slate.products[0].product));
  const std::string text = explanation_text(explanation, false);
  EXPECT_NE(text.find(explanation.product.value), std::string::npos);
  EXPECT_NE(text.find("shown at place 1"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(explanation_text(explanation, true).find('\x1b'), std::string::npos);
  const auto json = to_json(explanation);
  EXPECT_EQ(json["gate"], "shown");
  EXPECT_EQ(json["place"], 1);
  EXPECT_EQ(json["parts"].size(), explanation.parts.size());
}

TEST_F(Explain, TheAuditOfARealConversationNamesEveryTurn) {
  const auto audit = audit_session(*ledger_, SessionId{"s1"});
  ASSERT_TRUE(audit);
  const std::string text = audit_text(*audit, {});
  for (const std::string& message : testing::messages()) EXPECT_NE(text.find(message), std::string::npos) << text;
  EXPECT_EQ(to_json(*audit)["turns"].size(), testing::messages().size() + 1) << "what came before the first turn, and the turns";
}

}  // namespace
}  // namespace turnstone
