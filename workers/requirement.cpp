#include "workers/requirement.h"

#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/column_index.h"
#include "workers/fixed_point.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

constexpr std::int64_t word_weight_max = 14 * fixed_point::bit;

bool carries_nothing(const Token& token, const Artefact& artefact) {
  const Language& language = artefact.language();
  return language.in_list("function", token.surface) || language.in_list("filler", token.surface);
}

Wording wording_of(std::string_view text, const Artefact& artefact) {
  Wording wording;
  for (const Token& token : tokenise(text, artefact.language())) {
    if (wording.words.size() == wording_words_max) break;
    WordOfWording word;
    word.term = artefact.term(token.term);
    if (word.term && !artefact.is_function_word(*word.term) && !carries_nothing(token, artefact)) {
      word.weight = std::min<std::int64_t>(artefact.idf(*word.term), word_weight_max);
    }
    wording.weight += word.weight;
    wording.words.push_back(word);
  }
  return wording;
}

bool same_words(const Wording& a, const Wording& b) {
  return std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(),
                    [](const WordOfWording& x, const WordOfWording& y) { return x.term == y.term; });
}

void add_wording(Requirement& requirement, std::string_view text, const Artefact& artefact) {
  Wording wording = wording_of(text, artefact);
  if (wording.weight == 0) return;
  for (const Wording& known : requirement.wordings) {
    if (same_words(known, wording)) return;
  }
  requirement.wordings.push_back(std::move(wording));
}

// "blue" stands in "dark blue" as whole words.
bool holds_words(std::string_view key, std::string_view words) {
  for (std::size_t at = key.find(words); at != std::string_view::npos; at = key.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || key[at - 1] == ' ') && (end == key.size() || key[end] == ' ')) return true;
  }
  return false;
}

// "running shoes" are shoes: a kind's special cases end in its name. "Clothing, Shoes & Jewelry" lists kinds and is none.
bool is_special_kind(const FacetValue& value, std::string_view kind) {
  return value.key.ends_with(kind) && value.key[value.key.size() - kind.size() - 1] == ' ' &&
         value.text.find_first_of(",&/") == std::string_view::npos;
}

// The words with one of them in another spelling: "dark grey" for "dark gray".
std::vector<std::string> other_spellings(const std::string& folded, const Language& language) {
  std::vector<std::string> spellings;
  for (std::size_t begin = 0; begin < folded.size();) {
    const std::size_t end = std::min(folded.find(' ', begin), folded.size());
    const std::string word = folded.substr(begin, end - begin);
    const std::string name = language.family_of("spelling", word).value_or(word);
    const auto respell = [&](const std::string& other) {
      if (other != word) spellings.push_back(folded.substr(0, begin) + other + folded.substr(end));
    };
    if (const auto* others = language.group("spelling", name)) {
      respell(name);
      for (const std::string& other : *others) respell(other);
    }
    begin = end + 1;
  }
  return spellings;
}

void add_meant(const Facet& facet, std::string_view words, const Artefact& artefact, std::vector<ValueId>& meant) {
  const std::string key = term_key(words, artefact.language());
  if (key.empty()) return;
  if (const auto exact = artefact.find_value(facet.id, key)) {
    meant.push_back(*exact);
    if (facet.name == "brand") return;
  }
  const bool is_type = facet.name == "category";
  const std::string_view last_word = std::string_view(key).substr(key.rfind(' ') + 1);
  ColumnIndex::of(artefact)->for_each_with(facet.id, last_word, [&](ValueId id) {
    const FacetValue& value = artefact.value(id);
    if (value.key.size() <= key.size()) return;
    if (is_type ? is_special_kind(value, key) : holds_words(value.key, key)) meant.push_back(id);
  });
  const auto* family = artefact.language().group(facet.name, fold_text(words));
  if (family == nullptr) return;
  for (const std::string& member : *family) {
    if (const auto id = artefact.find_value(facet.id, term_key(member, artefact.language()))) meant.push_back(*id);
  }
}

