// `turnstone bench scaling`: what more workers bring. Turns that wait (50 ms asleep): eight workers beside one. Turns that work (arithmetic of
// some milliseconds): two workers beside one, and beside that what two threads of this machine bring over one, doing the same arithmetic with
// nothing around it: no service can do better. Enough turns are in flight to keep every worker busy.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/closed_load.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/engine_under_load.h"
#include "tools/bench/report.h"
#include "tools/bench/spinning.h"

namespace turnstone {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::uint32_t sleep_ms = 50;
constexpr std::size_t in_flight = 64;

struct ScalingOptions {
  std::string directory = ".";
  double seconds = 5;  // each load, about
  bool json = false;
};

double seconds_since(SteadyClock::time_point begun) { return std::chrono::duration<double>(SteadyClock::now() - begun).count(); }

// Rounds of arithmetic that take `ms` on an idle core of this machine: the quickest of several tries.
std::uint64_t rounds_of(double ms) {
  constexpr std::uint64_t tried = 2'000'000;
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begun = SteadyClock::now();
    spin(tried);
    best = std::min(best, seconds_since(begun));
  }
  return static_cast<std::uint64_t>(static_cast<double>(tried) * ms / 1e3 / best);
}

// How many times `rounds` so many threads of this machine do a second.
double spins_per_s(unsigned threads, std::uint64_t rounds, std::size_t each) {
  const auto begun = SteadyClock::now();
  {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < threads; ++i) {
      all.emplace_back([=] {
        for (std::size_t k = 0; k < each; ++k) spin(rounds);
      });
    }
  }
  return static_cast<double>(threads * each) / seconds_since(begun);
}

// Turns a second by so many workers.
Result<double> rate_of(const ScalingOptions& options, const std::string& folder, std::uint32_t workers, std::vector<std::string> turns,
                       double expected_per_s) {
  EngineUnderLoadOptions loaded_options;
  loaded_options.ledger = fmt::format("{}/ledger-{}-{}", folder, workers, turns.front());
  loaded_options.durability = Durability::synced;
  loaded_options.workers = workers;
  loaded_options.turns = std::move(turns);
  loaded_options.dispatch.task_ms_max = 30'000;
  auto loaded = EngineUnderLoad::start(loaded_options);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto count = std::max<std::size_t>(2 * workers, static_cast<std::size_t>(expected_per_s * options.seconds));
  const auto load = std::make_shared<ClosedLoad>((*loaded)->engine(), std::min(in_flight, count), count, "scaling-");
  load->start();
  if (auto watched = (*loaded)->watch([&] { return load->finished(); }); !watched) return tl::unexpected(watched.error());
  const auto taken = load->taken();
  if (taken.failed > 0) return fail(ErrorCode::internal, fmt::format("{} of {} turns failed", taken.failed, taken.turn_us.size()));
  return taken.turns_per_s();
}

Status measure(const ScalingOptions& options, const std::string& folder, BenchReport& report) {
  const std::vector<std::string> asleep{"--sleep-ms", std::to_string(sleep_ms)};
  constexpr double sleeps_per_s = 1'000.0 / sleep_ms;
  const auto one_asleep = rate_of(options, folder, 1, asleep, sleeps_per_s);
  if (!one_asleep) return tl::unexpected(one_asleep.error());
  const auto eight_asleep = rate_of(options, folder, 8, asleep, 8 * sleeps_per_s);
  if (!eight_asleep) return tl::unexpected(eight_asleep.error());
  report.figure("turns_asleep_one_worker", *one_asleep, "turns/s");
  report.figure("turns_asleep_eight_workers", *eight_asleep, "turns/s");
  report.figure("eight_workers_to_one", *eight_asleep / *one_asleep, "x", at_least(7));

  constexpr double work_ms = 5;
  const std::uint64_t rounds = rounds_of(work_ms);
  const std::vector<std::string> at_work{"--spin", std::to_string(rounds)};
  const auto each = std::max<std::size_t>(4, static_cast<std::size_t>(options.seconds * 1'000 / work_ms / 4));
  const double one_thread = spins_per_s(1, rounds, each), two_threads = spins_per_s(2, rounds, each);
  const auto one_worker = rate_of(options, folder, 1, at_work, 1'000 / work_ms);
  if (!one_worker) return tl::unexpected(one_worker.error());
  const auto two_workers = rate_of(options, folder, 2, at_work, 2'000 / work_ms);
  if (!two_workers) return tl::unexpected(two_workers.error());
  report.figure("turns_at_work_one_worker", *one_worker, "turns/s");
  report.figure("turns_at_work_two_workers", *two_workers, "turns/s");
  report.figure("two_workers_to_one", *two_workers / *one_worker, "x", at_least(1.7));
  report.probe("two_threads_to_one", two_threads / one_thread, "x");
  std::vector<std::int64_t> syncs;
  if (auto probed = add_fdatasyncs(folder, 200, syncs); !probed) return probed;
  report.probe("fdatasync", percentiles(std::move(syncs)));
  return {};
}

Result<ExitCode> run_scaling(const ScalingOptions& options) {
  const ClearedWhenStopped cleared;
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("scaling", (*scratch)->path(), "synced");
  if (!report) return tl::unexpected(report.error());
  report->circumstance("sleep_ms", sleep_ms);
  report->circumstance("in_flight", in_flight);
  if (auto measured = measure(options, (*scratch)->path(), *report); !measured) return tl::unexpected(measured.error());
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_scaling(CLI::App& bench) {
  auto options = std::make_shared<ScalingOptions>();
  CLI::App* scaling = bench.add_subcommand("scaling", "Turns a second by more workers: turns that wait, turns that work");
  scaling->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  scaling->add_option("--seconds", options->seconds, "Length of each of the four loads")->check(CLI::Range(0.05, 3'600.0))->capture_default_str();
  add_json_flag(*scaling, options->json);
  return {scaling, [options] { return run_scaling(*options); }};
}

}  // namespace turnstone
