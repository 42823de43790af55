// The hidden card: what a simulated shopper has in mind, taken from one listing.
//
// Candidates are every feature in order, then every details pair as "key: value". The first material word that
// occurs in title, features, details, description, categories or store, in this order of the text, goes in at
// position 0 in lower case; the first colour word at position 1 as "color: X"; a price last as "budget around $P".
// White space is collapsed, " -;,." stripped at the ends, each cut to fact_characters_max characters, duplicates
// dropped. The first two are hard wishes, the next two soft ones (or the first again if there are none); a
// listing without any candidate has its title as the only one.
// Pure; thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/catalogue/catalogue.h"

namespace turnstone {

inline constexpr std::size_t fact_characters_max = 180;

// The attribute under which a shopper files a fact; named as in a reply's ask_attribute.
enum class FactClass { budget, material, color, size, style, use_case, feature };
FactClass class_of(std::string_view fact);
std::string_view to_string(FactClass fact_class);

struct HiddenCard {
  std::string category;            // "Dresses Casual"; "clothing item" when the listing has none
  std::vector<std::string> hard;   // one or two
  std::vector<std::string> soft;   // one or two
  std::vector<std::string> facts;  // hard, then soft; each once
};
HiddenCard hidden_card(const ProductRow& row);

// White space collapsed, " -;,." stripped at the ends, cut to fact_characters_max characters.
std::string tidy_fact(std::string_view text);
// Lower-cased words (letters, digits and underscores) of the text.
std::vector<std::string> words_of(std::string_view text);

}  // namespace turnstone
