// The pool that questions divide, counted once over all columns: for each facet how much of the pool fills it,
// for each value how much of the pool has it.
//
// One pass over the pool's values; for a numeric column that is asked about, one look-up a product. Immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

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
  std::int64_t filled_mass(const Facet& facet) const { return filled_mass_[facet.id.value]; }      // word and yes/no facets
  std::uint32_t filled_count(const Facet& facet) const { return filled_count_[facet.id.value]; }
  std::vector<ValueMass> values(const Facet& facet) const;      // by falling mass, then id
  std::vector<WeighedNumber> numbers(const Facet& facet) const;  // ascending
  // Whether a few products spread over the pool suggest that `permille` of it fill a numeric column.
  bool seems_filled(const Facet& facet, std::int64_t permille) const;

 private:
  const Posterior& pool_;
  const Artefact& artefact_;
  std::vector<std::int64_t> filled_mass_;    // by facet
  std::vector<std::uint32_t> filled_count_;
  std::vector<std::int64_t> mass_;           // by value
  std::vector<std::uint32_t> count_;
};

}  // namespace turnstone
