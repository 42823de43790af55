#include "workers/ask_pool.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::size_t glance = 16;

}  // namespace

PoolColumns::PoolColumns(const Posterior& pool, const Artefact& artefact)
    : pool_(pool),
      artefact_(artefact),
      columns_(ColumnIndex::of(artefact)),
      filled_mass_(artefact.facets().size(), 0),
      first_share_(artefact.facets().size(), unasked) {
  std::uint32_t shares = 0;
  for (const Facet& facet : artefact.facets()) {
    if (facet.verdict != Verdict::ask) continue;
    first_share_[facet.id.value] = shares;
    shares += facet.value_count;
  }
  shares_.resize(shares);
  for (std::size_t i = 0; i < pool.products.size(); ++i) add(pool.products[i], pool.weights[i]);
}

void PoolColumns::add(Ordinal product, std::int64_t weight) {
  const auto values = artefact_.values_of(product);
  for (auto begin = values.begin(); begin != values.end();) {
    const FacetId facet = columns_->facet_of(*begin);
    auto end = begin + 1;
    while (end != values.end() && columns_->facet_of(*end) == facet) ++end;
    if (first_share_[facet.value] != unasked) {
      const std::int64_t part = weight / (end - begin);
      Share* const first = &shares_[first_share_[facet.value]];
      const std::uint32_t first_value = artefact_.facet(facet).first_value.value;
      for (auto value = begin; value != end; ++value) {
        first[value->value - first_value].mass += part;
        ++first[value->value - first_value].count;
      }
      filled_mass_[facet.value] += weight;
    }
    begin = end;
  }
}

std::int64_t PoolColumns::filled_mass(const Facet& facet) const {
  if (facet.kind != FacetKind::number) return filled_mass_[facet.id.value];
  const ProductSet& holders = columns_->holders(facet.id);
  std::int64_t mass = 0;
  for (std::size_t i = 0; i < pool_.products.size(); ++i) mass += holders.contains(pool_.products[i]) ? pool_.weights[i] : 0;
  return mass;
}

std::vector<ValueMass> PoolColumns::values(const Facet& facet) const {
  std::vector<ValueMass> masses;
  const std::uint32_t first = first_share_[facet.id.value];
  if (first == unasked) return masses;
  for (std::uint32_t i = 0; i < facet.value_count; ++i) {
    const Share& share = shares_[first + i];
    if (share.count > 0) masses.push_back({ValueId{facet.first_value.value + i}, share.mass, share.count});
  }
  std::sort(masses.begin(), masses.end(), [](const ValueMass& a, const ValueMass& b) { return a.mass != b.mass ? a.mass > b.mass : a.value < b.value; });
  return masses;
}

std::vector<WeighedNumber> PoolColumns::numbers(const Facet& facet) const {
  std::vector<WeighedNumber> numbers;
  numbers.reserve(pool_.products.size());
  for (std::size_t i = 0; i < pool_.products.size(); ++i) {
    if (const auto number = columns_->number_of(facet.id, pool_.products[i], artefact_)) numbers.push_back({*number, pool_.weights[i]});
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
    filled += columns_->holders(facet.id).contains(pool_.products[i * pool_.products.size() / looked_at]) ? 1 : 0;
  }
  return filled * fixed_point::whole >= permille * static_cast<std::int64_t>(looked_at);
}

}  // namespace turnstone
