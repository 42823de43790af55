#include "workers/ask_facet.h"

#include <algorithm>

#include "workers/ask_bins.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::size_t glance = 48;                // products looked at before a facet is weighed at all
constexpr std::int64_t told_by_all = 950;         // permille: a value that nearly all have tells nothing

bool fills(Ordinal product, const Facet& facet, const Artefact& artefact) {
  return facet.kind == FacetKind::number ? artefact.number_of(product, facet.id).has_value() : !artefact.values_of(product, facet.id).empty();
}

// A look at the first products spares the many columns that this pool does not have.
bool worth_weighing(const Facet& facet, const Posterior& pool, const Artefact& artefact, const Variant& variant) {
  const std::size_t looked_at = std::min(glance, pool.products.size());
  std::size_t filled = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    // Spread over the pool, as its head may be alike.
    if (fills(pool.products[i * pool.products.size() / looked_at], facet, artefact)) ++filled;
  }
  return static_cast<std::int64_t>(filled) * fixed_point::whole >= variant.ask.coverage_min / 2 * static_cast<std::int64_t>(looked_at);
}

struct ValueMass {
  ValueId value;
  std::int64_t mass = 0;
  std::uint32_t count = 0;
};

struct Masses {
  std::vector<ValueMass> values;  // by falling mass, then id
  std::int64_t filled = 0;
};

Masses word_masses(const Facet& facet, const Posterior& pool, const Artefact& artefact) {
  std::vector<ValueMass> all;
  Masses masses;
  for (std::size_t i = 0; i < pool.products.size(); ++i) {
    const auto values = artefact.values_of(pool.products[i], facet.id);
    if (values.empty()) continue;
    masses.filled += pool.weights[i];
    for (const ValueId value : values) all.push_back({value, pool.weights[i] / static_cast<std::int64_t>(values.size()), 1});
  }
  std::sort(all.begin(), all.end(), [](const ValueMass& a, const ValueMass& b) { return a.value < b.value; });
  for (const ValueMass& one : all) {
    if (masses.values.empty() || masses.values.back().value != one.value) masses.values.push_back({one.value, 0, 0});
    masses.values.back().mass += one.mass;
    masses.values.back().count += 1;
  }
  std::sort(masses.values.begin(), masses.values.end(),
            [](const ValueMass& a, const ValueMass& b) { return a.mass != b.mass ? a.mass > b.mass : a.value < b.value; });
  return masses;
}

// Values that nearly every product has divide nothing ("women" in a list of dresses' category paths).
void drop_common(Masses& masses, std::size_t filled_products) {
  std::erase_if(masses.values, [&](const ValueMass& value) {
    return static_cast<std::int64_t>(value.count) * fixed_point::whole >= told_by_all * static_cast<std::int64_t>(filled_products);
  });
}

std::optional<FacetQuestion> weigh_words(const Facet& facet, const Posterior& pool, const Artefact& artefact, const Variant& variant) {
  Masses masses = word_masses(facet, pool, artefact);
  std::size_t filled_products = 0;
  for (const Ordinal product : pool.products) filled_products += artefact.values_of(product, facet.id).empty() ? 0 : 1;
  if (facet.name == "category") drop_common(masses, filled_products);
  if (masses.values.size() < 2) return std::nullopt;
  std::int64_t total = 0;
  for (const ValueMass& value : masses.values) total += value.mass;
  FacetQuestion question;
  question.facet = facet.id;
  std::vector<std::int64_t> weights;
  std::int64_t covered = 0;
  for (const ValueMass& value : masses.values) {
    if (static_cast<std::int64_t>(weights.size()) == variant.ask.options_max) break;
    weights.push_back(value.mass);
    covered += value.mass;
    question.options.push_back({std::string(artefact.value(value.value).text), value.count});
  }
  weights.push_back(total - covered);
  question.options_cover = Permille{static_cast<std::int32_t>(fixed_point::permille_of(covered, total))};
  question.coverage = Permille{static_cast<std::int32_t>(fixed_point::permille_of(masses.filled, pool.total))};
  // Masses of a large pool exceed the scale of entropy; what counts is their proportion.
  const std::int64_t scale = total / fixed_point::weight_one + 1;
  for (std::int64_t& weight : weights) weight /= scale;
  question.gain = Millibits{fixed_point::entropy_millibits(weights)};
  return question;
}

std::optional<FacetQuestion> weigh_numbers(const Facet& facet, const Posterior& pool, const Artefact& artefact, const Variant& variant) {
  std::vector<WeighedNumber> numbers;
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < pool.products.size(); ++i) {
    const auto number = artefact.number_of(pool.products[i], facet.id);
    if (!number) continue;
    numbers.push_back({*number, pool.weights[i]});
    filled += pool.weights[i];
  }
  const NumberOptions options = number_options(facet, std::move(numbers), variant);
  if (options.options.size() < 2) return std::nullopt;
  FacetQuestion question;
  question.facet = facet.id;
  question.options = options.options;
  question.options_cover = options.cover;
  question.gain = options.entropy;
  question.coverage = Permille{static_cast<std::int32_t>(fixed_point::permille_of(filled, pool.total))};
  return question;
}

}  // namespace

std::optional<FacetQuestion> weigh_facet(const Facet& facet, const Posterior& pool, std::int64_t answerable, const Artefact& artefact,
                                         const Variant& variant) {
  if (pool.products.size() < 2 || !worth_weighing(facet, pool, artefact, variant)) return std::nullopt;
  auto question = facet.kind == FacetKind::number ? weigh_numbers(facet, pool, artefact, variant) : weigh_words(facet, pool, artefact, variant);
  if (!question) return std::nullopt;
  if (question->coverage.value < variant.ask.coverage_min || question->options_cover.value < variant.ask.options_cover) return std::nullopt;
  question->gain = Millibits{fixed_point::share(fixed_point::share(question->gain.value, question->coverage.value), answerable)};
  return question;
}

}  // namespace turnstone
