#include "storage/catalogue/catalogue_source.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "events/number.h"
#include "storage/catalogue/csv_table.h"
#include "storage/catalogue/line_reader.h"

namespace turnstone {
namespace {

constexpr std::size_t first_lines = 200;        // looked at to tell what the file is
constexpr std::size_t first_bytes = 4u << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

char first_character(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? '\0' : text[at];
}

// A file's lines, of which the first have been looked at already.
class Lines {
 public:
  explicit Lines(LineReader reader) : reader_(std::move(reader)) {}

  struct Line {
    std::uint64_t number = 0;
    std::string text;
    bool too_long = false;
  };

  Status look_ahead() {
    std::size_t bytes = 0;
    while (ahead_.size() < first_lines && bytes < first_bytes) {
      Line line;
      auto more = read(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      bytes += line.text.size();
      ahead_.push_back(std::move(line));
    }
    return {};
  }
  const std::deque<Line>& ahead() const { return ahead_; }
  void drop_first() { ahead_.pop_front(); }

  Result<bool> next(Line& line) {
    if (!ahead_.empty()) {
      line = std::move(ahead_.front());
      ahead_.pop_front();
      return true;
    }
    return read(line);
  }
  std::uint64_t count() const { return count_ - ahead_.size(); }
  int permille() const { return reader_.permille(); }

 private:
  Result<bool> read(Line& line) {
    LineReader::Line raw;
    auto more = reader_.next(raw);
    if (!more || !*more) return more;
    line.number = ++count_;
    line.too_long = raw.too_long;
    if (count_ == 1 && raw.text.starts_with(byte_order_mark)) raw.text.remove_prefix(byte_order_mark.size());
    line.text = std::string(raw.text);
    return true;
  }

  LineReader reader_;
  std::uint64_t count_ = 0;
  std::deque<Line> ahead_;
};

std::string too_long() { return fmt::format("longer than {} bytes", line_bytes_max); }

class JsonLines final : public CatalogueSource {
 public:
  explicit JsonLines(Lines lines) : lines_(std::move(lines)) {}

  Result<bool> next(SourceRow& row) override {
    Lines::Line line;
    while (true) {
      auto more = lines_.next(line);
      if (!more || !*more) return more;
      if (line.too_long || !is_blank(line.text)) break;  // an empty line says nothing
    }
    row = {line.number, std::move(line.text), line.too_long ? too_long() : std::string()};
    return true;
  }
  std::string format() const override { return "JSON lines"; }
  std::vector<std::string> head() const override { return {}; }
  std::uint64_t lines() const override { return lines_.count(); }
  int permille() const override { return lines_.permille(); }

 private:
  Lines lines_;
};

class Table final : public CatalogueSource {
 public:
  Table(Lines lines, char separator) : lines_(std::move(lines)), separator_(separator), table_(separator) {}

  Status read_head() {
    CsvTable::Row row;
    auto more = next_row(row);
    if (!more) return tl::unexpected(more.error());
    if (!*more || row.cells.empty()) return fail(ErrorCode::invalid_argument, "the first line is no row: " + row.problem);
    if (row.cells.size() > table_columns_max) {
      return fail(ErrorCode::limit_exceeded, fmt::format("the head has {} columns, at most {} are read", row.cells.size(), table_columns_max));
    }
    std::set<std::string> taken;
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      std::string name = row.cells[at].empty() ? fmt::format("column {}", at + 1) : row.cells[at];
      if (parse_number(name)) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the first line holds the number {}, so it is no head; put a line with the columns' names above the rows", name));
      }
      if (!simdjson::validate_utf8(name)) return fail(ErrorCode::invalid_argument, "the head is " + bad_encoding);
      for (int again = 2; !taken.insert(name).second; ++again) name = fmt::format("{} ({})", row.cells[at], again);
      head_.push_back(std::move(name));
    }
    return {};
  }

  Result<bool> next(SourceRow& out) override {
    CsvTable::Row row;
    auto more = next_row(row);
    if (!more || !*more) return more;
    out = {row.line, {}, std::move(row.problem)};
    if (out.problem.empty()) write(row.cells, out);
    return true;
  }
  std::string format() const override { return separator_ == '\t' ? "a table separated by tabs" : fmt::format("a table separated by {}", separator_); }
  std::vector<std::string> head() const override { return head_; }
  std::uint64_t lines() const override { return lines_.count(); }
  int permille() const override { return lines_.permille(); }

 private:
  static inline const std::string bad_encoding = "no valid UTF-8; convert the file (iconv -f WINDOWS-1252 -t UTF-8)";

