// One line of JSON → one ProductRow.
//
// Which key is which part of the row is told by the columns' roles. Lenient where the meaning is clear: numbers as text ("$19.99",
// "1,299.00", "4.5 out of 5"), a string where a list is expected ("Home > Chairs", lines, a list written out as text) and the other way
// round, numbers and booleans as text, nested details flattened, details given as JSON or Python inside a string, "80p" as a price. Character
// references of HTML are read (not in ids); white space is collapsed; each field is cut at its limit, at a character's border.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/catalogue/catalogue.h"
#include "storage/catalogue/column_roles.h"

namespace turnstone {

inline constexpr std::size_t product_id_bytes_max = 200;
inline constexpr std::size_t title_bytes_max = 2'000;
inline constexpr std::size_t category_bytes_max = 500;
inline constexpr std::size_t feature_bytes_max = 8'000;
inline constexpr std::size_t description_bytes_max = 20'000;
inline constexpr std::size_t detail_key_bytes_max = 200;
inline constexpr std::size_t detail_value_bytes_max = 4'000;
inline constexpr std::size_t store_bytes_max = 500;
inline constexpr std::size_t list_entries_max = 500;
inline constexpr std::size_t details_max = 1'000;
inline constexpr int detail_depth_max = 8;

// "$1,299.00", "19,99 €", "from 12.50", "14.95 - 16.90" (the first number); nullopt without a number, or a negative one.
std::optional<Number> read_amount(std::string_view text);
// Runs of white space and control characters become one space; none at the ends.
std::string collapse_space(std::string_view text, std::size_t bytes_max);
// The same, with character references of HTML read first.
std::string plain_text(std::string_view raw, std::size_t bytes_max);

class RowParser {
 public:
  RowParser();  // the documented shape
  explicit RowParser(const ColumnRoles& roles);
  ~RowParser();
  RowParser(const RowParser&) = delete;
  RowParser& operator=(const RowParser&) = delete;

  // The error's detail is the reason for the import report.
  Result<ProductRow> parse(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace turnstone
