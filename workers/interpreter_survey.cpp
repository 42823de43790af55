// What the whole message tells before any word is read: which clauses only tell, where products are named.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {

void Interpreter::survey() {
  survey_stories();
  survey_asking();
  if (category_facet_ == nullptr) return;
  survey_products();
  hear_products_told();
  if (!heads_.empty()) {
    category_ = category_sense(phrases_[heads_.front()])->value;
    return;
  }
  for (const Constraint& constraint : state_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.set.value.any_of.empty()) continue;
    category_ = artefact_.find_value(category_facet_->id, term_key(constraint.set.value.any_of.front(), artefact_.language()));
  }
}

// Whether the shopper asks for something: words of wanting with herself in them, or a verb of wanting. "Made of" and
// "fits" stand in listings, too.
void Interpreter::survey_asking() {
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const auto& cue = m_.cues[i];
    if (!cue || !any_kind(*cue, {CueKind::want, CueKind::buying, CueKind::instead, CueKind::additional})) continue;
    for (std::size_t k = i; k < i + cue->length; ++k) {
      reading_.asks = reading_.asks || cues_.is(SpeechPart::asker, m_.terms[k]);
    }
  }
}

// Clauses that only tell a story: their words are no wishes.
void Interpreter::survey_stories() {
  std::vector<std::pair<std::size_t, std::size_t>> people;
  const auto weighs = [&](std::size_t i, std::initializer_list<CueKind> kinds) { return m_.cues[i] && any_kind(*m_.cues[i], kinds); };
  for (std::size_t first = 0; first < m_.size();) {
    std::size_t last = first + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::dash && !cues_.is(SpeechPart::turning, m_.terms[last])) ++last;
    bool story = false;
    bool asks = false;
    for (std::size_t i = first; i < last;) {
      const std::size_t length = m_.cues[i] ? m_.cues[i]->length : 1;
      const std::string_view written = m_.text.substr(m_.words[i].span.begin, m_.words[i].span.end - m_.words[i].span.begin);
      const bool shortened = length == 1 && written.find_first_of("'\xE2") != std::string_view::npos;  // "we're" is no "were"
      story = story || (weighs(i, {CueKind::story}) && !shortened);
      const bool strong = length > 1 || weighs(i, {CueKind::buying}) || cues_.is(SpeechPart::wanting, m_.terms[i]);
      asks = asks ||
             (strong && weighs(i, {CueKind::want, CueKind::must, CueKind::buying, CueKind::negate, CueKind::except, CueKind::drop, CueKind::correct,
                                   CueKind::start_over, CueKind::waive, CueKind::waive_about, CueKind::soft})) ||
             weighs(i, {CueKind::budget, CueKind::size, CueKind::for_self}) || m_.relatives[i].has_value() ||
             (weighs(i, {CueKind::at_most, CueKind::at_least}) && amount_near(i + length));  // "over the keyboard" compares nothing
      i += length;
    }
    if (!story && !asks && tells_of_people(first, last)) people.push_back({first, last});
    if (story && !asks) std::fill(told_.begin() + static_cast<long>(first), told_.begin() + static_cast<long>(last), true);
    first = last;
  }
  // What people do is beside the point only where something else is said.
  std::vector<bool> told = told_;
  for (const auto& [first, last] : people) std::fill(told.begin() + static_cast<long>(first), told.begin() + static_cast<long>(last), true);
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const bool answers = weighs(i, {CueKind::decline, CueKind::dont_know, CueKind::up_to_you, CueKind::waive, CueKind::dislike_shown}) ||
                         (asked_ != nullptr && cues_.is(SpeechPart::whole, m_.terms[i]));
    if (told[i] || (!answers && (!m_.words[i].content() || (m_.cues[i] && phrases_[i].length == 0)))) continue;
    told_ = std::move(told);
    return;
  }
}

