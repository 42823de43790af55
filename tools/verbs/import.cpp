#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/text_file.h"
#include "tools/transfer/import_ledger.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct ImportVerbOptions {
  std::string file;
  std::string ledger;
  std::string master_key;
  bool json = false;
};

// Everything up to the first line that cannot be imported is.
Status import_lines(std::FILE* in, LedgerImport& import) {
  std::uint64_t number = 0;
  while (const auto text = read_line(in, export_line_bytes_max)) {
    ++number;
    const auto at_line = [number](const Error& error) { return fail(error.code, fmt::format("line {}: {}", number, error.detail)); };
    if (!*text) return fail(ErrorCode::limit_exceeded, fmt::format("line {} is longer than {} bytes", number, export_line_bytes_max));
    const auto line = read_export_line(**text);
    if (!line) return at_line(line.error());
    if (auto taken = import.take(*line); !taken) return at_line(taken.error());
  }
  return {};
}

void print_summary(const ImportVerbOptions& options, const ImportSummary& summary) {
  const ExportCounts& read = summary.read;
  if (options.json) {
    const nlohmann::ordered_json document = {{"ledger", options.ledger},   {"writes", read.writes},     {"events", read.events},    {"sessions", read.sessions},
                                             {"profiles", read.profiles}, {"turns", read.turns},       {"waiting", read.waiting}, {"written", summary.written},
                                             {"had", summary.had},        {"left_erased", summary.left_erased}};
    fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("imported into {}: {} writes are new, {} were there; the file holds {} events of {} sessions and {} profiles, {} turns, {} waiting\n", options.ledger,
             summary.written, summary.had, read.events, read.sessions, read.profiles, read.turns, read.waiting);
  if (summary.left_erased > 0) fmt::print("{} sessions or profiles of the file are erased in the ledger, and stay so\n", summary.left_erased);
}

Result<ExitCode> run_import(const ImportVerbOptions& options) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, &std::fclose);
  if (options.file != "-") {
    file.reset(std::fopen(options.file.c_str(), "rb"));
    if (!file) return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, fmt::format("{} cannot be opened ({}); check the path", options.file, std::strerror(errno)));
  }
  LedgerOptions ledger_options;
  ledger_options.master_key = options.master_key;
  const auto ledger = open_for_writing(options.ledger, ledger_options);
  if (!ledger) return tl::unexpected(ledger.error());
  LedgerImport import(**ledger);
  if (auto done = import_lines(file ? file.get() : stdin, import); !done) {
    if (auto kept = (*ledger)->sync(); !kept) return tl::unexpected(kept.error());
    return fail(done.error().code, fmt::format("{}: {}", options.file, done.error().detail));
  }
  const auto summary = import.finish();
  if (!summary) return fail(summary.error().code, fmt::format("{}: {}", options.file, summary.error().detail));
  print_summary(options, *summary);
  return ExitCode::success;
}

}  // namespace

Verb add_import(CLI::App& app) {
  auto options = std::make_shared<ImportVerbOptions>();
  CLI::App& command = add_command(app, "import", "Put an export into a ledger; run again, it goes on where it was interrupted",
                                  "turnstone import ledger.jsonl --ledger new-ledger\nzstd -dc ledger.jsonl.zst | turnstone import - --ledger new-ledger");
  command.add_option("FILE", options->file, "File that `turnstone export` wrote; - is standard input")->required();
  command.add_option("--ledger", options->ledger, "Folder of the ledger, made when missing; no engine may have it open")->required();
  add_master_key_option(command, options->master_key);
  add_json_flag(command, options->json);
  return {&command, [options] { return run_import(*options); }};
}

}  // namespace turnstone
