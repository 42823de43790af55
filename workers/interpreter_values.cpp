// Values of the catalogue and names of its products.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::uint32_t category_count_min = 50;  // products from which a longer product name answers to its last word

}  // namespace

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
  const bool counts = word.number || artefact_.language().number_word(word.surface);  // "one, …; two, …"
  if (phrase.length == 1 && (word.function || (counts && !c_.facet))) return nullptr;
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

bool Interpreter::read_value() {
  const PhraseMatch& phrase = phrases_[at_];
  if (const Sense* sense = choose(phrase, at_)) {
    const std::size_t first = at_;
    put_value(*sense, first, phrase.length, Permille{m_.words[first].mended ? 750 : 920});
    at_ = first + phrase.length;
    return true;
  }
  if (m_.words[at_].function) return false;
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
  std::vector<std::string> values{std::string(artefact_.value(sense.value).text)};
  if (facet == "category" && c_.polarity == Polarity::wanted && !c_.dropping && !c_.waiving) add_usual_name(sense, values);
  put_word(facet, std::move(values), first, length, confidence);
}

// "Jumper" where a few listings say so and hundreds say "sweater": both are meant.
void Interpreter::add_usual_name(const Sense& sense, std::vector<std::string>& values) const {
  constexpr std::uint32_t usual_share = 20;
  const std::string_view key = artefact_.value(sense.value).key;
  const auto family = lexicon_.family("synonym", key);
  const auto* members = family ? artefact_.language().group("synonym", *family) : nullptr;
  if (!family) return;
  std::optional<ValueId> usual;
  const auto consider = [&](const std::string& member) {
    const auto value = artefact_.find_value(category_facet_->id, term_key(member, artefact_.language()));
    if (!value || artefact_.value(*value).count < usual_share * artefact_.value(sense.value).count) return;
    if (!usual || artefact_.value(*value).count > artefact_.value(*usual).count) usual = value;
  };
  consider(*family);
  if (members != nullptr) {
    for (const std::string& member : *members) consider(member);
  }
  if (usual) values.emplace_back(artefact_.value(*usual).text);
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
