// Names of columns, and what stands behind them.
#include <algorithm>
#include <array>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::size_t named_value_words_max = 12;
constexpr std::size_t label_front_max = 3;  // words of a label before the column's name

}  // namespace

bool Interpreter::is_common_facet(std::string_view name) {
  constexpr std::array<std::string_view, 10> common{"brand", "color",  "department", "material", "pattern",
                                                    "price", "rating", "size",       "style",    "use_case"};
  return std::find(common.begin(), common.end(), name) != common.end();
}

bool Interpreter::read_facet_name() {
  const NameMatch& name = m_.facet_names[at_];
  if (name.length == 0 || phrases_[at_].length > name.length) return false;
  const std::size_t first = at_;
  const std::size_t end = first + name.length;
  const bool colon = end < m_.size() && m_.words[end].gap == Gap::colon;
  if (!colon && !c_.waiving &&
      (category_here(first) || (phrases_[first].length == name.length && choose(phrases_[first], first) != nullptr)))
    return false;
  const Facet* facet = artefact_.facet(name.name);
  const bool counts = facet != nullptr && facet->kind == FacetKind::number;
  if (counts && !colon && !c_.waiving && !c_.dropping && first > 0 && !used(first - 1) && !m_.words[first - 1].number && names_more(0, first) &&
      !value_follows(*facet, end))
    return false;
  if (facet != nullptr && facet->kind == FacetKind::yes_no && !colon && !c_.waiving) {
    put_yes_no(*facet, first, name.length);
    at_ = end;
    end_denial_of_yes_no();
    return true;
  }
  if (facet != nullptr && facet->kind == FacetKind::words && !colon && !c_.waiving && name_with_value(*facet, first, end)) return true;
  if (facet != nullptr && facet->kind == FacetKind::words && !colon && !c_.waiving && !c_.dropping && !is_common_facet(name.name) &&
      m_.words[first].content() && !value_follows(*facet, end)) {
    name_column(name.name, first);
    return false;  // "with pockets": the thing itself is wanted
  }
  if (c_.waiving || c_.dropping) put_waived(name.name, m_.span(first, end));  // "forget the colour": any will do
  c_.facet = name.name;
  c_.facet_at = first;
  name_column(name.name, first);
  if (name.name == "price") c_.budget = true;
  if (name.name == "size") c_.size = true;
  consume(first, name.length, "names " + name.name);
  std::fill_n(read_as_name_.begin() + static_cast<long>(first), name.length, true);
  if (colon) take_label_front(first);
  at_ = end;
  return true;
}

// "Primary Color: Grey": what stands before the name belongs to the label, from where the clause begins.
void Interpreter::take_label_front(std::size_t name) {
  std::size_t first = name;
  while (first > 0 && name - first < label_front_max && m_.words[first].gap <= Gap::hyphen) {
    const Word& word = m_.words[first - 1];
    if (used(first - 1) || word.number || word.function || m_.cues[first - 1] || category_here(first - 1)) break;
    --first;
  }
  const bool begins = first == 0 || m_.words[first].gap >= Gap::dash || m_.cues[first - 1] || m_.words[first - 1].function;
  const bool bears_value = std::any_of(phrases_.begin() + static_cast<long>(first), phrases_.begin() + static_cast<long>(name),
                                       [&](const PhraseMatch& phrase) { return category_sense(phrase) != nullptr; });
  if (!begins || bears_value || first == name) return;
  consume(first, name - first, "names " + *c_.facet);
  const std::size_t value = name + m_.facet_names[name].length;
  if (value < m_.size()) labels_.push_back({*c_.facet, m_.words[first].span.begin, m_.words[value].span.begin});
}

// A listing that has the very label is meant rather than one of another label that says the same: the label is part of
// what was said.
void Interpreter::keep_labels() {
  for (Signal& signal : reading_.signals) {
    for (const Label& label : labels_) {
      if (signal.kind == SignalKind::wish && signal.facet == label.facet && signal.span.begin == label.value_begin) {
        signal.said = m_.said({label.begin, signal.span.end});
      }
    }
  }
}

// "Heated seats" are no number of seats: with the word before it, from `first` on, the name is a thing of its own.
bool Interpreter::names_more(std::size_t first, std::size_t i) const {
  if (i <= first || m_.words[i].gap > Gap::hyphen || m_.cues[i - 1] || !m_.words[i - 1].content()) return false;
  return stands_intact(m_, i - 1, i + std::max<std::size_t>(1, m_.facet_names[i].length), artefact_);
}

bool Interpreter::value_follows(const Facet& facet, std::size_t end) const {
  for (std::size_t i = end; i < std::min(end + 3, m_.size()) && m_.words[i].gap <= Gap::space; ++i) {
    for (const Sense& sense : phrases_[i].senses) {
      if (sense.facet == facet.id) return true;
    }
  }
  return false;
}

