// `turnstone bench sealing`: what encryption costs of a turn.
//
// Every message of the simulated shoppers goes to two embedded engines of this process, one over an encrypted ledger and one over a plain one,
// first to the one and then to the other in turn. Their turns differ in nothing but the codec, so the difference of each pair is its cost.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "storage/files/unfinished.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/open_ledger.h"
#include "tools/bench/benches.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/paired.h"
#include "tools/bench/report.h"
#include "tools/embedded_engine.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

struct SealingBenchOptions {
  GroundOptions ground;
  std::string directory = ".";
  std::string durability = "fast";
  bool json = false;
};

struct PairOfTurns {
  TurnTimings sealed, plain;
};

std::int64_t in_ledger_us(const TurnTimings& turn) { return turn.accept + turn.commit; }

class PairAgent final : public Agent {
 public:
  PairAgent(EmbeddedEngine& sealed, EmbeddedEngine& plain, SessionId session, std::vector<PairOfTurns>& pairs)
      : sealed_(sealed), plain_(plain), session_(std::move(session)), pairs_(pairs) {}

  Result<Answer> say(const Utterance& utterance) override {
    TurnRequest request;
    request.session = session_;
    request.key = TurnKey{std::to_string(++turns_)};
    request.text = utterance.text;
    request.top_k = top_k;
    const bool sealed_first = pairs_.size() % 2 == 0;
    const auto first = (sealed_first ? sealed_ : plain_).take_turn(request);
    if (!first) return tl::unexpected(first.error());
    const auto second = (sealed_first ? plain_ : sealed_).take_turn(request);
    if (!second) return tl::unexpected(second.error());
    if (first->reply.document != second->reply.document) return fail(ErrorCode::internal, "the two engines decided otherwise");
    pairs_.push_back({(sealed_first ? first : second)->timings, (sealed_first ? second : first)->timings});
    return read_reply(first->reply.document);
  }

 private:
  EmbeddedEngine& sealed_;
  EmbeddedEngine& plain_;
  const SessionId session_;
  std::vector<PairOfTurns>& pairs_;
  std::uint32_t turns_ = 0;
};

Result<std::vector<PairOfTurns>> take_pairs(const Ground& ground, const SealingBenchOptions& options, const std::string& folder) {
  LedgerOptions ledger_options;
  ledger_options.durability = options.durability == "synced" ? Durability::synced : Durability::fast;
  auto sealed_ledger = open_ledger(folder + "/sealed", ledger_options);
  if (!sealed_ledger) return tl::unexpected(sealed_ledger.error());
  auto plain_store = open_rocks_store(folder + "/plain", ledger_options, nullptr);
  if (!plain_store) return tl::unexpected(plain_store.error());
  auto plain_ledger = LedgerCore::open(std::move(*plain_store), plain_payload_codec());
  if (!plain_ledger) return tl::unexpected(plain_ledger.error());
  auto sealed = EmbeddedEngine::open(**sealed_ledger, ground.artefact, ground.policy, system_clock());
  if (!sealed) return tl::unexpected(sealed.error());
  auto plain = EmbeddedEngine::open(**plain_ledger, ground.artefact, ground.policy, system_clock());
  if (!plain) return tl::unexpected(plain.error());

  const RowIndex rows(ground.rows);
  std::vector<PairOfTurns> pairs;
  ProgressBar progress("bench sealing");
  for (std::size_t at = 0; at < ground.sessions.size(); ++at) {
    NewSession session;
    session.session = SessionId{fmt::format("{}-{}", ground.sessions[at].sample_id, at)};
    session.channel = "bench";
    session.policy_variant = "shopper";
    for (EmbeddedEngine* engine : {sealed->get(), plain->get()}) {
      if (auto started = engine->start_session(session); !started) return tl::unexpected(started.error());
    }
    PairAgent agent(**sealed, **plain, *session.session, pairs);
    if (auto outcome = run_trial(ground.sessions[at], rows, {options.ground.seed}, agent); !outcome) return tl::unexpected(outcome.error());
    progress.update(fmt::format("{} pairs of turns", pairs.size()), static_cast<int>(at * 1'000 / ground.sessions.size()));
  }
  return pairs;
}

Result<ExitCode> run_sealing_bench(const SealingBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("sealing", (*scratch)->path(), options.durability);
  if (!report) return tl::unexpected(report.error());
  const auto pairs = take_pairs(*ground, options, (*scratch)->path());
  if (!pairs) return tl::unexpected(pairs.error());
  std::vector<std::int64_t> differences, plain, sealed, plain_ledger, sealed_ledger, syncs;
  for (const PairOfTurns& pair : *pairs) {
    differences.push_back(in_ledger_us(pair.sealed) - in_ledger_us(pair.plain));
    plain.push_back(pair.plain.total);
    sealed.push_back(pair.sealed.total);
    plain_ledger.push_back(in_ledger_us(pair.plain));
    sealed_ledger.push_back(in_ledger_us(pair.sealed));
  }
  const Difference cost = difference_of(std::move(differences));
  const Percentiles turn = percentiles(std::move(plain));
  if (auto probed = add_fdatasyncs((*scratch)->path(), 200, syncs); !probed) return tl::unexpected(probed.error());
  report->circumstance("products", static_cast<std::int64_t>(ground->artefact->product_count()));
  report->circumstance("pairs", static_cast<std::int64_t>(cost.pairs));
  report->times("plain_turn", turn);
  report->times("sealed_turn", percentiles(std::move(sealed)));
  report->times("plain_in_the_ledger", percentiles(std::move(plain_ledger)));
  report->times("sealed_in_the_ledger", percentiles(std::move(sealed_ledger)));
  report->figure("sealing", cost.mean_us, "us a turn");
  report->figure("sealing_standard_error", cost.standard_error_us, "us");
  report->figure("sealing_of_a_turn", 100 * cost.mean_us / static_cast<double>(std::max<std::int64_t>(1, turn.p50)), "%", at_most(3));
  report->probe("fdatasync", percentiles(std::move(syncs)));
  report->probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_sealing(CLI::App& bench) {
  auto options = std::make_shared<SealingBenchOptions>();
  CLI::App* sealing = bench.add_subcommand("sealing", "What encryption costs of a turn, by pairs of turns with and without");
  add_ground_options(*sealing, options->ground);
  sealing->add_option("--durability", options->durability, "Sync before every reply, or not")->check(CLI::IsMember({"synced", "fast"}))->capture_default_str();
  sealing->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*sealing, options->json);
  return {sealing, [options] { return run_sealing_bench(*options); }};
}

}  // namespace turnstone
