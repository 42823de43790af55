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
        : revocation->reach == Revocation::Reach::latest ? Act::retract
                                                         : Act::rethink,
        span);
    reading_.corrects = true;
    corrects_from_ = std::min(corrects_from_, span.begin);
    consume(i, revocation->length, std::string(revoked));
    i += revocation->length - 1;
  }
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
    if (!denial) continue;
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

// "I never gave that much thought", "you already know all I know", "nothing": an answer that holds a denial (or a whole)
// and a word of having views or nothing else, and no value, has none.
bool Interpreter::has_no_view() const {
  if (asked_ == nullptr) return false;
  const auto is_substance = [](const Signal& s) { return s.kind != SignalKind::act || s.act == Act::dislike_shown || s.act == Act::retract; };
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
    if (entry.act == Act::instead || entry.act == Act::additional || entry.act == Act::start_over) {
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
