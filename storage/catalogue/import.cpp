// read_catalogue: rows of a file → products, with a report of what was left out.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/catalogue.h"
#include "storage/catalogue/catalogue_source.h"
#include "storage/catalogue/literal_text.h"
#include "storage/catalogue/row_parser.h"

namespace turnstone {
namespace {

constexpr std::size_t bad_line_examples_max = 20;
constexpr std::size_t sample_bytes_max = 64u << 20;

void add_bad_line(ImportReport& report, std::uint64_t line, std::string reason) {
  ++report.bad_lines;
  if (report.examples.size() < bad_line_examples_max) report.examples.push_back({line, std::move(reason)});
}

SampledCell sampled_cell(const nlohmann::ordered_json& value) {
  SampledCell cell;
  if (value.is_string()) {
    cell.text = value.get<std::string>();
    const auto literal = json_of_literal(cell.text);
    cell.nested = literal && literal->starts_with('{');
  } else if (value.is_array()) {
    for (const auto& element : value) cell.text += (cell.text.empty() ? "" : ", ") + sampled_cell(element).text;
  } else if (!value.is_null()) {
    cell.text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    cell.nested = value.is_object();
  }
  return cell;
}

// Nothing for a row that cannot be read: it is counted when it is parsed.
void add_sample(const std::string& json, std::vector<SampledRow>& sample) {
  const auto shallow = [](int depth, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) { return depth <= detail_depth_max; };
  const auto object = nlohmann::ordered_json::parse(json, shallow, false);
  if (!object.is_object()) return;
  SampledRow row;
  for (const auto& [key, value] : object.items()) row.emplace_back(key, sampled_cell(value));
  sample.push_back(std::move(row));
}

// The first rows, which say what the columns are for; they are parsed like all others afterwards.
Result<std::vector<SourceRow>> read_sample(CatalogueSource& source, std::vector<SampledRow>& sample) {
  std::vector<SourceRow> rows;
  std::size_t bytes = 0;
  SourceRow row;
  while (sample.size() < column_sample_rows && bytes < sample_bytes_max) {
    auto more = source.next(row);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    bytes += row.json.size();
    if (row.problem.empty()) add_sample(row.json, sample);
    rows.push_back(std::move(row));
  }
  return rows;
}

Status guess(const CatalogueSource& source, const std::vector<SampledRow>& sample, const ImportOptions& options, ImportReport& report) {
  report.format = source.format();
  report.roles = documented_roles();
  const Language& language = options.language == nullptr ? Language::standard() : *options.language;
  if (!sample.empty()) {
    auto roles = guess_roles(source.head(), sample, language, options.columns);
    if (!roles) return fail(roles.error().code, report.format + ", but " + roles.error().detail);
    report.roles = *std::move(roles);
  }
  if (options.currency.empty()) return {};
  const auto currency = language.currency(fold_text(options.currency));
  if (!currency)
    return fail(ErrorCode::invalid_argument,
                fmt::format("to be priced in \"{}\", which is no currency known here; write a sign or a code (€, EUR), or "
                            "add it to [currency] in a file of --language",
                            options.currency));
  report.roles.currency = *currency;
  return {};
}

tl::unexpected<Error> no_product(const std::string& file, const ImportReport& report) {
  const std::string why = report.examples.empty() ? "it has no row" : fmt::format("line {}: {}", report.examples[0].line, report.examples[0].reason);
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} holds no product ({}); each row needs an id and a title, or something else to find it by", file, why));
}

}  // namespace

Result<std::vector<ProductRow>> read_catalogue(const std::string& file, ImportReport& report, const Progress& progress, const ImportOptions& options) {
  report = {};
  auto source = CatalogueSource::open(file);
  if (!source) return tl::unexpected(source.error());
  std::vector<SampledRow> sample;
  auto first = read_sample(**source, sample);
  if (!first) return tl::unexpected(first.error());

  std::vector<ProductRow> rows;
  std::unordered_set<std::string> seen;
  if (auto guessed = guess(**source, sample, options, report); !guessed) return fail(guessed.error().code, file + " is " + guessed.error().detail);
  RowParser parser(report.roles);
  const auto take = [&](const SourceRow& row) {
    if (!row.problem.empty()) return add_bad_line(report, row.line, row.problem);
    auto product = parser.parse(row.json);
    if (!product) return add_bad_line(report, row.line, product.error().detail);
    if (!seen.insert(product->id).second) {
      ++report.duplicate_ids;
    } else {
      rows.push_back(std::move(*product));
    }
  };
  for (const SourceRow& row : *first) take(row);
  SourceRow row;
  while (true) {
    auto more = (*source)->next(row);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    take(row);
    if (progress && (*source)->lines() % 1024 == 0) progress("reading", (*source)->permille());
  }
  report.lines = (*source)->lines();
  report.rows = rows.size();
  if (rows.empty()) return no_product(file, report);
  return rows;
}

}  // namespace turnstone
