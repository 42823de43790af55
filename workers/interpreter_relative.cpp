// Relative words: what is cheap, bigger, less formal.
#include <algorithm>

#include "workers/interpreter.h"

namespace turnstone {

// "Low mileage", "plenty of storage": far down or up among what the products say.
bool Interpreter::read_column_level() {
  const std::size_t low = cues_.part(SpeechPart::little, m_.terms, at_);
  const std::size_t high = cues_.part(SpeechPart::plenty, m_.terms, at_);
  const std::size_t after = at_ + std::max(low, high);
  if (after == at_ || after >= m_.size() || m_.words[after].gap > Gap::space || c_.polarity != Polarity::wanted || c_.dropping) return false;
  const std::size_t named = m_.facet_names[after].length;
  const Facet* facet = named > 0 ? artefact_.facet(m_.facet_names[after].name) : counted_column(after);
  if (facet == nullptr || facet->kind != FacetKind::number || facet->name == "price" || facet->name == "rating") return false;
  constexpr std::int64_t down = 300;
  constexpr std::int64_t up = 700;
  const std::size_t end = after + std::max<std::size_t>(1, named);
  Signal& signal = put(SignalKind::price_level, m_.span(at_, end), Permille{650});
  signal.facet = std::string(facet->name);
  signal.unit = std::string(facet->unit);
  signal.op = low > 0 ? Operator::at_most : Operator::at_least;
  signal.value.number = whole_number(low > 0 ? down : up);
  signal.strength = c_.strength.value_or(Strength::soft);
  consume(at_, end - at_, signal.facet);
  at_ = end;
  return true;
}

// The column of numbers that is named at word i, or that counts what is.
const Facet* Interpreter::number_column_at(std::size_t i) const {
  if (i >= m_.size() || m_.words[i].gap > Gap::space) return nullptr;
  const Facet* facet = m_.facet_names[i].length > 0 ? artefact_.facet(m_.facet_names[i].name) : counted_column(i);
  return facet != nullptr && facet->kind == FacetKind::number ? facet : nullptr;
}

// "The most drawers I need is 3", "highest price I would pay: 8000": a bound, and no order.
bool Interpreter::bounds_number(std::size_t end) const {
  constexpr std::size_t words_between_max = 6;
  for (std::size_t i = end; i < m_.size() && i <= end + words_between_max && m_.words[i].gap <= Gap::colon; ++i) {
    if (amount_at(i)) return true;
    if (category_here(i)) return false;
  }
  return false;
}

// "Maximum width of 120 cm", "the most drawers I need is 3".
bool Interpreter::read_bound_by_name() {
  const auto& cue = m_.cues[at_];
  const bool most = cue && cue->is(CueKind::at_most);
  if (!cue || (!most && !cue->is(CueKind::at_least)) || c_.polarity != Polarity::wanted || c_.dropping) return false;
  const std::size_t named = at_ + cue->length;
  if (number_column_at(named) == nullptr || !bounds_number(named + std::max<std::size_t>(1, m_.facet_names[named].length))) return false;
  c_.compare = most ? Operator::at_most : Operator::at_least;
  consume(at_, named - at_, "comparison");
  at_ = named;
  return true;
}

// "The lowest mileage", "longest battery", "with the most memory": the list by a column.
bool Interpreter::read_superlative() {
  const std::size_t up = cues_.part(SpeechPart::topmost, m_.terms, at_);
  const std::size_t down = cues_.part(SpeechPart::undermost, m_.terms, at_);
  const std::size_t after = at_ + std::max(up, down);
  if (after == at_ || c_.polarity != Polarity::wanted || c_.dropping) return false;
  const Facet* facet = number_column_at(after);
  if (facet == nullptr) return false;
  const std::size_t end = after + std::max<std::size_t>(1, m_.facet_names[after].length);
  const auto& relative = m_.relatives[at_];
  if (relative && relative->utmost && relative->length >= end - at_) return false;  // "best price" is low
  // "For most people", "most owners prefer": what is only counted is ordered by when it is spoken of as one thing.
  if (m_.facet_names[after].length == 0 && (at_ == 0 || !cues_.is(SpeechPart::determiner, m_.terms[at_ - 1]))) return false;
  if (bounds_number(end)) {
    c_.compare = up > 0 ? Operator::at_most : Operator::at_least;
    consume(at_, after - at_, "comparison");
    at_ = after;
    return true;
  }
  Signal& signal = put(SignalKind::relative, m_.span(at_, end), Permille{850});
  signal.facet = std::string(facet->name);
  signal.up = up > 0;
  signal.utmost = true;
  consume(at_, end - at_, signal.facet);
  at_ = end;
  return true;
}

bool Interpreter::read_level() {
  if (read_column_level()) return true;
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

// Behind a relative word nothing stands that it could describe instead of products: "slightly longer at the back" is a cut.
bool Interpreter::is_about_products(std::size_t first) const {
  for (std::size_t i = first; i < m_.size() && m_.words[i].gap < Gap::comma; ++i) {
    if (m_.words[i].content() && !m_.cues[i] && !category_here(i) && m_.facet_names[i].length == 0 && phrases_[i].length == 0) return false;
    if (category_here(i) || m_.cues[i] || m_.facet_names[i].length > 0) return true;
  }
  return true;
}

// "Slightly longer at the back": what no column tells stands so in listings, beside the word before or behind it.
bool Interpreter::describes_listing(std::size_t first, std::size_t length) const {
  const std::size_t end = first + length;
  const auto joined = [&](std::size_t i) { return i < m_.size() && m_.words[i].gap <= Gap::hyphen; };
  const bool before = first > 0 && joined(first) && m_.words[first - 1].known && !m_.words[first - 1].function && !m_.cues[first - 1] &&
                      stands_intact(m_, first - 1, end, artefact_);
  return before || (joined(end) && m_.words[end].content() && !category_here(end) && stands_intact(m_, first, end + 1, artefact_));
}

// "Shouldn't cost over": a denial from which nothing but the verb of an amount leads to word `first`.
bool Interpreter::is_denied_amount(std::size_t first) const {
  constexpr std::size_t words_back_max = 7;
  for (std::size_t k = first; k > 0 && first - k < words_back_max && m_.words[k].gap < Gap::comma; --k) {
    const std::size_t before = k - 1;
    if (cues_.is(SpeechPart::denial, m_.terms[before])) {
      const auto& cue = m_.cues[before];
      return !cue || cue->length == 1 || cue->is(CueKind::negate);  // "don't mind paying over" denies no amount
    }
    const auto& cue = m_.cues[before];
    const bool asks = cue && any_kind(*cue, {CueKind::want, CueKind::negate, CueKind::except, CueKind::either_or});
    const bool bridge = cues_.is(SpeechPart::amounting, m_.terms[before]) || (m_.words[before].function && !asks);
    if (!bridge || m_.words[before].number) return false;
  }
  return false;
}

// "Not 500 or more", "shouldn't cost 500 or more": denied within its own part of the sentence.
bool Interpreter::is_denied_here(std::size_t first) const {
  if (is_denied_amount(first)) return true;
  for (std::size_t k = first; k > 0 && m_.words[k].gap < Gap::comma; --k) {
    if (as_[k - 1] == "not") return true;
  }
  return false;
}

// A denied bound is the other one: "not over 50", "shouldn't cost more than 50".
void Interpreter::turn_denied_bound(std::size_t first) {
  c_.turned = false;
  if (!c_.compare || *c_.compare == Operator::about) return;
  const bool rejected = c_.polarity == Polarity::rejected && c_.polarity_items == 0;
  if (!rejected && !(c_.polarity != Polarity::neither && is_denied_amount(first))) return;
  c_.compare = *c_.compare == Operator::at_most ? Operator::at_least : Operator::at_most;
  c_.polarity = Polarity::wanted;
  c_.turned = true;
}

// "Pricier than 500", "quieter than 40 dB", "more memory than 8 GB": a comparative with its number is a bound.
bool Interpreter::read_comparative_bound(std::size_t length, const std::string& facet, bool up) {
  const std::size_t than = at_ + length;
  const std::size_t after = than < m_.size() && m_.words[than].gap <= Gap::space ? than + cues_.part(SpeechPart::than, m_.terms, than) : than;
  if (after == than || !amount_near(after)) return false;
  c_.compare = up ? Operator::at_least : Operator::at_most;
  turn_denied_bound(at_);
  const auto number = amount_near(after);
  const auto amount = amount_at(*number);
  if (facet == "price") c_.budget = true;
  if (facet != "price" && !facet.empty() && amount && amount->bare()) {
    c_.facet = facet;
    c_.facet_at = at_;
  }
  consume(at_, after - at_, "comparison");
  at_ = after;
  return true;
}

bool Interpreter::read_relative() {
  if (read_bound_by_name() || read_superlative()) return true;
  const std::string& term = m_.terms[at_];
  const std::size_t cue_length = m_.cues[at_] ? m_.cues[at_]->length : 0;
  const auto& match = m_.relatives[at_];
  const bool rising = cues_.is(SpeechPart::rising, term);
  const bool falling = cues_.is(SpeechPart::falling, term);
  const std::size_t after = at_ + 1;
  // "more memory", "a larger capacity".
  if ((rising || falling) && after < m_.size() && m_.words[after].gap <= Gap::space && m_.facet_names[after].length > 0) {
    const Facet* facet = artefact_.facet(m_.facet_names[after].name);
    if (facet != nullptr && facet->kind == FacetKind::number) {
      const std::size_t length = 1 + m_.facet_names[after].length;
      if (read_comparative_bound(length, std::string(facet->name), rising)) return true;
      Signal& signal = put(SignalKind::relative, m_.span(at_, at_ + length), Permille{900});
      signal.facet = std::string(facet->name);
      signal.up = rising;
      consume(at_, length, rising ? "more" : "less");
      at_ += length;
      return true;
    }
  }
  // "fewer miles", "a bigger pack": a thing that a column counts.
  if ((rising || falling) && !(match && match->length > 1) && after < m_.size() && m_.words[after].gap <= Gap::space && !m_.cues[after]) {
    if (const Facet* facet = counted_column(after)) {
      if (read_comparative_bound(2, std::string(facet->name), rising)) return true;
      Signal& signal = put(SignalKind::relative, m_.span(at_, after + 1), Permille{850});
      signal.facet = std::string(facet->name);
      signal.up = rising;
      consume(at_, 2, rising ? "more" : "less");
      at_ += 2;
      return true;
    }
  }
  const bool overtaken = match && cue_overtakes(at_, match->length);
  if (match && !match->utmost && match->length >= cue_length && read_comparative_bound(match->length, relative_facet(match->cue->facets), match->cue->up))
    return true;
  if (match && !overtaken && is_about_products(at_ + match->length) && match->length >= cue_length && !(m_.cues[at_] && cue_length == match->length && amount_near(at_ + cue_length))) {
    const std::string facet = relative_facet(match->cue->facets);
    if (facet.empty() && describes_listing(at_, match->length)) return false;
    if ((!state_.last_shown.empty() && !match->utmost) || !facet.empty()) {
      Signal& signal = put(SignalKind::relative, m_.span(at_, at_ + match->length), Permille{900});
      signal.facet = facet;
      signal.up = match->cue->up;
      signal.utmost = match->utmost;
    }
    ++c_.polarity_items;
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

}  // namespace turnstone