  Result<bool> next_row(CsvTable::Row& row) {
    Lines::Line line;
    while (rows_.empty()) {
      auto more = lines_.next(line);
      if (!more) return more;
      if (!*more) {
        table_.finish(rows_);
        if (rows_.empty()) return false;
        break;
      }
      if (line.too_long) {
        rows_.push_back({line.number, {}, too_long()});
      } else {
        table_.feed(line.text, line.number, rows_);
      }
    }
    row = std::move(rows_.front());
    rows_.pop_front();
    return true;
  }

  // Spreadsheets leave empty cells at a row's end away; a row of which half is missing was torn.
  void write(const std::vector<std::string>& cells, SourceRow& out) const {
    if (cells.size() > head_.size() || cells.size() * 2 < head_.size()) {
      out.problem = fmt::format("{} cells where the head has {}; quote cells that hold the separator or a line's end", cells.size(), head_.size());
      return;
    }
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t at = 0; at < cells.size(); ++at) {
      if (!simdjson::validate_utf8(cells[at])) {
        out.problem = bad_encoding;
        return;
      }
      if (!cells[at].empty()) object.get_ref<nlohmann::ordered_json::object_t&>().emplace_back(head_[at], cells[at]);
    }
    out.json = object.dump();
  }

  Lines lines_;
  const char separator_;
  CsvTable table_;
  std::deque<CsvTable::Row> rows_;
  std::vector<std::string> head_;
};

// What people take for a catalogue by mistake, by its first bytes.
std::string foreign(std::string_view text) {
  struct Mark {
    std::string_view bytes, what;
  };
  using namespace std::string_view_literals;
  static constexpr Mark marks[] = {
      {"PK\x03\x04"sv, "a zip archive or an Excel file: save the sheet as CSV"},
      {"\xD0\xCF\x11\xE0"sv, "an old Excel file: save the sheet as CSV"},
      {"%PDF"sv, "a PDF"},
      {"PAR1"sv, "a Parquet file: write it as JSON lines or CSV"},
      {"SQLite format 3"sv, "a SQLite database: export a table as CSV"},
      {"\xFF\xFE"sv, "UTF-16: convert it (iconv -f UTF-16 -t UTF-8)"},
      {"\xFE\xFF"sv, "UTF-16: convert it (iconv -f UTF-16 -t UTF-8)"},
      {"BZh"sv, "packed with bzip2: unpack it"},
      {"\xFD\x37zXZ"sv, "packed with xz: unpack it"},
      {"\x89PNG"sv, "a picture"},
      {"\xFF\xD8\xFF"sv, "a picture"},
  };
  for (const Mark& mark : marks) {
    if (text.starts_with(mark.bytes)) return std::string(mark.what);
  }
  if (text.find('\0') != std::string_view::npos) return "a binary file";
  switch (first_character(text)) {
    case '[': return "one JSON list: write one object a line (jq -c '.[]' FILE)";
    case '<': return "XML or HTML";
    default: return {};
  }
}

tl::unexpected<Error> no_catalogue(const std::string& file, const std::string& why) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} holds no product ({}); a catalogue is JSON lines, one object a line, or a CSV table with its columns' names in line 1", file, why));
}

}  // namespace

Result<std::unique_ptr<CatalogueSource>> CatalogueSource::open(const std::string& file) {
  auto reader = LineReader::open(file);
  if (!reader) return tl::unexpected(reader.error());
  Lines lines(std::move(*reader));
  if (auto looked = lines.look_ahead(); !looked) return tl::unexpected(looked.error());
  while (!lines.ahead().empty() && !lines.ahead().front().too_long && is_blank(lines.ahead().front().text)) lines.drop_first();
  if (lines.ahead().empty()) return no_catalogue(file, "it is empty");

  const auto& ahead = lines.ahead();
  const auto objects = std::count_if(ahead.begin(), ahead.end(), [](const auto& line) { return first_character(line.text) == '{'; });
  const auto said = std::count_if(ahead.begin(), ahead.end(), [](const auto& line) { return !is_blank(line.text); });
  if (ahead.front().text.starts_with("{") || objects * 2 > said || ahead.front().too_long) return std::make_unique<JsonLines>(std::move(lines));
  if (const std::string what = foreign(ahead.front().text); !what.empty()) return no_catalogue(file, "it is " + what);

  std::optional<char> separator;
  if (const std::string& first = ahead.front().text; first.size() == 5 && first.starts_with("sep=")) {  // as spreadsheets say it
    separator = first[4];
    lines.drop_first();
  } else {
    std::vector<std::string> texts;
    for (const auto& line : ahead) texts.push_back(line.text);
    separator = guess_separator(texts);
  }
  if (!separator) return no_catalogue(file, fmt::format("line {} is neither a JSON object nor a row of columns", ahead.front().number));
  auto table = std::make_unique<Table>(std::move(lines), *separator);
  if (auto read = table->read_head(); !read) return no_catalogue(file, read.error().detail);
  return table;
}

}  // namespace turnstone
