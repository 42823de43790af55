// Rows of a table written as text, fed line by line: RFC 4180 and what spreadsheets make of it (any separator, cells
// over several lines, quotes that nobody doubled), parsed by libcsv. Not thread safe. Memory: one row.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

// A quoted cell that is still open after so many lines or bytes has lost its closing quote.
inline constexpr std::size_t csv_row_lines_max = 1'000;
inline constexpr std::size_t csv_row_bytes_max = 1u << 20;

class CsvTable {
 public:
  struct Row {
    std::uint64_t line = 0;  // where it begins
    std::vector<std::string> cells;
    std::string problem;  // why the line is no row; `cells` is empty then
  };

  explicit CsvTable(char separator);
  ~CsvTable();
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  // `text` without its ending. Rows that end with it are appended. A quote that is never closed costs its own line alone:
  // what was taken for the rest of the cell is read again.
  void feed(std::string_view text, std::uint64_t line, std::deque<Row>& rows);
  void finish(std::deque<Row>& rows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The separator under which most of the lines have as many cells as the first, and at least two; nothing when there is none.
std::optional<char> guess_separator(const std::vector<std::string>& lines);

}  // namespace turnstone
