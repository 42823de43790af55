#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/catalogue/catalogue.h"
#include "storage/files/unfinished.h"
#include "tools/progress.h"
#include "tools/verbs/import_report.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;

struct IndexVerbOptions {
  std::string file;
  std::string out;
  std::string language;
  std::vector<std::string> columns;
  std::string currency;
  bool audit = false;
  bool json = false;
};

void print_audit(const Json& audit) {
  fmt::print("\n{:<34} {:<22} {:<12} {:>6} {:>9} {:>8} {:<8} {}\n", "column", "facet", "verdict", "fill %", "different", "bits", "unit", "reason");
  for (const Json& column : audit.at("columns")) {
    fmt::print("{:<34.34} {:<22.22} {:<12} {:>6.1f} {:>9} {:>8.2f} {:<8} {}\n", column.at("column").get<std::string>(),
               column.at("facet").get<std::string>(), column.at("verdict").get<std::string>(), column.at("filled_permille").get<int>() / 10.0,
               column.at("distinct").get<std::uint64_t>(), static_cast<double>(column.at("entropy_millibits").get<std::int64_t>()) / 1000.0,
               column.value("unit", ""), column.at("reason").get<std::string>());
  }
  const Json& brands = audit.at("brand_disagreement");
  if (brands.at("compared").get<std::uint64_t>() > 0) {
    fmt::print("\nbrand columns disagree on {:.1f} % of {} products that have several\n", brands.at("permille").get<int>() / 10.0,
               brands.at("compared").get<std::uint64_t>());
  }
}

Result<ExitCode> run_index(const IndexVerbOptions& options) {
  const ClearedWhenStopped cleared;
  IndexOptions index;
  index.language_directory = options.language;
  auto columns = parse_named_columns(options.columns);
  if (!columns) return tl::unexpected(columns.error());
  index.columns = *std::move(columns);
  index.currency = options.currency;
  ProgressBar progress("index");
  const auto report =
      build_index(options.file, options.out, index, [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  progress.finish();
  if (!report) return tl::unexpected(report.error());
  if (options.json) {
    Json document{{"out", options.out}, {"fingerprint", report->fingerprint}, {"artefact_bytes", report->artefact_bytes}};
    document["import"] = import_document(report->import);
    if (options.audit) document["audit"] = Json::parse(report->audit_json);
    fmt::print("{}\n", document.dump(-1, ' ', false, Json::error_handler_t::replace));
    return ExitCode::success;
  }
  if (options.audit || has_guessed_columns(report->import)) print_columns(stdout, report->import);
  print_import(stdout, report->import);
  fmt::print("artefact {} ({:.1f} MB) in {}\n", report->fingerprint.substr(0, 16), static_cast<double>(report->artefact_bytes) / 1e6, options.out);
  if (options.audit) print_audit(Json::parse(report->audit_json));
  return ExitCode::success;
}

}  // namespace

Verb add_index(CLI::App& app) {
  auto options = std::make_shared<IndexVerbOptions>();
  CLI::App& command = add_command(app, "index", "Read a catalogue, audit its columns and build the index that conversations run on",
                                  "turnstone index catalogue.jsonl.zst --out idx\n"
                                  "turnstone index catalogue.jsonl --out idx --audit\n"
                                  "turnstone index products.csv --out idx --column title=Bezeichnung");
  command.add_option("FILE", options->file, "Catalogue: one JSON object a line, or a CSV table with a head; plain, gzip or zstd")->required();
  command.add_option("--out", options->out, "Folder of the index; made when missing, replaced file by file")->required();
  command.add_option("--language", options->language, "Folder with further language data (*.toml)");
  add_column_option(command, options->columns);
  add_currency_option(command, options->currency);
  command.add_flag("--audit", options->audit, "Print what every column holds and what it is good for");
  add_json_flag(command, options->json);
  return {&command, [options] { return run_index(*options); }};
}

}  // namespace turnstone
