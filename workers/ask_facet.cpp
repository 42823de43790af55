#include "workers/ask_facet.h"

#include <algorithm>

#include "workers/ask_bins.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::int64_t told_by_all = 950;  // permille: a value that nearly all have tells nothing

std::int64_t coverage_of(std::int64_t filled, const PoolColumns& columns) { return fixed_point::permille_of(filled, columns.pool().total); }

std::optional<FacetQuestion> weigh_words(const Facet& facet, const PoolColumns& columns, const Artefact& artefact, const Variant& variant) {
  FacetQuestion question;
  question.facet = facet.id;
  question.coverage = Permille{static_cast<std::int32_t>(coverage_of(columns.filled_mass(facet), columns))};
  if (question.coverage.value < variant.ask.coverage_min) return std::nullopt;
  std::vector<ValueMass> values = columns.values(facet);
  // "clothing" in a list of dresses' kinds divides nothing.
  if (facet.name == "category") {
    const auto filled = static_cast<std::int64_t>(columns.filled_count(facet));
    std::erase_if(values, [&](const ValueMass& value) { return value.count * fixed_point::whole >= told_by_all * filled; });
  }
  if (values.size() < 2) return std::nullopt;
  std::int64_t total = 0;
  for (const ValueMass& value : values) total += value.mass;
  std::vector<std::int64_t> weights;
  std::int64_t covered = 0;
  for (const ValueMass& value : values) {
    if (static_cast<std::int64_t>(weights.size()) == variant.ask.options_max) break;
    weights.push_back(value.mass);
    covered += value.mass;
    question.options.push_back({std::string(artefact.value(value.value).text), value.count});
  }
  weights.push_back(total - covered);
  question.options_cover = Permille{static_cast<std::int32_t>(fixed_point::permille_of(covered, total))};
  // Masses of a large pool exceed the scale of entropy; what counts is their proportion.
  const std::int64_t scale = total / fixed_point::weight_one + 1;
  for (std::int64_t& weight : weights) weight /= scale;
  question.gain = Millibits{fixed_point::entropy_millibits(weights)};
  return question;
}

std::optional<FacetQuestion> weigh_numbers(const Facet& facet, const PoolColumns& columns, const Variant& variant) {
  if (!columns.seems_filled(facet, variant.ask.coverage_min / 2)) return std::nullopt;
  const std::vector<WeighedNumber> numbers = columns.numbers(facet);
  std::int64_t filled = 0;
  for (const WeighedNumber& number : numbers) filled += number.weight;
  FacetQuestion question;
  question.facet = facet.id;
  question.coverage = Permille{static_cast<std::int32_t>(coverage_of(filled, columns))};
  if (question.coverage.value < variant.ask.coverage_min) return std::nullopt;
  NumberOptions options = number_options(facet, numbers, variant);
  if (options.options.size() < 2) return std::nullopt;
  question.options = std::move(options.options);
  question.options_cover = options.cover;
  question.gain = options.entropy;
  return question;
}

}  // namespace

std::optional<FacetQuestion> weigh_facet(const Facet& facet, const PoolColumns& columns, std::int64_t answerable, const Artefact& artefact,
                                         const Variant& variant) {
  if (columns.pool().products.size() < 2) return std::nullopt;
  auto question = facet.kind == FacetKind::number ? weigh_numbers(facet, columns, variant) : weigh_words(facet, columns, artefact, variant);
  if (!question || question->options_cover.value < variant.ask.options_cover) return std::nullopt;
  question->gain = Millibits{fixed_point::share(fixed_point::share(question->gain.value, question->coverage.value), answerable)};
  return question;
}

}  // namespace turnstone
