#include "workers/ask_options.h"

#include <algorithm>
#include <bit>
#include <map>

#include "workers/fixed_point.h"
#include "workers/requirement.h"

namespace turnstone {
namespace {

constexpr std::size_t looked_at_max = 48;  // values, by falling mass; a product's are bits of one word
constexpr std::size_t option_words_max = 6;
constexpr std::size_t option_bytes_max = 48;
constexpr std::int64_t told_by_all = 950;  // permille: a value that nearly all have tells nothing

using Bits = std::uint64_t;

struct Choice {
  ValueId value;
  std::int64_t mass = 0;     // of products that an answer with its words would leave
  std::uint32_t count = 0;
};

// The pool's products by which of the choices they fall under.
struct Group {
  std::int64_t mass = 0;
  std::uint32_t count = 0;
};

std::vector<Choice> choices_of(const Facet& facet, const PoolColumns& columns, std::uint32_t narrower_than, const Artefact& artefact) {
  std::vector<Choice> choices;
  for (const ValueMass& value : columns.values(facet)) {
    if (choices.size() == looked_at_max) break;
    if (artefact.value(value.value).count < narrower_than && reads_as_option(artefact.value(value.value).text)) choices.push_back({value.value, 0, 0});
  }
  return choices;
}

std::map<Bits, Group> group_pool(const Facet& facet, const PoolColumns& columns, const std::vector<Choice>& choices, const Artefact& artefact) {
  std::vector<std::pair<ValueId, Bits>> means;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    means.emplace_back(choices[i].value, Bits{1} << i);
    for (const ValueId value : values_meant(facet, artefact.value(choices[i].value).text, artefact)) means.emplace_back(value, Bits{1} << i);
  }
  std::sort(means.begin(), means.end());
  std::map<Bits, Group> groups;
  const Posterior& pool = columns.pool();
  for (std::size_t p = 0; p < pool.products.size(); ++p) {
    const auto values = artefact.values_of(pool.products[p], facet.id);
    if (values.empty()) continue;
    Bits falls_under = 0;
    for (const ValueId value : values) {
      auto meant = std::lower_bound(means.begin(), means.end(), std::pair{value, Bits{0}});
      for (; meant != means.end() && meant->first == value; ++meant) falls_under |= meant->second;
    }
    Group& group = groups[falls_under];
    group.mass += pool.weights[p];
    ++group.count;
  }
  return groups;
}

// overlaps[i] has bit j when more than half of the smaller of the two lies in the other.
std::vector<Bits> overlaps_of(const std::vector<Choice>& choices, const std::map<Bits, Group>& groups) {
  const std::size_t n = choices.size();
  std::vector<std::int64_t> common(n * n, 0);
  for (const auto& [falls_under, group] : groups) {
    for (Bits one = falls_under; one != 0; one &= one - 1) {
      for (Bits other = one & (one - 1); other != 0; other &= other - 1) {
        common[static_cast<std::size_t>(std::countr_zero(one)) * n + static_cast<std::size_t>(std::countr_zero(other))] += group.mass;
      }
    }
  }
  std::vector<Bits> overlaps(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (common[i * n + j] * 2 <= std::min(choices[i].mass, choices[j].mass)) continue;
      overlaps[i] |= Bits{1} << j;
      overlaps[j] |= Bits{1} << i;
    }
  }
  return overlaps;
}

std::int64_t mass_under(const std::map<Bits, Group>& groups, const std::vector<std::size_t>& choices) {
  Bits any = 0;
  for (const std::size_t i : choices) any |= Bits{1} << i;
  std::int64_t mass = 0;
  for (const auto& [falls_under, group] : groups) mass += (falls_under & any) != 0 ? group.mass : 0;
  return mass;
}

struct Chosen {
  std::vector<std::size_t> choices;
  std::int64_t entropy = 0;
  std::int64_t covered = 0;
};

