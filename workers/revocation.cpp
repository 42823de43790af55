#include "workers/revocation.h"

#include <algorithm>

namespace turnstone {
namespace {

using Reach = Revocation::Reach;

constexpr std::size_t words_before_saying = 4;  // "what I had really just said"
constexpr std::size_t denial_looks_back = 4;    // "don't you ever forget"
constexpr std::size_t reference_words_max = 12;  // bounds what is looked at from each word

// Reads one revocation from a place in the message on.
class RevocationReader {
 public:
  RevocationReader(const Message& message, const CueBook& cues) : m_(message), cues_(cues) {}

  std::optional<Revocation> read(std::size_t i) const {
    if (m_.cues[i] && m_.cues[i]->is(CueKind::harmless) && m_.cues[i]->length > part(SpeechPart::revoking, i)) return std::nullopt;
    if (denied(i)) return std::nullopt;
    if (const auto mere = mere_verb(i)) return mere;
    if (const auto renewed = renewal(i)) return renewed;
    auto found = verb_first(i);
    if (!found) found = verb_around(i);
    if (found && found->reach == Reach::latest && speech_before(i)) found->reach = Reach::all;
    if (found) return found;
    if (auto back = back_behind(i)) return back;
    if (auto other = no_longer(i)) return other;
    return turn_of_mind(i);
  }

 private:
  struct Reference {
    std::size_t end = 0;
    Reach reach = Reach::all;
    bool pronoun = false;
  };

  std::size_t part(SpeechPart part, std::size_t i) const { return i < m_.size() ? cues_.part(part, m_.terms, i) : 0; }
  bool is(SpeechPart kind, std::size_t i) const { return i < m_.size() && cues_.is(kind, m_.terms[i]); }
  bool word(std::size_t i, std::string_view one) const { return i < m_.size() && (m_.terms[i] == one || m_.surface(i) == one); }
  bool within(std::size_t i) const { return i < m_.size() && m_.words[i].gap < Gap::comma; }
  // Nothing that belongs to the reference follows: it stands by itself.
  bool ends(std::size_t i) const {
    if (!within(i)) return true;
    if (m_.words[i].gap == Gap::dash) return true;
    const auto& cue = m_.cues[i];
    if (cue && any_kind(*cue, {CueKind::and_also, CueKind::correct, CueKind::contrast, CueKind::must})) return true;
    if (cue && cue->is(CueKind::want) && cue->length > 1) return true;
    return is(SpeechPart::goes_on, i) || m_.words[i].filler;
  }

  // "don't forget that I need cotton": what stands before turns the verb around.
  bool denied(std::size_t i) const {
    for (std::size_t k = i; k > 0 && i - k < denial_looks_back && m_.words[k].gap < Gap::comma; --k) {
      if (is(SpeechPart::denial, k - 1)) return true;
    }
    return false;
  }

  // "If you wrote down what I asked for, cross it out": the pronoun stands for what was said.
  bool speech_before(std::size_t i) const {
    for (std::size_t k = i; k > 0 && i - k < reference_words_max && m_.words[k].gap < Gap::semicolon; --k) {
      if (clause_at(k - 1)) return true;
    }
    return false;
  }

  // "forget … what I said before"
  std::optional<Revocation> verb_first(std::size_t i) const {
    const std::size_t verb = part(SpeechPart::revoking, i);
    if (verb == 0) return std::nullopt;
    const auto reference = reference_at(i + verb, m_.size(), true);
    if (!reference) return std::nullopt;
    return Revocation{past_longer(reference->end) - i, reference->reach};
  }

  // Whether a clause begins at word i, fillers aside.
  bool begins(std::size_t i) const { return i == 0 || m_.words[i].gap >= Gap::comma || (m_.words[i - 1].filler && begins(i - 1)); }

