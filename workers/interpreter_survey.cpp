// What the whole message tells before any word is read: which clauses only tell, where products are named.
#include "workers/interpreter.h"

#include <algorithm>

namespace turnstone {

void Interpreter::survey() {
  survey_stories();
  if (category_facet_ == nullptr) return;
  survey_products();
  if (!heads_.empty()) {
    category_ = category_sense(phrases_[heads_.front()])->value;
    return;
  }
  for (const Constraint& constraint : state_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.set.value.any_of.empty()) continue;
    category_ = artefact_.find_value(category_facet_->id, term_key(constraint.set.value.any_of.front(), artefact_.language()));
  }
}

// Clauses that only tell a story: their words are no wishes.
void Interpreter::survey_stories() {
  const auto weighs = [&](std::size_t i, std::initializer_list<CueKind> kinds) { return m_.cues[i] && any_kind(*m_.cues[i], kinds); };
  for (std::size_t first = 0; first < m_.size();) {
    std::size_t last = first + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::dash && m_.terms[last] != "but") ++last;
    bool story = false;
    bool asks = false;
    for (std::size_t i = first; i < last;) {
      const std::size_t length = m_.cues[i] ? m_.cues[i]->length : 1;
      story = story || weighs(i, {CueKind::story});
      const bool strong = length > 1 || m_.terms[i] == "need" || m_.terms[i] == "want" || m_.terms[i] == "must" || m_.terms[i] == "prefer";
      asks = asks ||
             (strong && weighs(i, {CueKind::want, CueKind::must, CueKind::buying, CueKind::negate, CueKind::except, CueKind::drop, CueKind::correct,
                                   CueKind::start_over, CueKind::waive, CueKind::waive_about, CueKind::soft})) ||
             weighs(i, {CueKind::budget, CueKind::at_most, CueKind::at_least, CueKind::size, CueKind::for_self}) || m_.relatives[i].has_value();
      i += length;
    }
    if (story && !asks) std::fill(told_.begin() + static_cast<long>(first), told_.begin() + static_cast<long>(last), true);
    first = last;
  }
}

// Where products are named. In "a cover for a sofa" the sofa is what the cover is for.
void Interpreter::survey_products() {
  std::size_t end = 0;  // of the product named last
  for (std::size_t i = 0; i < m_.size();) {
    split_compound(i);
    const std::size_t length = std::max<std::size_t>(1, phrases_[i].length);
    if (!told_[i] && may_name_product(i)) {
      bool belongs = false;
      if (!heads_.empty()) {
        for (std::size_t k = end; k <= i; ++k) {
          if (m_.words[k].gap >= Gap::semicolon && k > end) belongs = false;
          const std::string& term = m_.terms[k];
          if (k == i) break;
          belongs = belongs || term == "with" || term == "without" || term == "for" || term == "fit" || term == "of" || term == "on" ||
                    term == "inside" || term == "into" || term == "under";
          if (m_.cues[k] && any_kind(*m_.cues[k], {CueKind::correct, CueKind::instead, CueKind::additional, CueKind::buying})) belongs = false;
        }
        if (m_.words[i].gap >= Gap::semicolon) belongs = false;
      }
      if (!belongs) {
        heads_.push_back(i);
        end = i + length;
      }
    }
    i += length;
  }
}

void Interpreter::split_compound(std::size_t i) {
  const PhraseMatch whole = phrases_[i];
  // "black and white": two values, when both are known.
  for (std::size_t k = i + 1; k + 1 < i + whole.length; ++k) {
    if (m_.terms[k] != "and" && m_.terms[k] != "or") continue;
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
  if (whole.length < 2) return;
  const std::size_t head = i + whole.length - 1;
  const Sense* last = category_sense(m_.phrases[head]);
  if (category_sense(whole) == nullptr) {
    // "small bag" as a value of some odd column is a bag all the same.
    if (last == nullptr || m_.phrases[head].length != 1 || last->count <= whole.senses[0].count ||
        artefact_.facet(whole.senses[0].facet).name == "brand")
      return;
    PhraseMatch front;
    for (std::size_t k = i; k < head; ++k) front.key += (k > i ? " " : "") + m_.terms[k];
    front.senses = artefact_.senses(front.key);
    front.length = front.senses.empty() ? 0 : whole.length - 1;
    phrases_[i] = front;
    return;
  }
  if (whole.senses.size() > 1) return;
  if (last == nullptr || m_.phrases[head].length != 1 || last->count < 3 * category_sense(whole)->count) return;
  PhraseMatch front;
  front.length = whole.length - 1;
  for (std::size_t k = i; k < head; ++k) front.key += (k > i ? " " : "") + m_.terms[k];
  front.senses = artefact_.senses(front.key);
  if (front.senses.empty()) return;
  // The front must be a value of a column on its own, and no product.
  const Sense* product = category_sense(front);
  const Sense* value = choose(front, i);
  if (value == nullptr || (category_facet_ != nullptr && value->facet == category_facet_->id)) return;
  if (product != nullptr && product->count * 4 >= value->count) return;
  phrases_[i] = front;
}

}  // namespace turnstone
