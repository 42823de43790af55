#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "storage/files/unfinished.h"
#include "tools/generate/generator.h"
#include "tools/generate/row_writer.h"
#include "tools/progress.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

struct GenerateOptions {
  std::string kind;
  std::uint64_t rows = 10'000;
  std::uint64_t seed = 1;
  std::string out = "-";
};

Result<ExitCode> run_generate(const GenerateOptions& options) {
  const ClearedWhenStopped cleared;
  const auto generator = CatalogueGenerator::make(options.kind, options.seed);
  if (!generator) return tl::unexpected(generator.error());
  auto writer = RowWriter::open(options.out);
  if (!writer) return tl::unexpected(writer.error());
  ProgressBar progress("generate");
  for (std::uint64_t index = 0; index < options.rows; ++index) {
    if (auto written = (*writer)->line(generator->row(index)); !written) return tl::unexpected(written.error());
    if (index % 1024 == 0) progress.update(fmt::format("{} rows", index), static_cast<int>(index * 1000 / options.rows));
  }
  if (auto finished = (*writer)->finish(); !finished) return tl::unexpected(finished.error());
  return ExitCode::success;
}

}  // namespace

Verb add_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App& command = add_command(app, "generate", "Make a realistic catalogue of products that do not exist, the same for the same seed",
                                  "turnstone generate --kind fashion --rows 10000 --seed 7 --out sample.jsonl\n"
                                  "turnstone generate --kind electronics --rows 1000000 --seed 1 --out large.jsonl.zst");
  command.add_option("--kind", options->kind, "What the shop sells")->required()->check(CLI::IsMember({"fashion", "electronics"}));
  command.add_option("--rows", options->rows, "How many products")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))->capture_default_str();
  command.add_option("--seed", options->seed, "Another seed gives other products")->capture_default_str();
  command.add_option("--out", options->out, "File to write, packed when it ends in .zst; - is standard output")->capture_default_str();
  return {&command, [options] { return run_generate(*options); }};
}

}  // namespace turnstone
