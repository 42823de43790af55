// `turnstone bench takeover`: a worker dies (kill -9) or freezes (SIGSTOP) in the middle of a turn, again and again; how long until the turn is
// answered by another. Measured from the moment the turn was asked, a little before the worker is lost, to its reply: noticing, an attempt
// raised and synced, another worker's turn and its sync are all in it.
#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>

#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/engine_under_load.h"
#include "tools/bench/report.h"
#include "tools/progress.h"

namespace turnstone {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct TakeoverOptions {
  std::string directory = ".";
  std::uint32_t workers = 3;
  std::uint32_t kills = 60;
  std::uint32_t freezes = 20;
  bool json = false;
};

// What one turn took; written by the engine's thread.
struct TakenOver {
  std::atomic<std::int64_t> us{-1};
  std::atomic<bool> good{false};
};

// Asks a turn of a session of its own, whose text says what becomes of its first worker.
Result<std::int64_t> take_over(EngineUnderLoad& loaded, const std::string& session, const std::string& text) {
  const auto created = std::make_shared<std::atomic<bool>>(false);
  NewSession wanted;
  wanted.session = SessionId{session};
  loaded.engine().create_session(wanted, [created](const auto&) { *created = true; });
  if (auto watched = loaded.watch([&] { return created->load(); }); !watched) return tl::unexpected(watched.error());
  TurnRequest request;
  request.session = SessionId{session};
  request.key = TurnKey{"1"};
  request.text = text;
  const auto answer = std::make_shared<TakenOver>();
  loaded.engine().take_turn(request, [answer, begun = SteadyClock::now()](const Result<TurnReply>& reply) {
    answer->good = reply.has_value() && !reply->parked;
    answer->us = std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begun).count();
  });
  if (auto watched = loaded.watch([&] { return answer->us >= 0; }, std::chrono::seconds(30)); !watched) return tl::unexpected(watched.error());
  if (!answer->good) return fail(ErrorCode::internal, "a turn was given up although workers were left");
  return answer->us.load();
}

Result<std::vector<std::int64_t>> take_over_again_and_again(EngineUnderLoad& loaded, const std::string& text, std::uint32_t times) {
  std::vector<std::int64_t> us;
  ProgressBar progress("bench takeover");
  for (std::uint32_t i = 0; i < times; ++i) {
    const auto took = take_over(loaded, fmt::format("{}-{}", text, i), text);
    if (!took) return tl::unexpected(took.error());
    us.push_back(*took);
    loaded.signal_workers(SIGCONT);  // the dead are started again by themselves
    if (auto back = loaded.wait_for_workers(); !back) return tl::unexpected(back.error());
    progress.update(text, static_cast<int>(i * 1'000 / times));
  }
  return us;
}

Status measure(const TakeoverOptions& options, const std::string& folder, BenchReport& report) {
  EngineUnderLoadOptions loaded_options;
  loaded_options.ledger = folder + "/ledger";
  loaded_options.workers = options.workers;
  loaded_options.turns = {"--mortal"};
  auto loaded = EngineUnderLoad::start(loaded_options);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto quiet = take_over_again_and_again(**loaded, "nothing happens", options.kills);
  if (!quiet) return tl::unexpected(quiet.error());
  const auto killed = take_over_again_and_again(**loaded, "die", options.kills);
  if (!killed) return tl::unexpected(killed.error());
  const auto frozen = take_over_again_and_again(**loaded, "freeze", options.freezes);
  if (!frozen) return tl::unexpected(frozen.error());
  std::vector<std::int64_t> syncs;
  if (auto probed = add_fdatasyncs(folder, 200, syncs); !probed) return probed;
  const Percentiles gone = percentiles(*killed), hung = percentiles(*frozen);
  report.times("turn_of_a_live_worker", percentiles(*quiet));
  report.times("turn_of_a_worker_that_is_killed", gone);
  report.times("turn_of_a_worker_that_freezes", hung);
  report.figure("takeover_from_a_killed_worker_p99", static_cast<double>(gone.p99) / 1'000, "ms", at_most(250));
  report.figure("takeover_from_a_frozen_worker_p99", static_cast<double>(hung.p99) / 1'000, "ms", at_most(1'000));
  report.probe("fdatasync", percentiles(std::move(syncs)));
  return {};
}

Result<ExitCode> run_takeover(const TakeoverOptions& options) {
  const ClearedWhenStopped cleared;
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("takeover", (*scratch)->path(), "synced");
  if (!report) return tl::unexpected(report.error());
  report->circumstance("workers", options.workers);
  if (auto measured = measure(options, (*scratch)->path(), *report); !measured) return tl::unexpected(measured.error());
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_takeover(CLI::App& bench) {
  auto options = std::make_shared<TakeoverOptions>();
  CLI::App* takeover = bench.add_subcommand("takeover", "How long until a turn is answered whose worker dies or freezes");
  takeover->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  takeover->add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(2, 64))->capture_default_str();
  takeover->add_option("--kills", options->kills, "Turns whose worker is killed")->check(CLI::Range(1, 100'000))->capture_default_str();
  takeover->add_option("--freezes", options->freezes, "Turns whose worker freezes; each takes about a second")->check(CLI::Range(1, 100'000))->capture_default_str();
  add_json_flag(*takeover, options->json);
  return {takeover, [options] { return run_takeover(*options); }};
}

}  // namespace turnstone
