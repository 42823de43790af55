// What stands in an artefact's columns, turned round once: which products fill a column, and which of its values hold a word.
//
// Immutable, kept by the artefact's fingerprint and shared by all who use it. A bit a product and column, frequent value or common term; 16 bytes a
// word of the values looked through: 33 MB at 1,000,000 products, 60 columns, 100 such values and 100 such terms.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/artefact/artefact.h"
#include "workers/product_set.h"

namespace turnstone {

class ColumnIndex {
 public:
  static constexpr std::size_t values_max = 1'024;  // of a column, the most frequent, are looked through for words

  static std::shared_ptr<const ColumnIndex> of(const Artefact& artefact);
  explicit ColumnIndex(const Artefact& artefact);

  // Products whose column says anything at all.
  const ProductSet& holders(FacetId facet) const { return holders_[facet.value]; }

  // Take up the products with the value, or whose listing has the word: by whole words of bits where they are many.
  void add_products_with(ValueId value, const Artefact& artefact, ProductSet& products) const;
  void add_products_with(TermId term, const Artefact& artefact, ProductSet& products) const;

  // Calls visit(ValueId), ascending, for values whose key may hold the word: all that do, and some that only hash alike.
  template <class Visit>
  void for_each_with(FacetId facet, std::string_view word, Visit&& visit) const {
    const std::uint64_t wanted = place_of(facet, word);
    for (auto at = first_at(wanted); at != words_.end() && at->first == wanted; ++at) visit(at->second);
  }

 private:
  using Word = std::pair<std::uint64_t, ValueId>;
  static std::uint64_t place_of(FacetId facet, std::string_view word);
  std::vector<Word>::const_iterator first_at(std::uint64_t place) const;

  std::vector<ProductSet> holders_;                         // by facet
  std::vector<std::pair<ValueId, ProductSet>> frequent_;    // values of one product in frequent_one_in, ascending
  std::vector<std::pair<TermId, ProductSet>> common_;       // terms of one product in common_one_in, ascending
  std::vector<Word> words_;                                 // ascending
};

}  // namespace turnstone
