// `turnstone bench index`: time and memory of building an index.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "storage/catalogue/catalogue.h"
#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/report.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

struct IndexBenchOptions {
  std::string catalogue;
  std::string directory = ".";
  bool json = false;
};

Result<ExitCode> run_index_bench(const IndexBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("index", (*scratch)->path(), "fast");
  if (!report) return tl::unexpected(report.error());
  ProgressBar progress("bench index");
  const auto began = std::chrono::steady_clock::now();
  const auto built = build_index(options.catalogue, (*scratch)->path() + "/index", {},
                                 [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  if (!built) return tl::unexpected(built.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  progress.finish();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  report->circumstance("rows", static_cast<std::int64_t>(built->import.rows));
  report->figure("index", seconds, "s");
  report->figure("peak", static_cast<double>(usage.ru_maxrss) / 1024, "MB");
  report->figure("artefact", static_cast<double>(built->artefact_bytes) / 1e6, "MB");
  report->probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_index(CLI::App& bench) {
  auto options = std::make_shared<IndexBenchOptions>();
  CLI::App* index = bench.add_subcommand("index", "Time and memory of building an index");
  index->add_option("--catalogue", options->catalogue, "The catalogue: JSON lines, plain, gzip or zstd")->required();
  index->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*index, options->json);
  return {index, [options] { return run_index_bench(*options); }};
}

}  // namespace turnstone