// Who turned down the options of a question turned down those alone: "dark blue" may still be the something else than "blue".
void resolve_value(Requirement& requirement, std::string_view text, const Artefact& artefact) {
  const Facet& facet = *requirement.facet;
  if (requirement.rejected && requirement.set->source == Source::answered) {
    if (const auto exact = artefact.find_value(facet.id, term_key(text, artefact.language()))) {
      requirement.values.push_back(*exact);
      return;
    }
  }
  const auto values = values_meant(facet, text, artefact);
  requirement.values.insert(requirement.values.end(), values.begin(), values.end());
}

// What listings say in many ways and places; other columns are stated as "name: value" and hardly otherwise.
bool said_freely(std::string_view facet) {
  constexpr std::string_view names[] = {"brand", "color", "material", "size", "style", "department", "use_case", "feature"};
  return std::find(std::begin(names), std::end(names), facet) != std::end(names);
}

// "capacity 128": as a listing states it that has the column. Tells the number that was meant from others like it.
void add_column_wordings(Requirement& requirement, const Artefact& artefact) {
  const ConstraintSet& set = *requirement.set;
  if (requirement.facet == nullptr || requirement.is_type || said_freely(set.facet)) return;
  if (set.op != Operator::is && set.op != Operator::about) return;
  const std::string label(requirement.facet->label.empty() ? requirement.facet->name : requirement.facet->label);
  for (const std::string& text : set.value.any_of) add_wording(requirement, label + " " + text, artefact);
  if (set.value.number && set.value.any_of.empty()) add_wording(requirement, label + " " + to_string(*set.value.number), artefact);
}

std::int64_t information_of(const Requirement& requirement, const Artefact& artefact) {
  if (requirement.values.empty()) return 0;
  std::uint64_t count = 0;
  for (const ValueId value : requirement.values) count += artefact.value(value).count;
  const std::uint64_t filled = std::max<std::uint64_t>(1, requirement.facet->filled);
  return fixed_point::log2_millibits(filled) - fixed_point::log2_millibits(std::clamp<std::uint64_t>(count, 1, filled));
}

// "fanless" stands in "fanless: False" too, so only the whole statement is evidence.
void add_yes_no_wordings(Requirement& requirement, const Artefact& artefact) {
  for (const std::string& text : requirement.set->value.any_of) {
    const bool yes = artefact.language().in_list("yes", fold_text(text));
    for (const std::string& word : artefact.language().list(yes ? "yes" : "no")) {
      if (artefact.term(term_key(word, artefact.language()))) add_wording(requirement, std::string(requirement.facet->label) + " " + word, artefact);
    }
  }
}

Requirement compile(const ConstraintSet& set, bool withdrawn, const Artefact& artefact, const Variant& variant) {
  Requirement requirement;
  requirement.set = &set;
  requirement.facet = artefact.facet(set.facet);
  requirement.rejected = set.op == Operator::is_not;
  requirement.withdrawn = withdrawn;
  requirement.is_type = set.facet == "category";
  if (requirement.is_number()) requirement.ranges = ranges_of(set);
  if (withdrawn) requirement.share = variant.rank.archived;
  else if (set.strength == Strength::soft) requirement.share = variant.rank.soft;

  if (requirement.facet != nullptr && requirement.facet->kind != FacetKind::number) {
    for (const std::string& text : set.value.any_of) resolve_value(requirement, text, artefact);
    std::sort(requirement.values.begin(), requirement.values.end());
    requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()), requirement.values.end());
  }
  requirement.information = information_of(requirement, artefact);
  if (requirement.is_yes_no()) {
    add_yes_no_wordings(requirement, artefact);
    return requirement;
  }
  // A price is compared, its words ("under 50 dollars", "cheap") are no evidence in a listing.
  if (set.facet == "price" || set.facet == "rating") return requirement;
  for (const std::string& text : set.value.any_of) add_wording(requirement, text, artefact);
  add_column_wordings(requirement, artefact);
  // Whom it is for is said of a person ("my daughter"), which listings do not speak of.
  if (set.facet == "department") return requirement;
  if (!requirement.rejected && set.op != Operator::at_most && set.op != Operator::at_least && set.op != Operator::between) {
    add_wording(requirement, set.said, artefact);
  }
  return requirement;
}

