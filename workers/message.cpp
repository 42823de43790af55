#include "workers/message.h"

#include <algorithm>
#include <map>

namespace turnstone {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || static_cast<unsigned char>(c) == 0xa0 || static_cast<unsigned char>(c) == 0xc2; }

// The strongest sign in the text between two words. A sign that is glued on both sides joins ("G.SKILL", "H&M").
Gap gap_of(std::string_view between, bool glued_number) {
  if (between.empty()) return Gap::none;
  const bool glued = between.size() == 1;
  Gap gap = Gap::space;
  for (std::size_t i = 0; i < between.size(); ++i) {
    const char c = between[i];
    Gap sign = Gap::space;
    switch (c) {
      case '.':
        sign = glued ? Gap::none : Gap::stop;
        break;
      case '!':
      case '?':
      case '\n':
        sign = Gap::stop;
        break;
      case ';':
        sign = Gap::semicolon;
        break;
      case '=':
        sign = Gap::colon;
        break;
      case ':':
        sign = glued && glued_number ? Gap::none : Gap::colon;
        break;
      case ',':
      case '(':
      case ')':
      case '[':
      case ']':
      case '{':
      case '}':
        sign = Gap::comma;
        break;
      case '/':
      case '|':
      case '\\':
        sign = Gap::slash;
        break;
      case '-':
        sign = glued ? Gap::hyphen : (is_blank(between.front()) && is_blank(between.back()) ? Gap::dash : Gap::hyphen);
        break;
      default:
        break;
    }
    gap = std::max(gap, sign);
  }
  for (const std::string_view dash : {"\u2013", "\u2014"}) {
    if (between.find(dash) != std::string_view::npos) gap = std::max(gap, between.size() == dash.size() ? Gap::hyphen : Gap::dash);
  }
  if (between.find("\u3002") != std::string_view::npos || between.find("\u2026") != std::string_view::npos) gap = Gap::stop;
  if (between.find("\u3001") != std::string_view::npos || between.find("\uff0c") != std::string_view::npos) gap = std::max(gap, Gap::comma);
  return gap;
}

// "< 500", ">=$20", "≤ 3 kg": the sign that ends the text before a number, but for its currency.
char bound_before(std::string_view between) {
  if (between.find('<') != std::string_view::npos || between.find("\u2264") != std::string_view::npos) return '<';
  if (between.find('>') != std::string_view::npos || between.find("\u2265") != std::string_view::npos) return '>';
  return 0;
}

// "max. 160 cm": the dot behind a shortened word that compares ends no sentence.
void join_shortened(Message& message) {
  for (std::size_t i = 1; i < message.size(); ++i) {
    Word& word = message.words[i];
    if (word.gap != Gap::stop || !message.cues[i - 1] || message.cues[i - 1]->length > 1) continue;
    const Word& before = message.words[i - 1];
    const std::string_view between = message.text.substr(before.span.end, word.span.begin - before.span.end);
    if (!between.starts_with('.') || between.find('.', 1) != std::string_view::npos || between.find('\n') != std::string_view::npos) continue;
    if (!word.number && word.currency.empty()) continue;
    if (any_kind(*message.cues[i - 1], {CueKind::at_most, CueKind::at_least, CueKind::about})) word.gap = Gap::space;
  }
}

// A currency sign that ends the text between two words: "under $30".
std::string currency_before(std::string_view between, const Language& language) {
  const std::string folded = fold_text(between);
  const std::size_t last = folded.find_last_not_of(' ');
  if (last == std::string::npos) return {};
  std::size_t first = last;
  while (first > 0 && (static_cast<unsigned char>(folded[first]) & 0xc0) == 0x80) --first;
  return language.currency(std::string_view(folded).substr(first, last - first + 1)).value_or("");
}

// A currency sign right behind a number: "80€", "12.500 €".
std::string currency_behind(std::string_view between, const Language& language) {
  const std::string folded = fold_text(between);
  const std::size_t first = folded.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  std::size_t end = first + 1;
  while (end < folded.size() && (static_cast<unsigned char>(folded[end]) & 0xc0) == 0x80) ++end;
  return language.currency(std::string_view(folded).substr(first, end - first)).value_or("");
}

