// Sentences whose facts come from a product's own listing: answers to questions about products.
#pragma once

#include <string>

#include "workers/stages.h"

namespace turnstone {

// "Hound Jogger costs $19.99." or "The listing of Hound Jogger does not say its price."
std::string answer_about(const ProductQuestion& question, const Artefact& artefact);
// At most `bytes` bytes, cut at a word and never inside a character, with an ellipsis when cut.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace turnstone