// "My dog walked over the keyboard": somebody does something, and nothing is wished for.
bool Interpreter::tells_of_people(std::size_t first, std::size_t last) const {
  bool somebody = false;
  std::size_t content = 0;
  for (std::size_t i = first; i < last; ++i) {
    const Word& word = m_.words[i];
    const bool person = cues_.is(SpeechPart::somebody, m_.terms[i]);
    const bool filler = i + 1 < last && lexicon_.in_list("filler", m_.surface(i) + " " + m_.surface(i + 1));  // "I guess"
    somebody = somebody || (person && !filler && content == 0);
    content += word.content() ? 1 : 0;
    if (word.number || !word.currency.empty() || m_.facet_names[i].length > 0) return false;
    if (const auto recipient = lexicon_.family("recipient", word.term); recipient && *recipient != "any") return false;
    if (m_.cues[i] && !(m_.cues[i]->length == 1 && word.function) &&
        any_kind(*m_.cues[i], {CueKind::want, CueKind::must, CueKind::soft, CueKind::accept, CueKind::negate, CueKind::half_negate, CueKind::for_whom,
                               CueKind::dont_know, CueKind::decline, CueKind::up_to_you, CueKind::waive_any, CueKind::alike, CueKind::buying,
                               CueKind::worthless}) &&
        !cues_.is(SpeechPart::own, word.term)) {
      return false;
    }
  }
  return somebody && content > 0;
}

// A product that is only told of ("somebody told me you have good shoes") is wanted when no other is.
void Interpreter::hear_products_told() {
  if (!heads_.empty() || std::any_of(state_.active.begin(), state_.active.end(), [](const Constraint& c) { return c.set.facet == "category"; })) return;
  for (std::size_t i = 0; i < m_.size(); i += std::max<std::size_t>(1, phrases_[i].length)) {
    if (!told_[i] || !may_name_product(i)) continue;
    heads_.push_back(i);
    std::fill_n(told_.begin() + static_cast<long>(i), phrases_[i].length, false);
    // What somebody does with it is told of the product, too: "I ♥ red dresses".
    std::size_t first = i;
    while (first > 0 && m_.words[first].gap < Gap::dash) --first;
    std::size_t last = i + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::dash) ++last;
    const bool story = std::any_of(m_.cues.begin() + static_cast<long>(first), m_.cues.begin() + static_cast<long>(last),
                                   [](const auto& cue) { return cue && cue->is(CueKind::story); });
    if (!story) std::fill(told_.begin() + static_cast<long>(first), told_.begin() + static_cast<long>(last), false);
    return;
  }
}

// Where products are named. In "a cover for a sofa" the sofa is what the cover is for.
void Interpreter::survey_products() {
  std::size_t end = 0;  // of the product named last
  for (std::size_t i = 0; i < m_.size();) {
    split_compound(i);
    const std::size_t length = std::max<std::size_t>(1, phrases_[i].length);
    if (!told_[i] && !(named_[i] && pair_at_[i] != 0) && may_name_product(i)) {
      bool belongs = false;
      if (!heads_.empty()) {
        for (std::size_t k = end; k <= i; ++k) {
          if (m_.words[k].gap >= Gap::semicolon && k > end) belongs = false;
          const std::string& term = m_.terms[k];
          if (k == i) break;
          belongs = belongs || cues_.is(SpeechPart::belonging, term);
          if (m_.cues[k] && any_kind(*m_.cues[k], {CueKind::correct, CueKind::instead, CueKind::additional, CueKind::buying})) belongs = false;
        }
        if (m_.words[i].gap >= Gap::semicolon) belongs = false;
      } else {
        belongs = belongs_to_held(i);
      }
      if (!belongs) {
        heads_.push_back(i);
        end = i + length;
      }
    }
    i += length;
  }
}

