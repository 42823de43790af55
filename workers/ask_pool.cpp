#include "workers/ask_pool.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::size_t glance = 16;

std::size_t value_count_of(const Artefact& artefact) {
  std::size_t count = 0;
  for (const Facet& facet : artefact.facets()) count = std::max<std::size_t>(count, std::size_t{facet.first_value.value} + facet.value_count);
  return count;
}

}  // namespace

PoolColumns::PoolColumns(const Posterior& pool, const Artefact& artefact)
    : pool_(pool),
      artefact_(artefact),
      filled_mass_(artefact.facets().size(), 0),
      filled_count_(artefact.facets().size(), 0),
      mass_(value_count_of(artefact), 0),
      count_(mass_.size(), 0) {
  for (std::size_t i = 0; i < pool.products.size(); ++i) {
    const auto values = artefact.values_of(pool.products[i]);
    for (auto begin = values.begin(); begin != values.end();) {
      const FacetId facet = artefact.value(*begin).facet;
      const Facet& column = artefact.facet(facet);
      const ValueId end_value{column.first_value.value + column.value_count};
      auto end = begin;
      while (end != values.end() && *end < end_value) ++end;
      const std::int64_t part = pool.weights[i] / (end - begin);
      for (auto value = begin; value != end; ++value) {
        mass_[value->value] += part;
        ++count_[value->value];
      }
      filled_mass_[facet.value] += pool.weights[i];
      ++filled_count_[facet.value];
      begin = end;
    }
  }
}

std::vector<ValueMass> PoolColumns::values(const Facet& facet) const {
  std::vector<ValueMass> masses;
  for (std::uint32_t value = facet.first_value.value; value < facet.first_value.value + facet.value_count; ++value) {
    if (count_[value] > 0) masses.push_back({ValueId{value}, mass_[value], count_[value]});
  }
  std::sort(masses.begin(), masses.end(), [](const ValueMass& a, const ValueMass& b) { return a.mass != b.mass ? a.mass > b.mass : a.value < b.value; });
  return masses;
}

std::vector<WeighedNumber> PoolColumns::numbers(const Facet& facet) const {
  std::vector<WeighedNumber> numbers;
  for (std::size_t i = 0; i < pool_.products.size(); ++i) {
    if (const auto number = artefact_.number_of(pool_.products[i], facet.id)) numbers.push_back({*number, pool_.weights[i]});
  }
  std::sort(numbers.begin(), numbers.end(), [](const WeighedNumber& a, const WeighedNumber& b) {
    return a.number != b.number ? a.number < b.number : a.weight < b.weight;
  });
  return numbers;
}

bool PoolColumns::seems_filled(const Facet& facet, std::int64_t permille) const {
  const std::size_t looked_at = std::min(glance, pool_.products.size());
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    filled += artefact_.number_of(pool_.products[i * pool_.products.size() / looked_at], facet.id).has_value() ? 1 : 0;
  }
  return filled * fixed_point::whole >= permille * static_cast<std::int64_t>(looked_at);
}

}  // namespace turnstone