Match number_match(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  const auto number = artefact.number_of(product, requirement.facet->id);
  if (!number) return Match::silent;
  return requirement.holds(*number) ? Match::yes : Match::no;
}

bool title_mentions(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (artefact.part_count(product) == 0) return false;
  const ListingPart title = artefact.part(product, 0);
  if (title.field != ListingField::title) return false;
  return std::any_of(requirement.wordings.begin(), requirement.wordings.end(), [&](const Wording& wording) {
    return std::all_of(wording.words.begin(), wording.words.end(), [&](const WordOfWording& word) {
      return word.weight == 0 || std::find(title.terms.begin(), title.terms.end(), *word.term) != title.terms.end();
    });
  });
}

// What was said once and never denied: set aside with other wishes, replaced by a later value, or taken back. What it
// counts is the policy's to say (rank.archived): nothing, unless the shopper's earlier wishes are known to stay true.
bool may_still_hold(const Tombstone& tombstone, const IntentState& state) {
  const ConstraintSet& set = tombstone.constraint.set;
  const TombstoneReason reason = tombstone.by.reason;
  if (reason == TombstoneReason::contradicted || reason == TombstoneReason::waived || set.source == Source::profile) return false;
  if (set.op != Operator::is && set.op != Operator::about) return false;
  return std::none_of(state.active.begin(), state.active.end(),
                      [&](const Constraint& c) { return c.set.facet == set.facet && c.set.value == set.value; });
}

}  // namespace

std::vector<ValueId> values_meant(const Facet& facet, std::string_view words, const Artefact& artefact) {
  std::vector<ValueId> meant;
  add_meant(facet, words, artefact, meant);
  for (const std::string& spelling : other_spellings(fold_text(words), artefact.language())) add_meant(facet, spelling, artefact, meant);
  std::sort(meant.begin(), meant.end());
  meant.erase(std::unique(meant.begin(), meant.end()), meant.end());
  return meant;
}

std::size_t weighing_words(const Wording& wording) {
  return static_cast<std::size_t>(std::count_if(wording.words.begin(), wording.words.end(), [](const auto& word) { return word.weight > 0; }));
}

bool is_condition(const Requirement& requirement) {
  if (requirement.rejected || requirement.withdrawn || requirement.set->source == Source::profile) return false;
  if (requirement.is_number() || !requirement.values.empty()) return true;
  if (requirement.is_yes_no()) return false;
  return std::any_of(requirement.wordings.begin(), requirement.wordings.end(), [](const Wording& wording) {
    const std::size_t words = weighing_words(wording);
    return words > 0 && words <= clause_words_max;
  });
}

Wishes compile_wishes(const IntentState& state, const Artefact& artefact, const Variant& variant) {
  Wishes wishes;
  std::size_t wordings = 0;
  const auto add = [&](const ConstraintSet& set, bool withdrawn) {
    Requirement requirement = compile(set, withdrawn, artefact, variant);
    if (wordings + requirement.wordings.size() > wordings_max) requirement.wordings.resize(wordings_max - wordings);
    wordings += requirement.wordings.size();
    wishes.requirements.push_back(std::move(requirement));
  };
  for (const Constraint& constraint : state.active) add(constraint.set, false);
  if (variant.rank.archived > 0) {
    for (auto tombstone = state.tombstones.rbegin(); tombstone != state.tombstones.rend(); ++tombstone) {
      if (may_still_hold(*tombstone, state)) add(tombstone->constraint.set, true);
    }
  }
  if (!state.recipient_department.empty()) {
    wishes.department_facet = artefact.facet("department");
    if (wishes.department_facet != nullptr) {
      const std::string key = term_key(state.recipient_department, artefact.language());
      if (const auto value = artefact.find_value(wishes.department_facet->id, key)) wishes.department.push_back(*value);
    }
  }
  for (const std::string& tag : state.preference_tags) {
    for (const WordOfWording& word : wording_of(tag, artefact).words) {
      if (word.weight > 0) wishes.tags.push_back(*word.term);
    }
  }
  return wishes;
}