// "With a microphone", "at least 16 GB of RAM", said while a product is at hand that has such parts: what it is to have.
bool Interpreter::belongs_to_held(std::size_t i) const {
  std::optional<ValueId> held;
  const bool anew = std::any_of(m_.cues.begin(), m_.cues.begin() + static_cast<long>(i), [](const auto& cue) { return cue && cue->is(CueKind::start_over); });
  if (anew) return false;  // "start over with a desk"
  for (const Constraint& constraint : state_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.set.value.any_of.empty()) continue;
    held = artefact_.find_value(category_facet_->id, term_key(constraint.set.value.any_of.front(), artefact_.language()));
  }
  const bool of_hers = i >= 2 && cues_.is(SpeechPart::own, m_.terms[i - 1]) && cues_.is(SpeechPart::belonging, m_.terms[i - 2]);
  if (held && of_hers) return true;  // "too tall for my room"
  for (std::size_t k = i; k > 0 && m_.words[k].gap < Gap::comma;) {
    --k;
    const std::string& term = m_.terms[k];
    if (cues_.is(SpeechPart::having, term)) return held || (!state_.active.empty() && only_small_words(0, k));
    if (!held) continue;
    if (cues_.is(SpeechPart::amount_of, term) && k > 0 && m_.words[k - 1].counts) return true;  // "16 GB of RAM"
    const auto& cue = m_.cues[k];
    if (cue && any_kind(*cue, {CueKind::correct, CueKind::instead, CueKind::additional, CueKind::buying})) return false;
    if (!m_.words[k].counts && !m_.words[k].number) continue;
    const auto& uses = lexicon_.numbers_of(held);
    return std::any_of(uses.begin(), uses.end(), [&](const NumberUse& use) { return column_counts(artefact_.facet(use.facet), m_.terms[i]); });
  }
  return false;
}

void Interpreter::split_compound(std::size_t i) {
  const PhraseMatch whole = phrases_[i];
  // "black and white": two values, when both are known.
  for (std::size_t k = i + 1; k + 1 < i + whole.length; ++k) {
    if (!cues_.is(SpeechPart::joining, m_.terms[k])) continue;
    PhraseMatch front;
    front.length = static_cast<std::uint32_t>(k - i);
    for (std::size_t w = i; w < k; ++w) front.key += (w > i ? " " : "") + m_.terms[w];
    front.senses = artefact_.senses(front.key);
    const auto shares = [&](const Sense& a) {
      return std::any_of(m_.phrases[k + 1].senses.begin(), m_.phrases[k + 1].senses.end(), [&](const Sense& b) { return a.facet == b.facet; });
    };
    if (std::any_of(front.senses.begin(), front.senses.end(), shares)) {
      phrases_[i] = front;
      return;
    }
  }
  // "Blue t-shirt": the longest ending that is a product stands behind the value.
  for (std::size_t head = i + 1; head < i + whole.length; ++head) {
    if (m_.phrases[head].length == i + whole.length - head && split_at(i, head)) return;
  }
}

// Takes the phrase at word i apart before word `head`, where both sides mean something of their own.
bool Interpreter::split_at(std::size_t i, std::size_t head) {
  const PhraseMatch whole = phrases_[i];
  const Sense* last = category_sense(m_.phrases[head]);
  if (last == nullptr) return false;
  PhraseMatch front;
  front.length = static_cast<std::uint32_t>(head - i);
  for (std::size_t k = i; k < head; ++k) front.key += (k > i ? " " : "") + m_.terms[k];
  front.senses = artefact_.senses(front.key);
  if (category_sense(whole) == nullptr) {
    // "small bag" as a value of some odd column is a bag all the same.
    if (last->count <= whole.senses[0].count || artefact_.facet(whole.senses[0].facet).name == "brand") return false;
    if (front.senses.empty()) front.length = 0;
    phrases_[i] = front;
    return true;
  }
  // "Coats jackets": two kinds, unless they are said as the catalogue joins them ("Coats & Jackets").
  const auto joins = [](std::string_view text) { return text.find('&') != std::string_view::npos || text.find(" and ") != std::string_view::npos; };
  const Sense* own = category_sense(whole);
  const std::size_t end = i + whole.length - 1;
  if (last->count >= 3 * own->count && joins(artefact_.value(own->value).text) &&
      !joins(m_.text.substr(m_.words[i].span.begin, m_.words[end].span.end - m_.words[i].span.begin))) {
    if (front.senses.empty()) front.length = 0;
    phrases_[i] = front;
    return true;
  }
  if (whole.senses.size() > 1 || last->count < 3 * own->count || front.senses.empty()) return false;
  // The front must be a value of a column on its own, and no product.
  const Sense* product = category_sense(front);
  const Sense* value = choose(front, i);
  if (value == nullptr || (category_facet_ != nullptr && value->facet == category_facet_->id)) return false;
  if (product != nullptr && product->count * 4 >= value->count) return false;
  phrases_[i] = front;
  return true;
}

}  // namespace turnstone
