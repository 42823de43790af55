#include "workers/ask_bins.h"

#include <algorithm>

#include "workers/fixed_point.h"
#include "workers/gate_reasons.h"

namespace turnstone {
namespace {

constexpr std::size_t cuts_max = 3;

// Numbers from which a border may be taken: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5 and 8 times a power of ten.
constexpr std::int64_t round_tenths[] = {10, 15, 20, 25, 30, 40, 50, 60, 75, 80};

std::vector<Number> round_borders(Number least, Number most) {
  std::vector<Number> borders;
  for (std::int64_t power = 1; power < most.value && power <= std::int64_t{1'000'000'000'000'000}; power *= 10) {
    for (const std::int64_t tenths : round_tenths) {
      if (power < 10 && power * tenths % 10 != 0) continue;
      const Number border{power * tenths / 10};
      if (border > least && border <= most) borders.push_back(border);
    }
  }
  return borders;
}

std::int64_t entropy_of(std::vector<std::int64_t> weights) {
  std::int64_t total = 0;
  for (const std::int64_t weight : weights) total += weight;
  for (std::int64_t& weight : weights) weight /= total / fixed_point::weight_one + 1;
  return fixed_point::entropy_millibits(weights);
}

// Weights of the ranges between the cuts, of numbers in ascending order.
std::vector<std::int64_t> range_weights(const std::vector<WeighedNumber>& numbers, const std::vector<Number>& cuts) {
  std::vector<std::int64_t> weights(cuts.size() + 1, 0);
  std::size_t range = 0;
  for (const WeighedNumber& one : numbers) {
    while (range < cuts.size() && one.number >= cuts[range]) ++range;
    weights[range] += one.weight;
  }
  return weights;
}

// Greedy: the cut that tells most, then the one that adds most to it.
std::vector<Number> choose_cuts(const std::vector<WeighedNumber>& numbers) {
  constexpr std::int64_t worth_a_cut = fixed_point::bit / 5;
  const auto borders = round_borders(numbers.front().number, numbers.back().number);
  std::vector<Number> cuts;
  std::int64_t entropy = 0;
  while (cuts.size() < cuts_max) {
    std::int64_t best = entropy + worth_a_cut - 1;
    std::vector<Number> best_cuts;
    for (const Number border : borders) {
      if (std::find(cuts.begin(), cuts.end(), border) != cuts.end()) continue;
      std::vector<Number> tried = cuts;
      tried.insert(std::upper_bound(tried.begin(), tried.end(), border), border);
      const std::int64_t tried_entropy = entropy_of(range_weights(numbers, tried));
      if (tried_entropy > best) {
        best = tried_entropy;
        best_cuts = std::move(tried);
      }
    }
    if (best_cuts.empty()) break;
    cuts = std::move(best_cuts);
    entropy = best;
  }
  return cuts;
}

std::string range_text(const Facet& facet, const std::vector<Number>& cuts, std::size_t range) {
  if (range == 0) return "under " + number_text(facet, cuts.front());
  if (range == cuts.size()) return number_text(facet, cuts.back()) + " or more";
  const std::string lower = facet.name == "price" ? number_text(facet, cuts[range - 1]) : to_string(cuts[range - 1]);
  return lower + " to " + number_text(facet, cuts[range]);
}

NumberOptions ranges(const Facet& facet, const std::vector<WeighedNumber>& numbers) {
  NumberOptions options;
  const std::vector<Number> cuts = choose_cuts(numbers);
  if (cuts.empty()) return options;
  std::vector<std::uint32_t> counts(cuts.size() + 1, 0);
  std::size_t range = 0;
  for (const WeighedNumber& one : numbers) {
    while (range < cuts.size() && one.number >= cuts[range]) ++range;
    ++counts[range];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) options.options.push_back({range_text(facet, cuts, i), counts[i]});
  options.entropy = Millibits{entropy_of(range_weights(numbers, cuts))};
  options.cover = Permille{1000};
  return options;
}

}  // namespace

NumberOptions number_options(const Facet& facet, std::vector<WeighedNumber> numbers, const Variant& variant) {
  NumberOptions options;
  if (numbers.size() < 2) return options;
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.number != b.number ? a.number < b.number : a.weight < b.weight; });
  std::vector<WeighedNumber> distinct;
  std::vector<std::uint32_t> counts;
  for (const WeighedNumber& one : numbers) {
    if (distinct.empty() || distinct.back().number != one.number) {
      distinct.push_back({one.number, 0});
      counts.push_back(0);
    }
    distinct.back().weight += one.weight;
    ++counts.back();
  }
  if (distinct.size() < 2) return options;
  if (facet.name == "price" || static_cast<std::int64_t>(distinct.size()) > variant.ask.options_max) return ranges(facet, numbers);
  std::vector<std::int64_t> weights;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    weights.push_back(distinct[i].weight);
    options.options.push_back({number_text(facet, distinct[i].number), counts[i]});
  }
  options.entropy = Millibits{entropy_of(std::move(weights))};
  options.cover = Permille{1000};
  return options;
}

}  // namespace turnstone
