// A set of product ordinals as one bit a product.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "storage/artefact/artefact.h"

namespace turnstone {

class ProductSet {
 public:
  explicit ProductSet(std::uint32_t product_count, bool full = false)
      : count_(product_count), words_((product_count + 63) / 64, full ? ~std::uint64_t{0} : 0) {
    if (full && count_ % 64 != 0) words_.back() = (std::uint64_t{1} << (count_ % 64)) - 1;
  }
  bool contains(Ordinal product) const { return (words_[product.value / 64] >> (product.value % 64) & 1) != 0; }
  void insert(Ordinal product) { words_[product.value / 64] |= std::uint64_t{1} << (product.value % 64); }
  void erase(Ordinal product) { words_[product.value / 64] &= ~(std::uint64_t{1} << (product.value % 64)); }
  void keep_common(const ProductSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void add_all(const ProductSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void remove_all(const ProductSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  std::uint32_t size() const {
    std::uint32_t size = 0;
    for (const std::uint64_t word : words_) size += static_cast<std::uint32_t>(std::popcount(word));
    return size;
  }
  // How many of the set stand in the block of `block` products (a multiple of 64) that holds `product`, before it.
  std::uint32_t size_before_in_block(Ordinal product, std::uint32_t block) const {
    std::uint32_t size = 0;
    for (std::size_t i = product.value / block * block / 64; i < product.value / 64; ++i) size += static_cast<std::uint32_t>(std::popcount(words_[i]));
    const std::uint64_t below = (std::uint64_t{1} << (product.value % 64)) - 1;
    return size + static_cast<std::uint32_t>(std::popcount(words_[product.value / 64] & below));
  }
  // Calls visit(Ordinal) in ascending order until it returns false.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        if (!visit(Ordinal{static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)))})) return;
      }
    }
  }

 private:
  std::uint32_t count_;
  std::vector<std::uint64_t> words_;
};

}  // namespace turnstone
