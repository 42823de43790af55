// Relative wishes, names of columns, values of the catalogue.
#include <algorithm>
#include <array>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::size_t named_value_words_max = 12;
constexpr std::uint32_t category_count_min = 50;  // products from which a longer product name answers to its last word

// Facets whose names are words about products, never products.
bool is_common_facet(std::string_view name) {
  constexpr std::array<std::string_view, 10> common{"brand", "color",  "department", "material", "pattern",
                                                    "price", "rating", "size",       "style",    "use_case"};
  return std::find(common.begin(), common.end(), name) != common.end();
}

}  // namespace

// --- relative words ---

bool Interpreter::read_level() {
  const FamilyMatch match = family_at(m_, at_, "price_level", lexicon_, 4);
  if (match.length == 0) return false;
  const auto& relative = m_.relatives[at_];
  const bool longer_cue = m_.cues[at_] && m_.cues[at_]->length > match.length && !m_.cues[at_]->is(CueKind::negate);
  if ((relative && relative->length > match.length) || longer_cue || phrases_[at_].length > match.length) return false;
  if (c_.polarity == Polarity::neither) return false;
  Signal& signal = put(SignalKind::price_level, m_.span(at_, at_ + match.length), Permille{750});
  const std::int64_t level = parse_number(match.family).value_or(whole_number(500)).value / number_scale;
  const bool high = (level > 500) != (c_.polarity == Polarity::rejected);
  signal.facet = "price";
  signal.op = high ? Operator::at_least : Operator::at_most;
  signal.value.number = whole_number(c_.polarity == Polarity::rejected ? (level > 500 ? 500 : 250) : level);
  signal.strength = Strength::soft;
  if (c_.strength) signal.strength = *c_.strength;
  ++c_.polarity_items;
  consume(at_, match.length, "price");
  at_ += match.length;
  return true;
}

// The column that a relative wish moves: one that bounds the search already, else one that the category fills.
std::string Interpreter::relative_facet(const std::vector<std::string>& facets) const {
  for (const std::string& facet : facets) {
    if (facet == "price" || facet == "rating") return facet;
  }
  const auto fits = [&](std::string_view name, const std::string& wanted) {
    return name == wanted || name.ends_with("_" + wanted) || name.starts_with(wanted + "_");
  };
  for (const std::string& wanted : facets) {
    for (const Constraint& constraint : state_.active) {
      if (constraint.set.value.number && fits(constraint.set.facet, wanted)) return constraint.set.facet;
    }
  }
  for (const std::string& wanted : facets) {
    for (const NumberUse& use : lexicon_.numbers_of(category_)) {
      const Facet& facet = artefact_.facet(use.facet);
      const std::uint32_t all = category_ ? artefact_.value(*category_).count : artefact_.product_count();
      if (fits(facet.name, wanted) && use.filled * 4 >= all) return std::string(facet.name);
    }
  }
  return {};
}

bool Interpreter::read_relative() {
  const std::string& term = m_.terms[at_];
  const std::size_t cue_length = m_.cues[at_] ? m_.cues[at_]->length : 0;
  const auto& match = m_.relatives[at_];
  const bool rising = term == "more" || term == "higher" || term == "larger" || term == "bigger" || term == "greater" || term == "longer";
  const bool falling = term == "less" || term == "lower" || term == "smaller" || term == "fewer" || term == "shorter";
  const std::size_t after = at_ + 1;
  // "more memory", "a larger capacity".
  if ((rising || falling) && after < m_.size() && m_.words[after].gap <= Gap::space && m_.facet_names[after].length > 0) {
    const Facet* facet = artefact_.facet(m_.facet_names[after].name);
    if (facet != nullptr && facet->kind == FacetKind::number) {
      const std::size_t length = 1 + m_.facet_names[after].length;
      Signal& signal = put(SignalKind::relative, m_.span(at_, at_ + length), Permille{900});
      signal.facet = std::string(facet->name);
      signal.up = rising;
      consume(at_, length, rising ? "more" : "less");
      at_ += length;
      return true;
    }
  }
  const bool overtaken = match && cue_overtakes(at_, match->length);
  if (match && !overtaken && match->length >= cue_length && !(m_.cues[at_] && cue_length == match->length && amount_near(at_ + cue_length))) {
    const std::string facet = relative_facet(match->cue->facets);
    if (!state_.last_shown.empty() || !facet.empty()) {
      Signal& signal = put(SignalKind::relative, m_.span(at_, at_ + match->length), Permille{900});
      signal.facet = facet;
      signal.up = match->cue->up;
    }
    consume(at_, match->length, match->cue->up ? "more" : "less");
    at_ += match->length;
    return true;
  }
  // "less formal": without that word.
  if (term == "less" && after < m_.size() && m_.words[after].gap <= Gap::space && m_.words[after].content() && cue_length <= 1) {
    const std::size_t length = std::max<std::size_t>(1, phrases_[after].length);
    const TextSpan span = m_.span(at_, after + length);
    const std::string word = m_.said(m_.span(after, after + length));
    take_word_away("", word, span);
    consume(at_, length + 1, "less");
    at_ = after + length;
    return true;
  }
  return false;
}

