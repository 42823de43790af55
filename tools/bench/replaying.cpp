// `turnstone bench replay`: what replay takes beside what it replays, both in time of the processor on one thread. Simulated shoppers talk to an
// embedded engine; then every turn is executed again and compared, and then the record alone is checked: events folded, state and flight record
// held against the digests that the turn named.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "replay/session_reader.h"
#include "storage/files/unfinished.h"
#include "tools/bench/benches.h"
#include "tools/bench/cpu_time.h"
#include "tools/bench/report.h"
#include "tools/embedded_engine.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

struct ReplayBenchOptions {
  GroundOptions ground;
  std::string directory = ".";
  bool json = false;
};

struct Recorded {
  std::vector<SessionId> sessions;
  std::uint64_t turns = 0;
  double cpu_s = 0;  // of the turns: accept, decide, commit
};

class RecordedAgent final : public Agent {
 public:
  RecordedAgent(EmbeddedEngine& engine, SessionId session, Recorded& recorded) : engine_(engine), session_(std::move(session)), recorded_(recorded) {}
  Result<Answer> say(const Utterance& utterance) override {
    TurnRequest request;
    request.session = session_;
    request.key = TurnKey{std::to_string(++turns_)};
    request.text = utterance.text;
    request.top_k = top_k;
    const double begun = cpu_seconds();
    const auto reply = engine_.take_turn(request);
    recorded_.cpu_s += cpu_seconds() - begun;
    if (!reply) return tl::unexpected(reply.error());
    ++recorded_.turns;
    return read_reply(reply->reply.document);
  }

 private:
  EmbeddedEngine& engine_;
  const SessionId session_;
  Recorded& recorded_;
  std::uint32_t turns_ = 0;
};

Result<Recorded> record(Ledger& ledger, const Ground& ground, const ReplayBenchOptions& options) {
  auto engine = EmbeddedEngine::open(ledger, ground.artefact, ground.policy, system_clock());
  if (!engine) return tl::unexpected(engine.error());
  const RowIndex rows(ground.rows);
  Recorded recorded;
  ProgressBar progress("bench replay");
  for (std::size_t at = 0; at < ground.sessions.size(); ++at) {
    NewSession session;
    session.session = SessionId{fmt::format("{}-{}", ground.sessions[at].sample_id, at)};
    session.channel = "bench";
    if (auto started = (*engine)->start_session(session); !started) return tl::unexpected(started.error());
    recorded.sessions.push_back(*session.session);
    RecordedAgent agent(**engine, *session.session, recorded);
    if (auto outcome = run_trial(ground.sessions[at], rows, {options.ground.seed}, agent); !outcome) return tl::unexpected(outcome.error());
    progress.update(fmt::format("{} turns", recorded.turns), static_cast<int>(at * 1'000 / ground.sessions.size()));
  }
  return recorded;
}

struct Replayed {
  double cpu_s = 0;
  std::uint64_t turns = 0, events = 0;
};

Result<Replayed> replay(const Ledger& ledger, const Recorded& recorded, const Ground& ground, bool check_only) {
  ReplayOptions options;
  options.check_only = check_only;
  const auto artefact = [&](const Fingerprint& wanted) { return wanted == ground.artefact->fingerprint() ? ground.artefact : nullptr; };
  const auto policies = policies_of(ledger);
  Replayed replayed;
  const double begun = cpu_seconds();
  for (const SessionId& session : recorded.sessions) {
    const SessionReplay judged = replay_session(ledger, session, artefact, policies, options);
    if (judged.error) return tl::unexpected(*judged.error);
    replayed.events += judged.events;
    for (const TurnReplay& turn : judged.turns) {
      if (turn.outcome != ReplayOutcome::identical) return fail(ErrorCode::internal, "a replayed turn is not what was recorded");
      ++replayed.turns;
    }
  }
  replayed.cpu_s = cpu_seconds() - begun;
  return replayed;
}

// Enough passes over the record for a figure.
Result<Replayed> check_records(const Ledger& ledger, const Recorded& recorded, const Ground& ground) {
  Replayed all;
  for (int pass = 0; pass < 100 && all.cpu_s < 1; ++pass) {
    const auto checked = replay(ledger, recorded, ground, true);
    if (!checked) return checked;
    all.cpu_s += checked->cpu_s;
    all.turns += checked->turns;
    all.events += checked->events;
  }
  return all;
}

Result<ExitCode> run_replay_bench(const ReplayBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("replay", (*scratch)->path(), "fast");
  if (!report) return tl::unexpected(report.error());
  LedgerOptions ledger_options;
  ledger_options.durability = Durability::fast;
  const auto ledger = open_ledger((*scratch)->path() + "/ledger", ledger_options);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto recorded = record(**ledger, *ground, options);
  if (!recorded) return tl::unexpected(recorded.error());
  const auto again = replay(**ledger, *recorded, *ground, false);
  if (!again) return tl::unexpected(again.error());
  const auto checked = check_records(**ledger, *recorded, *ground);
  if (!checked) return tl::unexpected(checked.error());
  const auto turns = static_cast<double>(std::max<std::uint64_t>(1, recorded->turns));
  report->circumstance("products", static_cast<std::int64_t>(ground->artefact->product_count()));
  report->circumstance("turns", static_cast<std::int64_t>(recorded->turns));
  report->figure("original_turn", recorded->cpu_s * 1e3 / turns, "ms of CPU");
  report->figure("replayed_turn", again->cpu_s * 1e3 / turns, "ms of CPU");
  report->figure("replay_to_original", again->cpu_s / recorded->cpu_s, "x", at_most(1.1));
  report->figure("records_checked", static_cast<double>(checked->turns) / checked->cpu_s, "turns/s of CPU", at_least(30'000));
  report->figure("events_a_turn", static_cast<double>(again->events) / turns, "events");
  report->probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_replay(CLI::App& bench) {
  auto options = std::make_shared<ReplayBenchOptions>();
  CLI::App* replay = bench.add_subcommand("replay", "Turns executed again beside their original time; records checked a second");
  add_ground_options(*replay, options->ground);
  replay->add_option("--dir", options->directory, "Folder for the ledger")->capture_default_str();
  add_json_flag(*replay, options->json);
  return {replay, [options] { return run_replay_bench(*options); }};
}

}  // namespace turnstone
