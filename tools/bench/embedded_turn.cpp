// `turnstone bench turn`: turns without servers, over conversations of simulated shoppers: accept, decide, commit and sync, each by itself.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "storage/files/unfinished.h"
#include "storage/ledger/ledger.h"
#include "tools/bench/benches.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/report.h"
#include "tools/embedded_engine.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

struct TurnBenchOptions {
  GroundOptions ground;
  std::string policy = "shopper";
  std::string directory = ".";
  std::string durability = "fast";
  bool json = false;
};

// Talks to an engine over a ledger on disk, a session of its own, and keeps the times of its turns.
class TimedAgent final : public Agent {
 public:
  TimedAgent(EmbeddedEngine& engine, SessionId session, std::vector<TurnTimings>& times) : engine_(engine), session_(std::move(session)), times_(times) {}

  Result<Answer> say(const Utterance& utterance) override {
    TurnRequest request;
    request.session = session_;
    request.key = TurnKey{std::to_string(++turns_)};
    request.text = utterance.text;
    request.top_k = top_k;
    const auto reply = engine_.take_turn(request);
    if (!reply) return tl::unexpected(reply.error());
    times_.push_back(reply->timings);
    return read_reply(reply->reply.document);
  }

 private:
  EmbeddedEngine& engine_;
  const SessionId session_;
  std::vector<TurnTimings>& times_;
  std::uint32_t turns_ = 0;
};

Result<std::vector<TurnTimings>> time_turns(const Ground& ground, const TurnBenchOptions& options, const std::string& directory) {
  LedgerOptions ledger_options;
  ledger_options.durability = options.durability == "synced" ? Durability::synced : Durability::fast;
  auto ledger = open_ledger(directory + "/ledger", ledger_options);
  if (!ledger) return tl::unexpected(ledger.error());
  auto engine = EmbeddedEngine::open(**ledger, ground.artefact, ground.policy, system_clock());
  if (!engine) return tl::unexpected(engine.error());
  const RowIndex rows(ground.rows);
  std::vector<TurnTimings> times;
  ProgressBar progress("bench turn");
  for (std::size_t at = 0; at < ground.sessions.size(); ++at) {
    NewSession session;
    session.session = SessionId{ground.sessions[at].sample_id};
    session.channel = "bench";
    session.policy_variant = options.policy;
    if (auto started = (*engine)->start_session(session); !started) return tl::unexpected(started.error());
    TimedAgent agent(**engine, *session.session, times);
    if (auto outcome = run_trial(ground.sessions[at], rows, {options.ground.seed}, agent); !outcome) return tl::unexpected(outcome.error());
    progress.update(fmt::format("{} turns", times.size()), static_cast<int>(at * 1000 / ground.sessions.size()));
  }
  return times;
}

Percentiles part(const std::vector<TurnTimings>& times, std::int64_t TurnTimings::*member) {
  std::vector<std::int64_t> values;
  for (const TurnTimings& turn : times) values.push_back(turn.*member);
  return percentiles(std::move(values));
}

Result<ExitCode> run_turn_bench(const TurnBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("turn", (*scratch)->path(), options.durability);
  if (!report) return tl::unexpected(report.error());
  const auto times = time_turns(*ground, options, (*scratch)->path());
  if (!times) return tl::unexpected(times.error());
  std::vector<std::int64_t> syncs;
  if (auto probed = add_fdatasyncs((*scratch)->path(), 200, syncs); !probed) return tl::unexpected(probed.error());
  report->circumstance("products", static_cast<std::int64_t>(ground->artefact->product_count()));
  report->times("turn", part(*times, &TurnTimings::total));
  report->times("accept", part(*times, &TurnTimings::accept));
  report->times("decide", part(*times, &TurnTimings::decide));
  report->times("commit", part(*times, &TurnTimings::commit));
  report->times("sync", part(*times, &TurnTimings::sync));
  report->probe("fdatasync", percentiles(std::move(syncs)));
  report->probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  report->probe("posting_scan", posting_scan_ns(*ground->artefact), "ns a posting");
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_turn(CLI::App& bench) {
  auto options = std::make_shared<TurnBenchOptions>();
  CLI::App* turn = bench.add_subcommand("turn", "Latency of embedded turns over conversations of simulated shoppers");
  add_ground_options(*turn, options->ground);
  turn->add_option("--policy", options->policy, "Variant of the policy")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  turn->add_option("--policy-file", options->ground.policy_file, "Policy to use instead of the compiled-in one");
  turn->add_option("--limit", options->ground.limit, "Only the first sessions");
  turn->add_option("--durability", options->durability, "Sync before every reply, or not")->check(CLI::IsMember({"synced", "fast"}))->capture_default_str();
  turn->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*turn, options->json);
  return {turn, [options] { return run_turn_bench(*options); }};
}

}  // namespace turnstone
