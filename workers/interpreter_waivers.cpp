// What does not matter: "any brand", "the colour isn't that important", "I don't care what it costs".
#include <algorithm>

#include "workers/interpreter.h"

namespace turnstone {

void Interpreter::name_column(const std::string& facet, std::size_t word) {
  c_.names.push_back({facet, word});
  named_columns_.push_back({facet, word});
}

// "Brand? whatever", "you choose the colour": a column that is named is meant, not the one that was asked about.
void Interpreter::waive_named() {
  std::vector<std::pair<std::string, std::size_t>> open;
  for (const auto& [facet, word] : named_columns_) {
    const TextSpan name = m_.words[word].span;
    const bool wanted = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
      return s.kind == SignalKind::wish && s.span.begin <= name.begin && s.span.end >= name.end;
    });
    if (!wanted && !has_its_value(facet, word)) open.emplace_back(facet, word);
  }
  if (open.empty()) return;
  TextSpan span;
  const auto waives = [&](const Signal& s) {
    const bool so = s.kind == SignalKind::act && (s.act == Act::waive_asked || s.act == Act::up_to_you);
    if (so) span = s.span;
    return so;
  };
  if (std::erase_if(reading_.signals, waives) == 0) return;
  // "The price is fine. Colour? whatever": the name nearest to it, and those that are said with that.
  const auto away = [&](const auto& named) {
    const TextSpan name = m_.words[named.second].span;
    return name.end <= span.begin ? span.begin - name.end : name.begin > span.end ? name.begin - span.end : 0U;
  };
  const std::size_t near = std::min_element(open.begin(), open.end(), [&](const auto& a, const auto& b) { return away(a) < away(b); })->second;
  for (const auto& [facet, word] : open) {
    bool joined = true;
    for (std::size_t i = std::min(word, near) + 1; i <= std::max(word, near); ++i) joined = joined && m_.words[i].gap < Gap::semicolon;
    if (!joined) continue;
    const TextSpan name = m_.words[word].span;
    put_waived(facet, {std::min(name.begin, span.begin), std::max(name.end, span.end)});
  }
}

void Interpreter::put_waived(const std::string& facet, TextSpan span) {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::waive && signal.facet == facet) return;
  }
  Signal& signal = put(SignalKind::waive, span, Permille{930});
  signal.facet = facet;
}

// What does not matter, said with the cue that ends before word `after`: the columns named before it, else the value said
// before it, else what is named behind it, else what was asked about.
void Interpreter::waive_here(std::size_t after, TextSpan span) {
  bool named = false;
  for (const auto& [facet, word] : c_.names) {
    if (has_its_value(facet, word)) continue;  // "budget 500, the colour doesn't matter"
    put_waived(facet, {std::min(m_.words[word].span.begin, span.begin), span.end});
    named = true;
  }
  named = named || waive_value_before(span);
  named = waive_asked_for(after, span) || named;
  const std::size_t last = clause_end(at_);
  for (std::size_t i = after; i < last && m_.words[i].gap < Gap::comma; ++i) {
    if (used(i) || m_.facet_names[i].length == 0) continue;
    put_waived(m_.facet_names[i].name, {span.begin, m_.words[i].span.end});
    consume(i, m_.facet_names[i].length, "any " + m_.facet_names[i].name);
    named = true;
  }
  if (!named) leave_unread_before();
  if (!named) act(Act::waive_asked, span);
}

// "A sunroof isn't that important": words that no column knows, said not to matter, are no wish.
void Interpreter::leave_unread_before() {
  for (std::size_t i = at_; i > 0 && m_.words[i].gap < Gap::comma; --i) {
    if (!used(i - 1)) stance_[i - 1].dropping = true;
  }
}

bool Interpreter::has_its_value(const std::string& facet, std::size_t word) const {
  return std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
    return s.kind == SignalKind::wish && s.facet == facet && s.span.begin >= m_.words[word].span.begin;
  });
}

