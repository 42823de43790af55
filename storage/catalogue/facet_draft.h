// Facets while they are being built: values by term key with the products that have them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/artefact/artefact.h"

namespace turnstone {

// Four capitals and more and no small letter ("BLACK", "SHIRT").
bool shouts(std::string_view text);

struct ValueDraft {
  std::string key;
  std::map<std::string, std::uint32_t, std::less<>> spellings;
  std::vector<std::uint32_t> products;  // ascending and unique after finish()

  std::string text() const;  // most frequent spelling; of equal ones the first in byte order
};

struct FacetDraft {
  std::string name;
  std::string label;
  std::string unit;
  std::string reason;
  FacetKind kind = FacetKind::words;
  Verdict verdict = Verdict::ignore;
  std::uint32_t stated = 0;  // cells of columns that are searched only
  std::vector<ValueDraft> values;
  std::vector<Artefact::NumberRow> numbers;              // at most one a product after finish()
  std::unordered_map<std::string, std::uint32_t> index;  // key → values

  std::uint32_t filled = 0;  // set by finish()
  std::int64_t entropy = 0;

  ValueDraft& value(std::string_view key);
  const ValueDraft* find(std::string_view key) const;
  // `spelling` may be empty when the value is only implied (a colour's family).
  void add(std::uint32_t product, std::string_view key, std::string_view spelling);
  void add_number(std::uint32_t product, Number number) { numbers.push_back({number, Ordinal{product}}); }
  void raise(Verdict to, std::string_view why);
  // Products that have a value or a number, one flag each.
  std::vector<bool> holders(std::uint32_t product_count) const;
  // Sorts values by falling count, then key; drops those without products; fills in counts.
  void finish(std::uint32_t product_count);
};

// By name, so that facets come in byte order.
using FacetDrafts = std::map<std::string, FacetDraft, std::less<>>;

FacetDraft& facet_named(FacetDrafts& facets, std::string_view name);

}  // namespace turnstone