void classify(Word& word, const Artefact& artefact, const Lexicon& lexicon) {
  const Language& language = artefact.language();
  const bool counts = language.number_word(word.surface) || language.currency(word.surface) || language.unit(word.surface) != nullptr;
  word.id = artefact.term(word.term);
  word.frequency = word.id ? artefact.document_frequency(*word.id) : 0;
  word.function = lexicon.in_list("function", word.surface) || lexicon.in_list("function", word.term);
  word.filler = lexicon.in_list("filler", word.surface) || lexicon.in_list("filler", word.term);
  word.meta = lexicon.in_list("meta", word.surface) || lexicon.in_list("meta", word.term);
  word.known = word.frequency > 0 || word.function || word.filler || word.meta || word.number || counts || lexicon.is_known(word.term);
  word.counts = counts;
}

// Whether a word that the catalogue holds is a slip of another all the same, dirt of a few listings: the other word is far commoner,
// and where the first is a value of a column, so is the other ("Golf" is no slip of gold).
bool is_slip_of(const Word& word, const std::string& other, const Artefact& artefact, const CueBook& cues) {
  constexpr std::uint64_t far = 60;
  const auto words_only = [&](const Sense& sense) { return artefact.facet(sense.facet).kind == FacetKind::words; };
  const auto meant = artefact.senses(other);
  for (const Sense& sense : artefact.senses(word.term)) {
    const auto outweighs = [&](const Sense& of_other) { return of_other.facet == sense.facet && of_other.count >= far * sense.count; };
    if (words_only(sense) && std::none_of(meant.begin(), meant.end(), outweighs)) return false;
  }
  const auto term = artefact.term(other);
  const std::uint64_t commoner = term ? artefact.document_frequency(*term) : 0;
  return cues.words().contains(other) || commoner >= far * word.frequency;
}

void mend_slips(Message& message, const Artefact& artefact, const CueBook& cues, const Lexicon& lexicon) {
  std::map<std::string, std::optional<std::string>> seen;
  for (Word& word : message.words) {
    if (word.number || word.counts || word.function || word.filler || word.meta || cues.words().contains(word.term)) continue;
    if (word.frequency > 6 || lexicon.spaced(word.term) || !cues.measure(word.term).empty()) continue;
    auto found = seen.find(word.term);
    if (found == seen.end()) {
      if (seen.size() == mended_words_max) continue;
      found = seen.emplace(word.term, lexicon.mend(word.term)).first;
    }
    if (!found->second || !is_slip_of(word, *found->second, artefact, cues)) continue;
    word.term = *found->second;
    word.surface = word.term;
    word.mended = true;
    classify(word, artefact, lexicon);
    word.meta = word.meta || cues.is(SpeechPart::talk, word.term);
  }
}

}  // namespace

bool names_in_plural(std::string_view text, const std::string& term, const Language& language) {
  const std::string folded = fold_text(text);
  const auto& endings = language.list("plural_ending");
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) { return folded.find(term + ending) != std::string::npos; });
}

