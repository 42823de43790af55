// Indexing: catalogue file → column audit → SQLite (index of record) + artefact (what turns read).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"
#include "events/number.h"
#include "storage/artefact/language.h"
#include "storage/catalogue/column_roles.h"

namespace turnstone {

// One row of a catalogue, in the Amazon Reviews 2023 item shape.
struct ProductRow {
  std::string id;  // parent_asin
  std::string title;
  std::vector<std::string> categories;
  std::vector<std::string> features;
  std::vector<std::string> description;
  std::vector<std::pair<std::string, std::string>> details;  // numbers and booleans as text, in file order
  std::string store;
  std::optional<Number> price;
  std::optional<Number> average_rating;
  std::optional<std::uint32_t> rating_number;
};

struct BadLine {
  std::uint64_t line = 0;
  std::string reason;
};
struct ImportReport {
  std::uint64_t lines = 0;
  std::uint64_t rows = 0;
  std::uint64_t bad_lines = 0;
  std::uint64_t duplicate_ids = 0;  // the first one stays
  std::vector<BadLine> examples;    // the first 20
  std::string format;               // for people: "JSON lines", "a table separated by ;"
  ColumnRoles roles;                // what each of its columns was taken for
};

// 0..1000 of the whole work, and the phase's name ("reading", "auditing", "postings" …).
using Progress = std::function<void(std::string_view phase, int permille)>;

struct ImportOptions {
  const Language* language = nullptr;  // whose words tell what columns are for; the compiled-in one without
  std::vector<NamedColumn> columns;    // what was said about columns goes before what is guessed
  std::string currency;                // sign, code or word of the prices' currency, before what is guessed; empty: guess
};
// Reads JSON lines or a table, plain, gzip or zstd (told by content). Errors: not_found, io, invalid_argument (no good row, or no column to
// call a product by).
Result<std::vector<ProductRow>> read_catalogue(const std::string& file, ImportReport& report, const Progress& progress = {},
                                               const ImportOptions& options = {});

struct IndexOptions {
  std::string language_directory;  // extra language data; empty = defaults only
  bool write_sqlite = true;
  std::vector<NamedColumn> columns;
  std::string currency;
};
struct IndexReport {
  ImportReport import;
  std::string fingerprint;  // hex
  std::uint64_t artefact_bytes = 0;
  std::string audit_json;
};
// Builds DIR/artefact.tsx and DIR/catalogue.sqlite, each written beside and renamed into place.
Result<IndexReport> build_index(const std::string& catalogue_file, const std::string& directory, const IndexOptions& options,
                                const Progress& progress = {});

// Full-text search over the index of record (`turnstone search`, and the oracle of the fast path's tests). The
// query's words are plain words: nothing in it is FTS5 syntax. bm25 with the artefact's field weights.
struct SearchHit {
  std::string id;
  std::string title;
  double bm25 = 0;
};
enum class SearchMode : std::uint8_t { any_word, all_words, phrase };
Result<std::vector<SearchHit>> search_index(const std::string& directory, std::string_view query, SearchMode mode, std::size_t limit);

}  // namespace turnstone
