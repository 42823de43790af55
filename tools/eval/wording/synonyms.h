// General English for the same thing, and for its opposite. Lower case; looked up by whole words, the longest first.
// Immutable; thread safe.
#pragma once

#include <span>
#include <string_view>

namespace turnstone {

struct WordPair {
  std::string_view from, to;
};
std::span<const WordPair> synonyms();   // from → to
std::span<const WordPair> opposites();  // both ways
inline constexpr std::size_t synonym_words_max = 3;

}  // namespace turnstone
