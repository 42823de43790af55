// `turnstone bench bus`: what bus and ledger take of a turn. Turns that decide nothing go through an engine of this process and workers of
// their own, over a ledger on the disk; what makes them, this process, and the workers are part of the measurement.
//
// Share: one turn at a time, in rounds with the probes between them, so that a disk that changes its mind changes it for both. Rate: so many
// turns in flight, beside the best that any ledger on RocksDB could do: the same bytes in batches, one sync for so many turns. Keys: turns
// in pairs, through an engine with keys and one without, over TCP both and without sync, which would hide what is looked for.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/closed_load.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/engine_under_load.h"
#include "tools/bench/paired.h"
#include "tools/bench/report.h"
#include "tools/progress.h"

namespace turnstone {
namespace {

constexpr std::size_t in_flight = 64;
constexpr std::size_t rounds = 5;
constexpr std::size_t turns_of_a_pair = 20;
// About what such a turn leaves in the log (its accept and its commit): for the probe.
constexpr TurnOnDisk idle_turn{.accept = {5, 190}, .commit = {10, 190}};

struct BusBenchOptions {
  std::string directory = ".";
  std::string durability = "synced";
  std::uint32_t workers = 2;
  std::uint32_t turns = 20'000;
  bool json = false;
};

EngineUnderLoadOptions patient(const BusBenchOptions& options, std::string ledger) {
  EngineUnderLoadOptions loaded;
  loaded.ledger = std::move(ledger);
  loaded.durability = options.durability == "synced" ? Durability::synced : Durability::fast;
  loaded.workers = options.workers;
  loaded.turns = {"--credit", "32"};
  loaded.dispatch.task_ms_max = 10'000;
  return loaded;
}

Result<ClosedLoad::Taken> take(EngineUnderLoad& loaded, std::size_t sessions, std::size_t turns, const std::string& prefix) {
  const auto load = std::make_shared<ClosedLoad>(loaded.engine(), sessions, turns, prefix);
  load->start();
  if (auto watched = loaded.watch([&] { return load->finished(); }); !watched) return tl::unexpected(watched.error());
  auto taken = load->taken();
  if (taken.failed > 0) return fail(ErrorCode::internal, fmt::format("{} of {} turns failed", taken.failed, taken.turn_us.size()));
  return taken;
}

struct Samples {
  std::vector<std::int64_t> turn, sync, echo;
};

// One turn at a time, the probes between the rounds.
Result<Samples> sample_share(EngineUnderLoad& loaded, const BusBenchOptions& options, const std::string& folder) {
  const std::size_t turns = std::max<std::size_t>(10, std::min<std::size_t>(options.turns, 2'000) / rounds);
  Samples samples;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (auto probed = add_fdatasyncs(folder, turns / 2, samples.sync); !probed) return tl::unexpected(probed.error());
    add_bus_echoes(turns, samples.echo);
    const auto taken = take(loaded, 1, turns, "one-");
    if (!taken) return tl::unexpected(taken.error());
    samples.turn.insert(samples.turn.end(), taken->turn_us.begin(), taken->turn_us.end());
    if (auto probed = add_fdatasyncs(folder, turns / 2, samples.sync); !probed) return tl::unexpected(probed.error());
  }
  return samples;
}

Status measure_share(EngineUnderLoad& loaded, const BusBenchOptions& options, const std::string& folder, BenchReport& report) {
  auto samples = sample_share(loaded, options, folder);
  if (!samples) return tl::unexpected(samples.error());
  const Percentiles turn = percentiles(samples->turn), sync = percentiles(samples->sync);
  report.times("turn_of_no_work", turn);
  report.figure("bus_and_ledger_share", static_cast<double>(turn.p50) / 1'000, "ms", at_most(0.9));
  report.figure("bus_and_ledger_share_to_fdatasync", ratio_of(turn.p50, sync.p50), "x fdatasync", at_most(3));
  report.probe("fdatasync", sync);
  report.probe("echo_over_ipc", percentiles(samples->echo));
  return {};
}

Status measure_rate(EngineUnderLoad& loaded, const BusBenchOptions& options, const std::string& folder, BenchReport& report) {
  double seconds = 0, turns = 0, probe_seconds = 0, probe_turns = 0;
  std::vector<std::int64_t> times;
  const auto before = loaded.engine().counters();
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto probe = coalesced_turns(folder, idle_turn, in_flight, std::max<std::size_t>(1, options.turns / rounds / in_flight));
    if (!probe) return tl::unexpected(probe.error());
    probe_seconds += probe->seconds;
    probe_turns += static_cast<double>(probe->turns);
    const auto taken = take(loaded, in_flight, std::max<std::size_t>(in_flight, options.turns / rounds), "many-");
    if (!taken) return tl::unexpected(taken.error());
    seconds += taken->seconds;
    turns += static_cast<double>(taken->turn_us.size());
    times.insert(times.end(), taken->turn_us.begin(), taken->turn_us.end());
  }
  const auto after = loaded.engine().counters();
  const double rate = turns / seconds, best = probe_turns / probe_seconds;
  report.times("turn_of_no_work_64_in_flight", percentiles(times));
  report.figure("durable_turns", rate, "turns/s", at_least(6'000));
  report.figure("durable_turns_to_coalesced_batches", rate / best, "x");
  report.figure("turns_a_sync", turns / static_cast<double>(std::max<std::uint64_t>(1, after.syncs - before.syncs)), "turns");
  report.probe("coalesced_batches", best, "turns/s");
  return {};
}

// Pairs of short runs: the mean of a run's turns with keys less that of the one beside it without.
Status measure_keys(const BusBenchOptions& options, const std::string& folder, BenchReport& report) {
  BusBenchOptions unsynced = options;
  unsynced.durability = "fast";
  EngineUnderLoadOptions plain_options = patient(unsynced, folder + "/plain"), keyed_options = patient(unsynced, folder + "/keyed");
  plain_options.workers = keyed_options.workers = 1;
  plain_options.bus = BusKind::tcp;
  keyed_options.bus = BusKind::curve;
  auto plain = EngineUnderLoad::start(plain_options);
  if (!plain) return tl::unexpected(plain.error());
  auto keyed = EngineUnderLoad::start(keyed_options);
  if (!keyed) return tl::unexpected(keyed.error());
  std::vector<std::int64_t> differences, plain_turns;
  for (std::size_t pair = 0; pair < std::max<std::size_t>(2, options.turns / 100); ++pair) {
    std::int64_t sum[2] = {0, 0};
    for (const std::size_t which : {pair % 2, 1 - pair % 2}) {
      const auto taken = take(which == 0 ? **plain : **keyed, 1, turns_of_a_pair, "pair-");
      if (!taken) return tl::unexpected(taken.error());
      for (const std::int64_t each : taken->turn_us) sum[which] += each;
      if (which == 0) plain_turns.insert(plain_turns.end(), taken->turn_us.begin(), taken->turn_us.end());
    }
    differences.push_back((sum[1] - sum[0]) / static_cast<std::int64_t>(turns_of_a_pair));
  }
  const Difference cost = difference_of(std::move(differences));
  report.times("turn_over_tcp_without_keys_unsynced", percentiles(plain_turns));
  report.figure("curve_keys", cost.mean_us, "us a turn");
  report.figure("curve_keys_standard_error", cost.standard_error_us, "us");
  return {};
}

Result<ExitCode> run_bus_bench(const BusBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string& folder = (*scratch)->path();
  auto report = BenchReport::begin("bus", folder, options.durability);
  if (!report) return tl::unexpected(report.error());
  report->circumstance("workers", options.workers);
  report->circumstance("events_a_turn", 8);
  report->circumstance("turns", options.turns);
  {
    auto loaded = EngineUnderLoad::start(patient(options, folder + "/ledger"));
    if (!loaded) return tl::unexpected(loaded.error());
    if (auto warm = take(**loaded, 4, 200, "warm-"); !warm) return tl::unexpected(warm.error());
    if (auto measured = measure_share(**loaded, options, folder, *report); !measured) return tl::unexpected(measured.error());
    if (auto measured = measure_rate(**loaded, options, folder, *report); !measured) return tl::unexpected(measured.error());
  }
  if (auto measured = measure_keys(options, folder, *report); !measured) return tl::unexpected(measured.error());
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_bus(CLI::App& bench) {
  auto options = std::make_shared<BusBenchOptions>();
  CLI::App* bus = bench.add_subcommand("bus", "What bus and ledger take of a turn, durable turns a second, what keys on the bus cost");
  bus->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  bus->add_option("--durability", options->durability, "Sync before every reply, or not")->check(CLI::IsMember({"synced", "fast"}))->capture_default_str();
  bus->add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(1, 64))->capture_default_str();
  bus->add_option("--turns", options->turns, "Turns of the rate; a tenth for the share")->check(CLI::Range(100, 10'000'000))->capture_default_str();
  add_json_flag(*bus, options->json);
  return {bus, [options] { return run_bus_bench(*options); }};
}

}  // namespace turnstone
