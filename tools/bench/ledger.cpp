// `turnstone bench ledger`: the ledger by itself. Durable appends, one at a time, between probes of the disk; then a ledger of so many events,
// over which verification and rebuilding are timed in time of the processor; and then, again and again, a process that fills the write buffer as
// far as it gets and is killed, and how long an engine takes from its start until it listens over what that left.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "events/state.h"
#include "replay/verify.h"
#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/cpu_time.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/ledger_turns.h"
#include "tools/bench/paired.h"
#include "tools/bench/report.h"
#include "tools/process_log.h"
#include "tools/progress.h"
#include "tools/supervisor.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t rounds = 5;
constexpr std::uint64_t turns_a_session = 100;

struct LedgerBenchOptions {
  std::string directory = ".";
  std::uint64_t events = 1'000'000;
  std::uint32_t kills = 5;
  std::string filled;  // the part of the child
  bool json = false;
};

std::int64_t us_since(SteadyClock::time_point begun) { return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begun).count(); }

Status measure_appends(const std::string& folder, std::size_t each, BenchReport& report) {
  const auto ledger = open_ledger(folder + "/appends", {});
  if (!ledger) return tl::unexpected(ledger.error());
  const SessionId session{"appends"};
  if (auto started = start_ledger_session(**ledger, session); !started) return started;
  std::vector<std::int64_t> appends, syncs;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (auto probed = add_fdatasyncs(folder, each, syncs); !probed) return probed;
    for (std::size_t i = 0; i < each; ++i) {
      const auto head = (*ledger)->head(stream_of(session));
      if (!head) return tl::unexpected(head.error());
      const auto begun = SteadyClock::now();
      const auto appended = (*ledger)->append({{stream_of(session), head->sequence, {EngineChanged{}}}}, system_clock().now());
      if (!appended) return tl::unexpected(appended.error());
      if (auto synced = (*ledger)->sync(); !synced) return synced;
      appends.push_back(us_since(begun));
    }
  }
  const Percentiles append = percentiles(std::move(appends)), sync = percentiles(std::move(syncs));
  report.times("durable_append", append);
  report.figure("durable_append_to_fdatasync", ratio_of(append.p50, sync.p50), "x", at_most(2.2));
  report.probe("fdatasync", sync);
  return {};
}

SessionId session_of(std::uint64_t turn) { return SessionId{"session-" + std::to_string(turn / turns_a_session)}; }

