#include "tools/eval/card.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "events/ascii.h"

namespace turnstone {

namespace {

constexpr std::array<std::string_view, 9> materials = {"cotton", "polyester", "nylon", "leather", "wool", "spandex", "silk", "rayon", "fabric"};
constexpr std::array<std::string_view, 12> colours = {"black", "white", "blue", "red", "pink", "green", "brown", "gray", "grey", "purple", "yellow", "orange"};
constexpr std::string_view dropped_category = "Clothing, Shoes & Jewelry";
constexpr std::string_view no_category = "clothing item";

struct Character {
  utf8proc_int32_t point = -1;  // -1: no well-formed character
  std::size_t bytes = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  Character out;
  const auto read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &out.point);
  if (read > 0) out.bytes = static_cast<std::size_t>(read);
  return out;
}

bool is_space(utf8proc_int32_t point) {
  return (point >= 0x09 && point <= 0x0d) || (point >= 0x1c && point <= 0x20) || point == 0x85 ||
         (point >= 0 && (utf8proc_category(point) == UTF8PROC_CATEGORY_ZS || utf8proc_category(point) == UTF8PROC_CATEGORY_ZL ||
                         utf8proc_category(point) == UTF8PROC_CATEGORY_ZP));
}

bool is_word_character(utf8proc_int32_t point) {
  if (point < 0) return false;
  if (point == '_') return true;
  const auto category = utf8proc_category(point);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

template <std::size_t n>
bool holds_any(std::string_view text, const std::array<std::string_view, n>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// "$", "<=" or "under" with a digit after it, white space between allowed.
bool names_an_amount(std::string_view text) {
  for (const std::string_view sign : {std::string_view("$"), std::string_view("<="), std::string_view("under")}) {
    for (std::size_t at = text.find(sign); at != std::string_view::npos; at = text.find(sign, at + 1)) {
      const std::size_t after = text.find_first_not_of(" \t", at + sign.size());
      if (after != std::string_view::npos && text[after] >= '0' && text[after] <= '9') return true;
    }
  }
  return false;
}

// The listing's texts in the order in which a word is looked for.
std::vector<std::string> texts_of(const ProductRow& row) {
  std::vector<std::string> texts{row.title};
  texts.insert(texts.end(), row.features.begin(), row.features.end());
  for (const auto& [key, value] : row.details) texts.push_back(key + ": " + value);
  texts.insert(texts.end(), row.description.begin(), row.description.end());
  texts.insert(texts.end(), row.categories.begin(), row.categories.end());
  texts.push_back(row.store);
  return texts;
}

template <std::size_t n>
std::string first_word_among(const std::vector<std::string>& texts, const std::array<std::string_view, n>& wanted) {
  for (const std::string& text : texts) {
    for (const std::string& word : words_of(text)) {
      if (std::find(wanted.begin(), wanted.end(), word) != wanted.end()) return word;
    }
  }
  return {};
}

std::string category_phrase(const std::vector<std::string>& categories) {
  std::vector<std::string> parts;
  for (const std::string& category : categories) {
    if (category == dropped_category) continue;
    for (std::size_t at = 0; at <= category.size();) {
      const std::size_t comma = std::min(category.find(',', at), category.size());
      const std::string part = category.substr(at, comma - at);
      const std::size_t begin = part.find_first_not_of(" \t\r\n");
      if (begin != std::string::npos) parts.push_back(part.substr(begin, part.find_last_not_of(" \t\r\n") - begin + 1));
      at = comma + 1;
    }
  }
  if (parts.empty()) return std::string(no_category);
  if (parts.size() == 1) return parts.back();
  return parts[parts.size() - 2] + " " + parts.back();
}

std::vector<std::string> candidates_of(const ProductRow& row) {
  std::vector<std::string> candidates = row.features;
  for (const auto& [key, value] : row.details) candidates.push_back(key + ": " + value);
  const std::vector<std::string> texts = texts_of(row);
  if (const std::string material = first_word_among(texts, materials); !material.empty()) candidates.insert(candidates.begin(), material);
  if (const std::string colour = first_word_among(texts, colours); !colour.empty()) {
    candidates.insert(candidates.begin() + (candidates.empty() ? 0 : 1), "color: " + colour);
  }
  if (row.price) candidates.push_back("budget around $" + to_string(*row.price));

  std::vector<std::string> tidy;
  for (const std::string& candidate : candidates) {
    std::string fact = tidy_fact(candidate);
    if (!fact.empty() && std::find(tidy.begin(), tidy.end(), fact) == tidy.end()) tidy.push_back(std::move(fact));
  }
  if (tidy.empty()) tidy.push_back(tidy_fact(row.title));
  return tidy;
}

}  // namespace

std::string tidy_fact(std::string_view text) {
  std::string collapsed;
  bool space = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (is_space(c.point)) {
      space = true;
    } else {
      if (space && !collapsed.empty()) collapsed += ' ';
      space = false;
      collapsed += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  constexpr std::string_view stripped = " -;,.";
  const std::size_t begin = collapsed.find_first_not_of(stripped);
  if (begin == std::string::npos) return {};
  collapsed = collapsed.substr(begin, collapsed.find_last_not_of(stripped) - begin + 1);
  std::size_t at = 0;
  for (std::size_t characters = 0; characters < fact_characters_max && at < collapsed.size(); ++characters) at += character_at(collapsed, at).bytes;
  collapsed.resize(at);
  return collapsed;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (is_word_character(c.point)) {
      word += text.substr(at, c.bytes);
    } else if (!word.empty()) {
      words.push_back(ascii_lower(word));
      word.clear();
    }
    at += c.bytes;
  }
  if (!word.empty()) words.push_back(ascii_lower(word));
  return words;
}

FactClass class_of(std::string_view fact) {
  constexpr std::array<std::string_view, 7> colour_words = {"color", "black", "white", "blue", "red", "pink", "green"};
  constexpr std::array<std::string_view, 5> size_words = {"size", "sizing", "width", "wide", "narrow"};
  constexpr std::array<std::string_view, 5> style_words = {"department", "style", "fit", "sleeve", "neck"};
  constexpr std::array<std::string_view, 6> use_words = {"hiking", "running", "gym", "winter", "outdoor", "work"};
  const std::string text = ascii_lower(fact);
  if (text.find("budget") != std::string::npos || names_an_amount(text)) return FactClass::budget;
  if (holds_any(text, materials)) return FactClass::material;
  if (holds_any(text, colour_words)) return FactClass::color;
  if (holds_any(text, size_words)) return FactClass::size;
  if (holds_any(text, style_words)) return FactClass::style;
  if (holds_any(text, use_words)) return FactClass::use_case;
  return FactClass::feature;
}

std::string_view to_string(FactClass fact_class) {
  switch (fact_class) {
    case FactClass::budget: return "budget";
    case FactClass::material: return "material";
    case FactClass::color: return "color";
    case FactClass::size: return "size";
    case FactClass::style: return "style";
    case FactClass::use_case: return "use_case";
    case FactClass::feature: return "feature";
  }
  return "feature";
}

HiddenCard hidden_card(const ProductRow& row) {
  const std::vector<std::string> candidates = candidates_of(row);
  HiddenCard card;
  card.category = category_phrase(row.categories);
  for (std::size_t at = 0; at < candidates.size() && at < 4; ++at) (at < 2 ? card.hard : card.soft).push_back(candidates[at]);
  if (card.soft.empty()) card.soft.push_back(candidates.front());
  card.facts = card.hard;
  for (const std::string& fact : card.soft) {
    if (std::find(card.facts.begin(), card.facts.end(), fact) == card.facts.end()) card.facts.push_back(fact);
  }
  return card;
}

}  // namespace turnstone