std::shared_ptr<const Wishes> wishes_of(const IntentState& state, const Retrieval& retrieval, const Artefact& artefact, const Variant& variant) {
  return retrieval.wishes != nullptr ? retrieval.wishes : std::make_shared<const Wishes>(compile_wishes(state, artefact, variant));
}

namespace {

NumberBounds bounds_of(const ConstraintSet& set, Number number) {
  NumberBounds bounds;
  const std::int64_t magnitude = number.value < 0 ? -number.value : number.value;
  switch (set.op) {
    case Operator::at_most: bounds.most = number; break;
    case Operator::at_least: bounds.least = number; break;
    case Operator::between:
      bounds.least = number;
      bounds.most = set.value.upper;
      break;
    case Operator::about:
      bounds.least = Number{number.value - magnitude / 4};
      bounds.most = Number{number.value + magnitude / 4};
      break;
    case Operator::is:
    case Operator::is_not: {  // one per cent of a measure: 27 inches and 26.9 are the same screen; years and counts are what they are
      const std::int64_t around = set.unit.empty() && set.facet != "price" ? 0 : magnitude / 100;
      bounds.least = Number{number.value - around};
      bounds.most = Number{number.value + around};
      break;
    }
  }
  return bounds;
}

}  // namespace

std::vector<NumberBounds> ranges_of(const ConstraintSet& set) {
  std::vector<NumberBounds> ranges;
  if (!set.value.number) return ranges;
  for (const std::string& choice : set.value.any_of) {
    if (const auto number = parse_number(choice)) ranges.push_back(bounds_of(set, *number));
  }
  if (ranges.empty()) ranges.push_back(bounds_of(set, *set.value.number));
  return ranges;
}

bool silence_is_unknown(const Facet& numbers, const Artefact& artefact) {
  constexpr std::int64_t nearly_all = 900;  // permille
  return fixed_point::permille_of(static_cast<std::int64_t>(artefact.number_column(numbers.id).size()), artefact.product_count()) < nearly_all;
}

bool has_value(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (requirement.values.empty()) return false;
  const auto values = artefact.values_of(product, requirement.facet->id);
  return std::any_of(values.begin(), values.end(), [&](ValueId value) {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), value);
  });
}

bool satisfies(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (requirement.is_number()) {
    const auto number = artefact.number_of(product, requirement.facet->id);
    return number ? requirement.holds(*number) : silence_is_unknown(*requirement.facet, artefact);
  }
  if (!requirement.values.empty()) {
    if (has_value(requirement, product, artefact)) return true;
    if (requirement.is_type || !artefact.values_of(product, requirement.facet->id).empty()) return false;
  }
  return mentions(requirement, product, artefact, clause_words_max);
}

bool mentions(const Requirement& requirement, Ordinal product, const Artefact& artefact, std::size_t words_max) {
  if (requirement.is_yes_no()) return false;
  const auto terms = artefact.terms(product);
  return std::any_of(requirement.wordings.begin(), requirement.wordings.end(), [&](const Wording& wording) {
    if (weighing_words(wording) > words_max) return false;
    return std::all_of(wording.words.begin(), wording.words.end(), [&](const WordOfWording& word) {
      return word.weight == 0 || std::find(terms.begin(), terms.end(), *word.term) != terms.end();
    });
  });
}

Match match_of(const Requirement& requirement, Ordinal product, const Artefact& artefact) {
  if (requirement.is_number()) return number_match(requirement, product, artefact);
  const bool has_column = requirement.facet != nullptr && !requirement.values.empty();
  if (has_column) {
    if (has_value(requirement, product, artefact)) return Match::yes;
    if (requirement.is_type && title_mentions(requirement, product, artefact)) return Match::mentioned;
    const bool said = mentions(requirement, product, artefact);
    if (artefact.values_of(product, requirement.facet->id).empty()) return said ? Match::mentioned : Match::silent;
    return said ? Match::otherwise_mentioned : Match::no;
  }
  return mentions(requirement, product, artefact) ? Match::mentioned : Match::silent;
}

}  // namespace turnstone
