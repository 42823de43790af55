#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/catalogue/catalogue.h"
#include "storage/ledger/ledger.h"
#include "tools/bench/http_load.h"
#include "tools/bench/long_session.h"
#include "tools/bench/probes.h"
#include "tools/bench/sealing.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  GroundOptions ground;
  std::string policy = "shopper";
  std::string directory = ".";  // where scratch ledgers and indexes are made
  std::string durability = "fast";
  bool json = false;
};

Json to_document(const Percentiles& p) { return {{"count", p.count}, {"p50_us", p.p50}, {"p90_us", p.p90}, {"p99_us", p.p99}, {"max_us", p.max}}; }

Json to_document(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"memory_mb", machine.memory_mb}, {"kernel", machine.kernel}, {"build", machine.build}};
}

void print_machine(const Machine& machine) {
  fmt::print("machine      {} ({} cores, {} MB), {}\nbuild        {}\n", machine.cpu, machine.cores, machine.memory_mb, machine.kernel, machine.build);
}

void print_percentiles(const char* name, const Percentiles& p) {
  fmt::print("{:<12} p50 {:>7} us   p90 {:>7} us   p99 {:>7} us   max {:>7} us   n {}\n", name, p.p50, p.p90, p.p99, p.max, p.count);
}

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

Result<std::vector<TurnTimings>> time_turns(const Ground& ground, const BenchOptions& options, const std::string& directory) {
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

Result<ExitCode> run_turn(const BenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string file_system = file_system_of((*scratch)->path());
  if (options.durability == "synced" && file_system == "tmpfs") {
    return fail(ErrorCode::invalid_argument, "a sync on tmpfs does nothing; give --dir on a disk, or --durability fast");
  }
  const auto times = time_turns(*ground, options, (*scratch)->path());
  if (!times) return tl::unexpected(times.error());
  const auto sync_probe = fdatasync_us((*scratch)->path(), 200);
  if (!sync_probe) return tl::unexpected(sync_probe.error());
  const Machine machine = this_machine();
  const double read_rate = memory_read_gb_per_s(), scan = posting_scan_ns(*ground->artefact);
  const Percentiles total = part(*times, &TurnTimings::total), decide = part(*times, &TurnTimings::decide);
  const Percentiles accept = part(*times, &TurnTimings::accept), commit = part(*times, &TurnTimings::commit), sync = part(*times, &TurnTimings::sync);
  if (options.json) {
    const Json document = {{"machine", to_document(machine)},
                           {"file_system", file_system},
                           {"durability", options.durability},
                           {"products", ground->artefact->product_count()},
                           {"turn", to_document(total)},
                           {"parts", {{"accept", to_document(accept)}, {"decide", to_document(decide)}, {"commit", to_document(commit)}, {"sync", to_document(sync)}}},
                           {"probes", {{"fdatasync", to_document(*sync_probe)}, {"memory_read_gb_per_s", read_rate}, {"posting_scan_ns", scan}}}};
    fmt::print("{}\n", document.dump(1));
    return ExitCode::success;
  }
  print_machine(machine);
  fmt::print("disk         {}, durability {}\nproducts     {}\n\n", file_system, options.durability, ground->artefact->product_count());
  print_percentiles("turn", total);
  print_percentiles("  accept", accept);
  print_percentiles("  decide", decide);
  print_percentiles("  commit", commit);
  print_percentiles("  sync", sync);
  fmt::print("\nraw probes of the same minute\n");
  print_percentiles("fdatasync", *sync_probe);
  fmt::print("memory read  {:.1f} GB/s on one core\nposting scan {:.2f} ns a posting\n", read_rate, scan);
  return ExitCode::success;
}

Result<ExitCode> run_index(const BenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  ProgressBar progress("bench index");
  const auto began = std::chrono::steady_clock::now();
  const auto built = build_index(options.ground.catalogue, (*scratch)->path() + "/index", {},
                                 [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  if (!built) return tl::unexpected(built.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  progress.finish();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const Machine machine = this_machine();
  const double read_rate = memory_read_gb_per_s();
  const std::string file_system = file_system_of((*scratch)->path());
  if (options.json) {
    const Json document = {{"machine", to_document(machine)}, {"file_system", file_system}, {"rows", built->import.rows}, {"seconds", seconds},
                           {"peak_mb", usage.ru_maxrss / 1024}, {"artefact_mb", static_cast<double>(built->artefact_bytes) / 1e6},
                           {"probes", {{"memory_read_gb_per_s", read_rate}}}};
    fmt::print("{}\n", document.dump(1));
    return ExitCode::success;
  }
  print_machine(machine);
  fmt::print("disk         {}\n\nindex        {} rows in {:.2f} s, peak {} MB, artefact {:.1f} MB\n\nraw probe of the same minute\nmemory read  {:.1f} GB/s on one core\n",
             file_system, built->import.rows, seconds, usage.ru_maxrss / 1024, static_cast<double>(built->artefact_bytes) / 1e6, read_rate);
  return ExitCode::success;
}

}  // namespace

Verb add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  auto index_wanted = std::make_shared<bool>(false);
  CLI::App& command = add_command(app, "bench", "Measure this machine, raw probes beside every figure",
                                  "turnstone bench turn --index idx --catalogue sample.jsonl --generate-sessions 100 --durability synced\n"
                                  "turnstone bench http --index idx --catalogue sample.jsonl --generate-sessions 100 --rate 50\n"
                                  "turnstone bench session --index idx --catalogue sample.jsonl --generate-sessions 100 --events 50000\n"
                                  "turnstone bench index --catalogue sample.jsonl");
  command.require_subcommand(1);
  CLI::App* turn = command.add_subcommand("turn", "Latency of embedded turns over conversations of simulated shoppers");
  turn->add_option("--index", options->ground.index, "Folder that `turnstone index` wrote")->required();
  turn->add_option("--sessions", options->ground.sessions, "Sessions: JSON lines with scenario and target");
  turn->add_option("--generate-sessions", options->ground.generate_sessions, "Make this many sessions over the catalogue instead");
  turn->add_option("--policy", options->policy, "Variant of the policy")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  turn->add_option("--policy-file", options->ground.policy_file, "Policy to use instead of the compiled-in one");
  turn->add_option("--limit", options->ground.limit, "Only the first sessions");
  turn->add_option("--seed", options->ground.seed, "Seed of the shoppers")->capture_default_str();
  turn->add_option("--durability", options->durability, "Sync before every reply, or not")->check(CLI::IsMember({"synced", "fast"}))->capture_default_str();
  CLI::App* index = command.add_subcommand("index", "Time and memory of building an index");
  index->callback([index_wanted] { *index_wanted = true; });
  for (CLI::App* nested : {turn, index}) {
    nested->add_option("--catalogue", options->ground.catalogue, "The catalogue: JSON lines, plain, gzip or zstd")->required();
    nested->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
    add_json_flag(*nested, options->json);
  }
  const Verb http = add_bench_http(command);
  const Verb session = add_bench_session(command);
  const Verb sealing = add_bench_sealing(command);
  return {&command, [options, index_wanted, nested = std::vector<Verb>{http, session, sealing}] {
            for (const Verb& each : nested) {
              if (each.command->parsed()) return each.run();
            }
            return *index_wanted ? run_index(*options) : run_turn(*options);
          }};
}

}  // namespace turnstone