  // "Never mind.", "cancel: silk" need no reference.
  std::optional<Revocation> mere_verb(std::size_t i) const {
    const std::size_t verb = part(SpeechPart::mere_revoking, i);
    return verb > 0 && begins(i) && !within(i + verb) ? std::optional(Revocation{verb, Reach::latest}) : std::nullopt;
  }

  // "New: silk": what follows is instead of what was said.
  std::optional<Revocation> renewal(std::size_t i) const {
    const std::size_t length = part(SpeechPart::renewal, i);
    const std::size_t after = i + length;
    if (length == 0 || !begins(i) || after >= m_.size() || m_.words[after].gap != Gap::colon) return std::nullopt;
    return Revocation{length, Reach::turn};
  }

  // "any more", "for this one" belong to what is revoked.
  std::size_t past_longer(std::size_t at) const { return within(at) ? at + part(SpeechPart::any_longer, at) : at; }

  // How many words from `at` on say that something holds no longer: "was wrong", "doesn't really count any more".
  std::size_t denial_of_holding(std::size_t at, const bool pronoun, const bool none) const {
    if (const std::size_t then = part(SpeechPart::off_then, at)) return then;
    if (const std::size_t off = pronoun ? 0 : part(SpeechPart::off, at)) return off;
    std::size_t no = none ? (within(at) && (word(at, "is") || word(at, "are")) ? 1 : 0) : part(SpeechPart::holding_no, at);
    if ((no == 0 && !none) || pronoun) return 0;
    while (no < 4 && within(at + no) && m_.words[at + no].filler) ++no;
    const std::size_t holding = part(SpeechPart::holding, at + no);
    return holding == 0 ? 0 : no + holding;
  }

  // "go back to what I had before", "back to my previous choice", "put it back how it was"
  std::optional<Revocation> back_behind(std::size_t i) const {
    const std::size_t verb = part(SpeechPart::returning, i);
    const std::size_t end = verb == 0 || !within(i + verb) ? 0 : held_before(i + verb);
    return end > 0 && ends(past_longer(end)) ? std::optional(Revocation{past_longer(end) - i, Reach::before}) : std::nullopt;
  }

  // Where a name for what was held before ends; 0 = none stands at `at`.
  std::size_t held_before(std::size_t at) const {
    Reach reach = Reach::all;
    if (const std::size_t was = part(SpeechPart::as_it_was, at)) return times_from(at + was, reach);
    const std::size_t opened = at + part(SpeechPart::total, at);
    if (is(SpeechPart::relative_word, opened) && within(opened + 1) && is(SpeechPart::speaker, opened + 1)) {
      for (std::size_t k = opened + 2; k < opened + 2 + words_before_saying && within(k); ++k) {
        if (const std::size_t had = std::max(part(SpeechPart::possessing, k), part(SpeechPart::saying, k))) return times_from(k + had, reach);
        if (!m_.words[k].function && !m_.words[k].filler) break;
      }
      return 0;
    }
    std::size_t noun = at;
    bool counted = false;  // "the first one" is a product of the list
    bool earlier = false;
    while (noun < at + words_before_saying && within(noun)) {
      const std::size_t time = std::max(part(SpeechPart::earlier, noun), part(SpeechPart::latest, noun));
      if (time == 0 && !is(SpeechPart::determiner, noun)) break;
      earlier = earlier || time > 0;
      counted = counted || (time > 0 && cues_.ordinal(m_.terms[noun]).has_value());
      noun += std::max<std::size_t>(1, time);
    }
    if (!earlier) return 0;
    if (ends(noun)) return counted ? 0 : noun;
    if (const std::size_t said = part(SpeechPart::said_noun, noun)) return noun + said;
    return !counted && cues_.is_place_noun(m_.terms[noun]) ? noun + 1 : 0;
  }

