#include "workers/column_index.h"

#include <algorithm>
#include <functional>

#include "storage/artefact/kept.h"

namespace turnstone {
namespace {

constexpr std::size_t indices_kept = 8;
constexpr std::uint32_t frequent_one_in = 32;  // from here on its products are taken up faster as bits than one by one
constexpr std::uint32_t common_one_in = 32;

ProductSet holders_of(const Facet& facet, const Artefact& artefact) {
  ProductSet set(artefact.product_count());
  if (facet.kind == FacetKind::number) {
    for (const auto& row : artefact.number_column(facet.id)) set.insert(row.product);
    return set;
  }
  for (const FacetValue& value : artefact.values(facet.id)) {
    for (const Ordinal product : artefact.products_with(value.id)) set.insert(product);
  }
  return set;
}

}  // namespace

std::shared_ptr<const ColumnIndex> ColumnIndex::of(const Artefact& artefact) {
  static Kept<Fingerprint, ColumnIndex> kept(indices_kept);
  return kept.get(artefact.fingerprint(), [&] { return std::make_shared<const ColumnIndex>(artefact); });
}

ColumnIndex::ColumnIndex(const Artefact& artefact) {
  for (const Facet& facet : artefact.facets()) {
    holders_.push_back(holders_of(facet, artefact));
    rows_before_.push_back(count_rows(facet, artefact));
    facets_.resize(std::max<std::size_t>(facets_.size(), std::size_t{facet.first_value.value} + facet.value_count));
    std::fill_n(facets_.begin() + facet.first_value.value, facet.value_count, static_cast<std::uint16_t>(facet.id.value));
    const auto values = artefact.values(facet.id);
    for (const FacetValue& value : values) {
      if (value.count < artefact.product_count() / frequent_one_in) break;  // by falling count
      ProductSet products(artefact.product_count());
      for (const Ordinal product : artefact.products_with(value.id)) products.insert(product);
      frequent_.emplace_back(value.id, std::move(products));
    }
    for (const FacetValue& value : values.first(std::min(values.size(), values_max))) {
      const std::string_view key = value.key;
      for (std::size_t begin = 0; begin < key.size();) {
        const std::size_t end = std::min(key.find(' ', begin), key.size());
        words_.emplace_back(place_of(facet.id, key.substr(begin, end - begin)), value.id);
        begin = end + 1;
      }
    }
  }
  for (std::uint32_t t = 0; t < artefact.term_count(); ++t) {
    const TermId term{t};
    if (artefact.document_frequency(term) < std::max(1U, artefact.product_count() / common_one_in) || artefact.is_function_word(term)) continue;
    ProductSet products(artefact.product_count());
    for (const Posting& posting : artefact.postings(term)) products.insert(posting.product);
    common_.emplace_back(term, std::move(products));
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  words_.shrink_to_fit();
}

std::vector<std::uint32_t> ColumnIndex::count_rows(const Facet& facet, const Artefact& artefact) const {
  const ProductSet& holders = holders_[facet.id.value];
  if (facet.kind != FacetKind::number || artefact.numbers_by_product(facet.id).size() != holders.size()) return {};
  std::vector<std::uint32_t> before;
  std::uint32_t rows = 0;
  for (std::uint32_t first = 0; first < artefact.product_count(); first += rank_block) {
    before.push_back(rows);
    const Ordinal last{std::min(first + rank_block, artefact.product_count()) - 1};
    rows += holders.size_before_in_block(last, rank_block) + (holders.contains(last) ? 1 : 0);
  }
  return before;
}

const ProductSet* ColumnIndex::products_if_common(TermId term) const {
  const auto known = std::lower_bound(common_.begin(), common_.end(), term, [](const auto& entry, TermId wanted) { return entry.first < wanted; });
  return known != common_.end() && known->first == term ? &known->second : nullptr;
}

void ColumnIndex::add_products_with(TermId term, const Artefact& artefact, ProductSet& products) const {
  if (const ProductSet* known = products_if_common(term)) {
    products.add_all(*known);
    return;
  }
  for (const Posting& posting : artefact.postings(term)) products.insert(posting.product);
}

void ColumnIndex::add_products_with(ValueId value, const Artefact& artefact, ProductSet& products) const {
  const auto known = std::lower_bound(frequent_.begin(), frequent_.end(), value, [](const auto& entry, ValueId wanted) { return entry.first < wanted; });
  if (known != frequent_.end() && known->first == value) {
    products.add_all(known->second);
    return;
  }
  for (const Ordinal product : artefact.products_with(value)) products.insert(product);
}

std::uint64_t ColumnIndex::place_of(FacetId facet, std::string_view word) {
  return std::uint64_t{facet.value} << 48 | (std::hash<std::string_view>{}(word) >> 16);
}

std::vector<ColumnIndex::Word>::const_iterator ColumnIndex::first_at(std::uint64_t place) const {
  return std::lower_bound(words_.begin(), words_.end(), place, [](const Word& word, std::uint64_t wanted) { return word.first < wanted; });
}

}  // namespace turnstone
