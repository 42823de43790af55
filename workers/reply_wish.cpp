#include "workers/reply_wish.h"

#include <algorithm>
#include <string_view>

#include "workers/gate_reasons.h"
#include "workers/reply_facts.h"

namespace turnstone {
namespace {

constexpr std::size_t words_bytes_max = 60;
constexpr std::size_t listed_max = 6;

std::string facet_words(const std::string& facet) {
  std::string words = facet;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string amount(const ConstraintSet& set, Number number) {
  if (set.facet == "price") return money_text(set.unit, number);
  return set.unit.empty() ? to_string(number) : to_string(number) + " " + set.unit;
}

std::string number_wish(const ConstraintSet& set) {
  std::string number = amount(set, *set.value.number);
  if (!set.value.any_of.empty()) {  // choices, the unit said once
    number.clear();
    for (const std::string& choice : set.value.any_of) number += (number.empty() ? "" : " or ") + choice;
    if (!set.unit.empty()) number += " " + set.unit;
  }
  const std::string name = facet_words(set.facet) + " ";
  switch (set.op) {
    case Operator::is: return name + number;
    case Operator::is_not: return "not " + name + number;
    case Operator::at_most: return name + "up to " + number;
    case Operator::at_least: return name + "from " + number;
    case Operator::about: return name + "about " + number;
    case Operator::between: return name + number + " to " + (set.value.upper ? amount(set, *set.value.upper) : number);
  }
  return name + number;
}

}  // namespace

std::string wish_text(const ConstraintSet& set) {
  if (set.value.number) return number_wish(set);
  std::string values;
  for (const std::string& value : set.value.any_of) values += (values.empty() ? "" : " or ") + value;
  if (values.empty()) values = set.said;
  while (!values.empty() && std::string_view(" .,;").find(values.back()) != std::string_view::npos) values.pop_back();
  return (set.op == Operator::is_not ? "not " : "") + shortened(values, words_bytes_max);
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), listed_max); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  if (items.size() > listed_max) text += " and " + std::to_string(items.size() - listed_max) + " more";
  return text;
}

const ConstraintSet* find_constraint(const IntentState& state, ConstraintId id) {
  for (const Constraint& constraint : state.active) {
    if (constraint.set.id == id) return &constraint.set;
  }
  for (const Tombstone& tombstone : state.tombstones) {
    if (tombstone.constraint.set.id == id) return &tombstone.constraint.set;
  }
  return nullptr;
}

}  // namespace turnstone
