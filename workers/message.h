// A message as the reader sees it: words with their gaps, mended slips, and every known phrase that begins there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/event.h"
#include "storage/artefact/artefact.h"
#include "storage/artefact/tokeniser.h"
#include "workers/cue_book.h"
#include "workers/lexicon.h"

namespace turnstone {

// What stands between a word and the one before it; the strongest sign counts.
enum class Gap : std::uint8_t { none, space, hyphen, slash, dash, comma, colon, semicolon, stop };

struct Word {
  std::string term;     // as looked up: folded, singular, mended
  std::string surface;  // folded
  TextSpan span;
  Gap gap = Gap::none;
  std::string currency;  // a currency sign stands right before it
  bool percent = false;  // a per cent sign stands right behind it
  bool hash = false;     // '#' stands right before it
  bool minus = false;    // '-' stands right before it, glued
  char bound = 0;        // '<' or '>' stands before the number, or '+' behind it ("$500+", "16GB+")
  bool number = false;
  bool counts = false;  // a number word, currency or unit
  bool mended = false;
  bool known = false;  // by the catalogue, the language data or the cues
  bool function = false;
  bool filler = false;
  bool meta = false;
  std::optional<TermId> id;
  std::uint32_t frequency = 0;  // products that hold it
  bool content() const { return id.has_value() && frequency > 0 && !function && !filler && !meta; }
};

struct PhraseMatch {
  std::uint32_t length = 0;  // in words
  std::string key;
  std::span<const Sense> senses;
};

struct NameMatch {
  std::uint32_t length = 0;
  std::string name;  // of a facet, or of a family
};

struct Message {
  std::string_view text;
  std::vector<Word> words;
  std::vector<std::string> terms;    // of the words
  std::vector<PhraseMatch> phrases;  // longest known phrase that begins at each word; length 0 = none
  std::vector<std::optional<CueMatch>> cues;
  std::vector<std::optional<RelativeMatch>> relatives;
  std::vector<NameMatch> facet_names;

  std::size_t size() const { return words.size(); }
  TextSpan span(std::size_t first, std::size_t last) const { return {words[first].span.begin, words[last - 1].span.end}; }
  const std::string& surface(std::size_t i) const { return words[i].surface; }
  std::string said(TextSpan span) const;
  bool starts_clause(std::size_t i) const { return i == 0 || words[i].gap >= Gap::semicolon; }
};

struct FamilyMatch {
  std::size_t length = 0;
  std::string family;
  std::string key;
};

// The longest phrase from word i on that is in a language table; at most `longest` words.
FamilyMatch family_at(const Message& message, std::size_t i, std::string_view table, const Lexicon& lexicon, std::size_t longest);

inline constexpr std::size_t message_words_max = 2'000;  // the rest of a longer message is not read
inline constexpr std::size_t mended_words_max = 24;      // unknown words of a message that are looked at

Message read_message(std::string_view text, const Artefact& artefact, const CueBook& cues, const Lexicon& lexicon);

// Whether the text has the term in the plural ("Shorts" for "short"; list plural_ending).
bool names_in_plural(std::string_view text, const std::string& term, const Language& language);

}  // namespace turnstone