// "Black isn't that important": that value need not be.
bool Interpreter::waive_value_before(TextSpan span) {
  if (!last_ || last_->facet == "category" || last_->polarity != Polarity::wanted || last_->last > at_) return false;
  Signal& signal = reading_.signals[last_->signal];
  if (signal.kind != SignalKind::wish || signal.value.any_of.size() != 1 || !only_small_words(last_->last, at_)) return false;
  for (std::size_t i = last_->last; i <= at_; ++i) {
    if (m_.words[i].gap >= Gap::comma) return false;
  }
  signal.kind = SignalKind::drop;
  signal.span.end = span.end;
  signal.said = m_.said(signal.span);
  last_.reset();
  return true;
}

// "I don't care WHAT COLOUR it is", "no matter HOW MUCH it costs": the question tells what does not matter.
bool Interpreter::waive_asked_for(std::size_t after, TextSpan span) {
  if (after >= m_.size() || m_.words[after].gap > Gap::space || !m_.cues[after]) return false;
  const CueMatch& cue = *m_.cues[after];
  if (!any_kind(cue, {CueKind::ask, CueKind::ask_price, CueKind::ask_maker})) return false;
  std::size_t end = after;
  while (end < m_.size() && (end == after || m_.words[end].gap < Gap::comma)) ++end;
  std::string facet = facet_in_question(after, end);
  const bool costs = std::any_of(m_.cues.begin() + static_cast<long>(after), m_.cues.begin() + static_cast<long>(end),
                                 [](const auto& word) { return word && word->is(CueKind::budget); });
  if (facet.empty() && (costs || cue.is(CueKind::ask_price))) facet = "price";
  if (facet.empty() && cue.is(CueKind::ask_maker)) facet = "brand";
  if (facet.empty()) return false;
  put_waived(facet, {span.begin, m_.words[end - 1].span.end});
  consume(after, end - after, "any " + facet);
  return true;
}

// "Isn't that important", "not really fussed about": a denial, how much, and a word of weight or of caring.
std::optional<Interpreter::Waiver> Interpreter::waiver_at(std::size_t first) const {
  constexpr std::size_t degrees_max = 4;
  std::size_t i = first;
  for (const SpeechPart denial : {SpeechPart::denial, SpeechPart::refusal, SpeechPart::holding_no}) {
    i = std::max(i, first + cues_.part(denial, m_.terms, first));
  }
  if (i == first) return std::nullopt;
  const auto joined = [&](std::size_t k) { return k < m_.size() && m_.words[k].gap <= Gap::hyphen; };
  std::size_t weight = 0;
  std::size_t caring = 0;
  for (std::size_t k = 0; k <= degrees_max && joined(i); ++k) {
    weight = cues_.part(SpeechPart::weight, m_.terms, i);
    caring = cues_.part(SpeechPart::caring, m_.terms, i);
    const std::size_t degree = cues_.part(SpeechPart::degree, m_.terms, i);
    if (std::max(weight, caring) > 0 || degree == 0) break;
    i += degree;
  }
  Waiver waiver;
  waiver.end = i + std::max(weight, caring);
  if (waiver.end == i) return std::nullopt;
  if (m_.cues[first] && m_.cues[first]->length >= waiver.end - first) return std::nullopt;  // a phrase that says so by itself
  const std::size_t topic = caring > 0 && joined(waiver.end) ? cues_.part(SpeechPart::topic, m_.terms, waiver.end) : 0;
  const std::size_t to = caring > 0 && joined(waiver.end) ? cues_.part(SpeechPart::addressed, m_.terms, waiver.end) : 0;
  waiver.about = std::max(topic, to) > 0;
  waiver.end += std::max(topic, to);
  return waiver;
}

bool Interpreter::read_waiver() {
  const auto waiver = waiver_at(at_);
  if (!waiver) return false;
  const TextSpan span = m_.span(at_, waiver->end);
  if (!waiver->about)
    waive_here(waiver->end, span);
  else
    c_.waiving = !waive_asked_for(waiver->end, span);
  consume(at_, waiver->end - at_, "doesn't matter");
  at_ = waiver->end;
  return true;
}

}  // namespace turnstone
