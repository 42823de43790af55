// A catalogue that exists nowhere, as uneven as real ones: sparse columns, missing prices, near-duplicates, brands
// spelled two ways, prices and units in text, emoji, markup left over, long listings, ids and URLs among the
// details. Rows have the item shape of the Amazon Reviews 2023 data set (parent_asin, title, categories, …).
//
// Row `index` depends on (trade, seed, index) alone and is the same on every machine and compiler; any row can be
// made without the ones before it. Thread safe after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

struct Trade;

class CatalogueGenerator {
 public:
  // `trade`: "fashion" or "electronics". Error invalid_argument for any other.
  static Result<CatalogueGenerator> make(std::string_view trade, std::uint64_t seed);

  std::string row(std::uint64_t index) const;     // one JSON object, without a line's end
  std::string row_id(std::uint64_t index) const;  // its parent_asin; unique within a seed

 private:
  CatalogueGenerator(std::shared_ptr<const Trade> trade, std::uint64_t seed) : trade_(std::move(trade)), seed_(seed) {}
  std::shared_ptr<const Trade> trade_;
  std::uint64_t seed_;
};

}  // namespace turnstone
