#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "replay/verify.h"
#include "tools/progress.h"
#include "tools/transfer/export_ledger.h"
#include "tools/transfer/resumed_file.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct ExportOptions : ReadOptions {
  std::string out = "-";
};

void print_summary(const ExportOptions& options, const ExportSummary& summary, std::uint64_t resumed) {
  std::FILE* to = options.out == "-" ? stderr : stdout;  // the lines themselves are the result there
  const ExportCounts& counts = summary.counts;
  if (options.json) {
    const nlohmann::ordered_json document = {{"out", options.out},         {"format", export_format},  {"writes", counts.writes},   {"events", counts.events},
                                             {"sessions", counts.sessions}, {"profiles", counts.profiles}, {"turns", counts.turns}, {"waiting", counts.waiting},
                                             {"erased", summary.erased},    {"resumed_lines", resumed}};
    fmt::print(to, "{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print(to, "exported {} writes: {} events of {} sessions and {} profiles, {} turns, {} waiting; {} erased left out\n", counts.writes, counts.events, counts.sessions,
             counts.profiles, counts.turns, counts.waiting, summary.erased);
  if (resumed > 0) fmt::print(to, "the first {} lines were there from an earlier run\n", resumed);
}

Result<ExitCode> run_export(const ExportOptions& options) {
  const auto ledger = open_for_reading(options);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto verified = verify_ledger(**ledger);
  if (!verified) return tl::unexpected(verified.error());
  for (const Damage& damage : verified->damages) fmt::print(stderr, "turnstone: {}\n", describe(damage));
  if (!verified->sound()) {
    fmt::print(stderr, "turnstone: the ledger is damaged, and nothing was exported; restore a backup\n");
    return ExitCode::negative;
  }
  const auto file = ResumedFile::open(options.out);
  if (!file) return tl::unexpected(file.error());
  ProgressBar progress("export");
  const auto summary = export_ledger(
      **ledger, [&file](const std::string& line) { return (*file)->line(line); }, [&file] { return (*file)->start_over(); },
      [&progress](int permille) { progress.update("writes", permille); });
  progress.finish();
  if (!summary) return tl::unexpected(summary.error());
  if (auto finished = (*file)->finish(); !finished) return tl::unexpected(finished.error());
  print_summary(options, *summary, (*file)->resumed());
  return ExitCode::success;
}

}  // namespace

Verb add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App& command = add_command(app, "export", "Write everything that a ledger holds as JSON lines, readable without its keys: keep them as you keep the keys",
                                  "turnstone export --ledger ledger --out ledger.jsonl\nturnstone export --ledger ledger | zstd > ledger.jsonl.zst");
  add_ledger_options(command, *options);
  command.add_option("--out", options->out, "File to write; what an interrupted run left beside it is gone on with; - is standard output")->capture_default_str();
  return {&command, [options] { return run_export(*options); }};
}

}  // namespace turnstone
