#include "tools/eval/ablation.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/eval/fixed.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;
constexpr int digits = 4;

constexpr std::int64_t never = 1'000'000;  // no gain is so large

}  // namespace

std::span<const Ablation> ablations() {
  static const std::vector<Ablation> all = {
      {"route: exact pool", {{"retrieve", "weight_exact", 0}}},
      {"route: all words", {{"retrieve", "weight_and", 0}}},
      {"route: any word", {{"retrieve", "weight_or", 0}}},
      {"route: category", {{"retrieve", "weight_category", 0}}},
      {"route: rare phrases", {{"retrieve", "weight_phrase", 0}}},
      {"words anywhere in the listing", {{"rank", "word_anywhere", 0}}},
      {"words together in one part", {{"rank", "word_together", 0}}},
      {"intact phrases", {{"rank", "phrase", 0}}},
      {"a part that says nothing else", {{"rank", "whole_part", 0}}},
      {"prominence of the part", {{"rank", "prominence", 0}, {"rank", "prominence_step", 0}}},
      {"facet values", {{"rank", "facet_match", 0}}},
      {"facet contradictions", {{"rank", "facet_contradiction", 0}, {"rank", "facet_contradiction_mentioned", 0}}},
      {"product type", {{"rank", "type_in_title", 0}, {"rank", "type_in_category", 0}, {"rank", "type_mismatch", 0}}},
      {"numbers", {{"rank", "number_fit", 0}, {"rank", "number_miss", 0}, {"rank", "number_slope", 0}}},
      {"precision of the listing", {{"rank", "precision", 0}}},
      {"rejected values", {{"rank", "rejected_value", 0}, {"rank", "rejected_mention", 0}}},
      {"department", {{"rank", "department_mismatch", 0}}},
      {"withdrawn wishes as evidence", {{"rank", "archived", 0}}},
      {"popularity among near ties", {{"rank", "popularity", 0}}},
      {"trusted small pools", {{"gate", "trusted_pool", 0}}},
      {"slate by expected value", {{"gate", "by_value", 0}}},
      {"open question", {{"ask", "open_yield", 0}}},
      {"facet questions", {{"ask", "gain_min", never}}},
      {"all questions", {{"ask", "questions_max", 0}}},
  };
  return all;
}

Result<std::shared_ptr<const Policy>> without(const Policy& policy, const std::string& variant, const Ablation& ablation) {
  try {
    toml::table document = toml::parse(policy.source());
    const toml::table* base = document["variants"]["base"].as_table();
    toml::table* own = document["variants"][variant].as_table();
    for (const PolicyChange& change : ablation.changes) {
      if (base == nullptr || own == nullptr || !(*base)[change.part][change.key].is_integer()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the policy has no number {}.{} for its variant {}; take the part '{}' out of the ablations, or name it anew",
                                change.part, change.key, variant, ablation.name));
      }
      if (!own->contains(change.part)) own->insert(change.part, toml::table{});
      own->at(change.part).as_table()->insert_or_assign(change.key, change.value);
    }
    std::ostringstream text;
    text << document;
    return Policy::parse(text.str());
  } catch (const toml::parse_error& fault) {
    return fail(ErrorCode::invalid_argument, std::string("the policy is no TOML: ") + std::string(fault.description()));
  }
}

std::string ablation_report(const std::vector<AblationResult>& results, const std::vector<Outcome>& whole, const Subject& subject) {
  Json parts = Json::array();
  for (const AblationResult& result : results) {
    parts.push_back(
        {{"part", result.name}, {"worth", fixed(result.worth.value, digits)}, {"low", fixed(result.worth.low, digits)}, {"high", fixed(result.worth.high, digits)}});
  }
  const Json document = {{"whole", Json::parse(report(whole, subject)).at("overall").at("technical_score")},
                         {"sessions", whole.size()},
                         {"artefact", subject.artefact},
                         {"policy", subject.policy},
                         {"variant", subject.variant},
                         {"wording", subject.wording},
                         {"seed", subject.seed},
                         {"parts", parts}};
  return document.dump(1) + "\n";
}

std::string ablation_summary(std::string_view report_text) {
  const Json document = Json::parse(report_text, nullptr, false);
  if (!document.is_object()) return std::string(report_text);
  std::string out = fmt::format("{:<34}{:>9}  {}\n", "part", "worth", "95 % interval (paired by session)");
  for (const Json& part : document.at("parts")) {
    out += fmt::format("{:<34}{:>+9.4f}  [{:+.4f}, {:+.4f}]\n", part.at("part").get<std::string>(), part.at("worth").get<double>(),
                       part.at("low").get<double>(), part.at("high").get<double>());
  }
  return out + fmt::format("with all of them {:.4f} over {} sessions\n", document.at("whole").at("value").get<double>(),
                           document.at("sessions").get<std::size_t>());
}

}  // namespace turnstone
