// The rows of a catalogue file as JSON objects, whatever the file is: JSON lines, or a table with a head (CSV with any
// separator), each plain, gzip or zstd. What it is is told by its first lines, not by its name.
//
// Memory is bounded: a sample of the first rows and one row. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/error.h"

namespace turnstone {

inline constexpr std::size_t table_columns_max = 1'000;

struct SourceRow {
  std::uint64_t line = 0;  // where it begins, from 1
  std::string json;        // one object; columns of a table are texts, empty cells are left out
  std::string problem;     // why there is none
};

class CatalogueSource {
 public:
  // Errors: not_found, io, corrupt; invalid_argument when the file is nothing of the kind (the detail says what it looks like and what to do).
  static Result<std::unique_ptr<CatalogueSource>> open(const std::string& file);
  virtual ~CatalogueSource() = default;

  // False at the end. Errors: io, corrupt.
  virtual Result<bool> next(SourceRow& row) = 0;
  virtual std::string format() const = 0;                  // for people: "JSON lines", "a table separated by ;"
  virtual std::vector<std::string> head() const = 0;       // a table's columns in its order; empty where rows name their own
  virtual std::uint64_t lines() const = 0;                 // read so far
  virtual int permille() const = 0;                        // of the file's bytes
};

}  // namespace turnstone
