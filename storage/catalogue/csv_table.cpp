#include "storage/catalogue/csv_table.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace turnstone {
namespace {

struct Line {
  std::uint64_t number = 0;
  std::string text;
};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

struct CsvTable::State {
  csv_parser parser{};
  const char separator;
  std::vector<std::string> cells;
  std::deque<Row>* rows = nullptr;
  std::uint64_t row_line = 0;
  bool row_ended = false;
  std::vector<Line> open;  // the lines of a row that has not ended
  std::size_t open_bytes = 0;

  explicit State(char wanted) : separator(wanted) { begin(); }
  ~State() { csv_free(&parser); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void begin() {
    csv_init(&parser, 0);
    csv_set_delim(&parser, static_cast<unsigned char>(separator));
    cells.clear();
  }

  static void on_cell(void* text, std::size_t size, void* state) {
    static_cast<State*>(state)->cells.emplace_back(static_cast<const char*>(text), size);
  }
  static void on_row(int, void* state) {
    State& s = *static_cast<State*>(state);
    s.rows->push_back({s.row_line, std::move(s.cells), {}});
    s.cells.clear();
    s.row_ended = true;
  }

  void parse(Line line) {
    if (open.empty()) row_line = line.number;
    row_ended = false;
    const std::string ended = line.text + '\n';
    csv_parse(&parser, ended.data(), ended.size(), &on_cell, &on_row, this);
    if (row_ended || (open.empty() && is_blank(line.text))) {
      open.clear();
      open_bytes = 0;
      return;
    }
    open_bytes += ended.size();
    open.push_back(std::move(line));
  }

  // The first open line is no row; gives back the others.
  std::deque<Line> give_up() {
    rows->push_back({open.front().number, {}, "a quoted cell begins here and does not end; double the quotes inside of cells"});
    std::deque<Line> again(std::make_move_iterator(open.begin() + 1), std::make_move_iterator(open.end()));
    open.clear();
    open_bytes = 0;
    csv_free(&parser);
    begin();
    return again;
  }
};

CsvTable::CsvTable(char separator) : state_(std::make_unique<State>(separator)) {}
CsvTable::~CsvTable() = default;

void CsvTable::feed(std::string_view text, std::uint64_t line, std::deque<Row>& rows) {
  State& s = *state_;
  s.rows = &rows;
  std::deque<Line> lines;
  lines.push_back({line, std::string(text)});
  while (!lines.empty()) {
    Line next = std::move(lines.front());
    lines.pop_front();
    s.parse(std::move(next));
    if (s.open.size() <= csv_row_lines_max && s.open_bytes <= csv_row_bytes_max) continue;
    auto again = s.give_up();
    lines.insert(lines.begin(), std::make_move_iterator(again.begin()), std::make_move_iterator(again.end()));
  }
}

void CsvTable::finish(std::deque<Row>& rows) {
  State& s = *state_;
  s.rows = &rows;
  while (!s.open.empty()) {
    for (Line& line : s.give_up()) s.parse(std::move(line));
  }
}

std::optional<char> guess_separator(const std::vector<std::string>& lines) {
  std::optional<char> best;
  std::size_t best_same = 0;
  std::size_t best_cells = 1;
  for (const char separator : {',', ';', '\t', '|'}) {
    CsvTable table(separator);
    std::deque<CsvTable::Row> rows;
    std::uint64_t number = 0;
    for (const std::string& line : lines) table.feed(line, ++number, rows);
    if (rows.empty()) table.finish(rows);
    if (rows.empty() || rows.front().cells.size() < 2) continue;
    const std::size_t cells = rows.front().cells.size();
    const auto same = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [cells](const auto& row) { return row.cells.size() == cells; }));
    const std::size_t permille = same * 1000 / rows.size();
    if (permille < 500) continue;
    if (permille > best_same + 50 || (permille + 50 >= best_same && cells > best_cells)) {
      best = separator;
      best_same = permille;
      best_cells = cells;
    }
  }
  return best;
}

}  // namespace turnstone
