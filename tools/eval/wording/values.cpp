#include "tools/eval/wording/values.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "events/ascii.h"
#include "tools/eval/wording/frames.h"
#include "tools/eval/wording/synonyms.h"

namespace turnstone {

namespace {

constexpr std::string_view budget_prefix = "budget around $";
constexpr std::size_t label_characters_max = 40;
constexpr std::size_t quoted_words_min = 6;   // so long a value is sometimes put in quotes
constexpr std::size_t opposed_words_max = 4;  // a longer fact has no plain opposite
constexpr std::size_t dropped_from_words = 4;
constexpr std::size_t kept_words_max = 60;

constexpr std::string_view empty_words[] = {"a",    "an",  "the",  "in",   "on",   "of",   "at",   "to",   "and",  "or",   "with",
                                            "for",  "by",  "from", "is",   "are",  "be",   "it",   "its",  "this", "that", "these",
                                            "your", "you", "our",  "we",   "has",  "have", "as",   "into", "so",   "not",  "no",
                                            "made", "can", "will", "very", "more", "also", "when", "then", "than", "does", "&"};

template <std::size_t n>
std::string_view one_of(const std::array<std::string_view, n>& texts, Random& random) {
  return texts[random.below(static_cast<std::uint32_t>(n))];
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; });
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The word without the signs around it; empty when it has neither letter nor digit (a picture, a dash).
std::string_view bare_word(std::string_view word) {
  constexpr std::string_view signs = ".,;:!?()[]\"'*/-";
  const std::size_t begin = word.find_first_not_of(signs);
  if (begin == std::string_view::npos) return {};
  if (std::none_of(word.begin(), word.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; })) return {};
  return word.substr(begin, word.find_last_not_of(signs) - begin + 1);
}

std::vector<std::string> content_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split_words(text)) {
    const std::string_view bare = bare_word(word);
    if (bare.empty() || std::find(std::begin(empty_words), std::end(empty_words), ascii_lower(bare)) != std::end(empty_words)) continue;
    words.emplace_back(bare);
  }
  return words;
}

std::string amount_phrase(const std::string& number, Random& random) {
  constexpr std::array<std::string_view, 8> frames = {"around ${f}",       "about ${f}",   "a price near ${f}",    "a budget of about ${f}",
                                                      "${f} give or take", "roughly ${f}", "a budget around ${f}", "somewhere around {f} dollars"};
  return fill(one_of(frames, random), {{}, number, {}, {}});
}

std::string truth_phrase(const std::string& label, bool yes, Random& random) {
  std::vector<std::string> words = split_words(label);
  const std::string first = ascii_lower(words.front());
  const bool has_verb = words.size() > 1 && (first == "is" || first == "has");
  if (has_verb) words.erase(words.begin());
  const std::string rest = join_words(words);
  if (yes) {
    constexpr std::array<std::string_view, 4> frames = {"{f}: yes", "yes to {f}", "{f}", "{f} included"};
    return fill(one_of(frames, random), {{}, rest, {}, {}});
  }
  constexpr std::array<std::string_view, 4> frames = {"{f}: no", "no {f}", "not {f}", "without {f}"};
  return fill(one_of(frames, random), {{}, rest, {}, {}});
}

std::string labelled_phrase(const FactParts& parts, Random& random) {
  const std::string value = ascii_lower(parts.value);
  if (value == "true" || value == "false" || value == "yes" || value == "no")
    return truth_phrase(parts.label, value == "true" || value == "yes", random);
  const FrameValues values{{}, parts.label, parts.value, {}};
  if (is_number(parts.value)) {
    constexpr std::array<std::string_view, 5> frames = {"{f} {g}", "{f} of {g}", "{f}: {g}", "a {f} of {g}", "{g} for the {f}"};
    return fill(one_of(frames, random), values);
  }
  constexpr std::array<std::string_view, 8> frames = {"{g} {f}",         "{f} {g}",  "{g} as the {f}", "a {f} of {g}",
                                                      "{g} for the {f}", "{f}: {g}", "{f} = {g}",      "{g} ({f})"};
  return fill(one_of(frames, random), values);
}

// The synonym that begins at `at`, with how many words it covers; 0 = none. Prefers the longest.
struct Reworded {
  std::string_view to;
  std::size_t words = 0;
};
Reworded synonym_at(const std::vector<std::string>& words, std::size_t at) {
  for (std::size_t length = std::min(synonym_words_max, words.size() - at); length > 0; --length) {
    std::string wanted;
    for (std::size_t i = at; i < at + length; ++i)
      wanted += (i > at ? " " : "") + ascii_lower(i + 1 < at + length ? words[i] : std::string(bare_word(words[i])));
    for (const WordPair& pair : synonyms()) {
      if (pair.from == wanted) return {pair.to, length};
    }
  }
  return {};
}

