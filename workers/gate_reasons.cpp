#include "workers/gate_reasons.h"

#include <algorithm>

namespace turnstone {
namespace {

constexpr std::size_t reasons_max = 4;
constexpr std::size_t words_shown_max = 60;

std::string label_of(const Facet& facet) { return std::string(facet.label.empty() ? facet.name : facet.label); }

std::string short_words(const std::string& said) {
  if (said.size() <= words_shown_max) return said;
  std::size_t end = words_shown_max;
  while (end > 0 && (static_cast<unsigned char>(said[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return said.substr(0, end) + "…";
}

std::string reason_for(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  const Match match = match_of(requirement, product, artefact);
  if (requirement.is_number()) {
    const auto number = artefact.number_of(product, requirement.facet->id);
    return match == Match::yes && number ? label_of(*requirement.facet) + " " + number_text(*requirement.facet, *number) : "";
  }
  if (match == Match::yes) {
    for (const ValueId value : artefact.values_of(product, requirement.facet->id)) {
      if (!std::binary_search(requirement.values.begin(), requirement.values.end(), value)) continue;
      return label_of(*requirement.facet) + " " + std::string(artefact.value(value).text);
    }
  }
  if (match == Match::mentioned || match == Match::otherwise_mentioned) return "says “" + short_words(requirement.set->said) + "”";
  return "";
}

}  // namespace

std::string money_text(std::string_view sign, Number number) {
  if (sign.empty()) sign = "$";
  const bool word = std::all_of(sign.begin(), sign.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return word ? to_string(number) + " " + std::string(sign) : std::string(sign) + to_string(number);
}

std::string number_text(const Facet& facet, Number number) {
  if (facet.name == "price") return money_text(facet.unit, number);
  return facet.unit.empty() ? to_string(number) : to_string(number) + " " + std::string(facet.unit);
}

std::vector<std::string> reasons_for(const Wishes& wishes, Ordinal product, const Artefact& artefact) {
  std::vector<std::string> reasons;
  for (const Requirement& requirement : wishes.requirements) {
    if (requirement.rejected || requirement.withdrawn || reasons.size() == reasons_max) continue;
    std::string reason = reason_for(requirement, product, artefact);
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  return reasons;
}

std::vector<ConstraintId> misses_of(const Wishes& wishes, Ordinal product, const Artefact& artefact) {
  std::vector<ConstraintId> misses;
  for (const Requirement& requirement : wishes.requirements) {
    const bool refused = requirement.rejected && !requirement.withdrawn && (requirement.is_number() || !requirement.values.empty()) &&
                         match_of(requirement, product, artefact) == Match::yes;
    if (refused || (is_condition(requirement) && !satisfies(requirement, product, artefact))) misses.push_back(requirement.set->id);
  }
  return misses;
}

}  // namespace turnstone
