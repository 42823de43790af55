// Slips of the keyboard: two letters swapped, one dropped, one doubled, or a neighbouring key hit.
#pragma once

#include <string>
#include <string_view>

#include "tools/generate/random.h"

namespace turnstone {

// One slip somewhere after the first letter, of a word of at least four ASCII letters and nothing else; others come back as they are.
// Never the word itself.
std::string slipped_word(std::string_view word, Random& random);
// A slip in about every fifth word that can have one, and at least in one of them.
std::string slipped_text(std::string_view text, Random& random);

}  // namespace turnstone
