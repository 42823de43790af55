// Values of the catalogue and names of its products.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

// A longer product name answers to its last word when one product in so many bears it, or this many do.
constexpr std::uint32_t category_share = 100;
constexpr std::uint32_t category_count_min = 50;

}  // namespace

const Sense* Interpreter::category_sense(const PhraseMatch& phrase) const {
  if (phrase.length == 0 || category_facet_ == nullptr) return nullptr;
  for (const Sense& sense : phrase.senses) {
    if (sense.facet != category_facet_->id) continue;
    const std::string_view key = artefact_.value(sense.value).key;
    const std::uint32_t enough = std::min(category_count_min, std::max(2U, artefact_.product_count() / category_share));
    if (key == phrase.key || artefact_.value(sense.value).count >= enough) return &sense;
  }
  return nullptr;
}

bool Interpreter::names_product(std::size_t i) const {
  const PhraseMatch& phrase = phrases_[i];
  const Sense* own = category_sense(phrase);
  if (own == nullptr) return false;
  for (const std::string_view table : {"department", "color", "material", "size"}) {
    const auto family = lexicon_.family(table, phrase.key);
    // Chocolate is sold, though it lends its name to a brown; black is not.
    const bool lends = family && table == "color" && *family != phrase.key && artefact_.value(own->value).key == phrase.key;
    if (family && !lends) return false;
  }
  if (phrase.length == 1) {
    // A word that names a product in few of the listings that hold it, or that speaks of the talk, names none.
    const Word& word = m_.words[i];
    if (word.function || word.filler) return false;
    const std::uint64_t share = word.meta || m_.cues[i] ? 4 : 25;
    if (own->count * share < word.frequency && !beside_product(i)) return false;
  }
  std::uint32_t best_other = 0;
  for (const Sense& sense : phrase.senses) {
    if (sense.facet != category_facet_->id) best_other = std::max(best_other, sense.count);
  }
  // A rare product's last word names it only where it means nothing else as often.
  const bool last_word = artefact_.value(own->value).key != phrase.key;
  // What a whole shop sells ("book") is no name of the one kind that is called so at its end ("picture books").
  constexpr std::uint64_t most_share = 2;
  const auto kinds = std::count_if(phrase.senses.begin(), phrase.senses.end(), [&](const Sense& sense) { return sense.facet == category_facet_->id; });
  if (last_word && kinds == 1 && phrase.length == 1 && own->count * most_share < m_.words[i].frequency && !beside_product(i)) return false;
  if (last_word && own->count < category_count_min && own->count <= best_other) return false;
  if (m_.facet_names[i].length >= phrase.length && is_common_facet(m_.facet_names[i].name)) return false;
  return own->count * 4 >= best_other;
}

// "A suit or a blazer": a word that stands as the other choice beside a product's name names one, too.
bool Interpreter::beside_product(std::size_t i) const {
  std::size_t k = i + 1;
  if (k >= m_.size() || m_.words[k].gap > Gap::space || !m_.cues[k] || !m_.cues[k]->is(CueKind::either_or)) return false;
  for (k += m_.cues[k]->length; k < m_.size() && m_.words[k].function && m_.words[k].gap <= Gap::space && !m_.cues[k]; ++k) {
  }
  if (k >= m_.size() || m_.words[k].gap > Gap::space) return false;
  const Sense* other = category_sense(phrases_[k]);
  return other != nullptr && other->count * 25 >= m_.words[k].frequency;
}

// "dress shirt": the last of names that stand together is the product.
bool Interpreter::may_name_product(std::size_t i) const {
  if (!names_product(i)) return false;
  const std::size_t after = i + phrases_[i].length;
  return after >= m_.size() || m_.words[after].gap > Gap::hyphen || (m_.cues[after] && m_.words[after].function) || !names_product(after);
}

bool Interpreter::category_here(std::size_t i) const { return std::binary_search(heads_.begin(), heads_.end(), i); }

// Whether products of the category at hand say something in the column.
bool Interpreter::fills(FacetId facet) const { return lexicon_.filled(*category_, facet) * 20 >= artefact_.value(*category_).count; }

