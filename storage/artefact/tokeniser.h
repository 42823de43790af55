// One tokeniser for catalogue and shopper: what the index holds is what the shopper's words become.
//
// Text is folded (NFKC, case folded, accents and zero-width characters removed, apostrophes dropped), split at
// everything that is neither letter nor digit, and each word is reduced to its singular (S-stemmer, Harman
// 1991, "How effective is suffixing?", with "dresses" → "dress", "hoodie" and "hoodies" → "hoody", and a few
// irregular words). Kept whole: decimal numbers ("19.99"; "1,299" → "1299"), '+' and '#' behind a letter
// ("c++", "c#"). An inch mark behind a number (27", 15.6'') is the token "inch". A number glued to a unit of the language data is two tokens ("32gb" → "32" "gb"); scripts
// without spaces give one token a character. Words longer than 64 bytes are cut.
// Pure; thread safe; linear in the text. Invalid UTF-8 is replaced, never an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

class Language;

struct Token {
  std::string term;     // folded, singular: the key of the index
  std::string surface;  // folded only
  std::uint32_t begin = 0;  // byte offsets in the text given
  std::uint32_t end = 0;
  bool is_number = false;    // term reads as a Number
  bool space_before = false;  // something (space or punctuation) stood between the previous token and this one
};

// Folded text without token splitting: for comparing short values ("Café " = "cafe").
std::string fold_text(std::string_view text);
// The singular of one folded word.
std::string singular(std::string_view folded_word);

std::vector<Token> tokenise(std::string_view text, const Language& language);
// The terms alone, joined by one space: the key under which values and phrases are found.
std::string term_key(std::string_view text, const Language& language);

}  // namespace turnstone
