#include "tools/eval/wording/slips.h"

#include <algorithm>
#include <array>

#include "events/ascii.h"
#include "tools/eval/wording/values.h"

namespace turnstone {

namespace {

constexpr std::size_t letters_min = 4;
constexpr std::uint32_t slip_permille = 200;
constexpr std::array<std::string_view, 3> key_rows = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char neighbour_of(char letter, Random& random) {
  const char small = ascii_lower(letter);
  for (const std::string_view row : key_rows) {
    const std::size_t at = row.find(small);
    if (at == std::string_view::npos) continue;
    if (at == 0) return row[1];
    if (at + 1 == row.size()) return row[at - 1];
    return row[random.chance(500) ? at - 1 : at + 1];
  }
  return small;
}

// The letters of a word between the signs around it: "(cotton)," → [1, 7).
struct Core {
  std::size_t begin = 0, end = 0;
};
Core core_of(std::string_view word) {
  Core core{0, word.size()};
  while (core.begin < core.end && !is_letter(word[core.begin])) ++core.begin;
  while (core.end > core.begin && !is_letter(word[core.end - 1])) --core.end;
  return core;
}

bool can_slip(std::string_view word) {
  const Core core = core_of(word);
  const std::string_view letters = word.substr(core.begin, core.end - core.begin);
  return letters.size() >= letters_min && std::all_of(letters.begin(), letters.end(), is_letter) &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string slipped_word(std::string_view word, Random& random) {
  std::string out(word);
  if (!can_slip(word)) return out;
  const Core core = core_of(word);
  const std::size_t at = core.begin + 1 + random.below(static_cast<std::uint32_t>(core.end - core.begin - 1));  // not the first letter
  switch (random.below(4)) {
    case 0: {
      const std::size_t left = std::min(at, core.end - 2);
      std::swap(out[left], out[left + 1]);
      break;
    }
    case 1:
      out.erase(at, 1);
      break;
    case 2:
      out.insert(at, 1, out[at]);
      break;
    default:
      out[at] = neighbour_of(out[at], random);
      break;
  }
  if (out == word) out.erase(at, 1);  // two equal letters were swapped
  return out;
}

std::string slipped_text(std::string_view text, Random& random) {
  std::vector<std::string> words = split_words(text);
  std::vector<std::size_t> able;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (can_slip(words[at])) able.push_back(at);
  }
  if (able.empty()) return std::string(text);
  const std::size_t sure = able[random.below(static_cast<std::uint32_t>(able.size()))];
  for (const std::size_t at : able) {
    const bool by_chance = random.chance(slip_permille);
    if (at == sure || by_chance) words[at] = slipped_word(words[at], random);
  }
  return join_words(words);
}

}  // namespace turnstone