// Of two readings the one whose column the category at hand fills, then the one with more products, then the
// fuller column.
const Sense* Interpreter::better(const Sense* a, const Sense* b) const {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  if (category_ && fills(a->facet) != fills(b->facet)) return fills(a->facet) ? a : b;
  if (a->count != b->count) return b->count > a->count ? b : a;
  return artefact_.facet(b->facet).filled > artefact_.facet(a->facet).filled ? b : a;
}

// Whether nearly all products that are called so in one column say so in the other: "green" found in the titles of teas is
// their flavour.
bool Interpreter::says_for(const Sense& other, const Sense& sense) const {
  const auto with = artefact_.products_with(other.value);
  const auto called = artefact_.products_with(sense.value);
  const auto says_so = [&](Ordinal product) { return std::binary_search(with.begin(), with.end(), product); };
  const auto common = std::count_if(called.begin(), called.end(), says_so);
  return static_cast<std::size_t>(common) * 10 >= called.size() * 9;
}

// Whether word i goes on with the list that stands before it: "strawberry, cherry or apricot".
bool Interpreter::continues_list(std::size_t i) const {
  if (!last_ || last_->last > i || last_->facet == "category") return false;
  bool comma = false;
  for (std::size_t k = last_->last; k <= i; ++k) {
    if (m_.words[k].gap >= Gap::semicolon) return false;
    if (m_.words[k].gap == Gap::slash) return true;
    comma = comma || m_.words[k].gap == Gap::comma;
    if (k == i) break;
    if (!m_.cues[k] || !any_kind(*m_.cues[k], {CueKind::either_or, CueKind::and_also})) return false;
  }
  if (!comma) return i > last_->last;
  // Behind a comma it is a list when an "or" is still to come.
  constexpr std::size_t list_words_max = 8;
  for (std::size_t k = last_->last; k < std::min(m_.size(), i + list_words_max) && (k <= i || m_.words[k].gap < Gap::semicolon); ++k) {
    if (m_.cues[k] && m_.cues[k]->is(CueKind::either_or)) return true;
  }
  return false;
}

