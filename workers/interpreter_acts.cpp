// What is said about the talk itself: taking back, having no preference, small talk.
#include <algorithm>
#include <array>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"
#include "workers/revocation.h"

namespace turnstone {
namespace {

constexpr std::uint32_t property_share = 500;  // one listing in so many holds a word that tells a property

// Cues that say by themselves what the message wants to be.
struct ActCue {
  CueKind kind;
  Act act;
};
constexpr std::array<ActCue, 21> act_cues{{
    {CueKind::start_over, Act::start_over},
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

// What is taken back of what was said before; read first, for its words mean nothing else.
void Interpreter::read_revocations() {
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const auto revocation = revocation_at(m_, i, cues_);
    if (!revocation) continue;
    const TextSpan span = m_.span(i, i + revocation->length);
    act(revocation->reach == Revocation::Reach::all      ? Act::revoke_all
        : revocation->reach == Revocation::Reach::before ? Act::undo
        : revocation->reach == Revocation::Reach::latest ? Act::retract
                                                         : Act::rethink,
        span);
    reading_.corrects = true;
    corrects_from_ = std::min(corrects_from_, span.begin);
    consume(i, revocation->length, std::string(revoked));
    i += revocation->length - 1;
  }
}

// "The first budget was right", "go back to the colour I had before": what was held of one column is to be held again.
void Interpreter::read_restorations() {
  for (std::size_t i = 0; i < m_.size(); ++i) {
    if (used(i)) continue;
    const std::size_t verb = cues_.part(SpeechPart::returning, m_.terms, i);
    const auto held = held_of_column(i + verb);
    if (!held) continue;
    const bool joined = held->end < m_.size() && m_.words[held->end].gap <= Gap::space;
    const std::size_t sound = joined ? cues_.part(SpeechPart::sound, m_.terms, held->end) : 0;
    const bool alone = only_small_words(0, i) && held->end == m_.size() && !asked_about(held->facet);
    if (verb == 0 && sound == 0 && !(alone && has_changed(held->facet))) continue;
    Signal& signal = put(SignalKind::restore, m_.span(i, held->end + sound), Permille{850});
    signal.facet = held->facet;
    signal.place = held->initial ? 1 : 0;
    consume(i, held->end + sound - i, "back to " + held->facet);
    i = held->end + sound - 1;
  }
}

// Whether another value of the column was held and gave way.
bool Interpreter::has_changed(const std::string& facet) const {
  return std::any_of(state_.tombstones.begin(), state_.tombstones.end(), [&](const Tombstone& t) {
    return t.constraint.set.facet == facet && t.epoch == state_.epoch && t.by.reason != TombstoneReason::archived;
  });
}

// "My old budget", "the colour I had before": a column's name, and that an earlier value of it is meant.
std::optional<Interpreter::Held> Interpreter::held_of_column(std::size_t i) const {
  constexpr std::size_t words_max = 8;
  Held held;
  bool earlier = false;
  std::size_t time_end = 0;
  std::size_t at = i;
  const auto joined = [&] { return at < m_.size() && (at == i || m_.words[at].gap <= Gap::space) && at < i + words_max; };
  const auto pass_times = [&] {
    while (joined()) {
      const std::size_t time = cues_.part(SpeechPart::earlier, m_.terms, at);
      held.initial = held.initial || cues_.part(SpeechPart::initial, m_.terms, at) > 0;
      earlier = earlier || time > 0;
      if (time > 0) time_end = at + time;
      if (time == 0 && !cues_.is(SpeechPart::determiner, m_.terms[at])) return;
      at += std::max<std::size_t>(1, time);
    }
  };
  pass_times();
  if (!joined()) return std::nullopt;
  const NameMatch& name = m_.facet_names[at];
  const bool costs = m_.cues[at] && m_.cues[at]->is(CueKind::budget) && m_.words[at].meta;
  if (name.length == 0 && !costs) return std::nullopt;
  held.facet = name.length > 0 ? name.name : "price";
  at += std::max<std::size_t>(1, name.length);
  held.end = at;
  if (joined() && cues_.is(SpeechPart::relative_word, m_.terms[at])) ++at;
  if (joined() && cues_.is(SpeechPart::speaker, m_.terms[at])) {
    ++at;
    const std::size_t had = joined() ? std::max(cues_.part(SpeechPart::possessing, m_.terms, at), cues_.part(SpeechPart::saying, m_.terms, at)) : 0;
    if (had == 0) return std::nullopt;
    earlier = true;
    at += had;
    held.end = at;
  } else {
    at = held.end;
  }
  if (joined() && cues_.is(SpeechPart::topic, m_.terms[at])) ++at;
  pass_times();
  held.end = std::max(held.end, time_end);
  return earlier ? std::optional(held) : std::nullopt;
}

// "Leather is out", "anything over 300 is too much", "velvet? no": what stands before it is refused.
bool Interpreter::read_verdict() {
  const std::size_t length = cues_.part(SpeechPart::verdict_no, m_.terms, at_);
  if (length == 0 || at_ == 0) return false;
  const std::size_t end = at_ + length;
  const auto& next = end < m_.size() ? m_.cues[end] : std::nullopt;
  const bool goes_on = end < m_.size() && m_.words[end].gap < Gap::comma && !(next && any_kind(*next, {CueKind::contrast, CueKind::and_also}));
  if (goes_on || c_.polarity != Polarity::wanted || c_.dropping || c_.waiving) return false;
  std::size_t first = at_;  // of what is judged
  while (first > 0 && (first == at_ || m_.words[first].gap < Gap::comma)) --first;
  const auto wants = [](const std::optional<CueMatch>& cue) { return cue && cue->length > 1 && cue->is(CueKind::want); };
  const bool apart = m_.words[at_].gap >= Gap::comma;  // "leather? no"; "I need leather. No." answers
  if (apart && std::any_of(m_.cues.begin() + static_cast<long>(first), m_.cues.begin() + static_cast<long>(at_), wants)) return false;
  const TextSpan judged = m_.span(first, at_);
  const TextSpan verdict = m_.span(at_, end);
  const auto is_judged = [&](const Signal& s) { return s.kind == SignalKind::wish && s.span.begin >= judged.begin && s.span.end <= judged.end; };
  const bool property = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) { return is_judged(s) && s.facet != "category"; });
  bool refused = false;
  for (Signal& signal : reading_.signals) {  // "a leather sofa is out" refuses leather
    if (is_judged(signal) && !(property && signal.facet == "category")) refused = refuses_signal(signal, verdict) || refused;
  }
  for (std::size_t i = first; i < at_; ++i) {
    if (used(i) || !m_.words[i].content()) continue;
    stance_[i].polarity = Polarity::rejected;
    refused = true;
  }
  if (!refused) return false;
  last_.reset();
  consume(at_, length, "not");
  at_ = end;
  return true;
}

bool Interpreter::refuses_signal(Signal& signal, TextSpan verdict) {
  if (signal.value.number) {
    if (signal.op == Operator::between || signal.op == Operator::is_not) return false;
    if (signal.op == Operator::at_most) signal.op = Operator::at_least;   // "under 16 GB is out"
    else if (signal.op == Operator::is) signal.op = Operator::is_not;     // "2 doors is out"
    else signal.op = Operator::at_most;                                   // "over 300 is too much"
  } else if (signal.op == Operator::is) {
    signal.op = Operator::is_not;
    signal.widens = false;
  } else {
    return false;
  }
  signal.span.end = verdict.end;
  signal.said = m_.said(signal.span);
  return true;
}

// "Swap oak for pine", "leave oak aside": the value behind the verb is taken back, up to the word that closes it.
bool Interpreter::read_exchange() {
  const std::size_t swap = cues_.part(SpeechPart::swapping, m_.terms, at_);
  const std::size_t open = cues_.part(SpeechPart::revoking_open, m_.terms, at_);
  if (std::max(swap, open) == 0) return false;
  std::size_t value = at_ + std::max(swap, open);
  if (value < m_.size() && cues_.is(SpeechPart::determiner, m_.terms[value])) ++value;
  if (value >= m_.size() || m_.words[value].gap > Gap::space || choose(phrases_[value], value) == nullptr) return false;
  const std::size_t end = value + phrases_[value].length;
  if (end >= m_.size() || m_.words[end].gap > Gap::space) return false;
  const std::size_t to = swap > 0 ? cues_.part(SpeechPart::swapped_for, m_.terms, end) : 0;
  const std::size_t close = open > 0 ? cues_.part(SpeechPart::revoking_close, m_.terms, end) : 0;
  if (std::max(to, close) == 0 || (to > 0 && end + to >= m_.size())) return false;
  c_.polarity = Polarity::wanted;
  c_.dropping = true;
  c_.drop_until = end;
  c_.drop_close = std::max(to, close);
  consume(at_, value - at_, "take back");
  at_ = value;
  return true;
}

// Behind a mere "no" a wish of its own begins: "no I need linen", "no make it blue". "No heels" refuses.
bool Interpreter::begins_anew(std::size_t i) const {
  if (i >= m_.size()) return true;
  if (cues_.is(SpeechPart::speaker, m_.terms[i]) || cues_.is(SpeechPart::goes_on, m_.terms[i])) return true;
  const auto& cue = m_.cues[i];
  return cue && (any_kind(*cue, {CueKind::correct, CueKind::contrast}) || (cue->length > 1 && cue->is(CueKind::want)));
}

// "Can't think of anything on budget": a column that is named while having a wish for it is denied answers nothing, and
// wishes for nothing.
void Interpreter::read_refusals() {
  for (std::size_t i = 1; i < m_.size(); ++i) {
    if (used(i) || !cues_.is(SpeechPart::topic, m_.terms[i])) continue;
    std::size_t name = i + 1;
    while (name < m_.size() && m_.words[name].gap < Gap::comma && m_.words[name].function && m_.facet_names[name].length == 0) ++name;
    const auto named = refused_name(i + 1, name);
    if (!named) continue;
    const auto denial = denial_before(i);
    if (!denial || waiver_at(*denial)) continue;
    const bool names_itself = std::any_of(m_.facet_names.begin() + static_cast<long>(*denial), m_.facet_names.begin() + static_cast<long>(i),
                                          [](const NameMatch& match) { return match.length > 0; });
    if (names_itself && named->facet.empty()) continue;  // "no colour in mind"
    const TextSpan span = m_.span(*denial, named->end);
    const auto& cue = m_.cues[*denial];
    const bool waives = cue && any_kind(*cue, {CueKind::waive, CueKind::waive_any, CueKind::waive_about, CueKind::harmless});
    if (waives && !named->facet.empty())
      put_waived(named->facet, span);
    else
      act(waives ? Act::waive_asked : Act::decline, span);
    consume(*denial, named->end - *denial, "no preference");
  }
}

// "Flexible.", "skip", "no match": words that say so only as the whole message, and where they are no value of the column
// asked about.
void Interpreter::read_whole_answer() {
  constexpr std::array<std::pair<SpeechPart, Act>, 3> answers{{{SpeechPart::open_answer, Act::waive_asked},
                                                               {SpeechPart::empty_answer, Act::decline},
                                                               {SpeechPart::mismatch_answer, Act::dislike_shown}}};
  std::size_t first = 0;
  while (first < m_.size() && m_.words[first].filler) ++first;
  if (first >= m_.size() || asked_ == nullptr || used(first)) return;
  for (const Sense& sense : phrases_[first].senses) {
    if (asked_about(artefact_.facet(sense.facet).name)) return;
  }
  for (const auto& [part, meant] : answers) {
    const std::size_t length = cues_.part(part, m_.terms, first);
    if (length == 0 || (meant == Act::dislike_shown && state_.last_shown.empty())) continue;
    bool whole = true;
    for (std::size_t i = first + length; i < m_.size(); ++i) whole = whole && m_.words[i].filler;
    if (!whole) continue;
    act(meant, m_.span(first, first + length));
    consume(first, m_.size() - first, "act");
    return;
  }
}

// "I never gave that much thought", "you already know all I know", "nothing": an answer that holds a denial (or a whole)
// and a word of having views or nothing else, and no value, has none.
bool Interpreter::has_no_view() const {
  if (asked_ == nullptr) return false;
  const auto is_substance = [](const Signal& s) {
    if (s.kind != SignalKind::act || s.act == Act::dislike_shown || s.act == Act::retract) return true;
    return s.act == Act::more && s.said.find(' ') != std::string::npos;  // "no, show me others"
  };
  if (std::any_of(reading_.signals.begin(), reading_.signals.end(), is_substance)) return false;
  bool denies = false;
  bool view = false;
  for (std::size_t i = 0; i < m_.size(); ++i) {
    denies = denies || cues_.is(SpeechPart::whole, m_.terms[i]);
    view = view || cues_.part(SpeechPart::view, m_.terms, i) > 0;
    // "not waterproof, I think": what is denied is a property that many listings have.
    const bool denied = i > 0 && cues_.is(SpeechPart::whole, m_.terms[i - 1]);
    const bool property = is_free(i) && m_.words[i].frequency * property_share > artefact_.product_count();
    if (denied && property && cues_.part(SpeechPart::view, m_.terms, i) == 0) return false;
  }
  return denies && (view || only_small_words(0, m_.size()));
}

// What is refused: a column named at word `name`, the one asked about in its own words, or nothing but small words from
// `first` on. Nothing else may follow.
std::optional<Interpreter::Refused> Interpreter::refused_name(std::size_t first, std::size_t name) const {
  const auto ends = [&](std::size_t i) {
    return i >= m_.size() || m_.words[i].gap >= Gap::dash || (m_.words[i].filler && !m_.words[i].number) || m_.terms[i] == "you" || m_.terms[i] == "at";
  };
  if (name < m_.size() && m_.words[name].gap < Gap::comma) {
    if (m_.facet_names[name].length > 0) {
      const std::size_t end = name + m_.facet_names[name].length;
      return ends(end) ? std::optional(Refused{end, m_.facet_names[name].name}) : std::nullopt;
    }
    if (asked_ != nullptr) {
      std::string words = asked_->question.facet;
      std::replace(words.begin(), words.end(), '_', ' ');
      std::string said;
      for (std::size_t end = name; end < std::min(m_.size(), name + 4);) {
        said += (end > name ? " " : "") + m_.terms[end];
        ++end;
        if (said == term_key(words, artefact_.language()) && ends(end)) return Refused{end, asked_->question.facet};
      }
    }
  }
  const std::size_t end = std::min(clause_end(first), m_.size());
  const auto is_small = [&](std::size_t i) { return m_.words[i].function || m_.words[i].filler || m_.words[i].meta || m_.cues[i]; };
  if (first >= end || m_.words[first].gap >= Gap::comma || end > first + 3) return std::nullopt;
  for (std::size_t i = first; i < end; ++i) {
    if (m_.words[i].number || !is_small(i)) return std::nullopt;
  }
  return asked_ != nullptr ? std::optional(Refused{end, ""}) : std::nullopt;
}

// The word from which on a wish is denied, before word i: "nothing more to say", "can't think of anything".
std::optional<std::size_t> Interpreter::denial_before(std::size_t i) const {
  constexpr std::size_t words_back = 8;
  std::optional<std::size_t> denial;
  for (std::size_t k = i; k > 0 && i - k < words_back;) {
    if (m_.words[k].gap >= Gap::comma) break;
    --k;
    const Word& word = m_.words[k];
    const auto& cue = m_.cues[k];
    if (used(k) || word.number || category_here(k)) break;
    const bool denies = cues_.is(SpeechPart::refusal, word.term) ||
                        (cue && any_kind(*cue, {CueKind::dont_know, CueKind::decline, CueKind::waive}));
    if (denies)
      denial = k;
    else if (!(word.function || word.filler || word.meta || cue) && choose(phrases_[k], k) != nullptr)
      break;
  }
  return denial;
}

// Cues that are acts of their own; kept aside until it is known what else the message holds.
bool Interpreter::read_act(const CueMatch& cue, TextSpan span) {
  const std::size_t after = at_ + cue.length;
  const bool ends = after >= m_.size() || m_.words[after].gap >= Gap::comma;
  for (const ActCue& entry : act_cues) {
    if (!cue.is(entry.kind)) continue;
    if (entry.act == Act::no && !(ends || cue.length > 1 || begins_anew(after))) continue;
    if ((entry.act == Act::up_to_you || entry.act == Act::more || entry.act == Act::both) && cue.length == 1 && !ends &&
        !only_small_words(after, clause_end(at_)))
      continue;
    if (entry.act == Act::additional && cue.length == 1 && !ends) continue;
    if (entry.act == Act::more && cue.is(CueKind::waive_any) && !ends && m_.facet_names[after].length > 0) continue;  // "any other colour"
    if (entry.act == Act::decline && cue.is(CueKind::negate) && !ends && !only_small_words(after, clause_end(at_))) continue;
    if (entry.act == Act::undo && !ends && !only_small_words(after, clause_end(at_))) continue;
    if (entry.act == Act::buying && cue.is(CueKind::want)) {
      act(Act::buying, span);
      continue;  // "need" also asks for what follows
    }
    if (entry.act == Act::acknowledge && any_kind(cue, {CueKind::accept, CueKind::correct, CueKind::soft, CueKind::contrast})) continue;
    if (entry.act == Act::dont_know && cue.is(CueKind::browsing)) act(Act::browsing, span);
    if (entry.act == Act::up_to_you && (cue.is(CueKind::waive_any)) && !ends) continue;
    act(entry.act, span);
    if (entry.act == Act::instead || entry.act == Act::additional || entry.act == Act::start_over) {
      c_.polarity = Polarity::wanted;
      c_.dropping = false;
    }
    if (entry.act == Act::additional) {
      c_.adds = true;
      if (last_ && ends && last_->polarity == Polarity::wanted) reading_.signals[last_->signal].adds = true;  // "gluten free too"
    }
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

}  // namespace turnstone
