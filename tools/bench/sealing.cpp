#include "tools/bench/sealing.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/files/unfinished.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/open_ledger.h"
#include "tools/bench/probes.h"
#include "tools/embedded_engine.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;

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

// Of the middle 98 % of the pairs' differences: what else the machine did meanwhile falls on single turns.
struct Difference {
  double mean_us = 0, standard_error_us = 0;
  std::size_t pairs = 0;
};
Difference difference_of(std::vector<std::int64_t> differences) {
  std::sort(differences.begin(), differences.end());
  const std::size_t cut = differences.size() / 100;
  double sum = 0, squares = 0;
  Difference found;
  for (std::size_t i = cut; i + cut < differences.size(); ++i) {
    const auto each = static_cast<double>(differences[i]);
    sum += each, squares += each * each, ++found.pairs;
  }
  if (found.pairs < 2) return found;
  const auto n = static_cast<double>(found.pairs);
  found.mean_us = sum / n;
  found.standard_error_us = std::sqrt(std::max(0.0, squares / n - found.mean_us * found.mean_us) / n);
  return found;
}

Result<ExitCode> run_sealing_bench(const SealingBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  const auto pairs = take_pairs(*ground, options, (*scratch)->path());
  if (!pairs) return tl::unexpected(pairs.error());
  std::vector<std::int64_t> differences, plain, sealed, plain_ledger, sealed_ledger;
  for (const PairOfTurns& pair : *pairs) {
    differences.push_back(in_ledger_us(pair.sealed) - in_ledger_us(pair.plain));
    plain.push_back(pair.plain.total);
    sealed.push_back(pair.sealed.total);
    plain_ledger.push_back(in_ledger_us(pair.plain));
    sealed_ledger.push_back(in_ledger_us(pair.sealed));
  }
  const Difference cost = difference_of(std::move(differences));
  const Percentiles turn = percentiles(plain), with = percentiles(sealed), ledger = percentiles(plain_ledger), ledger_with = percentiles(sealed_ledger);
  const double percent = turn.p50 > 0 ? 100 * cost.mean_us / static_cast<double>(turn.p50) : 0;
  const Machine machine = this_machine();
  const double read_rate = memory_read_gb_per_s();
  if (options.json) {
    const Json document = {{"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"kernel", machine.kernel}, {"build", machine.build}}},
                           {"durability", options.durability},
                           {"pairs", cost.pairs},
                           {"cost_us", cost.mean_us},
                           {"standard_error_us", cost.standard_error_us},
                           {"turn_p50_us", turn.p50},
                           {"sealed_turn_p50_us", with.p50},
                           {"percent_of_a_turn", percent},
                           {"probes", {{"memory_read_gb_per_s", read_rate}}}};
    fmt::print("{}\n", document.dump(1));
    return ExitCode::success;
  }
  fmt::print("machine      {} ({} cores, {} MB), {}\nbuild        {}\ndisk         {}, durability {}\n\n", machine.cpu, machine.cores, machine.memory_mb,
             machine.kernel, machine.build, file_system_of((*scratch)->path()), options.durability);
  fmt::print("             plain p50    sealed p50\nturn         {:>6} us    {:>6} us\n  in ledger  {:>6} us    {:>6} us\n", turn.p50, with.p50, ledger.p50,
             ledger_with.p50);
  fmt::print("sealing      {:.1f} us a turn (standard error {:.1f}, {} pairs): {:.2f} % of a turn\n\nraw probe of the same minute\nmemory read  {:.1f} GB/s on one core\n",
             cost.mean_us, cost.standard_error_us, cost.pairs, percent, read_rate);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_sealing(CLI::App& bench) {
  auto options = std::make_shared<SealingBenchOptions>();
  CLI::App* sealing = bench.add_subcommand("sealing", "What encryption costs of a turn, by pairs of turns with and without");
  sealing->add_option("--index", options->ground.index, "Folder that `turnstone index` wrote")->required();
  sealing->add_option("--catalogue", options->ground.catalogue, "The catalogue that was indexed")->required();
  sealing->add_option("--sessions", options->ground.sessions, "Sessions: JSON lines with scenario and target");
  sealing->add_option("--generate-sessions", options->ground.generate_sessions, "Make this many sessions over the catalogue instead");
  sealing->add_option("--seed", options->ground.seed, "Seed of the shoppers")->capture_default_str();
  sealing->add_option("--durability", options->durability, "Sync before every reply, or not")->check(CLI::IsMember({"synced", "fast"}))->capture_default_str();
  sealing->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*sealing, options->json);
  return {sealing, [options] { return run_sealing_bench(*options); }};
}

}  // namespace turnstone