namespace {

// "Short dress": an adjective is no product that is named so in the plural alone.
bool only_in_plural(const Message& message, std::size_t first, std::size_t length, std::span<const Sense> senses, const Artefact& artefact,
                    const CueBook& cues) {
  for (std::size_t i = first; i < first + length; ++i) {
    const Word& word = message.words[i];
    if (word.surface != word.term || !cues.is(SpeechPart::adjective, word.term)) continue;
    const auto said_so = [&](const Sense& sense) { return !names_in_plural(artefact.value(sense.value).text, word.term, artefact.language()); };
    if (std::none_of(senses.begin(), senses.end(), said_so)) return true;
  }
  return false;
}

bool joins(Gap gap) { return gap <= Gap::hyphen; }

// The longest phrase of the catalogue's vocabulary from word i on; joined and split spellings count, and so do longer
// phrases that mean the same as one of the vocabulary.
PhraseMatch phrase_at(const Message& message, std::size_t i, const Artefact& artefact, const CueBook& cues, const Lexicon& lexicon) {
  PhraseMatch best;
  std::string key;
  std::string joined;
  const std::size_t longest = std::min<std::size_t>(artefact.longest_phrase(), 8);
  for (std::size_t n = 0; n < longest && i + n < message.size(); ++n) {
    if (n > 0 && !joins(message.words[i + n].gap) && message.words[i + n].gap != Gap::slash) break;
    if (n > 0) key.push_back(' ');
    key += message.terms[i + n];
    joined += message.terms[i + n];
    const auto length = static_cast<std::uint32_t>(n + 1);
    if (const auto senses = artefact.senses(key); !senses.empty() && !only_in_plural(message, i, length, senses, artefact, cues)) {
      best = {length, key, senses};
    } else if (n < 3 && !message.words[i].function && !message.words[i + n].function) {  // "a pc" is no APC
      if (n > 0) {
        if (const auto together = artefact.senses(joined); !together.empty()) best = {length, joined, together};
      }
      if (const auto spaced = lexicon.spaced(joined); spaced && *spaced != key) {
        if (const auto apart = artefact.senses(*spaced); !apart.empty()) best = {length, *spaced, apart};
      }
    }
  }
  // "Pixel and Pine" for "Pixel & Pine", "cheese and onion" for the flavour "Cheese & Onion".
  key.clear();
  bool skipped = false;
  for (std::size_t n = 0; n < 6 && i + n < message.size(); ++n) {
    if (n > 0 && !joins(message.words[i + n].gap)) break;
    if (n > 0 && message.terms[i + n] == "and") {
      skipped = true;
      continue;
    }
    key += (n > 0 ? " " : "") + message.terms[i + n];
    if (!skipped || n < best.length) continue;
    const auto senses = artefact.senses(key);
    const auto is_joined = [&] { return artefact.value(senses[0].value).text.find('&') != std::string_view::npos; };
    if (!senses.empty() && (artefact.facet(senses[0].facet).name == "brand" || is_joined()))
      best = {static_cast<std::uint32_t>(n + 1), key, senses};
  }
  // "TV" where the kind is "TVs": too short a word to be known as its singular.
  if (best.length == 0 && !message.words[i].function && message.terms[i].size() <= 3 && !message.words[i].number) {
    for (const std::string& ending : artefact.language().list("plural_ending")) {
      const std::string plural = message.terms[i] + ending;
      if (const auto senses = artefact.senses(plural); !senses.empty() && artefact.facet(senses[0].facet).name == "category") best = {1, plural, senses};
    }
  }
  // Words of the same meaning may be in the catalogue: "graphics card" for "gpu", whatever "card" alone means.
  const std::uint32_t known = best.length;
  key.clear();
  for (std::size_t n = 0; n < 3 && i + n < message.size(); ++n) {
    if (n > 0 && !joins(message.words[i + n].gap)) break;
    if (n > 0) key.push_back(' ');
    key += message.terms[i + n];
    if (n < known) continue;
    const auto family = lexicon.family("synonym", key);
    if (!family || (n == 0 && lexicon.facet_named(key, false))) continue;  // "shade" names a column, no glasses
    const auto* members = artefact.language().group("synonym", *family);
    const auto take = [&](const std::string& member) {
      const std::string other = term_key(member, artefact.language());
      const auto senses = artefact.senses(other);
      if (!senses.empty() && (best.length < n + 1 || senses[0].count > best.senses[0].count))
        best = {static_cast<std::uint32_t>(n + 1), other, senses};
    };
    take(*family);
    if (members != nullptr) {
      for (const std::string& member : *members) take(member);
    }
  }
  return best;
}

NameMatch facet_name_at(const Message& message, std::size_t i, const Lexicon& lexicon) {
  NameMatch best;
  std::string key;
  for (std::size_t n = 0; n < lexicon.longest_facet_name() && i + n < message.size(); ++n) {
    if (n > 0 && !joins(message.words[i + n].gap)) break;
    if (n > 0) key.push_back(' ');
    key += message.terms[i + n];
    const bool colon = i + n + 1 < message.size() && message.words[i + n + 1].gap == Gap::colon;
    if (auto facet = lexicon.facet_named(key, colon)) best = {static_cast<std::uint32_t>(n + 1), std::move(*facet)};
  }
  return best;
}

}  // namespace

