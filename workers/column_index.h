// What stands in an artefact's columns, turned round once: which products fill a column, and which of its values hold a word.
//
// Immutable, kept by the artefact's fingerprint and shared by all who use it. A bit a product and column, frequent value or common term; 16 bytes a
// word of the values looked through, 2 bytes a value: 33 MB at 1,000,000 products, 60 columns, 100 such values and 100 such terms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/artefact/artefact.h"
#include "workers/postings.h"
#include "workers/product_set.h"

namespace turnstone {

class ColumnIndex {
 public:
  static constexpr std::size_t values_max = 1'024;  // of a column, the most frequent, are looked through for words

  static std::shared_ptr<const ColumnIndex> of(const Artefact& artefact);
  explicit ColumnIndex(const Artefact& artefact);

  // Products whose column says anything at all.
  const ProductSet& holders(FacetId facet) const { return holders_[facet.value]; }

  // The number of a product in a numeric column, as Artefact::number_of gives it, in constant time: the place of its row is how many products
  // before it have one (Jacobson 1989, "Space-efficient static trees and graphs", FOCS).
  std::optional<Number> number_of(FacetId facet, Ordinal product, const Artefact& artefact) const {
    if (!holders_[facet.value].contains(product)) return std::nullopt;
    const std::vector<std::uint32_t>& before = rows_before_[facet.value];
    if (before.empty()) return artefact.number_of(product, facet);
    const std::uint32_t row = before[product.value / rank_block] + holders_[facet.value].size_before_in_block(product, rank_block);
    return artefact.numbers_by_product(facet)[row].number;
  }
  // The column that a value stands in.
  FacetId facet_of(ValueId value) const { return FacetId{facets_[value.value]}; }

  // Take up the products with the value, or whose listing has the word: by whole words of bits where they are many.
  void add_products_with(ValueId value, const Artefact& artefact, ProductSet& products) const;
  void add_products_with(TermId term, const Artefact& artefact, ProductSet& products) const;

  // The products whose listing has the word, where it is a common one; nullptr where it is not.
  const ProductSet* products_if_common(TermId term) const;
  // Calls visit(Ordinal) -> bool, ascending, for products whose listing has all these terms, until it returns false: the shortest list leads, and
  // common terms are looked up as bits.
  template <class Visit>
  void for_each_with_all(std::span<const TermId> terms, const Artefact& artefact, Visit&& visit) const {
    std::vector<std::span<const Posting>> lists;
    std::vector<const ProductSet*> sets;
    for (const TermId term : terms) {
      if (const ProductSet* set = products_if_common(term)) sets.push_back(set);
      else lists.push_back(artefact.postings(term));
    }
    if (lists.empty() && !sets.empty()) {
      ProductSet all = *sets.front();
      for (const ProductSet* set : sets) all.keep_common(*set);
      all.for_each(visit);
      return;
    }
    for_each_common(std::move(lists), sets, visit);
  }

  // Calls visit(ValueId), ascending, for values whose key may hold the word: all that do, and some that only hash alike.
  template <class Visit>
  void for_each_with(FacetId facet, std::string_view word, Visit&& visit) const {
    const std::uint64_t wanted = place_of(facet, word);
    for (auto at = first_at(wanted); at != words_.end() && at->first == wanted; ++at) visit(at->second);
  }

 private:
  static constexpr std::uint32_t rank_block = 512;
  std::vector<std::uint32_t> count_rows(const Facet& facet, const Artefact& artefact) const;

  using Word = std::pair<std::uint64_t, ValueId>;
  static std::uint64_t place_of(FacetId facet, std::string_view word);
  std::vector<Word>::const_iterator first_at(std::uint64_t place) const;

  std::vector<ProductSet> holders_;                         // by facet
  std::vector<std::vector<std::uint32_t>> rows_before_;     // by facet: rows before each block of products; empty: words, or several rows a product
  std::vector<std::uint16_t> facets_;                       // by value
  std::vector<std::pair<ValueId, ProductSet>> frequent_;    // values of one product in frequent_one_in, ascending
  std::vector<std::pair<TermId, ProductSet>> common_;       // terms of one product in common_one_in, ascending
  std::vector<Word> words_;                                 // ascending
};

}  // namespace turnstone
