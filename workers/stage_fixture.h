// Small catalogues of three unlike fields, indexed once a test program, and states made by hand.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/catalogue.h"
#include "workers/stages.h"
#include "workers/turn.h"

namespace turnstone::stage_fixture {

using nlohmann::json;

inline json item(const std::string& id, const std::string& title, std::vector<std::string> categories, json details, json price = nullptr) {
  return {{"parent_asin", id}, {"title", title},   {"categories", std::move(categories)}, {"details", std::move(details)},
          {"price", price},    {"features", json::array()}, {"description", json::array()}, {"store", nullptr},
          {"average_rating", nullptr}, {"rating_number", 1}};
}

inline std::string numbered(const char* prefix, int n) {
  std::string digits = std::to_string(n);
  return prefix + std::string(4 - digits.size(), '0') + digits;
}

inline std::vector<json> furniture() {
  const std::vector<std::string> kinds = {"Armchair", "Bookcase", "Desk", "Stool"}, colors = {"Red", "Blue", "Green", "Black", "White"},
                                 materials = {"Oak", "Pine", "Steel"}, brands = {"Nordhem", "Tavolo", "Kestrel"};
  std::vector<json> rows;
  for (int i = 0; i < 240; ++i) {
    const auto &kind = kinds[i % 4], &color = colors[i / 4 % 5], &material = materials[i / 20 % 3], &brand = brands[i / 60 % 3];
    json row = item(numbered("F", i), brand + " " + color + " " + kind + " series " + std::to_string(i / 8), {"Home", "Furniture", kind},
                    {{"Color", color}, {"Material", material}, {"Brand", brand}}, i % 5 == 4 ? json(nullptr) : json(20 + i * 2));
    row["store"] = brand;
    row["features"] = {"Legs of solid " + material + (i % 7 == 3 ? ", folds flat for storage" : ""), "Holds " + std::to_string(60 + i % 9 * 10) + " kg"};
    row["rating_number"] = 1 + i * 37 % 500;
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::vector<json> perfumes() {
  const std::vector<std::string> kinds = {"Eau de Parfum", "Eau de Toilette", "Cologne"}, families = {"Citrus", "Woody", "Floral", "Oriental"},
                                 brands = {"Maison Vale", "Orris", "Bergamo"};
  std::vector<json> rows;
  for (int i = 0; i < 180; ++i) {
    const auto &kind = kinds[i % 3], &family = families[i / 3 % 4], &brand = brands[i / 12 % 3];
    json row = item(numbered("P", i), brand + " No. " + std::to_string(i) + " " + kind, {"Beauty", "Fragrance", kind},
                    {{"Scent Family", family}, {"Concentration", kind}, {"Volume", std::to_string(30 + i % 4 * 25) + " ml"}}, 15.5 + i);
    row["store"] = brand;
    row["features"] = {"Opens with " + std::string(i % 2 == 0 ? "bergamot and pink pepper" : "orange blossom and musk"), "Lasts eight hours"};
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::vector<json> cars() {
  const std::vector<std::string> bodies = {"Hatchback", "Estate", "Saloon", "Van"}, fuels = {"Petrol", "Diesel", "Electric"},
                                 gears = {"Manual", "Automatic"};
  std::vector<json> rows;
  for (int i = 0; i < 160; ++i) {
    rows.push_back(item(numbered("C", i), "Model " + std::to_string(i) + " " + bodies[i % 4] + " " + fuels[i / 4 % 3], {"Vehicles", bodies[i % 4]},
                        {{"Fuel Type", fuels[i / 4 % 3]}, {"Gearbox", gears[i / 12 % 2]}, {"Power", std::to_string(60 + i % 10 * 20) + " W"},
                         {"Doors", 2 + i % 4}, {"Towbar", i % 3 == 0}}));
  }
  return rows;
}

inline std::shared_ptr<const Artefact> index_rows(const std::vector<json>& rows, const std::string& name) {
  const std::filesystem::path directory = std::filesystem::path(testing::TempDir()) / ("turn_stages_" + name + "_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const std::filesystem::path file = directory / "rows.jsonl";
  {
    std::ofstream out(file);
    for (const json& row : rows) out << row.dump() << "\n";
  }
  IndexOptions options;
  options.write_sqlite = false;
  const auto report = build_index(file.string(), directory.string(), options);
  if (!report) throw std::runtime_error(report.error().detail);
  auto artefact = Artefact::open(directory.string());
  if (!artefact) throw std::runtime_error(artefact.error().detail);
  std::filesystem::remove_all(directory);  // the mapping outlives the name
  return *artefact;
}

inline const std::map<std::string, std::shared_ptr<const Artefact>>& fields() {
  static const std::map<std::string, std::shared_ptr<const Artefact>> artefacts = {
      {"furniture", index_rows(furniture(), "furniture")}, {"perfumes", index_rows(perfumes(), "perfumes")}, {"cars", index_rows(cars(), "cars")}};
  return artefacts;
}

inline const Artefact& furniture_artefact() { return *fields().at("furniture"); }

// A state with wishes, as if they had been said one a turn.
class StateOf {
 public:
  explicit StateOf(const std::string& variant = "shopper") {
    fold(state_, SessionStarted{SessionId{"s"}, "test", variant, {}, {}, {}, {}}, TurnNumber{0});
    TurnReceived received;
    received.turn = TurnNumber{1};
    received.key = TurnKey{"k"};
    received.text = "text";
    fold(state_, received, TurnNumber{1});
  }
  StateOf& wish(const std::string& facet, const std::string& value, Operator op = Operator::is, Strength strength = Strength::hard,
                int confidence = 900) {
    ConstraintSet set = constraint(facet, op, strength, confidence);
    set.value.any_of = {value};
    set.said = value;
    fold(state_, set, TurnNumber{1});
    return *this;
  }
  StateOf& number(const std::string& facet, Operator op, std::int64_t whole) {
    ConstraintSet set = constraint(facet, op, Strength::hard, 900);
    set.value.number = whole_number(whole);
    set.said = std::to_string(whole);
    fold(state_, set, TurnNumber{1});
    return *this;
  }
  StateOf& event(const EventBody& body) {
    fold(state_, body, TurnNumber{1});
    return *this;
  }
  const IntentState& get() const { return state_; }

 private:
  ConstraintSet constraint(const std::string& facet, Operator op, Strength strength, int confidence) const {
    ConstraintSet set;
    set.id = next(state_.last_constraint);
    set.facet = facet;
    set.op = op;
    set.strength = strength;
    set.confidence = Permille{confidence};
    set.span = {0, 1};
    return set;
  }
  IntentState state_;
};

// Everything from retrieve to ask, over one state.
struct Stages {
  Retrieval retrieval;
  Ranking ranking;
  Slate slate;
  std::vector<QuestionAsked> questions;
};

inline Guidance learnt() {
  Guidance guidance;
  guidance.learnt = true;
  return guidance;
}

inline Stages run_stages(const IntentState& state, const Artefact& artefact, std::uint32_t top_k = 10, const Guidance& guidance = learnt()) {
  const Policy& policy = *Policy::standard();
  StageRecord record;
  Stages stages;
  stages.retrieval = retrieve(state, guidance, artefact, policy, record);
  stages.ranking = rank(state, guidance, stages.retrieval, artefact, policy, record);
  stages.slate = gate(state, guidance, stages.retrieval, stages.ranking, top_k, artefact, policy, record);
  stages.questions = ask(state, guidance, stages.retrieval, stages.ranking, stages.slate, artefact, policy, record);
  return stages;
}

inline bool has_value(const Artefact& artefact, Ordinal product, const std::string& facet_name, const std::string& key) {
  const Facet* facet = artefact.facet(facet_name);
  if (facet == nullptr) return false;
  const auto value = artefact.find_value(facet->id, key);
  if (!value) return false;
  const auto values = artefact.values_of(product, facet->id);
  return std::find(values.begin(), values.end(), *value) != values.end();
}

}  // namespace turnstone::stage_fixture
