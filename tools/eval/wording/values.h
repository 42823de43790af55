// Facts of a listing as people put them into a sentence.
// Pure; thread safe; deterministic in the random source that is handed in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/generate/random.h"

namespace turnstone {

// A fact taken apart: "Colour group: Black" has a label, "budget around $20" is an amount, all else is a bare value.
struct FactParts {
  std::string label;  // "" = none
  std::string value;
  bool amount = false;  // value is the number after the sign
};
FactParts parts_of_fact(std::string_view fact);

// A noun phrase with the listing's own words: "Black as the colour group", "about $20".
std::string phrase_of_fact(std::string_view fact, Random& random);
// The same in other words: synonyms, words dropped, parts turned round. Numbers stay.
std::string reworded(std::string_view phrase, Random& random);
// "long sleeves" → "anything but short sleeves"; nullopt-like empty when it has no opposite or is long.
std::string negated_opposite(std::string_view fact, Random& random);
// Its words of content, at most `words_max`: of a labelled fact the value's first.
std::vector<std::string> bare_words(std::string_view fact, std::size_t words_max);
// The name of a product by its last words of content.
std::vector<std::string> bare_category(std::string_view category, std::size_t words_max);
// "use_case" → "what it is used for" and the like.
std::string phrase_of_attribute(std::string_view attribute, Random& random);

// Words between white space.
std::vector<std::string> split_words(std::string_view text);
std::string join_words(const std::vector<std::string>& words);

}  // namespace turnstone
