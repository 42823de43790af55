// read_catalogue: lines → rows, with a report of what was left out.
#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "storage/catalogue/catalogue.h"
#include "storage/catalogue/line_reader.h"
#include "storage/catalogue/row_parser.h"

namespace turnstone {
namespace {

constexpr std::size_t bad_line_examples_max = 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void add_bad_line(ImportReport& report, std::string reason) {
  ++report.bad_lines;
  if (report.examples.size() < bad_line_examples_max) report.examples.push_back({report.lines, std::move(reason)});
}

}  // namespace

Result<std::vector<ProductRow>> read_catalogue(const std::string& file, ImportReport& report, const Progress& progress) {
  report = {};
  auto reader = LineReader::open(file);
  if (!reader) return tl::unexpected(reader.error());

  std::vector<ProductRow> rows;
  std::unordered_set<std::string> seen;
  RowParser parser;
  LineReader::Line line;
  while (true) {
    auto more = reader->next(line);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    ++report.lines;
    if (progress && report.lines % 1024 == 0) progress("reading", reader->permille());
    if (report.lines == 1 && line.text.starts_with(byte_order_mark)) line.text.remove_prefix(byte_order_mark.size());
    if (line.too_long) {
      add_bad_line(report, fmt::format("longer than {} bytes", line_bytes_max));
      continue;
    }
    if (line.text.find_first_not_of(" \t") == std::string_view::npos) continue;  // an empty line says nothing
    auto row = parser.parse(line.text);
    if (!row) {
      add_bad_line(report, row.error().detail);
    } else if (!seen.insert(row->id).second) {
      ++report.duplicate_ids;
    } else {
      rows.push_back(std::move(*row));
    }
  }
  report.rows = rows.size();
  if (rows.empty()) {
    const std::string why = report.examples.empty() ? "it is empty" : fmt::format("line {}: {}", report.examples[0].line, report.examples[0].reason);
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} holds no product ({}); a catalogue has one JSON object a line with at least parent_asin and title", file, why));
  }
  return rows;
}

}  // namespace turnstone