Status grow(const std::string& folder, std::uint64_t events) {
  LedgerOptions options;
  options.durability = Durability::fast;
  const auto ledger = open_ledger(folder, options);
  if (!ledger) return tl::unexpected(ledger.error());
  ProgressBar progress("bench ledger");
  for (std::uint64_t turn = 0; turn * events_of_a_ledger_turn < events; ++turn) {
    if (turn % turns_a_session == 0) {
      if (auto started = start_ledger_session(**ledger, session_of(turn)); !started) return started;
      progress.update(fmt::format("{} events", turn * events_of_a_ledger_turn), static_cast<int>(turn * events_of_a_ledger_turn * 1'000 / events));
    }
    if (auto written = write_ledger_turn(**ledger, session_of(turn), turn); !written) return written;
  }
  return {};
}

Status measure_reads(const std::string& folder, BenchReport& report) {
  LedgerOptions options;
  options.mode = OpenMode::read_only;
  const auto ledger = open_ledger(folder, options);
  if (!ledger) return tl::unexpected(ledger.error());
  double begun = cpu_seconds();
  const auto verified = verify_ledger(**ledger);
  const double verifying = cpu_seconds() - begun;
  if (!verified) return tl::unexpected(verified.error());
  if (!verified->sound()) return fail(ErrorCode::corrupt, "the ledger of a benchmark does not verify: " + describe(verified->damages.front()));
  const auto heads = (*ledger)->streams(StreamKind::session, std::nullopt, 10'000'000);
  if (!heads) return tl::unexpected(heads.error());
  begun = cpu_seconds();
  std::uint64_t folded = 0;
  for (const StreamHead& head : *heads) {
    IntentState state;
    for (std::uint64_t at = 1; at <= head.sequence.value; at += 1'000) {
      const auto events = (*ledger)->read(head.stream, Sequence{at}, 1'000);
      if (!events) return tl::unexpected(events.error());
      for (const Event& event : *events) fold(state, event);
    }
    folded += state.sequence.value;
  }
  const double rebuilding = cpu_seconds() - begun;
  report.circumstance("events", static_cast<std::int64_t>(verified->events));
  report.figure("verify", static_cast<double>(verified->events) / verifying, "events/s of CPU", at_least(600'000));
  report.figure("rebuild", static_cast<double>(folded) / rebuilding, "events/s of CPU", at_least(350'000));
  report.probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  return {};
}

// --- restart -------------------------------------------------------------------------------------------

// The log that is written now, and its size.
std::pair<std::string, std::uintmax_t> log_of(const std::string& ledger) {
  std::pair<std::string, std::uintmax_t> last;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(ledger + "/db", gone)) {
    if (entry.path().extension() == ".log" && entry.path().string() > last.first) last = {entry.path().string(), entry.file_size(gone)};
  }
  return last;
}

// Writes until a write buffer was full once, and then until the next is as full as that one was; then waits to be killed.
Result<ExitCode> fill(const std::string& folder) {
  LedgerOptions options;
  options.durability = Durability::fast;
  const auto ledger = open_ledger(folder, options);
  if (!ledger) return tl::unexpected(ledger.error());
  const SessionId session{fmt::format("filled-{}", getpid())};
  if (auto started = start_ledger_session(**ledger, session); !started) return tl::unexpected(started.error());
  std::uintmax_t full = 0;
  std::string first = log_of(folder).first;
  std::uintmax_t before = 0;
  for (std::uint64_t turn = 0;; ++turn) {
    if (auto written = write_ledger_turn(**ledger, session, turn); !written) return tl::unexpected(written.error());
    const auto [log, bytes] = log_of(folder);
    if (full == 0 && log != first) full = before;
    before = bytes;
    if (full > 0 && bytes >= full - full / 50) break;
  }
  fmt::print("full {}\n", before);
  std::fflush(stdout);
  for (;;) pause();
}

// Kills a process of this program whose write buffer is full. The bytes of log that it leaves.
Result<std::int64_t> leave_full_log(const std::string& folder) {
  Supervisor supervisor(SupervisorOptions{std::chrono::hours(1), std::chrono::hours(1), std::chrono::hours(1)});
  std::int64_t bytes = 0;
  auto child = supervisor.start({"filling", {own_program(), "bench", "ledger", "--fill", folder}, [&](std::string_view line) {
                                   if (line.starts_with("full ")) bytes = std::stoll(std::string(line.substr(5)));
                                 }});
  if (!child) return tl::unexpected(child.error());
  supervisor.run([&] { return bytes > 0 || supervisor.last_exit(*child) != nullptr; }, std::chrono::minutes(5));
  if (bytes == 0) return fail(ErrorCode::io, "the process that fills the write buffer ended; see the lines above");
  kill(supervisor.pid(*child), SIGKILL);
  supervisor.run([&] { return supervisor.last_exit(*child) != nullptr; }, std::chrono::seconds(10));
  return bytes;
}

// From the start of an engine's process until it listens.
Result<std::int64_t> start_engine(const std::string& folder, const std::string& sockets) {
  Supervisor supervisor(SupervisorOptions{std::chrono::hours(1), std::chrono::hours(1), std::chrono::hours(1)});
  std::int64_t us = 0;
  const auto begun = SteadyClock::now();
  auto child = supervisor.start({"engine",
                                 {own_program(), "engine", "--ledger", folder, "--bus", "ipc://" + sockets + "/bus/bus", "--http", "127.0.0.1:0", "--json"},
                                 [&](std::string_view line) {
                                   if (us == 0 && line.find("\"listening\"") != std::string_view::npos) us = us_since(begun);
                                 }});
  if (!child) return tl::unexpected(child.error());
  supervisor.run([&] { return us > 0 || supervisor.last_exit(*child) != nullptr; }, std::chrono::minutes(1));
  supervisor.end({*child}, std::chrono::seconds(6));
  if (us == 0) return fail(ErrorCode::io, "the engine did not start; see the lines above");
  return us;
}

Status measure_restarts(const std::string& folder, const std::string& ledger, std::uint32_t kills, BenchReport& report) {
  setenv("TURNSTONE_LOG", "warn", 0);
  const auto sockets = TemporaryFolder::make(fs::temp_directory_path().string());
  if (!sockets) return tl::unexpected(sockets.error());
  std::vector<std::int64_t> starts, writes;
  std::int64_t bytes = 0;
  for (std::uint32_t kill = 0; kill < kills; ++kill) {
    const auto left = leave_full_log(ledger);
    if (!left) return tl::unexpected(left.error());
    bytes = *left;
    if (auto probed = add_synced_write(folder, static_cast<std::size_t>(bytes), writes); !probed) return probed;
    const auto started = start_engine(ledger, (*sockets)->path());
    if (!started) return tl::unexpected(started.error());
    starts.push_back(*started);
  }
  const Percentiles start = percentiles(std::move(starts));
  report.circumstance("bytes_of_log_left", bytes);
  report.times("start_after_kill", start);
  report.figure("start_after_kill_p50", static_cast<double>(start.p50) / 1'000, "ms", at_most(500));
  report.probe("as_many_bytes_written_and_synced", percentiles(std::move(writes)));
  return {};
}

Result<ExitCode> run_ledger_bench(const LedgerBenchOptions& options) {
  if (!options.filled.empty()) return fill(options.filled);
  const ClearedWhenStopped cleared;
  log_to_standard_error("bench");
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string& folder = (*scratch)->path();
  auto report = BenchReport::begin("ledger", folder, "synced");
  if (!report) return tl::unexpected(report.error());
  if (auto measured = measure_appends(folder, std::clamp<std::size_t>(options.events / 10'000, 5, 100), *report); !measured) return tl::unexpected(measured.error());
  const std::string ledger = folder + "/ledger";
  if (auto grown = grow(ledger, options.events); !grown) return tl::unexpected(grown.error());
  if (auto measured = measure_reads(ledger, *report); !measured) return tl::unexpected(measured.error());
  if (auto measured = measure_restarts(folder, ledger, options.kills, *report); !measured) return tl::unexpected(measured.error());
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_ledger(CLI::App& bench) {
  auto options = std::make_shared<LedgerBenchOptions>();
  CLI::App* ledger = bench.add_subcommand("ledger", "Durable appends, verification, rebuilding, and a start after kill -9");
  ledger->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  ledger->add_option("--events", options->events, "Events of the ledger that is read and started over")->check(CLI::Range(100, 100'000'000))->capture_default_str();
  ledger->add_option("--kills", options->kills, "Starts after a kill")->check(CLI::Range(1, 1'000))->capture_default_str();
  ledger->add_option("--fill", options->filled, "Fill the write buffer of this ledger and wait to be killed")->group("");
  add_json_flag(*ledger, options->json);
  return {ledger, [options] { return run_ledger_bench(*options); }};
}

}  // namespace turnstone
