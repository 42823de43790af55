#include "tools/verbs/import_report.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/chat/terminal_text.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t name_columns = 28, example_columns = 36;

// Padded, or cut, to `columns`; safe for a terminal.
std::string cell(std::string_view text, std::size_t columns) {
  std::string shown = printable(text);
  if (display_columns(shown) > columns) {
    while (!shown.empty() && display_columns(shown) >= columns) {  // the last character, whole
      std::size_t end = shown.size() - 1;
      while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
      shown.resize(end);
    }
    shown += "…";
  }
  return shown + std::string(columns - std::min(columns, display_columns(shown)), ' ');
}

}  // namespace

Json import_document(const ImportReport& import) {
  Json examples = Json::array(), columns = Json::array();
  for (const BadLine& bad : import.examples) examples.push_back({{"line", bad.line}, {"reason", bad.reason}});
  for (const ColumnRole& column : import.roles.columns) {
    if (column.reason.empty()) continue;  // not in the file
    columns.push_back({{"column", column.column},
                       {"use", to_string(column.use)},
                       {"reason", column.reason},
                       {"filled_permille", column.filled_permille},
                       {"example", column.example}});
  }
  return {{"format", import.format},
          {"lines", import.lines},
          {"rows", import.rows},
          {"bad_lines", import.bad_lines},
          {"duplicate_ids", import.duplicate_ids},
          {"examples", examples},
          {"columns", columns}};
}

void print_import(std::FILE* out, const ImportReport& import) {
  fmt::print(out, "{} products from {} lines\n", import.rows, import.lines);
  if (import.duplicate_ids > 0) fmt::print(out, "{} rows repeat an id: the first one stays\n", import.duplicate_ids);
  if (import.bad_lines == 0) return;
  fmt::print(out, "{} lines could not be read:\n", import.bad_lines);
  for (const BadLine& bad : import.examples) fmt::print(out, "  line {}: {}\n", bad.line, printable(bad.reason));
  if (import.bad_lines > import.examples.size()) fmt::print(out, "  … and {} more\n", import.bad_lines - import.examples.size());
}

void print_columns(std::FILE* out, const ImportReport& import) {
  fmt::print(out, "{}; its columns are taken for:\n", import.format);
  for (const ColumnRole& column : import.roles.columns) {
    if (column.reason.empty()) continue;
    fmt::print(out, "  {} {:<15} {:>5.1f} %  {}  {}\n", cell(column.column, name_columns), to_string(column.use), column.filled_permille / 10.0,
               cell(column.example, example_columns), column.reason);
  }
  if (!import.roles.currency.empty()) fmt::print(out, "  prices are in {}\n", printable(import.roles.currency));
  if (import.roles.made_ids) fmt::print(out, "  no column identifies a product: ids are made of what stands in the rows\n");
}

bool has_guessed_columns(const ImportReport& import) {
  return import.roles.made_ids || std::any_of(import.roles.columns.begin(), import.roles.columns.end(), [](const ColumnRole& column) {
    return column.use != ColumnUse::left_out && column.column != to_string(column.use) && column.column != "parent_asin";
  });
}

void add_column_option(CLI::App& command, std::vector<std::string>& columns) {
  command.add_option("--column", columns,
                     "USE=COLUMN, where a column is taken for the wrong thing: --column title=Bezeichnung; may be repeated. Uses: id, title, categories, features, "
                     "description, details, store, price, average_rating, rating_number, attribute, left_out")
      ->allow_extra_args(false);
}

void add_currency_option(CLI::App& command, std::string& currency) {
  command.add_option("--currency", currency,
                     "What the prices are in, when neither the column's name nor its cells tell: EUR, €, pounds; else the dollar");
}

Result<std::vector<NamedColumn>> parse_named_columns(const std::vector<std::string>& columns) {
  std::vector<NamedColumn> named;
  for (const std::string& text : columns) {
    auto column = parse_named_column(text);
    if (!column) return tl::unexpected(column.error());
    named.push_back(*std::move(column));
  }
  return named;
}

}  // namespace turnstone
