// The audit of the catalogue's details columns: what each holds and what it is good for.
//
// Columns whose names fold to the same text are one. The verdicts, from least to most:
//   ignore       addresses of web pages: not even searched
//   search_only  identifiers, dates, free text, one value for all: words to find, nothing to choose by
//   filter       values that recur or measure: a shopper may name them
//   ask          filter, and filled and spread enough that a question about it can tell products apart
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/value_shape.h"

namespace turnstone {

struct DistinctValue {
  std::string_view text;  // as first met, by ordinal
  std::uint32_t count = 0;
  Cell cell;
  std::vector<std::string_view> pieces;  // a list's pieces; empty when it is one value
  std::string_view words;                // a measure's: "SSD" of "256GB SSD"
};

struct ColumnCell {
  std::uint32_t product = 0;
  std::uint32_t distinct = 0;
};

struct Column {
  std::string name;  // most frequent spelling
  std::string folded;
  std::string facet;              // the facet that it feeds
  std::vector<ColumnCell> cells;  // by product
  std::vector<DistinctValue> distinct;

  FacetKind kind = FacetKind::words;  // yes_no: what is neither yes nor no ("Active") is a yes, too
  std::string unit;  // numbers: canonical unit
  Verdict verdict = Verdict::search_only;
  std::string reason;

  std::uint32_t filled = 0;     // cells that say something
  std::uint32_t recurring = 0;  // of them, whose value (or all its pieces) several products have
  std::uint32_t numbers = 0;
  std::map<std::string, std::uint32_t> units;
  std::int64_t entropy = 0;  // millibits over filled cells
};

// The least number of filled products from which on a column is worth a question.
std::uint32_t ask_filled_min(std::uint32_t products);

std::vector<Column> audit_columns(const Corpus& corpus);

// Entropy of a distribution given by its counts, in millibits.
std::int64_t entropy_millibits(const std::vector<std::uint32_t>& counts);

// The audit as a JSON document: rows, top-level fields, brand disagreement, columns by falling fill.
std::string audit_document(const Corpus& corpus, const std::vector<Column>& columns);

}  // namespace turnstone
