// Cue phrases: what the shopper does with the words around them.
#include "workers/interpreter.h"

#include <algorithm>

namespace turnstone {
// Cues that act on the words around them. Advances past the cue when it was read.
bool Interpreter::apply_cue(const CueMatch& cue, TextSpan span) {
  const std::size_t first = at_;
  const std::size_t after = at_ + cue.length;
  const auto taken = [&](std::string as) {
    consume(first, cue.length, std::move(as));
    at_ = after;
    return true;
  };
  const bool hyphen = after < m_.size() && m_.words[after].gap == Gap::hyphen;
  if (cue.is(CueKind::compound) || (cue.is(CueKind::negate) && hyphen && cue.length == 1 && m_.words[after].known)) {
    std::size_t end = after;
    if (!cue.is(CueKind::compound)) end = after + 1;
    if (const Facet* column = hyphen ? yes_no_asked(after, end, true) : nullptr) {  // "no-assembly", where assembly is required or not
      c_.polarity = Polarity::rejected;
      put_yes_no(*column, first, end - first);
      c_.polarity = Polarity::wanted;
      at_ = end;
      return true;
    }
    if (phrases_[first].length < end - first)
      put_feature(first, end, Permille{700});
    else
      return false;
    at_ = end;
    return true;
  }
  if (cue.is(CueKind::harmless)) return taken("no rejection");
  if (cue.is(CueKind::half_negate)) {
    c_.polarity = Polarity::neither;
    c_.polarity_items = 0;
    c_.dropping = cue.is(CueKind::drop);  // "it doesn't have to be black": what was wished for is taken back
    return taken("neither");
  }
  if (cue.is(CueKind::between) && read_between(after)) return true;
  // "And under 50" compares what follows, "50 and under" what stands before.
  const bool bound_ahead = cue.length > 1 && any_kind(cue, {CueKind::or_less, CueKind::or_more}) && any_amount_follows(after);
  if (bound_ahead || (any_kind(cue, {CueKind::at_most, CueKind::at_least, CueKind::about}) && amount_near(after))) {
    const bool most = cue.is(CueKind::at_most) || (bound_ahead && cue.is(CueKind::or_less));
    const bool least = cue.is(CueKind::at_least) || (bound_ahead && cue.is(CueKind::or_more));
    c_.compare = most ? Operator::at_most : least ? Operator::at_least : Operator::about;
    if (cue.is(CueKind::about) && cue.is(CueKind::budget)) c_.compare = Operator::about;
    turn_denied_bound(first);
    if (cue.is(CueKind::correct)) reading_.corrects = true;
    c_.budget = c_.budget || cue.is(CueKind::budget);
    return taken("comparison");
  }
  if (cue.is(CueKind::except)) {
    negate(true);
    return taken("anything but");
  }
  if (cue.is(CueKind::waive)) {
    waive_here(after, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_noun) && c_.polarity == Polarity::rejected) {
    c_.polarity = Polarity::wanted;
    waive_here(after, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_about)) {
    c_.waiving = !waive_asked_for(after, span);
    return taken("don't care about");
  }
  const bool ends = after >= m_.size() || m_.words[after].gap >= Gap::comma;
  if (cue.is(CueKind::waive_any) && ends && !c_.names.empty()) {  // "colour: any"
    waive_here(after, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_any) && ends && first > 0 && m_.words[first].gap >= Gap::comma && !named_columns_.empty()) {  // "the colour? any"
    act(Act::up_to_you, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_any) && (waives_cost(after) || (after < m_.size() && m_.facet_names[after].length > 0 && m_.words[after].gap <= Gap::space))) {
    const std::size_t name = waives_cost(after) ? *waives_cost(after) : after;
    const std::string facet = m_.facet_names[name].length > 0 ? m_.facet_names[name].name : "price";
    const std::size_t end = name + std::max<std::size_t>(1, m_.facet_names[name].length);
    const bool value_follows = end < m_.size() && m_.words[end].gap <= Gap::space && phrases_[end].length > 0 && m_.cues[end] == std::nullopt;
    if (!value_follows) {
      Signal& signal = put(SignalKind::waive, m_.span(first, end), Permille{930});
      signal.facet = facet;
      signal.widens = cue.is(CueKind::more);  // "any other colour": what is refused stays so
      consume(first, end - first, "any " + facet);
      at_ = end;
      c_.waiving = true;
      return true;
    }
  }
  if (cue.is(CueKind::drop) && !(cue.is(CueKind::negate) && !drop_fits(after))) {
    c_.dropping = true;
    c_.polarity = Polarity::wanted;
    return taken("take back");
  }
  if (cue.is(CueKind::negate) && m_.terms[first] == "without" && is_needed(after)) {
    c_.strength = Strength::hard;
    return taken("must");
  }
  if (cue.is(CueKind::negate) && !ends && m_.words[after].gap <= Gap::space && cues_.is(SpeechPart::asked_back, m_.terms[after]))
    return taken("asks");  // "isn't there any leather?"
  if (cue.is(CueKind::negate)) {
    negate(false);
    return taken("not");
  }
  if (cue.is(CueKind::correct)) {
    reading_.corrects = true;
    corrects_from_ = std::min(corrects_from_, span.begin);
    c_.polarity = Polarity::wanted;
    c_.dropping = false;
    last_.reset();
    return taken("correction");
  }
  if (cue.is(CueKind::must) || cue.is(CueKind::soft)) {
    const Strength strength = cue.is(CueKind::must) ? Strength::hard : Strength::soft;
    const std::size_t end = clause_end(first);
    if (last_ && last_->facet != "category" && only_small_words(after, end))
      reading_.signals[last_->signal].strength = strength;
    else
      c_.strength = strength;
    if (cue.is(CueKind::contrast) && c_.polarity_items > 0) c_.polarity = Polarity::wanted;
    return taken(strength == Strength::hard ? "must" : "soft");
  }
  if (cue.is(CueKind::contrast)) {
    if (c_.polarity_items > 0 || c_.polarity == Polarity::neither) c_.polarity = Polarity::wanted;
    c_.dropping = false;
    return taken("contrast");
  }
  if (cue.is(CueKind::well_rated)) {
    Signal& signal = put(SignalKind::wish, span, Permille{850});
    signal.facet = "rating";
    signal.op = Operator::at_least;
    signal.value.number = whole_number(4);
    signal.strength = strength_for("rating");
    return taken("rating");
  }
  if (cue.is(CueKind::same_as) && read_same_as(after)) return true;
  if (cue.is(CueKind::budget)) {
    if (c_.dropping || c_.waiving) put_waived("price", span);  // "forget the budget"
    c_.budget = true;
    if (m_.facet_names[first].length > 0)
      name_column(m_.facet_names[first].name, first);
    else
      c_.names.emplace_back("price", first);
    return taken("price");
  }
  // "Waist" alone is a part of a garment, "waist 32" a size.
  const bool measured = m_.terms[first] == "size" || m_.words[first].function || cue.length > 1 || amount_near(after);
  if (cue.is(CueKind::size) && !measured) return false;
  if (cue.is(CueKind::size)) {
    c_.size = true;
    name_column("size", first);
    if (c_.dropping || c_.waiving) put_waived("size", span);
    return taken("size");
  }
  if (cue.is(CueKind::for_self)) {
    put(SignalKind::recipient, span, Permille{850});
    return taken("for whom");
  }
  if (any_kind(cue, {CueKind::either_or, CueKind::and_also})) {
    if (cue.is(CueKind::and_also) && m_.terms[first] != "and" && c_.polarity_items > 0 && !c_.broad) c_.polarity = Polarity::wanted;
    return taken("joins");
  }
  if (any_kind(cue, {CueKind::want, CueKind::accept})) {
    const bool preposition = cue.length == 1 && m_.words[first].function;
    if (preposition && c_.polarity_items > 0 && !c_.broad) c_.polarity = Polarity::wanted;
    if (!preposition && cue.is(CueKind::want)) {
      c_.dropping = false;
      if (c_.polarity_items > 0) c_.polarity = Polarity::wanted;
    }
    return taken("asks");
  }
  if (any_kind(cue, {CueKind::worthless, CueKind::story, CueKind::for_whom, CueKind::keep_same, CueKind::alike, CueKind::ask, CueKind::ask_price, CueKind::ask_maker,
                     CueKind::range_to, CueKind::waive_any, CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::or_less, CueKind::or_more,
                     CueKind::between, CueKind::stars, CueKind::reviews, CueKind::old})) {
    if (!m_.words[first].function && cue.length == 1 && m_.words[first].content()) return false;
    // "Not modern and from Velora": what a preposition begins behind an "and" is refused no more.
    const bool begins = first > 0 && m_.words[first].function && m_.cues[first - 1] && m_.cues[first - 1]->is(CueKind::and_also);
    if (begins && c_.polarity_items > 0 && !c_.broad) c_.polarity = Polarity::wanted;
    return taken("small word");
  }
  return false;
}

// "Whatever it costs", "whatever the price": the word of cost that small words lead to.
std::optional<std::size_t> Interpreter::waives_cost(std::size_t after) const {
  if (after == 0 || !cues_.is(SpeechPart::relative_word, m_.terms[after - 1])) return std::nullopt;
  for (std::size_t i = after; i < m_.size() && i < after + 3 && m_.words[i].gap <= Gap::space; ++i) {
    if (m_.cues[i] && m_.cues[i]->is(CueKind::budget)) return i;
    if (!m_.words[i].function) break;
  }
  return std::nullopt;
}

// "Without pockets it's no use to me": pockets are wanted.
bool Interpreter::is_needed(std::size_t after) const {
  for (std::size_t i = after; i < m_.size() && m_.words[i].gap < Gap::semicolon; ++i) {
    if (m_.cues[i] && m_.cues[i]->is(CueKind::worthless)) return true;
  }
  return false;
}

}  // namespace turnstone
