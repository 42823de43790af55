// Cue phrases: what the shopper does with the words around them.
#include "workers/interpreter.h"

#include <algorithm>
#include <array>

namespace turnstone {
namespace {

// Cues that say by themselves what the message wants to be.
struct ActCue {
  CueKind kind;
  Act act;
};
constexpr std::array<ActCue, 22> act_cues{{
    {CueKind::start_over, Act::start_over},
    {CueKind::revoke, Act::revoke_all},
    {CueKind::undo, Act::undo},
    {CueKind::dislike_shown, Act::dislike_shown},
    {CueKind::decline, Act::decline},
    {CueKind::dont_know, Act::dont_know},
    {CueKind::up_to_you, Act::up_to_you},
    {CueKind::back_to, Act::back_to},
    {CueKind::instead, Act::instead},
    {CueKind::additional, Act::additional},
    {CueKind::browsing, Act::browsing},
    {CueKind::more, Act::more},
    {CueKind::buying, Act::buying},
    {CueKind::thanks, Act::thanks},
    {CueKind::goodbye, Act::goodbye},
    {CueKind::greeting, Act::greeting},
    {CueKind::chat, Act::chat},
    {CueKind::both, Act::both},
    {CueKind::yes, Act::yes},
    {CueKind::no, Act::no},
    {CueKind::acknowledge, Act::acknowledge},
    {CueKind::first_option, Act::option},
}};

}  // namespace

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
    return taken("neither");
  }
  if (cue.is(CueKind::between) && read_between(after)) return true;
  if (any_kind(cue, {CueKind::at_most, CueKind::at_least, CueKind::about}) && amount_near(after)) {
    c_.compare = cue.is(CueKind::at_most) ? Operator::at_most : cue.is(CueKind::at_least) ? Operator::at_least : Operator::about;
    if (cue.is(CueKind::about) && cue.is(CueKind::budget)) c_.compare = Operator::about;
    if (c_.polarity == Polarity::rejected && c_.polarity_items == 0 && c_.compare != Operator::about) {
      c_.compare = c_.compare == Operator::at_most ? Operator::at_least : Operator::at_most;
      c_.polarity = Polarity::wanted;
    }
    if (cue.is(CueKind::correct)) reading_.corrects = true;
    c_.budget = c_.budget || cue.is(CueKind::budget);
    return taken("comparison");
  }
  if (cue.is(CueKind::except)) {
    negate(true);
    return taken("anything but");
  }
  if (cue.is(CueKind::waive)) {
    waive_here(cue, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_noun) && c_.polarity == Polarity::rejected) {
    c_.polarity = Polarity::wanted;
    waive_here(cue, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_about)) {
    c_.waiving = true;
    return taken("don't care about");
  }
  if (cue.is(CueKind::waive_any) && after < m_.size() && m_.facet_names[after].length > 0 && m_.words[after].gap <= Gap::space) {
    const std::string facet = m_.facet_names[after].name;
    const std::size_t end = after + m_.facet_names[after].length;
    const bool value_follows = end < m_.size() && m_.words[end].gap <= Gap::space && phrases_[end].length > 0 && m_.cues[end] == std::nullopt;
    if (!value_follows) {
      Signal& signal = put(SignalKind::waive, m_.span(first, end), Permille{930});
      signal.facet = facet;
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
    c_.budget = true;
    if (m_.facet_names[first].length > 0) c_.names.push_back({m_.facet_names[first].name, first});
    return taken("price");
  }
  if (cue.is(CueKind::size)) {
    c_.size = true;
    c_.names.push_back({"size", first});
    if (c_.waiving) put_waived("size", span);
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
  if (any_kind(cue, {CueKind::story, CueKind::for_whom, CueKind::keep_same, CueKind::alike, CueKind::ask, CueKind::ask_price, CueKind::ask_maker,
                     CueKind::range_to, CueKind::waive_any, CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::or_less, CueKind::or_more,
                     CueKind::between, CueKind::stars, CueKind::reviews, CueKind::old})) {
    if (!m_.words[first].function && cue.length == 1 && m_.words[first].content()) return false;
    return taken("small word");
  }
  return false;
}

// Cues that are acts of their own; kept aside until it is known what else the message holds.
bool Interpreter::read_act(const CueMatch& cue, TextSpan span) {
  const std::size_t after = at_ + cue.length;
  const bool ends = after >= m_.size() || m_.words[after].gap >= Gap::comma;
  for (const ActCue& entry : act_cues) {
    if (!cue.is(entry.kind)) continue;
    if (entry.act == Act::no && !(ends || cue.length > 1)) continue;
    if ((entry.act == Act::up_to_you || entry.act == Act::more || entry.act == Act::both) && cue.length == 1 && !ends &&
        !only_small_words(after, clause_end(at_)))
      continue;
    if (entry.act == Act::additional && cue.length == 1 && !ends) continue;
    if (entry.act == Act::undo && !ends && !only_small_words(after, clause_end(at_))) continue;
    if (entry.act == Act::buying && cue.is(CueKind::want)) {
      act(Act::buying, span);
      continue;  // "need" also asks for what follows
    }
    if (entry.act == Act::acknowledge && any_kind(cue, {CueKind::accept, CueKind::correct, CueKind::soft, CueKind::contrast})) continue;
    if (entry.act == Act::dont_know && cue.is(CueKind::browsing)) act(Act::browsing, span);
    if (entry.act == Act::up_to_you && (cue.is(CueKind::waive_any)) && !ends) continue;
    act(entry.act, span);
    if (entry.act == Act::instead || entry.act == Act::additional || entry.act == Act::start_over || entry.act == Act::revoke_all) {
      c_.polarity = Polarity::wanted;
      c_.dropping = false;
    }
    if (entry.act == Act::additional) c_.adds = true;
    if (entry.act == Act::correct) reading_.corrects = true;
    const std::size_t end = entry.act == Act::decline || entry.act == Act::dislike_shown ? decline_end(after) : after;
    consume(at_, end - at_, "act");
    at_ = end;
    return true;
  }
  return false;
}

// "… an additional preference for colour": the facet named belongs to the refusal.
std::size_t Interpreter::decline_end(std::size_t after) const {
  std::size_t end = after;
  while (end < m_.size() && m_.words[end].gap <= Gap::space && (m_.facet_names[end].length > 0 || only_small_words(end, end + 1))) {
    end += std::max<std::size_t>(1, m_.facet_names[end].length);
  }
  return end;
}

void Interpreter::put_waived(const std::string& facet, TextSpan span) {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::waive && signal.facet == facet) return;
  }
  Signal& signal = put(SignalKind::waive, span, Permille{930});
  signal.facet = facet;
}

void Interpreter::waive_here(const CueMatch& cue, TextSpan span) {
  bool named = false;
  for (const auto& [facet, word] : c_.names) {
    put_waived(facet, {std::min(m_.words[word].span.begin, span.begin), span.end});
    named = true;
  }
  const std::size_t after = at_ + cue.length;
  for (std::size_t i = after; i < clause_end(at_) && m_.words[i].gap < Gap::comma; ++i) {
    if (m_.facet_names[i].length == 0) continue;
    put_waived(m_.facet_names[i].name, {span.begin, m_.words[i].span.end});
    consume(i, m_.facet_names[i].length, "any " + m_.facet_names[i].name);
    named = true;
  }
  if (!named) act(Act::waive_asked, span);
}

}  // namespace turnstone
