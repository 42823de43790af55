#include "workers/ask_bins.h"

#include <algorithm>

#include "workers/fixed_point.h"
#include "workers/gate_reasons.h"

namespace turnstone {
namespace {

constexpr std::size_t cuts_max = 7;
// Numbers stand as they are where few of them are usual: "500 GB, 1000 GB"; else in ranges.
constexpr Permille most_of_them{600};
constexpr std::uint32_t usual_products = 3;

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

// A border with what lies under it.
struct Border {
  Number number;
  std::int64_t mass_below = 0;
  std::uint32_t count_below = 0;
};

// Borders that leave something on either side, each with the sums under it. `numbers` ascend.
std::vector<Border> borders_of(const std::vector<WeighedNumber>& numbers) {
  std::vector<Border> borders;
  auto number = numbers.begin();
  Border sums;
  auto round = round_borders(numbers.front().number, numbers.back().number);
  std::sort(round.begin(), round.end());
  for (const Number border : round) {
    for (; number != numbers.end() && number->number < border; ++number) {
      sums.mass_below += number->weight;
      ++sums.count_below;
    }
    sums.number = border;
    // Of borders that divide alike the highest: "under 1" for what is nothing, not "under 0.0001".
    if (!borders.empty() && borders.back().count_below == sums.count_below) borders.back() = sums;
    else borders.push_back(sums);
  }
  return borders;
}

// The entropy of a division of the mass, kept as sums over its ranges, so that what one more cut would make of it takes constant time. To the
// last millibit what entropy_of() gives for the masses.
class Division {
 public:
  explicit Division(std::int64_t total) : scale_(total / fixed_point::weight_one + 1) { add(total, 1); }

  std::int64_t entropy_when_cut(std::int64_t mass, std::int64_t below) const {
    Division divided = *this;
    divided.cut(mass, below);
    return divided.entropy();
  }
  // A range with this mass in two: what is below the cut, and the rest.
  void cut(std::int64_t mass, std::int64_t below) {
    add(mass, -1);
    add(below, 1);
    add(mass - below, 1);
  }
  std::int64_t entropy() const {
    if (total_ == 0) return 0;
    return std::max<std::int64_t>(0, fixed_point::log2_millibits(static_cast<std::uint64_t>(total_)) - weighted_ / total_);
  }

 private:
  void add(std::int64_t mass, std::int64_t times) {
    const std::int64_t weight = mass / scale_;
    if (weight <= 0) return;
    total_ += times * weight;
    weighted_ += times * weight * fixed_point::log2_millibits(static_cast<std::uint64_t>(weight));
  }

  std::int64_t scale_;
  std::int64_t total_ = 0;
  std::int64_t weighted_ = 0;
};

// Greedy: the cut that tells most, then the one that adds most to it. O(cuts · borders).
std::vector<Border> choose_cuts(const std::vector<WeighedNumber>& numbers, std::int64_t& entropy) {
  constexpr std::int64_t worth_a_cut = fixed_point::bit / 5;
  std::int64_t total = 0;
  for (const WeighedNumber& number : numbers) total += number.weight;
  const std::vector<Border> borders = borders_of(numbers);
  std::vector<Border> cuts;
  Division division(total);
  entropy = 0;
  while (cuts.size() < cuts_max) {
    std::int64_t best = entropy + worth_a_cut - 1;
    const Border* best_border = nullptr;
    std::size_t range = 0;  // that the border stands in: after the cuts at or under it
    std::size_t best_range = 0;
    std::int64_t best_from = 0, best_mass = 0;
    for (const Border& border : borders) {
      while (range < cuts.size() && cuts[range].number <= border.number) ++range;
      const std::int64_t from = range == 0 ? 0 : cuts[range - 1].mass_below;
      const std::int64_t mass = (range == cuts.size() ? total : cuts[range].mass_below) - from;
      const std::int64_t tried = division.entropy_when_cut(mass, border.mass_below - from);
      if (tried <= best) continue;
      best = tried;
      best_border = &border;
      best_range = range;
      best_from = from;
      best_mass = mass;
    }
    if (best_border == nullptr) break;
    division.cut(best_mass, best_border->mass_below - best_from);
    cuts.insert(cuts.begin() + static_cast<std::ptrdiff_t>(best_range), *best_border);
    entropy = best;
  }
  return cuts;
}

// What range_text() writes and bounds_of_option() reads.
constexpr std::string_view under = "under ", to = " to ", or_more = " or more";

std::string range_text(const Facet& facet, const std::vector<Border>& cuts, std::size_t range) {
  if (range == 0) return std::string(under) + number_text(facet, cuts.front().number);
  const Number least = cuts[range - 1].number;
  if (range == cuts.size()) return number_text(facet, least) + std::string(or_more);
  return (facet.name == "price" ? number_text(facet, least) : to_string(least)) + std::string(to) + number_text(facet, cuts[range].number);
}

NumberOptions ranges(const Facet& facet, const std::vector<WeighedNumber>& numbers) {
  NumberOptions options;
  std::int64_t entropy = 0;
  const std::vector<Border> cuts = choose_cuts(numbers, entropy);
  if (cuts.empty()) return options;
  std::uint32_t below = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::uint32_t until = i < cuts.size() ? cuts[i].count_below : static_cast<std::uint32_t>(numbers.size());
    options.options.push_back({range_text(facet, cuts, i), until - below});
    below = until;
  }
  options.entropy = Millibits{entropy};
  options.cover = Permille{1000};
  return options;
}

}  // namespace

