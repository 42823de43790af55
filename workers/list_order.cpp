#include "workers/list_order.h"

#include <algorithm>
#include <limits>

namespace turnstone {
namespace {

// Ascending is the order wanted.
std::int64_t key_of(const ListOrder& order, Ordinal product, const Artefact& artefact) {
  const auto number = number_in(artefact, product, order.facet);
  if (!number) return std::numeric_limits<std::int64_t>::max();
  return order.up ? -number->value : number->value;
}

}  // namespace

std::optional<Number> number_in(const Artefact& artefact, Ordinal product, std::string_view facet) {
  if (facet == "price") return artefact.price(product);
  if (facet == "rating") return artefact.rating(product);
  const Facet* column = artefact.facet(facet);
  return column == nullptr || column->kind != FacetKind::number ? std::nullopt : artefact.number_of(product, column->id);
}

bool is_said(const Artefact& artefact, std::string_view facet) {
  for (std::uint32_t i = 0; i < artefact.product_count(); ++i) {
    if (number_in(artefact, Ordinal{i}, facet)) return true;
  }
  return false;
}

std::vector<Candidate> first_in_order(const ListOrder& order, const ProductSet& products, const Artefact& artefact, std::size_t at_most) {
  std::vector<std::pair<std::int64_t, Ordinal>> sorted;
  products.for_each([&](Ordinal product) {
    sorted.emplace_back(key_of(order, product, artefact), product);
    return true;
  });
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(at_most, sorted.size()));
  std::partial_sort(sorted.begin(), end, sorted.end());
  std::vector<Candidate> candidates;
  for (auto at = sorted.begin(); at != end; ++at) candidates.push_back({at->second, static_cast<std::int64_t>(end - at)});
  return candidates;
}

std::vector<std::size_t> places_in_order(const ListOrder& order, const Ranking& ranking, const Artefact& artefact) {
  std::vector<std::pair<std::int64_t, std::size_t>> sorted;
  for (std::size_t i = 0; i < ranking.products.size(); ++i) sorted.emplace_back(key_of(order, ranking.products[i].product, artefact), i);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> places;
  for (const auto& [key, place] : sorted) places.push_back(place);
  return places;
}

}  // namespace turnstone