  // "take it all back", "set what I said aside"
  std::optional<Revocation> verb_around(std::size_t i) const {
    const std::size_t verb = part(SpeechPart::revoking_open, i);
    if (verb == 0) return std::nullopt;
    for (std::size_t end = i + verb + 1; end < m_.size() && end <= i + verb + 9 && m_.words[end].gap < Gap::comma; ++end) {
      const std::size_t close = part(SpeechPart::revoking_close, end);
      if (close == 0 || !ends(end + close)) continue;
      const auto reference = reference_at(i + verb, end, true);
      if (reference && reference->end == end) return Revocation{end + close - i, reference->reach};
    }
    return std::nullopt;
  }

  // "what I said no longer applies", "that was wrong", "none of that matters any more"
  std::optional<Revocation> no_longer(std::size_t i) const {
    const std::size_t none = part(SpeechPart::none, i);
    auto reference = none > 0 ? reference_at(i + none, m_.size(), true) : reference_at(i, m_.size(), false);
    if (none > 0 && within(i + none) && is(SpeechPart::speaker, i + none)) reference = said_from(i + none, Reach::all);
    if (!reference) return std::nullopt;
    std::size_t at = reference->end;
    if (within(at) && m_.words[at].filler) ++at;
    if (!within(at)) return std::nullopt;
    const std::size_t off = denial_of_holding(at, reference->pronoun && none == 0, none > 0);
    if (off == 0) return std::nullopt;
    const std::size_t end = past_longer(at + off);
    if (!ends(end)) return std::nullopt;
    return Revocation{end - i, none > 0 ? Reach::all : reference->reach};
  }

  // "I've changed my mind (about what I told you)"
  std::optional<Revocation> turn_of_mind(std::size_t i) const {
    const std::size_t turn = part(SpeechPart::turn_of_mind, i);
    if (turn == 0) return std::nullopt;
    const std::size_t after = i + turn;
    if (within(after) && is(SpeechPart::upon, after)) {
      const auto reference = reference_at(after + 1, m_.size(), true);
      if (!reference) return std::nullopt;  // "about the colour" takes back the colour alone
      return Revocation{reference->end - i, reference->pronoun ? Reach::turn : reference->reach};
    }
    return Revocation{turn, Reach::turn};
  }

  // Earlier speech, or a pronoun for it, from word i on; not beyond `limit`.
  std::optional<Reference> reference_at(std::size_t i, std::size_t limit, bool revoked) const {
    std::size_t at = i;
    while (at < std::min(limit, i + 3) && at < m_.size() && m_.words[at].filler && m_.words[at].gap <= Gap::comma) ++at;
    if (at >= limit || at >= m_.size() || m_.words[at].gap > Gap::comma) return std::nullopt;
    if (auto clause = clause_at(at)) return clause;
    if (auto noun = noun_at(at, revoked)) return noun;
    const std::size_t total = part(SpeechPart::total, at);
    if (total > 0) {
      const bool pronoun = within(at + total) && is(SpeechPart::pronoun, at + total);
      const std::size_t end = at + total + (pronoun ? 1 : 0);
      if (end == limit || ends(end) || denial_of_holding(end, false, false) > 0) return Reference{end, Reach::all, false};
      return std::nullopt;
    }
    if (!is(SpeechPart::pronoun, at)) return std::nullopt;
    if (within(at + 1) && word(at + 1, "all") && (at + 2 == limit || ends(at + 2))) return Reference{at + 2, Reach::all, false};
    const bool denied_next = part(SpeechPart::off_then, at + 1) > 0 || part(SpeechPart::holding, at + 1) > 0;
    if (at + 1 == limit || ends(past_longer(at + 1)) || denied_next) return Reference{at + 1, Reach::latest, true};
    return std::nullopt;
  }
  // "what I said", "everything that I've just told you earlier", "the stuff we asked for"
  std::optional<Reference> clause_at(std::size_t i) const {
    std::size_t at = i;
    at += part(SpeechPart::total, at);
    if ((at == i || within(at)) && is(SpeechPart::relative_word, at)) ++at;
    const bool opened = at > i;
    if (!opened || !within(at) || !is(SpeechPart::speaker, at)) return std::nullopt;
    return said_from(at, Reach::all);
  }

