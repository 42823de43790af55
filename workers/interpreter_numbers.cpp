// What a number is about: money, ratings, ages; anything else is measured or counted (interpreter_measures.cpp).
#include <algorithm>

#include "workers/interpreter.h"

namespace turnstone {

bool Interpreter::read_number() {
  const auto amount = amount_at(at_);
  const Word& word = m_.words[at_];
  if (!amount) {
    if (word.currency.empty()) return false;
    consume(at_, 1, "no amount");
    ++at_;
    return true;
  }
  if (amount->percent && amount->currency.empty()) return false;
  const PhraseMatch& phrase = phrases_[at_];
  if (amount->bare() && !amount->upper && phrase.length > amount->length && !c_.compare && !c_.size && !c_.budget) return false;
  if (word.minus && amount->currency.empty() && !amount->unit) return false;
  amount_first_ = at_;
  amount_end_ = at_ + amount->length;
  std::size_t end = amount_end_;
  // "30 dollars at most", "144 Hz or faster".
  if (end < m_.size() && m_.words[end].gap <= Gap::comma && m_.cues[end]) {
    const CueMatch& cue = *m_.cues[end];
    const bool less = cue.is(CueKind::or_less);
    const bool more = cue.is(CueKind::or_more);
    const bool number_follows = any_amount_follows(end + cue.length);
    if ((less || more) && !number_follows && (m_.words[end].gap < Gap::comma || cue.length > 1)) {
      c_.compare = less ? Operator::at_most : Operator::at_least;
      if (is_denied_here(at_)) turn_denied_bound(at_);
      end += cue.length;
    } else if (cue.is(CueKind::about) && cue.length > 1 && !number_follows && m_.words[end].gap < Gap::comma) {
      c_.compare = Operator::about;
      end += cue.length;
    }
  } else if (amount->unit != nullptr) {
    take_bound_behind(end);
  }
  const bool heart = amount->bare() && m_.words[at_].bound == '<' && amount->value < whole_number(10);  // "I <3 it"
  if (!c_.compare && !heart) c_.compare = bound_by_sign(at_, amount_end_);
  // "8000 to spend".
  if (end < m_.size() && amount->bare() && m_.words[end].gap <= Gap::space && m_.cues[end] && m_.cues[end]->length > 1 && m_.cues[end]->is(CueKind::budget)) {
    c_.budget = true;
    end += m_.cues[end]->length;
  }
  const std::size_t first = at_;
  const TextSpan span = m_.span(first, end);
  if (!put_amount(*amount, span)) {
    c_.compare.reset();
    return false;
  }
  consume(first, end - first, amount->currency.empty() && amount->unit != nullptr ? "measure" : "number");
  at_ = std::max(at_, end);
  c_.compare.reset();
  return true;
}

// "< 500", "16GB+".
std::optional<Operator> Interpreter::bound_by_sign(std::size_t first, std::size_t end) const {
  if (m_.words[first].bound == '<') return Operator::at_most;
  if (m_.words[first].bound == '>') return Operator::at_least;
  for (std::size_t i = first; i < end; ++i) {
    if (m_.words[i].bound == '+') return Operator::at_least;
  }
  return std::nullopt;
}

bool Interpreter::any_amount_follows(std::size_t i) const { return i < m_.size() && m_.words[i].gap <= Gap::space && amount_at(i).has_value(); }

bool Interpreter::put_amount(const Amount& amount, TextSpan span) {
  if (!amount.currency.empty()) return put_price(amount, span);
  const std::size_t end = amount_end_;
  if (end < m_.size() && m_.cues[end] && m_.words[end].gap <= Gap::hyphen) {
    if (m_.cues[end]->is(CueKind::stars) || m_.cues[end]->is(CueKind::reviews)) return put_rating(amount, span, m_.cues[end]->is(CueKind::stars));
    if (m_.cues[end]->is(CueKind::old)) return put_years_ago(amount, span) || put_age(span);
  }
  if (amount.unit != nullptr) return put_measure(amount, span);
  return put_bare_number(amount, span);
}

void Interpreter::set_bounds(Signal& signal, const Amount& amount, Operator plain) {
  signal.op = amount.upper ? Operator::between : c_.compare ? *c_.compare : amount.ish ? Operator::about : plain;
  if (signal.op != Operator::about && amount.ish && !amount.upper) signal.op = Operator::about;
  signal.value.number = amount.value;
  signal.value.upper = amount.upper;
  if (c_.polarity == Polarity::rejected && signal.op == Operator::is) signal.op = Operator::is_not;
  if (!amount.others.empty()) {
    std::vector<Number> choices = amount.others;
    choices.push_back(amount.value);
    std::sort(choices.begin(), choices.end());
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
    signal.value.number = signal.op == Operator::at_most ? choices.back() : choices.front();
    if (choices.size() > 1 && (signal.op == Operator::is || signal.op == Operator::is_not)) {
      for (const Number choice : choices) signal.value.any_of.push_back(to_string(choice));
    }
  }
  signal.adds = c_.adds;
  signal.strength = strength_for(signal.facet);
}

bool Interpreter::put_price(const Amount& amount, TextSpan span) {
  if (c_.polarity == Polarity::neither) return true;
  Signal& signal = put(SignalKind::wish, span, Permille{950});
  signal.facet = "price";
  signal.unit = amount.currency;
  // Without a word about it she means the catalogue's currency; that it is the dollar is not recorded.
  const Facet* price = artefact_.facet("price");
  if (signal.unit.empty() && price != nullptr && price->unit != "$") signal.unit = std::string(price->unit);
  const bool alone = only_small_words(0, amount_first_) && only_small_words(amount_end_, m_.size());
  Operator plain = c_.budget || asked_about("price") || is_all_she_has() ? Operator::at_most : Operator::about;
  if (reading_.corrects || alone) {  // "make that $60", "okay, $60" keep the sense of the limit
    for (const Constraint& constraint : state_.active) {
      if (constraint.set.facet == "price" && (constraint.set.op == Operator::at_most || constraint.set.op == Operator::at_least))
        plain = constraint.set.op;
    }
  }
  set_bounds(signal, amount, plain);
  if (signal.op == Operator::is_not) signal.op = Operator::at_most;
  return true;
}

// "I've got 40 bucks": a sum that somebody has is all there is to spend.
bool Interpreter::is_all_she_has() const {
  constexpr std::size_t words_back = 4;
  for (std::size_t i = amount_first_ - std::min(amount_first_, words_back); i < amount_first_; ++i) {
    const std::size_t length = cues_.part(SpeechPart::in_hand, m_.terms, i);
    if (length > 0 && only_small_words(i + length, amount_first_)) return true;
  }
  return false;
}

bool Interpreter::put_rating(const Amount& amount, TextSpan span, bool stars) {
  const std::size_t name = amount_end_;
  std::size_t end = name + m_.cues[name]->length;
  if (end < m_.size() && m_.cues[end] && m_.words[end].gap <= Gap::space &&
      (m_.cues[end]->is(CueKind::or_more) || m_.cues[end]->is(CueKind::or_less))) {
    if (!c_.compare) c_.compare = m_.cues[end]->is(CueKind::or_more) ? Operator::at_least : Operator::at_most;
    end += m_.cues[end]->length;
  }
  Signal& signal = put(SignalKind::wish, {span.begin, m_.words[end - 1].span.end}, Permille{900});
  signal.facet = stars ? "rating" : "rating_count";
  set_bounds(signal, amount, Operator::at_least);
  consume(at_, end - at_, signal.facet);
  at_ = end;
  return true;
}

// "5 year old": whom it is for is read from the person's word.
bool Interpreter::put_age(TextSpan span) {
  (void)span;
  const std::size_t end = amount_end_ + m_.cues[amount_end_]->length;
  consume(at_, end - at_, "age");
  age_said_ = true;
  at_ = end;
  return true;
}

// "between 20 and 40 dollars", "from $10 to $15".
bool Interpreter::read_between(std::size_t after) {
  const auto from = amount_near(after);
  if (!from) return false;
  auto low = amount_at(*from);
  if (!low) return false;
  std::size_t end = *from + low->length;
  if (!low->upper) {
    if (end + 1 >= m_.size() || !m_.cues[end] || !m_.cues[end]->is(CueKind::range_to)) return false;
    const auto high = amount_at(end + m_.cues[end]->length);
    if (high && high->times > 1 && low->times == 1 && low->value < whole_number(1000)) low->value.value *= high->times;  // "between 8 and 15 thousand"
    if (!high || high->value <= low->value) return false;
    low->upper = high->value;
    if (low->currency.empty()) low->currency = high->currency;
    if (low->unit == nullptr) low->unit = high->unit;
    end += m_.cues[end]->length + high->length;
  }
  const TextSpan span = m_.span(at_, end);
  const std::size_t first = at_;
  consume(first, end - first, "range");
  amount_first_ = first;
  amount_end_ = end;
  put_amount(*low, span);
  c_.compare.reset();
  at_ = end;
  return true;
}

}  // namespace turnstone
