#include <gtest/gtest.h>

#include <algorithm>

#include "workers/evidence.h"
#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

TEST(Rank, PartsSumToTheScoreInEveryField) {
  const std::map<std::string, StateOf> states = {
      {"furniture", StateOf().wish("category", "Desk").wish("color", "White", Operator::is_not).number("price", Operator::about, 120).wish("feature", "folds flat")},
      {"perfumes", StateOf("benchmark").wish("category", "Cologne").wish("scent_family", "Woody").wish("feature", "bergamot and pink pepper")},
      {"cars", StateOf().wish("category", "Estate").wish("fuel_type", "Diesel").wish("gearbox", "Automatic", Operator::is, Strength::soft)}};
  for (const auto& [field, state] : states) {
    const Artefact& artefact = *fields().at(field);
    const auto stages = run_stages(state.get(), artefact);
    ASSERT_FALSE(stages.ranking.products.empty()) << field;
    for (const Ranked& ranked : stages.ranking.products) {
      std::int64_t sum = 0;
      for (const ScorePart& part : score_parts(state.get(), learnt(), ranked.product, artefact, *Policy::standard())) sum += part.points;
      EXPECT_EQ(sum, ranked.score.value) << field << " " << artefact.product_id(ranked.product);
    }
  }
}

TEST(Rank, IsATotalOrder) {
  const auto stages = run_stages(StateOf().wish("category", "Armchair").get(), furniture_artefact());
  for (std::size_t i = 1; i < stages.ranking.products.size(); ++i) {
    const Ranked &a = stages.ranking.products[i - 1], &b = stages.ranking.products[i];
    EXPECT_TRUE(a.score > b.score || (a.score == b.score && a.product < b.product));
  }
}

TEST(Rank, MoreEvidenceStandsHigher) {
  const Artefact& artefact = furniture_artefact();
  const auto stages =
      run_stages(StateOf().wish("category", "Stool").wish("color", "Green", Operator::is, Strength::soft).wish("feature", "folds flat for storage").get(), artefact);
  ASSERT_FALSE(stages.ranking.products.empty());
  const Ordinal best = stages.ranking.products[0].product;
  EXPECT_TRUE(has_value(artefact, best, "category", "stool"));
  EXPECT_TRUE(has_value(artefact, best, "color", "green"));
}

TEST(Rank, TheWordForAPersonIsNoEvidence) {
  std::vector<nlohmann::json> rows = furniture();
  rows[0]["features"] = {"A present for a daughter"};
  rows[1]["features"] = {"Made for girls"};
  const auto artefact = index_rows(rows, "person_word");
  ConstraintSet person;
  person.id = ConstraintId{1};
  person.facet = "department";
  person.value.any_of = {"girls"};
  person.said = "daughter";
  const StateOf state = StateOf().event(person);
  const auto named = [&](const char* product) {
    std::vector<std::string> names;
    for (const ScorePart& part : score_parts(state.get(), learnt(), *artefact->find(product), *artefact, *Policy::standard())) names.push_back(part.name);
    return std::find(names.begin(), names.end(), "words of 'daughter'") != names.end();
  };
  EXPECT_FALSE(named("F0000"));
  EXPECT_TRUE(named("F0001"));
}

TEST(Rank, APriceAboutIsMeasuredByDistance) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().wish("category", "Desk").wish("color", "Red").number("price", Operator::about, 200).get(), artefact);
  std::optional<std::int64_t> last;
  for (const Ranked& ranked : stages.ranking.products) {
    const auto price = artefact.price(ranked.product);
    if (!price) continue;
    const std::int64_t distance = std::abs(price->value - whole_number(200).value);
    // Neighbours may swap by what little popularity weighs.
    if (last) {
      EXPECT_GE(distance + whole_number(20).value, *last);
    }
    last = distance;
  }
  EXPECT_TRUE(last.has_value());
}

