#include "workers/ask_facet.h"

#include <algorithm>

#include "workers/ask_bins.h"
#include "workers/ask_options.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

std::int64_t coverage_of(std::int64_t filled, const PoolColumns& columns) { return fixed_point::permille_of(filled, columns.pool().total); }

std::optional<FacetQuestion> weigh_words(const Facet& facet, const PoolColumns& columns, const Variant& variant) {
  FacetQuestion question;
  question.facet = facet.id;
  question.coverage = Permille{static_cast<std::int32_t>(coverage_of(columns.filled_mass(facet), columns))};
  if (question.coverage.value < variant.ask.coverage_min) return std::nullopt;
  const std::vector<ValueMass> values = columns.values(facet);
  if (values.size() < 2) return std::nullopt;
  std::int64_t total = 0;
  for (const ValueMass& value : values) total += value.mass;
  std::vector<std::int64_t> weights;
  std::int64_t covered = 0;
  for (const ValueMass& value : values) {
    if (static_cast<std::int64_t>(weights.size()) == variant.ask.options_max) break;
    weights.push_back(value.mass);
    covered += value.mass;
  }
  weights.push_back(total - covered);
  // Masses of a large pool exceed the scale of entropy; what counts is their proportion.
  const std::int64_t scale = total / fixed_point::weight_one + 1;
  for (std::int64_t& weight : weights) weight /= scale;
  question.gain = Millibits{fixed_point::entropy_millibits(weights)};
  return question;
}

// nullopt: too little of the pool.
std::optional<Permille> numbers_coverage(const Facet& facet, const PoolColumns& columns, const Variant& variant) {
  if (!columns.seems_filled(facet, variant.ask.coverage_min / 2)) return std::nullopt;
  const Permille coverage{static_cast<std::int32_t>(coverage_of(columns.filled_mass(facet), columns))};
  return coverage.value < variant.ask.coverage_min ? std::nullopt : std::optional(coverage);
}

std::optional<FacetQuestion> weigh_numbers(const Facet& facet, const PoolColumns& columns, const Variant& variant) {
  const auto coverage = numbers_coverage(facet, columns, variant);
  if (!coverage) return std::nullopt;
  FacetQuestion question;
  question.facet = facet.id;
  question.coverage = *coverage;
  NumberOptions options = number_options(facet, columns.numbers(facet), variant);
  if (options.options.size() < 2) return std::nullopt;
  question.options = std::move(options.options);
  question.options_cover = options.cover;
  question.gain = options.entropy;
  return question;
}

Millibits expected(Millibits entropy, Permille coverage, std::int64_t answerable) {
  return Millibits{fixed_point::share(fixed_point::share(entropy.value, coverage.value), answerable)};
}

}  // namespace

std::optional<FacetQuestion> weigh_facet(const Facet& facet, const PoolColumns& columns, std::int64_t answerable, const Variant& variant) {
  if (columns.pool().products.size() < 2) return std::nullopt;
  auto question = facet.kind == FacetKind::number ? weigh_numbers(facet, columns, variant) : weigh_words(facet, columns, variant);
  if (question) question->gain = expected(question->gain, question->coverage, answerable);
  return question;
}

std::int64_t entropy_most(const Variant& variant) {
  constexpr std::int64_t rounding = 10;  // millibits that logarithms rounded each for itself may add up to
  return fixed_point::log2_millibits(number_options_most(variant)) + rounding;
}

std::optional<Millibits> gain_at_most(const Facet& numbers, const PoolColumns& columns, std::int64_t answerable, const Variant& variant) {
  const auto coverage = numbers_coverage(numbers, columns, variant);
  if (!coverage || columns.pool().products.size() < 2) return std::nullopt;
  return expected(Millibits{entropy_most(variant)}, *coverage, answerable);
}

std::optional<FacetQuestion> settle_options(FacetQuestion question, const PoolColumns& columns, std::int64_t answerable,
                                            std::uint32_t narrower_than, const Artefact& artefact,
                                            const Variant& variant) {
  const Facet& facet = artefact.facet(question.facet);
  if (facet.kind != FacetKind::number) {
    WordOptions options = word_options(facet, columns, narrower_than, artefact, variant);
    if (options.options.size() < 2) return std::nullopt;
    question.options = std::move(options.options);
    question.options_cover = options.cover;
    question.gain = expected(options.entropy, question.coverage, answerable);
  }
  if (question.options_cover.value < variant.ask.options_cover) return std::nullopt;
  return question;
}

}  // namespace turnstone