// "fully modular": the word before a column's name is one of its values, or the adverb of one.
bool Interpreter::name_with_value(const Facet& facet, std::size_t first, std::size_t end) {
  if (first == 0 || used(first - 1) || m_.words[first].gap > Gap::hyphen) return false;
  std::string term = m_.terms[first - 1];
  auto value = artefact_.find_value(facet.id, term);
  if (!value && term.size() > 4 && term.ends_with("ly")) {
    term.resize(term.size() - 2);
    value = artefact_.find_value(facet.id, term);
    if (!value) value = artefact_.find_value(facet.id, term + "l");
  }
  if (!value) return false;
  put_word(std::string(facet.name), {std::string(artefact_.value(*value).text)}, first - 1, end - first + 1, Permille{900});
  at_ = end;
  return true;
}

// "rgb", "no rgb", "fanless": a column that says yes or no.
void Interpreter::put_yes_no(const Facet& facet, std::size_t first, std::size_t length) {
  const bool rejected = c_.polarity == Polarity::rejected;
  if (c_.dropping) {
    take_word_away(std::string(facet.name), "", m_.span(first, first + length));
    return consume(first, length, "take back");
  }
  if (c_.polarity == Polarity::neither) return consume(first, length, "neither");
  Signal& signal = put(SignalKind::wish, m_.span(first, first + length), Permille{850});
  signal.facet = std::string(facet.name);
  signal.strength = strength_for(signal.facet);
  signal.value.any_of = {rejected ? "no" : "yes"};
  for (const FacetValue& value : artefact_.values(facet.id)) {
    const bool no = value.key == "no" || value.key == "false" || value.key == "n" || value.key == "0";
    if (no == rejected) {
      signal.value.any_of = {std::string(value.text)};
      break;
    }
  }
  ++c_.polarity_items;
  consume(first, length, std::string(facet.name));
}

// "No NVMe SATA drive": what says yes or no by itself takes the "no" with it; a value, a number or a product right behind it
// is not denied.
void Interpreter::end_denial_of_yes_no() {
  if (c_.polarity != Polarity::rejected || c_.broad || at_ >= m_.size() || m_.words[at_].gap > Gap::hyphen) return;
  if (m_.words[at_].number || category_here(at_) || pair_at_[at_] != 0 || choose(phrases_[at_], at_) != nullptr) c_.polarity = Polarity::wanted;
}

// "interface: SATA 6.0 Gb/s", "size: 2.5": behind a column's name and a colon the longest of its values counts, whatever
// signs stand within it.
bool Interpreter::read_named_value() {
  if (!c_.facet || m_.words[at_].gap != Gap::colon) return false;
  const Facet* facet = artefact_.facet(*c_.facet);
  if (facet != nullptr && facet->kind == FacetKind::yes_no) return read_named_yes_no(*facet);
  if (facet == nullptr || facet->kind != FacetKind::words || facet->verdict < Verdict::filter) return false;
  std::string key;
  std::size_t end = 0;
  ValueId best;
  for (std::size_t i = at_; i < std::min(m_.size(), at_ + named_value_words_max); ++i) {
    if (i > at_ && m_.words[i].gap >= Gap::semicolon) break;
    key += (i > at_ ? " " : "") + m_.terms[i];
    const auto value = artefact_.find_value(facet->id, key);
    if (!value) continue;
    best = *value;
    end = i + 1;
  }
  if (end == 0) return false;
  const std::size_t first = at_;
  put_word(std::string(facet->name), {std::string(artefact_.value(best).text)}, first, end - first, Permille{950});
  at_ = end;
  return true;
}

// "is OEM: False".
bool Interpreter::read_named_yes_no(const Facet& facet) {
  const Language& language = artefact_.language();
  const std::string& word = m_.surface(at_);
  const bool yes = language.in_list("yes", word);
  if (!yes && !language.in_list("no", word)) return false;
  const bool rejected = c_.polarity == Polarity::rejected;
  if (yes == rejected) {
    c_.polarity = Polarity::rejected;
  } else {
    c_.polarity = Polarity::wanted;
  }
  put_yes_no(facet, at_, 1);
  c_.polarity = rejected ? Polarity::rejected : Polarity::wanted;
  c_.facet.reset();
  ++at_;
  return true;
}

// "IPS panel", "socket AM5": words of the column's name beside its value belong to it.
void Interpreter::take_label_words(const std::string& facet, std::size_t first, std::size_t length) {
  if (facet == "category" || facet == "brand" || facet == "feature") return;
  const auto is_label = [&](std::size_t i) {
    if (i >= m_.size() || used(i) || m_.words[i].function || category_here(i)) return false;
    const std::size_t at = facet.find(m_.terms[i]);
    return at != std::string::npos && m_.terms[i].size() >= 3 && (at == 0 || facet[at - 1] == '_') &&
           (at + m_.terms[i].size() == facet.size() || facet[at + m_.terms[i].size()] == '_');
  };
  const std::size_t end = first + length;
  if (end < m_.size() && m_.words[end].gap <= Gap::hyphen && is_label(end)) consume(end, 1, facet);
  if (first > 0 && m_.words[first].gap <= Gap::hyphen && is_label(first - 1)) consume(first - 1, 1, facet);
}

}  // namespace turnstone