std::vector<std::string> names_of_parts(const StateOf& state, const char* product) {
  const Artefact& artefact = *fields().at("cars");
  std::vector<std::string> names;
  for (const ScorePart& part : score_parts(state.get(), learnt(), *artefact.find(product), artefact, *Policy::standard())) names.push_back(part.name);
  return names;
}

TEST(Rank, WhatWasSetAsideIsEvidenceForThoseWhoMayStillMeanIt) {
  const auto state_of = [](const char* variant, TombstoneReason reason) {
    StateOf state(variant);
    state.wish("category", "Van").number("doors", Operator::is, 5).wish("fuel_type", "Diesel");
    state.event(ConstraintTombstoned{ConstraintId{2}, reason, {}, "words"}).event(ConstraintTombstoned{ConstraintId{3}, reason, {}, "words"});
    return state;
  };
  const auto holds = [](const std::vector<std::string>& names, std::string_view part) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(part); });
  };
  const auto aside = names_of_parts(state_of("benchmark", TombstoneReason::archived), "C0007");  // a diesel van with five doors
  EXPECT_TRUE(holds(aside, "doors fit"));
  EXPECT_TRUE(holds(aside, "fuel_type"));
  EXPECT_FALSE(holds(names_of_parts(state_of("benchmark", TombstoneReason::archived), "C0003"), "listing says otherwise")) << "petrol is no fault";
  for (const auto& names : {names_of_parts(state_of("benchmark", TombstoneReason::contradicted), "C0007"),
                            names_of_parts(state_of("shopper", TombstoneReason::archived), "C0007")}) {
    EXPECT_FALSE(holds(names, "doors fit"));
    EXPECT_FALSE(holds(names, "fuel_type"));
  }
}

Wording wording_of(const Artefact& artefact, std::initializer_list<const char*> words) {
  Wording wording;
  for (const char* word : words) {
    const auto term = artefact.term(word);
    const std::int64_t weight = term && !artefact.is_function_word(*term) ? artefact.idf(*term) : 0;
    wording.words.push_back({term, weight});
    wording.weight += weight;
  }
  return wording;
}

TEST(Evidence, RunsStayInOnePartAndIgnoreNothingBetween) {
  const Artefact& artefact = furniture_artefact();
  const Ordinal product = *artefact.find("F0003");  // i = 3: "folds flat for storage"
  const Wording intact = wording_of(artefact, {"fold", "flat", "for", "storage"}), torn = wording_of(artefact, {"flat", "fold", "storage"}),
                absent = wording_of(artefact, {"bookcase", "bookcase"});
  const EvidenceMeter meter({&intact, &torn, &absent}, artefact);
  ListingEvidence evidence;
  EvidenceWalk walk;
  meter.measure(product, walk, evidence);
  EXPECT_EQ(evidence.wordings[0].run, intact.weight);
  EXPECT_EQ(evidence.wordings[0].together, intact.weight);
  EXPECT_LT(evidence.wordings[1].run, torn.weight);
  EXPECT_EQ(evidence.wordings[1].together, torn.weight);
  EXPECT_EQ(evidence.wordings[2].anywhere, 0);
  EXPECT_LE(evidence.matched, evidence.total);
}

TEST(Evidence, MeasuringTwiceGivesTheSame) {
  const Artefact& artefact = furniture_artefact();
  const Wording wording = wording_of(artefact, {"red", "armchair", "series", "0"});
  const EvidenceMeter meter({&wording}, artefact);
  ListingEvidence first, second;
  EvidenceWalk walk;
  meter.measure(Ordinal{0}, walk, first);
  meter.measure(Ordinal{57}, walk, second);
  meter.measure(Ordinal{0}, walk, second);
  EXPECT_EQ(first.wordings[0].run, second.wordings[0].run);
  EXPECT_EQ(first.wordings[0].anywhere, second.wordings[0].anywhere);
  EXPECT_EQ(first.matched, second.matched);
}

}  // namespace
}  // namespace turnstone