// "a knit collar, two pockets" → "two pockets, a knit collar".
std::string turned_round(const std::string& text, Random& random) {
  for (const std::string_view between : {std::string_view(", "), std::string_view(" and "), std::string_view(" with ")}) {
    const std::size_t at = text.find(between);
    if (at == std::string::npos || at == 0 || at + between.size() >= text.size()) continue;
    if (!random.chance(350)) return text;
    return text.substr(at + between.size()) + (between == " with " ? ", " : std::string(between)) + text.substr(0, at);
  }
  return text;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

FactParts parts_of_fact(std::string_view fact) {
  if (fact.starts_with(budget_prefix)) return {{}, std::string(fact.substr(budget_prefix.size())), true};
  const std::size_t colon = fact.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > label_characters_max) return {{}, std::string(fact), false};
  return {std::string(fact.substr(0, colon)), std::string(fact.substr(colon + 2)), false};
}

std::string phrase_of_fact(std::string_view fact, Random& random) {
  const FactParts parts = parts_of_fact(fact);
  if (parts.amount) return amount_phrase(parts.value, random);
  if (!parts.label.empty()) return labelled_phrase(parts, random);
  if (split_words(fact).size() >= quoted_words_min && random.chance(150)) return "\"" + parts.value + "\"";
  return parts.value;
}

std::string reworded(std::string_view phrase, Random& random) {
  const std::vector<std::string> words = split_words(phrase);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < words.size() && out.size() < kept_words_max;) {
    const Reworded synonym = synonym_at(words, at);
    if (synonym.words > 0 && random.chance(800)) {
      const std::string& last = words[at + synonym.words - 1];
      const char sign = last.back();
      out.push_back(std::string(synonym.to) + (sign == ',' || sign == ';' || sign == '.' || sign == ':' ? std::string(1, sign) : std::string()));
      at += synonym.words;
      continue;
    }
    const bool drop = words.size() > dropped_from_words && !has_digit(words[at]) && random.chance(200);
    if (!drop) out.push_back(words[at]);
    ++at;
  }
  return out.empty() ? std::string(phrase) : turned_round(join_words(out), random);
}

std::string negated_opposite(std::string_view fact, Random& random) {
  const FactParts parts = parts_of_fact(fact);
  if (parts.amount || !parts.label.empty()) return {};
  std::vector<std::string> words = split_words(parts.value);
  if (words.size() > opposed_words_max) return {};
  for (std::string& word : words) {
    for (const WordPair& pair : opposites()) {
      const std::string_view other = ascii_lower(word) == pair.from ? pair.to : ascii_lower(word) == pair.to ? pair.from : std::string_view();
      if (other.empty()) continue;
      word = other;
      constexpr std::array<std::string_view, 5> frames = {"not {f}", "anything but {f}", "definitely not {f}", "nothing {f}", "no {f}"};
      const std::string opposite = join_words(words);
      return fill(one_of(frames, random), {{}, opposite, {}, {}});
    }
  }
  return {};
}

std::vector<std::string> bare_words(std::string_view fact, std::size_t words_max) {
  const FactParts parts = parts_of_fact(fact);
  if (parts.amount) return {"$" + parts.value};
  std::vector<std::string> value = content_words(parts.value);
  if (value.empty()) value = split_words(parts.value);
  const std::string small = ascii_lower(parts.value);
  const bool needs_label = is_number(parts.value) || small == "true" || small == "false" || small == "yes" || small == "no";
  if (!parts.label.empty() && needs_label) {
    std::vector<std::string> words = content_words(parts.label);
    const std::size_t kept = std::min(words.size(), words_max - 1);
    if (is_number(parts.value)) {
      words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(kept));  // "memory bus 128": its last words name it
    } else {
      words.resize(kept);
    }
    if (small == "false" || small == "no") {
      words.insert(words.begin(), "no");
    } else if (is_number(parts.value)) {
      words.push_back(parts.value);
    }
    return words;
  }
  if (value.size() > words_max) value.resize(words_max);
  return value;
}

std::vector<std::string> bare_category(std::string_view category, std::size_t words_max) {
  std::vector<std::string> words = content_words(category);
  if (words.empty()) words = split_words(category);
  if (words.size() > words_max) words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(words_max));
  return words;
}

std::string phrase_of_attribute(std::string_view attribute, Random& random) {
  struct Names {
    std::string_view attribute;
    std::array<std::string_view, 4> names;
  };
  constexpr std::array<Names, 10> table = {{{"category", {"the category", "the kind", "the type", "that"}},
                                            {"material", {"the material", "material", "the fabric", "what it's made of"}},
                                            {"color", {"the color", "colour", "colors", "the shade"}},
                                            {"size", {"the size", "size", "sizing", "dimensions"}},
                                            {"style", {"style", "the style", "the look", "styling"}},
                                            {"brand", {"the brand", "brands", "brand", "the make"}},
                                            {"budget", {"the price", "budget", "my budget", "price"}},
                                            {"feature", {"features", "extras", "the features", "that"}},
                                            {"use_case", {"the use", "what it's for", "the occasion", "how I'd use it"}},
                                            {"other", {"the rest", "other things", "that", "the details"}}}};
  for (const Names& names : table) {
    if (names.attribute == attribute) return std::string(one_of(names.names, random));
  }
  std::string words(attribute);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace turnstone
