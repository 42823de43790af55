#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "storage/catalogue/catalogue.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"
#include "tools/verbs/conversation_options.h"
#include "tools/verbs/import_report.h"

namespace turnstone {

namespace {

struct TryOptions : ConversationOptions {
  std::string file;
  std::string keep;
  std::string language;
  std::vector<std::string> columns;
  std::string currency;
};

// What is made of the file goes to standard error: replies are the only result.
Status make_index(const TryOptions& options, const std::string& folder) {
  IndexOptions index;
  index.language_directory = options.language;
  index.write_sqlite = !options.keep.empty();  // turns do not read it
  auto columns = parse_named_columns(options.columns);
  if (!columns) return tl::unexpected(columns.error());
  index.columns = *std::move(columns);
  index.currency = options.currency;
  const auto began = std::chrono::steady_clock::now();
  ProgressBar progress("index");
  const auto report = build_index(options.file, folder, index, [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  progress.finish();
  if (!report) return tl::unexpected(report.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  print_columns(stderr, report->import);
  print_import(stderr, report->import);
  fmt::print(stderr, "indexed in {:.1f} s{}\n", seconds,
             options.keep.empty() ? "; gone at the end (--keep DIR keeps it)" : fmt::format("; go on later with turnstone chat --index {}", options.keep));
  return {};
}

Result<ExitCode> run_try(const TryOptions& options) {
  const ClearedWhenStopped cleared;
  std::unique_ptr<TemporaryFolder> folder;
  if (options.keep.empty()) {
    std::error_code error;
    auto made = TemporaryFolder::make(std::filesystem::temp_directory_path(error).string());
    if (!made) return tl::unexpected(made.error());
    folder = *std::move(made);
  }
  const std::string index = folder ? folder->path() : options.keep;
  if (auto made = make_index(options, index); !made) return tl::unexpected(made.error());
  return hold_conversation(options, index);
}

}  // namespace

Verb add_try(CLI::App& app) {
  auto options = std::make_shared<TryOptions>();
  CLI::App& command = add_command(app, "try", "Talk to a catalogue file in one command: guesses what its columns are for, indexes it and chats",
                                  "turnstone try products.csv\n"
                                  "turnstone try products.csv --column title=Bezeichnung --keep idx\n"
                                  "echo '{\"session\": \"s1\", \"message\": \"a red dress under $40\"}' | turnstone try catalogue.jsonl --script - --json");
  command.add_option("FILE", options->file, "Catalogue: one JSON object a line, or a CSV table with a head; plain, gzip or zstd")->required();
  command.add_option("--keep", options->keep, "Keep the index in this folder, made when missing; without it a temporary one is used");
  add_column_option(command, options->columns);
  add_currency_option(command, options->currency);
  command.add_option("--language", options->language, "Folder with further language data (*.toml)");
  add_conversation_options(command, *options);
  return {&command, [options] { return run_try(*options); }};
}

}  // namespace turnstone