// --- names of columns ---

bool Interpreter::read_facet_name() {
  const NameMatch& name = m_.facet_names[at_];
  if (name.length == 0 || phrases_[at_].length > name.length) return false;
  const std::size_t first = at_;
  const std::size_t end = first + name.length;
  const bool colon = end < m_.size() && m_.words[end].gap == Gap::colon;
  if (!colon && !c_.waiving &&
      (category_here(first) || (phrases_[first].length == name.length && choose(phrases_[first], first) != nullptr && !c_.waiving)))
    return false;
  const Facet* facet = artefact_.facet(name.name);
  if (facet != nullptr && facet->kind == FacetKind::yes_no && !colon && !c_.waiving) {
    put_yes_no(*facet, first, name.length);
    at_ = end;
    return true;
  }
  if (facet != nullptr && facet->kind == FacetKind::words && !colon && !c_.waiving && name_with_value(*facet, first, end)) return true;
  if (facet != nullptr && facet->kind == FacetKind::words && !colon && !c_.waiving && !c_.dropping && !is_common_facet(name.name) &&
      m_.words[first].content() && !value_follows(*facet, end)) {
    c_.names.push_back({name.name, first});
    return false;  // "with pockets": the thing itself is wanted
  }
  if (c_.waiving) put_waived(name.name, m_.span(first, end));
  if (c_.dropping) take_word_away(name.name, "", m_.span(first, end));
  c_.facet = name.name;
  c_.facet_at = first;
  c_.names.push_back({name.name, first});
  if (name.name == "price") c_.budget = true;
  if (name.name == "size") c_.size = true;
  consume(first, name.length, "names " + name.name);
  at_ = end;
  return true;
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
  if (c_.polarity == Polarity::neither) return consume(first, length, "neither");
  if (c_.dropping) {
    take_word_away(std::string(facet.name), "", m_.span(first, first + length));
    return consume(first, length, "take back");
  }
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

// --- values ---

const Sense* Interpreter::category_sense(const PhraseMatch& phrase) const {
  if (phrase.length == 0 || category_facet_ == nullptr) return nullptr;
  for (const Sense& sense : phrase.senses) {
    if (sense.facet != category_facet_->id) continue;
    const std::string_view key = artefact_.value(sense.value).key;
    if (key == phrase.key || artefact_.value(sense.value).count >= category_count_min) return &sense;
  }
  return nullptr;
}

bool Interpreter::names_product(std::size_t i) const {
  const PhraseMatch& phrase = phrases_[i];
  const Sense* own = category_sense(phrase);
  if (own == nullptr) return false;
  for (const std::string_view table : {"department", "color", "material", "size"}) {
    if (lexicon_.family(table, phrase.key)) return false;
  }
  if (phrase.length == 1) {
    // A word that names a product in few of the listings that hold it, or that speaks of the talk, names none.
    const Word& word = m_.words[i];
    if (word.function || word.filler) return false;
    const std::uint64_t share = word.meta || m_.cues[i] ? 4 : 25;
    if (own->count * share < word.frequency) return false;
  }
  if (m_.facet_names[i].length >= phrase.length && is_common_facet(m_.facet_names[i].name)) return false;
  std::uint32_t best_other = 0;
  for (const Sense& sense : phrase.senses) {
    if (sense.facet != category_facet_->id) best_other = std::max(best_other, sense.count);
  }
  return own->count * 4 >= best_other;
}

// "dress shirt": the last of names that stand together is the product.
bool Interpreter::may_name_product(std::size_t i) const {
  if (!names_product(i)) return false;
  const std::size_t after = i + phrases_[i].length;
  return after >= m_.size() || m_.words[after].gap > Gap::hyphen || (m_.cues[after] && m_.words[after].function) || !names_product(after);
}

bool Interpreter::category_here(std::size_t i) const { return std::binary_search(heads_.begin(), heads_.end(), i); }

// Of two readings the one whose column the category at hand fills, then the one with more products, then the
// fuller column.
const Sense* Interpreter::better(const Sense* a, const Sense* b) const {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  if (category_) {
    const auto fits = [&](const Sense& sense) { return lexicon_.filled(*category_, sense.facet) * 20 >= artefact_.value(*category_).count; };
    if (fits(*a) != fits(*b)) return fits(*a) ? a : b;
  }
  if (a->count != b->count) return b->count > a->count ? b : a;
  return artefact_.facet(b->facet).filled > artefact_.facet(a->facet).filled ? b : a;
}

const Sense* Interpreter::choose(const PhraseMatch& phrase, std::size_t i) const {
  if (phrase.length == 0) return nullptr;
  const Word& word = m_.words[i];
  if (phrase.length == 1 && (word.function || (word.number && !c_.facet))) return nullptr;
  const auto usable = [&](const Sense& sense) {
    const Facet& facet = artefact_.facet(sense.facet);
    return facet.verdict >= Verdict::filter && facet.kind == FacetKind::words;
  };
  const auto of_facet = [&](std::string_view name) -> const Sense* {
    for (const Sense& sense : phrase.senses) {
      if (artefact_.facet(sense.facet).name == name && usable(sense)) return &sense;
    }
    return nullptr;
  };
  if (c_.facet) {
    if (const Sense* sense = of_facet(*c_.facet)) return sense;
  }
  if (asked_ != nullptr && m_.size() <= 12) {
    const Sense* sense = of_facet(asked_->question.facet);
    const bool usual = sense != nullptr && sense->count * 20 >= phrase.senses[0].count;  // an odd spelling elsewhere is no answer
    if (usual && asked_->question.facet != "category") return sense;
  }
  const bool head = category_here(i);
  const bool plain_size = lexicon_.family("size", phrase.key).has_value();  // "small" is no value of any odd column
  for (const std::string_view table : {"color", "material"}) {
    const Sense* sense = lexicon_.family(table, phrase.key) ? of_facet(table) : nullptr;
    if (sense == nullptr) continue;
    // "rose" is a scent where every product has a note and few a colour.
    const std::uint32_t filled = artefact_.facet(sense->facet).filled;
    const bool elsewhere = std::any_of(phrase.senses.begin(), phrase.senses.end(), [&](const Sense& other) {
      return usable(other) && other.count >= sense->count && artefact_.facet(other.facet).filled / 3 >= filled &&
             artefact_.facet(other.facet).name != "category";
    });
    if (!elsewhere) return sense;
  }
  if (reading_.corrects && head) {
    for (const Constraint& constraint : state_.active) {
      if (constraint.set.facet == "category") continue;
      if (const Sense* sense = of_facet(constraint.set.facet)) return sense;
    }
  }
  if (head) {
    for (const Sense& sense : phrase.senses) {
      if (sense.facet == category_facet_->id) return &sense;
    }
  }
  const Sense* best = nullptr;
  for (const Sense& sense : phrase.senses) {
    if (!usable(sense) || (category_facet_ != nullptr && sense.facet == category_facet_->id)) continue;
    if (plain_size) continue;
    if (phrase.length == 1) {
      // A word that mostly means something else in this catalogue is no value.
      const bool brand = artefact_.facet(sense.facet).name == "brand";
      const std::uint64_t share = brand ? 5 : 40;
      if (sense.count * share < word.frequency) continue;
      if (word.filler || word.meta) continue;
      if (brand && word.mended && sense.count < 5) continue;
    }
    best = better(best, &sense);
  }
  return best;
}

// "interface: SATA 6.0 Gb/s", "size: 2.5": behind a column's name and a colon the longest of its values counts, whatever
// signs stand within it.
bool Interpreter::read_named_value() {
  if (!c_.facet || m_.words[at_].gap != Gap::colon) return false;
  const Facet* facet = artefact_.facet(*c_.facet);
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

bool Interpreter::read_value() {
  const PhraseMatch& phrase = phrases_[at_];
  if (const Sense* sense = choose(phrase, at_)) {
    const std::size_t first = at_;
    put_value(*sense, first, phrase.length, Permille{m_.words[first].mended ? 750 : 920});
    at_ = first + phrase.length;
    return true;
  }
  for (const std::string_view table : {"color", "material"}) {
    const Facet* facet = artefact_.facet(table);
    const FamilyMatch match = family_at(m_, at_, table, lexicon_, 3);
    if (match.length == 0 || facet == nullptr || facet->verdict < Verdict::filter) continue;
    const std::size_t first = at_;
    std::vector<std::string> values{m_.said(m_.span(first, first + match.length))};
    if (const auto known = artefact_.find_value(facet->id, term_key(match.family, artefact_.language()))) {
      values = {std::string(artefact_.value(*known).text)};
    }
    put_word(std::string(table), std::move(values), first, match.length, Permille{700});
    at_ = first + match.length;
    return true;
  }
  return false;
}

void Interpreter::put_value(const Sense& sense, std::size_t first, std::size_t length, Permille confidence) {
  const std::string facet(artefact_.facet(sense.facet).name);
  take_label_words(facet, first, length);
  // "a clothing item" says hardly what kind.
  const std::size_t end = first + length;
  const bool vague =
      facet == "category" && end < m_.size() && m_.words[end].gap == Gap::space && cues_.is_place_noun(m_.terms[end]) && m_.terms[end] != "one";
  if (vague) {
    const std::size_t before = reading_.signals.size();
    put_word(facet, {std::string(artefact_.value(sense.value).text)}, first, length, Permille{600});
    if (reading_.signals.size() > before) reading_.signals.back().strength = Strength::soft;
    return;
  }
  put_word(facet, {std::string(artefact_.value(sense.value).text)}, first, length, confidence);
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

void Interpreter::put_word(const std::string& facet, std::vector<std::string> values, std::size_t first, std::size_t length, Permille confidence) {
  const TextSpan span = m_.span(first, first + length);
  consume(first, length, facet);
  if (c_.polarity == Polarity::neither) return;
  if (c_.dropping || c_.waiving) {
    for (const std::string& value : values) take_word_away(facet, value, span);
    return;
  }
  ++c_.polarity_items;
  const Polarity polarity = c_.polarity;
  // "cotton or linen", "grey/blue": one wish that any of them meets.
  if (last_ && last_->facet == facet && last_->polarity == polarity && polarity == Polarity::wanted && last_->last <= first) {
    bool either = m_.words[first].gap == Gap::slash;
    bool only_joins = true;
    for (std::size_t i = last_->last; i < first; ++i) {
      either = either || (m_.cues[i] && m_.cues[i]->is(CueKind::either_or));
      only_joins = only_joins && (m_.words[i].function || m_.words[i].filler || m_.cues[i]);
    }
    if (either && only_joins) {
      join_list(facet);
      Signal& signal = reading_.signals[last_->signal];
      for (std::string& value : values) {
        if (std::find(signal.value.any_of.begin(), signal.value.any_of.end(), value) == signal.value.any_of.end())
          signal.value.any_of.push_back(std::move(value));
      }
      signal.span.end = span.end;
      signal.said = m_.said(signal.span);
      last_->last = first + length;
      return;
    }
  }
  Signal& signal = put(SignalKind::wish, span, confidence);
  signal.facet = facet;
  signal.op = polarity == Polarity::rejected ? Operator::is_not : Operator::is;
  signal.value.any_of = std::move(values);
  signal.strength = strength_for(facet);
  signal.adds = c_.adds;
  last_ = Item{reading_.signals.size() - 1, first + length, facet, polarity};
  if (c_.facet && c_.facet_at < first) c_.facet.reset();
}

// "black, white or navy": what was listed with commas before the "or" belongs to the choice.
void Interpreter::join_list(const std::string& facet) {
  while (last_->signal > 0 && last_->signal + 1 == reading_.signals.size()) {
    Signal& before = reading_.signals[last_->signal - 1];
    Signal& after = reading_.signals[last_->signal];
    if (before.kind != SignalKind::wish || before.facet != facet || before.op != Operator::is || before.value.number) return;
    const std::string_view between = m_.text.substr(before.span.end, after.span.begin - before.span.end);
    if (between.find_first_not_of(" ,") != std::string_view::npos || between.find(',') == std::string_view::npos) return;
    for (std::string& value : after.value.any_of) {
      if (std::find(before.value.any_of.begin(), before.value.any_of.end(), value) == before.value.any_of.end())
        before.value.any_of.push_back(std::move(value));
    }
    before.span.end = after.span.end;
    reading_.signals.pop_back();
    --last_->signal;
  }
}

void Interpreter::take_word_away(const std::string& facet, const std::string& value, TextSpan span) {
  Signal& signal = put(SignalKind::drop, span, Permille{900});
  signal.facet = facet;
  if (!value.empty()) signal.value.any_of = {value};
}

// "no longer", "don't need the": takes back when something that is wished for follows, else rejects.
bool Interpreter::drop_fits(std::size_t after) const {
  for (std::size_t i = after; i < std::min(after + 3, m_.size()); ++i) {
    for (const Constraint& constraint : state_.active) {
      if (constraint.set.op == Operator::is_not) continue;
      for (const std::string& value : constraint.set.value.any_of) {
        const std::string key = term_key(value, artefact_.language());
        if (!m_.terms[i].empty() && (key == m_.terms[i] || (phrases_[i].length > 0 && key == phrases_[i].key))) return true;
      }
    }
  }
  return false;
}

}  // namespace turnstone