std::optional<OptionBounds> bounds_of_option(std::string_view option) {
  const auto number_in = [](std::string_view text) -> std::optional<Number> {
    const std::size_t first = text.find_first_of("0123456789");
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", first), text.size());
    return parse_number(std::string(text.substr(first, end - first)));
  };
  OptionBounds bounds;
  if (option.starts_with(under)) {
    bounds.most = number_in(option.substr(under.size()));
  } else if (option.ends_with(or_more)) {
    bounds.least = number_in(option.substr(0, option.size() - or_more.size()));
  } else if (const std::size_t at = option.find(to); at != std::string_view::npos) {
    bounds.least = number_in(option.substr(0, at));
    bounds.most = number_in(option.substr(at + to.size()));
    if (!bounds.least || !bounds.most) return std::nullopt;
  }
  if (!bounds.least && !bounds.most) return std::nullopt;
  return bounds;
}

namespace {

struct Distinct {
  Number number;
  std::int64_t weight = 0;
  std::uint32_t count = 0;
};

std::vector<Distinct> distinct_of(const std::vector<WeighedNumber>& numbers) {
  std::vector<Distinct> distinct;
  for (const WeighedNumber& one : numbers) {
    if (distinct.empty() || distinct.back().number != one.number) distinct.push_back({one.number, 0, 0});
    distinct.back().weight += one.weight;
    ++distinct.back().count;
  }
  return distinct;
}

// The numbers that most have, as they stand: "500 GB, 1000 GB, 2000 GB".
NumberOptions singles(const Facet& facet, std::vector<Distinct> distinct, std::size_t options_max) {
  std::int64_t total = 0;
  for (const Distinct& one : distinct) total += one.weight;
  if (distinct.size() > options_max) {
    std::sort(distinct.begin(), distinct.end(),
              [](const Distinct& a, const Distinct& b) { return a.weight != b.weight ? a.weight > b.weight : a.number < b.number; });
    distinct.resize(options_max);
    std::sort(distinct.begin(), distinct.end(), [](const Distinct& a, const Distinct& b) { return a.number < b.number; });
  }
  NumberOptions options;
  std::vector<std::int64_t> weights;
  std::int64_t covered = 0;
  for (const Distinct& one : distinct) {
    weights.push_back(one.weight);
    covered += one.weight;
    options.options.push_back({number_text(facet, one.number), one.count});
  }
  weights.push_back(total - covered);
  options.entropy = Millibits{entropy_of(std::move(weights))};
  options.cover = Permille{static_cast<std::int32_t>(fixed_point::permille_of(covered, total))};
  return options;
}

// "1.2 kg (1), 1.35 kg (1), 1.4 kg (1), 2.1 kg (1)": more than a few numbers, most of them of one product each, are a list of products
// and no choice of a kind; a range says what the difference is.
bool reads_as_a_tally(const NumberOptions& options) {
  constexpr std::size_t few = 3;
  const auto single = std::count_if(options.options.begin(), options.options.end(), [](const QuestionOption& option) { return option.count == 1; });
  return options.options.size() > few && static_cast<std::size_t>(single) * 2 > options.options.size();
}

}  // namespace

std::size_t number_options_most(const Variant& variant) { return std::max(static_cast<std::size_t>(variant.ask.options_max), cuts_max) + 1; }

NumberOptions number_options(const Facet& facet, const std::vector<WeighedNumber>& numbers, const Variant& variant) {
  const std::vector<Distinct> distinct = distinct_of(numbers);
  if (distinct.size() < 2) return {};
  if (facet.name == "price") return ranges(facet, numbers);
  const auto options_max = static_cast<std::size_t>(variant.ask.options_max);
  NumberOptions as_they_are = singles(facet, distinct, options_max);
  if (distinct.size() <= options_max && !reads_as_a_tally(as_they_are)) return as_they_are;
  NumberOptions in_ranges = ranges(facet, numbers);
  if (distinct.size() <= options_max && in_ranges.options.empty()) return as_they_are;
  const bool usual = as_they_are.cover >= most_of_them && std::all_of(as_they_are.options.begin(), as_they_are.options.end(),
                                                                     [](const QuestionOption& option) { return option.count >= usual_products; });
  return usual && as_they_are.entropy > in_ranges.entropy ? as_they_are : in_ranges;
}

}  // namespace turnstone