// Takes the choices in this order, each that overlaps with none before it. A product falls under the first that it has.
Chosen choose(const std::vector<std::size_t>& order, const std::vector<Bits>& overlaps, const std::map<Bits, Group>& groups, std::int64_t total,
              std::size_t options_max) {
  Chosen chosen;
  Bits taken = 0;
  for (const std::size_t i : order) {
    if (chosen.choices.size() == options_max) break;
    if ((overlaps[i] & taken) != 0) continue;
    taken |= Bits{1} << i;
    chosen.choices.push_back(i);
  }
  std::vector<std::int64_t> masses(chosen.choices.size() + 1, 0);
  for (const auto& [falls_under, group] : groups) {
    std::size_t first = 0;
    while (first < chosen.choices.size() && (falls_under >> chosen.choices[first] & 1) == 0) ++first;
    masses[first] += group.mass;
  }
  chosen.covered = total - masses.back();
  // Masses of a large pool exceed the scale of entropy; what counts is their proportion.
  const std::int64_t scale = total / fixed_point::weight_one + 1;
  for (std::int64_t& mass : masses) mass /= scale;
  chosen.entropy = fixed_point::entropy_millibits(masses);
  return chosen;
}

}  // namespace

bool reads_as_option(std::string_view text) {
  if (text.empty() || text.size() > option_bytes_max || text.find_first_of("!?;") != std::string_view::npos) return false;
  const auto gaps = std::count(text.begin(), text.end(), ' ');
  if (static_cast<std::size_t>(gaps) >= option_words_max) return false;
  if (gaps < 2 || text.back() != '.') return true;
  const char last_word = text[text.rfind(' ') + 1];  // "Wash by hand." is a sentence, "U.S. Polo Assn." a name
  return last_word < 'a' || last_word > 'z';
}

WordOptions word_options(const Facet& facet, const PoolColumns& columns, std::uint32_t narrower_than, const Artefact& artefact, const Variant& variant) {
  WordOptions result;
  std::vector<Choice> choices = choices_of(facet, columns, narrower_than, artefact);
  const auto groups = group_pool(facet, columns, choices, artefact);
  std::int64_t total = 0;
  std::uint32_t filled = 0;
  for (const auto& [falls_under, group] : groups) {
    total += group.mass;
    filled += group.count;
    for (Bits rest = falls_under; rest != 0; rest &= rest - 1) {
      Choice& choice = choices[static_cast<std::size_t>(std::countr_zero(rest))];
      choice.mass += group.mass;
      choice.count += group.count;
    }
  }
  const std::vector<Bits> overlaps = overlaps_of(choices, groups);
  std::vector<std::size_t> wide, narrow;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].count * fixed_point::whole < told_by_all * std::int64_t{filled}) wide.push_back(i);
  }
  const auto wider = [&](std::size_t a, std::size_t b) {
    return choices[a].mass != choices[b].mass ? choices[a].mass > choices[b].mass : choices[a].value < choices[b].value;
  };
  std::sort(wide.begin(), wide.end(), wider);
  for (const std::size_t i : wide) {  // without those in which two others lie
    const auto inside = std::count_if(wide.begin(), wide.end(), [&](std::size_t j) { return (overlaps[i] >> j & 1) != 0 && wider(i, j); });
    if (inside < 2) narrow.push_back(i);
  }
  const auto options_max = static_cast<std::size_t>(variant.ask.options_max);
  Chosen chosen = choose(wide, overlaps, groups, total, options_max);
  // "Navy" and "dark blue" do not stand for "blue": what is no more than that would have no option.
  if (mass_under(groups, narrow) * 20 >= mass_under(groups, wide) * 19) {
    Chosen other = choose(narrow, overlaps, groups, total, options_max);
    if (other.entropy > chosen.entropy) chosen = std::move(other);
  }
  for (const std::size_t i : chosen.choices) result.options.push_back({std::string(artefact.value(choices[i].value).text), choices[i].count});
  result.entropy = Millibits{chosen.entropy};
  result.cover = Permille{static_cast<std::int32_t>(fixed_point::permille_of(chosen.covered, total))};
  return result;
}

}  // namespace turnstone
