// What each column of a catalogue is for: which one is the title, the price, the brand.
//
// Told by the column's name (word lists of storage/language, so that other words and languages need no code), and where names
// say nothing by what stands in a sample of rows: identifiers differ in every row, prices carry a sign, titles are several words
// that seldom recur, makers open the titles, and kinds of products are named in them (column_evidence.h). A file that has its attributes in one column `details` keeps to the documented shape, and what else it has is
// left out; anywhere else every column that is nothing more particular is an attribute. Pure; linear in the sample.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/error.h"
#include "storage/artefact/language.h"

namespace turnstone {

enum class ColumnUse : std::uint8_t { id, title, categories, features, description, details, store, price, average_rating, rating_number, attribute, left_out };
std::string_view to_string(ColumnUse use);

struct ColumnRole {
  std::string column;
  ColumnUse use = ColumnUse::attribute;
  std::string reason;
  std::uint32_t filled_permille = 0;  // of the sample
  std::string example;                // the first cell that says something, shortened
  std::string list_separator;         // features: what divides one text into its entries, where lines and bullets do not
};

struct ColumnRoles {
  std::vector<ColumnRole> columns;     // in the file's order
  ColumnUse others = ColumnUse::left_out;  // columns that only later rows have
  bool made_ids = false;               // no column identifies a product: ids are made of the rows' content
  std::string currency;                // sign of the prices ("€"); empty: nothing tells
  std::vector<std::string> hundredths;  // words behind a number that make it a hundredth of the currency ("p", "cents")
};

// The documented shape (README.md), before anything is known of a file.
ColumnRoles documented_roles();

// A cell of a sampled row; `nested`: it holds an object, not a text, number or list.
struct SampledCell {
  std::string text;
  bool nested = false;
};
using SampledRow = std::vector<std::pair<std::string, SampledCell>>;

inline constexpr std::size_t column_sample_rows = 1'000;

// What somebody said about columns: "title=Produktname" (a use and a column). Errors: invalid_argument.
struct NamedColumn {
  ColumnUse use;
  std::string column;
};
Result<NamedColumn> parse_named_column(std::string_view text);

// `head`: the columns of a table; without it they come in the order in which the sample shows them.
// Errors: invalid_argument when there is nothing to call a product by, or when `named` names a column that is not there.
Result<ColumnRoles> guess_roles(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language,
                                const std::vector<NamedColumn>& named);

}  // namespace turnstone
