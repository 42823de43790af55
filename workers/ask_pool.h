// The pool that questions divide, counted once over all columns: for each facet how much of the pool fills it,
// for each value how much of the pool has it.
//
// One pass over the pool's values; for a numeric column that is asked about, one look-up a product. Immutable after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workers/column_index.h"
#include "workers/posterior.h"

namespace turnstone {

struct ValueMass {
  ValueId value;
  std::int64_t mass = 0;     // a product with several values of a facet gives each its part
  std::uint32_t count = 0;
};

struct WeighedNumber {
  Number number;
  std::int64_t weight = 0;
};

class PoolColumns {
 public:
  PoolColumns(const Posterior& pool, const Artefact& artefact);

  const Posterior& pool() const { return pool_; }
  std::int64_t filled_mass(const Facet& facet) const;  // 0 for columns that are not asked about
  std::vector<ValueMass> values(const Facet& facet) const;      // of a word or yes/no column that is asked about; by falling mass, then id
  std::vector<WeighedNumber> numbers(const Facet& facet) const;  // ascending
  // Whether a few products spread over the pool suggest that `permille` of it fill a numeric column.
  bool seems_filled(const Facet& facet, std::int64_t permille) const;

 private:
  struct Share {
    std::int64_t mass = 0;
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t unasked = ~std::uint32_t{0};

  void add(Ordinal product, std::int64_t weight);

  const Posterior& pool_;
  const Artefact& artefact_;
  std::shared_ptr<const ColumnIndex> columns_;
  std::vector<std::int64_t> filled_mass_;    // by facet, of words
  std::vector<std::uint32_t> first_share_;   // by facet: where its values' shares begin
  std::vector<Share> shares_;                // by value, of the columns that are asked about
};

}  // namespace turnstone