  // From the speaker on: "I (had really just) told you (before)".
  std::optional<Reference> said_from(std::size_t speaker, Reach reach) const {
    std::size_t at = speaker + 1;
    for (std::size_t k = 0; k <= words_before_saying && within(at); ++k) {
      if (part(SpeechPart::latest, at) > 0) reach = Reach::latest;
      if (const std::size_t saying = part(SpeechPart::saying, at)) return Reference{times_from(at + saying, reach), reach, false};
      if (!m_.words[at].function && !m_.words[at].filler && part(SpeechPart::earlier, at) == 0 && part(SpeechPart::latest, at) == 0) break;
      ++at;
    }
    return std::nullopt;
  }

  // "before", "earlier on", "to you so far": when it was said.
  std::size_t times_from(std::size_t at, Reach& reach) const {
    for (const std::size_t from = at; within(at) && at < from + reference_words_max;) {
      const std::size_t earlier = part(SpeechPart::earlier, at);
      const std::size_t latest = part(SpeechPart::latest, at);
      if (latest > 0) reach = Reach::latest;
      const std::size_t length = std::max(earlier, latest);
      if (length == 0 && !(is(SpeechPart::addressed, at) && (!within(at + 1) || part(SpeechPart::earlier, at + 1) > 0 || is(SpeechPart::addressed, at + 1)))) break;
      at += std::max<std::size_t>(1, length);
    }
    return at;
  }

  // "my earlier preference", "the stuff from before", "all the things I said"
  std::optional<Reference> noun_at(std::size_t i, bool revoked) const {
    std::size_t at = i;
    bool mine = false;
    bool earlier = false;
    bool pointed = false;
    bool timed = false;
    Reach reach = Reach::all;
    for (bool more = true; more && at < m_.size() && (at == i || within(at)) && at < i + reference_words_max;) {
      more = false;
      const std::size_t time = part(SpeechPart::earlier, at);
      const std::size_t latest = part(SpeechPart::latest, at);
      const std::size_t total = part(SpeechPart::total, at);
      if (std::max({time, latest, total}) > 0) {
        earlier = true;
        timed = timed || time + latest > 0;
        if (latest > 0) reach = Reach::latest;
        at += std::max({time, latest, total});
        more = true;
      } else if (is(SpeechPart::determiner, at) || word(at, "of")) {
        mine = mine || is(SpeechPart::own, at);
        pointed = true;
        ++at;
        more = true;
      }
    }
    if (revoked && timed && ends(at)) return Reference{at, reach, false};  // "ignore the previous, cotton"
    if (at > i && !within(at)) return std::nullopt;
    const std::size_t noun = part(SpeechPart::said_noun, at);
    if (noun == 0) return std::nullopt;
    at += noun;
    if (within(at) && (word(at, "from") || word(at, "of")) && part(SpeechPart::earlier, at + 1) > 0) ++at;
    const std::size_t end = times_from(at, reach);
    earlier = earlier || end > at;
    at = end;
    if (within(at) && (is(SpeechPart::speaker, at) || ((word(at, "that") || word(at, "which")) && is(SpeechPart::speaker, at + 1)))) {
      if (auto clause = said_from(is(SpeechPart::speaker, at) ? at : at + 1, reach)) return clause;
    }
    // "my earlier wish for cotton" is about the cotton alone.
    if (within(at) && is(SpeechPart::narrowing, at) && past_longer(at) == at) return std::nullopt;
    if (!mine && !earlier && !(revoked && pointed && ends(past_longer(at)))) return std::nullopt;
    return Reference{at, reach, false};
  }

  const Message& m_;
  const CueBook& cues_;
};

}  // namespace

std::optional<Revocation> revocation_at(const Message& message, std::size_t i, const CueBook& cues) {
  return RevocationReader(message, cues).read(i);
}

}  // namespace turnstone