const Sense* Interpreter::choose(const PhraseMatch& phrase, std::size_t i) const {
  if (phrase.length == 0) return nullptr;
  const Word& word = m_.words[i];
  const bool counts = word.number || artefact_.language().number_word(word.surface);  // "one, …; two, …"
  if (phrase.length == 1 && (word.function || (counts && !c_.facet))) return nullptr;
  const bool singular_adjective = phrase.length == 1 && word.surface == word.term && cues_.is(SpeechPart::adjective, word.term);
  const auto usable = [&](const Sense& sense) {
    const Facet& facet = artefact_.facet(sense.facet);
    if (facet.verdict < Verdict::filter || facet.kind != FacetKind::words) return false;
    // "Short dress": no shorts are meant.
    return !singular_adjective || !names_in_plural(artefact_.value(sense.value).text, word.term, artefact_.language());
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
  if (!head && continues_list(i)) {
    if (const Sense* sense = of_facet(last_->facet)) return sense;
  }
  // A word that is wished for already means the same again.
  for (const Constraint& constraint : state_.active) {
    if (head || constraint.set.value.any_of.empty() || constraint.set.facet == "feature") continue;
    const Sense* sense = of_facet(constraint.set.facet);
    if (sense == nullptr) continue;
    const std::string_view key = artefact_.value(sense->value).key;
    if (std::any_of(constraint.set.value.any_of.begin(), constraint.set.value.any_of.end(),
                    [&](const std::string& value) { return term_key(value, artefact_.language()) == key; }))
      return sense;
  }
  const bool plain_size = lexicon_.family("size", phrase.key).has_value();  // "small" is no value of any odd column
  for (const std::string_view table : {"color", "material"}) {
    const Sense* sense = lexicon_.family(table, phrase.key) && !head ? of_facet(table) : nullptr;
    if (sense == nullptr) continue;
    // "rose" is a scent where every product has a note and few a colour.
    const std::uint32_t filled = artefact_.facet(sense->facet).filled;
    const bool elsewhere = std::any_of(phrase.senses.begin(), phrase.senses.end(), [&](const Sense& other) {
      const std::string_view name = artefact_.facet(other.facet).name;
      if (!usable(other) || name == "category" || name == "feature" || other.facet == sense->facet) return false;
      // Yogurts have flavours, and hardly a colour.
      if (category_ && lexicon_.filled(*category_, other.facet) / 3 >= std::max<std::uint32_t>(1, lexicon_.filled(*category_, sense->facet))) return true;
      if (other.count < sense->count) return false;
      return artefact_.facet(other.facet).filled / 3 >= filled || says_for(other, *sense);
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
      if ((word.filler || word.meta) && !is_stressed(sense, phrase, i)) continue;
      if (brand && word.mended && sense.count < 5) continue;
    }
    best = better(best, &sense);
  }
  return best;
}

// "Anything but stiff brushed insides", "not full round bands": what is denied is all of it, not the brushed inside, nor bands.
bool Interpreter::is_denied_with_more(const Sense& sense, std::size_t i) const {
  if (c_.polarity != Polarity::rejected || c_.polarity_items == 0 || i == 0 || m_.words[i].gap > Gap::hyphen) return false;
  const std::string_view facet = artefact_.facet(sense.facet).name;
  if (facet != "feature" && facet != "category") return false;
  return !used(i - 1) && m_.words[i - 1].content() && stance_[i - 1].polarity == Polarity::rejected;
}

// "Must be new", "brand new", "new only": a word that mostly says nothing is meant as the value that it is.
bool Interpreter::is_stressed(const Sense& sense, const PhraseMatch& phrase, std::size_t i) const {
  constexpr std::size_t cue_words_max = 4;
  if (artefact_.value(sense.value).key != phrase.key) return false;
  if (asked_about(artefact_.facet(sense.facet).name)) return true;
  const bool alone = only_small_words(0, i) && only_small_words(i + phrase.length, m_.size());
  const bool column_held = std::any_of(state_.active.begin(), state_.active.end(),
                                       [&](const Constraint& c) { return c.set.facet == artefact_.facet(sense.facet).name; });
  if (alone && column_held) return true;  // "refurbished", then "new, actually"
  const auto stresses = [](const std::optional<CueMatch>& cue) { return cue && any_kind(*cue, {CueKind::must, CueKind::negate}); };
  const std::size_t after = i + phrase.length;
  if (after < m_.size() && m_.words[after].gap <= Gap::space && stresses(m_.cues[after])) return true;
  if (i == 0 || m_.words[i].gap > Gap::space) return false;
  if (cues_.is(SpeechPart::emphatic, m_.terms[i - 1])) return true;
  for (std::size_t k = i > cue_words_max ? i - cue_words_max : 0; k < i; ++k) {
    if (stresses(m_.cues[k]) && k + m_.cues[k]->length == i) return true;
  }
  return false;
}

// "Too firm": so it is not to be.
bool Interpreter::is_excess(std::size_t i) const {
  constexpr std::size_t words_max = 3;
  if (i == 0 || m_.words[i].gap > Gap::space) return false;
  for (std::size_t k = i > words_max ? i - words_max : 0; k < i; ++k) {
    if (cues_.part(SpeechPart::excess, m_.terms, k) == i - k) return true;
  }
  return false;
}

// "No leather sofas", said of sofas: the leather is refused.
bool Interpreter::is_refused_by_property(const Sense& sense, std::size_t first) const {
  return c_.polarity == Polarity::rejected && artefact_.facet(sense.facet).name == "category" && last_ && last_->polarity == Polarity::rejected &&
         last_->facet != "category" && last_->last == first && m_.words[first].gap <= Gap::hyphen;
}

bool Interpreter::read_value() {
  const bool excess = c_.polarity == Polarity::wanted && !c_.dropping && is_excess(at_);
  if (excess) c_.polarity = Polarity::rejected;
  const bool read = read_value_here();
  if (excess) c_.polarity = Polarity::wanted;
  return read;
}

bool Interpreter::read_value_here() {
  const PhraseMatch& phrase = phrases_[at_];
  const Sense* sense = choose(phrase, at_);
  if (sense != nullptr && is_denied_with_more(*sense, at_)) return false;
  if (sense != nullptr && is_refused_by_property(*sense, at_)) {
    const bool held = std::any_of(state_.active.begin(), state_.active.end(), [](const Constraint& c) { return c.set.facet == "category"; });
    c_.polarity = Polarity::wanted;
    if (!held) put_value(*sense, at_, phrase.length, Permille{750});
    consume(at_, phrase.length, "category");
    at_ += phrase.length;
    return true;
  }
  if (sense != nullptr) {
    const std::size_t first = at_;
    put_value(*sense, first, phrase.length, Permille{m_.words[first].mended ? 750 : 920});
    at_ = first + phrase.length;
    return true;
  }
  if (m_.words[at_].function) return false;
  if (read_opening()) return true;
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

// "Kindle" for "Kindle eBook", "wired" for "Wired (3.5 mm)": the word that values of a column begin with, where it hardly
// says anything else in this catalogue.
bool Interpreter::read_opening() {
  constexpr std::size_t values_max = 6;
  const Word& word = m_.words[at_];
  if (phrases_[at_].length > 0 || !word.content() || word.filler || word.meta || word.mended || m_.cues[at_] || m_.facet_names[at_].length > 0)
    return false;
  for (const Lexicon::Opening& opening : lexicon_.opened_by(word.term)) {
    if (opening.values.size() > values_max || opening.count * 2 < word.frequency || (category_ && !is_filled(opening.facet))) continue;
    std::vector<std::string> values;
    for (const ValueId value : opening.values) values.emplace_back(artefact_.value(value).text);
    put_word(std::string(artefact_.facet(opening.facet).name), std::move(values), at_, 1, Permille{700});
    ++at_;
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
  if (facet == "category" && !c_.dropping && !c_.waiving) {
    if (c_.polarity == Polarity::wanted) add_usual_name(sense, values);
    add_kinds_called_so(sense, phrases_[first], values);
  }
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

// "A table" where there are dining tables and coffee tables: any of them.
void Interpreter::add_kinds_called_so(const Sense& sense, const PhraseMatch& phrase, std::vector<std::string>& values) const {
  constexpr std::size_t kinds_max = 8;
  const auto is_kind_of = [&](const Sense& other) { return artefact_.value(other.value).key.ends_with(" " + phrase.key); };
  if (!is_kind_of(sense)) return;
  for (const Sense& other : phrase.senses) {
    if (other.facet != sense.facet || other.value == sense.value || !is_kind_of(other) || values.size() == kinds_max) continue;
    values.emplace_back(artefact_.value(other.value).text);
  }
}

void Interpreter::put_word(const std::string& facet, std::vector<std::string> values, std::size_t first, std::size_t length, Permille confidence) {
  const TextSpan span = m_.span(first, first + length);
  consume(first, length, facet);
  ++c_.polarity_items;
  if (c_.dropping || c_.waiving) {
    for (const std::string& value : values) take_word_away(facet, value, span);
    return;
  }
  if (c_.polarity == Polarity::neither) return;
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
  signal.widens = polarity == Polarity::wanted && widens(first);
  signal.whichever = first > 0 && m_.cues[first - 1] && m_.cues[first - 1]->is(CueKind::waive_any);
  last_ = Item{reading_.signals.size() - 1, first + length, facet, polarity};
  if (c_.facet && c_.facet_at < first) c_.facet.reset();
}

// "Or in blue", "blue would also be fine": one more choice beside what was said before.
bool Interpreter::widens(std::size_t first) const {
  std::size_t begin = first;
  while (begin > 0 && m_.words[begin].gap < Gap::comma) --begin;
  if (begin < first && m_.cues[begin] && m_.cues[begin]->is(CueKind::either_or) && m_.terms[begin] != "either") return true;
  for (std::size_t i = begin; i < m_.size() && (i == begin || m_.words[i].gap < Gap::comma); ++i) {
    if (cues_.part(SpeechPart::likewise, m_.terms, i) > 0) return true;
  }
  return false;
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