FamilyMatch family_at(const Message& message, std::size_t i, std::string_view table, const Lexicon& lexicon, std::size_t longest) {
  FamilyMatch best;
  std::string key;
  for (std::size_t n = 0; n < longest && i + n < message.size(); ++n) {
    if (n > 0 && message.words[i + n].gap > Gap::hyphen) break;
    if (n > 0) key.push_back(' ');
    key += message.terms[i + n];
    if (auto family = lexicon.family(table, key)) best = {n + 1, std::move(*family), key};
  }
  return best;
}

std::string Message::said(TextSpan range) const {
  std::string out;
  for (const char c : text.substr(range.begin, range.end - range.begin)) {
    const bool space = static_cast<unsigned char>(c) <= ' ';
    if (!space)
      out.push_back(c);
    else if (!out.empty() && out.back() != ' ')
      out.push_back(' ');
  }
  return out;
}

Message read_message(std::string_view text, const Artefact& artefact, const CueBook& cues, const Lexicon& lexicon) {
  const Language& language = artefact.language();
  Message message;
  message.text = text;
  std::uint32_t last = 0;
  for (Token& token : tokenise(text, language)) {
    if (message.words.size() == message_words_max) break;
    Word word;
    const std::string_view between = text.substr(last, token.begin - std::min(last, token.begin));
    const bool digits = token.is_number && !message.words.empty() && message.words.back().number;
    word.gap = gap_of(between, digits);
    word.currency = currency_before(between, language);
    if (!message.words.empty() && message.words.back().number && message.words.back().currency.empty() && !token.is_number) {
      message.words.back().currency = currency_behind(between, language);
      if (!message.words.back().currency.empty()) word.currency.clear();
    }
    if (token.is_number) word.bound = bound_before(between);
    if (between.starts_with('+') && !message.words.empty() && message.words.back().bound == 0) message.words.back().bound = '+';
    word.hash = between.ends_with('#');
    word.minus = between.ends_with('-') && !(between.size() == 1 && !message.words.empty());
    if (between.starts_with('%') && !message.words.empty()) message.words.back().percent = true;
    word.span = {token.begin, token.end};
    word.number = token.is_number;
    word.term = std::move(token.term);
    word.surface = std::move(token.surface);
    last = token.end;
    classify(word, artefact, lexicon);
    word.function = word.function || cues.is_accented_small(text.substr(token.begin, token.end - token.begin));
    word.meta = word.meta || cues.is(SpeechPart::talk, word.term);
    message.words.push_back(std::move(word));
  }
  if (!message.words.empty() && text.substr(last).starts_with('%')) message.words.back().percent = true;
  if (!message.words.empty() && message.words.back().number && message.words.back().currency.empty())
    message.words.back().currency = currency_behind(text.substr(last), language);
  if (!message.words.empty() && text.substr(last).starts_with('+')) message.words.back().bound = '+';
  mend_slips(message, artefact, cues, lexicon);
  for (const Word& word : message.words) message.terms.push_back(word.term);
  for (std::size_t i = 0; i < message.size(); ++i) {
    message.phrases.push_back(phrase_at(message, i, artefact, cues, lexicon));
    message.cues.push_back(cues.longest(message.terms, i));
    message.relatives.push_back(cues.longest_relative(message.terms, i));
    message.facet_names.push_back(facet_name_at(message, i, lexicon));
  }
  join_shortened(message);
  return message;
}

}  // namespace turnstone
