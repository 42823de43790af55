// `turnstone bench worker`: a worker process whose turns decide nothing, for what bus, ledger and dispatch cost without the search.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "events/chain.h"
#include "tools/bench/benches.h"
#include "tools/bench/spinning.h"
#include "tools/key_files.h"
#include "tools/process_log.h"
#include "tools/stop_signals.h"
#include "workers/loop/worker_loop.h"

namespace turnstone {
namespace {

struct IdleWorkerOptions {
  std::string bus, bus_key, engine_key, name;
  std::uint32_t credit = 8;
  std::uint32_t sleep_ms = 0;
  std::uint64_t spin_rounds = 0;
  bool mortal = false;
};

// What a turn takes besides: a pause, work of the processor, or the worker's life at the first attempt.
void spend(const IdleWorkerOptions& options, const LoopInput& input) {
  if (options.sleep_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(options.sleep_ms));
  if (options.spin_rounds > 0) spin(options.spin_rounds);
  if (!options.mortal || input.attempt != Attempt{1}) return;
  if (input.received.text == "die") kill(getpid(), SIGKILL);
  if (input.received.text == "freeze") kill(getpid(), SIGSTOP);
}

// Six events, with the two of the accept eight, as a turn of a few words has; the wish moves on, so that the state stays of everyday size.
LoopProposal idle_proposal(const IntentState& state, const LoopInput& input) {
  LoopProposal proposal;
  proposal.events.emplace_back(IntentClassified{Intent::buying, Permille{700}, "for the summer"});
  if (!state.active.empty()) proposal.events.emplace_back(ConstraintTombstoned{state.active.front().set.id, TombstoneReason::superseded, std::nullopt, ""});
  ConstraintSet colour;
  colour.id = ConstraintId{state.last_constraint.value + 1};
  colour.facet = "color";
  colour.value.any_of = {"red"};
  colour.said = "red";
  proposal.events.emplace_back(std::move(colour));
  while (proposal.events.size() < 4) proposal.events.emplace_back(PreferenceWaived{"brand", "any brand"});
  proposal.events.emplace_back(ReplySent{"Red, for the summer. 120 match."});
  proposal.flight_record = "a turn that decides nothing";
  TurnCompleted completed;
  completed.turn = input.received.turn;
  completed.attempt = input.attempt;
  completed.artefact = input.decider.artefact;
  completed.policy = input.decider.policy;
  completed.decision_version = input.decider.decision_version;
  completed.flight_digest = blake2b(proposal.flight_record);
  completed.fold_version = fold_version;
  proposal.events.emplace_back(completed);
  proposal.reply = R"({"message":"Red, for the summer. 120 match."})";
  return proposal;
}

Served idle_turns(const IdleWorkerOptions& options) {
  const std::string policy = "a policy of benchmarks";
  Served served;
  served.artefacts = {Fingerprint{blake2b("an artefact of benchmarks")}};
  served.policies = {{Fingerprint{blake2b(policy)}, policy}};
  served.decision_versions = {decision_version};
  served.turn = [options](const IntentState& state, const LoopInput& input) -> Result<LoopProposal> {
    spend(options, input);
    return idle_proposal(state, input);
  };
  return served;
}

Result<ExitCode> run_idle_worker(const IdleWorkerOptions& options) {
  const StopSignals signals;
  log_to_standard_error(options.name.empty() ? "bench worker" : options.name);
  WorkerOptions worker;
  worker.endpoint = options.bus;
  worker.name = options.name;
  worker.credit = options.credit;
  worker.served = idle_turns(options);
  if (!options.bus_key.empty()) {
    const auto mine = read_secret_key(options.bus_key, KeyUse::bus);
    if (!mine) return tl::unexpected(mine.error());
    const auto engine = read_public_key(options.engine_key, KeyUse::bus);
    if (!engine) return tl::unexpected(engine.error());
    worker.keys = bus::WorkerKeys{bus::CurveSecret{mine->secret}, bus::CurvePublic{mine->open}, bus::CurvePublic{*engine}};
  }
  WorkerLoop loop(std::move(worker));
  Status ended;
  std::atomic<bool> over{false};
  std::jthread working([&](std::stop_token stop) {
    ended = loop.run(std::move(stop));
    over = true;
  });
  while (!over && !signals.wait(std::chrono::milliseconds(50))) {}
  working.request_stop();
  working.join();
  if (!ended) return tl::unexpected(ended.error());
  return ExitCode::success;
}

}  // namespace

Verb add_bench_worker(CLI::App& bench) {
  auto options = std::make_shared<IdleWorkerOptions>();
  CLI::App* worker = bench.add_subcommand("worker", "A worker whose turns decide nothing, for an engine that is measured by itself");
  worker->add_option("--bus", options->bus, "The engine's --bus endpoint")->required();
  CLI::Option* bus_key = worker->add_option("--bus-key", options->bus_key, "Secret key of this worker (turnstone keys --for bus)");
  CLI::Option* engine_key = worker->add_option("--engine-key", options->engine_key, "Public key of the engine");
  bus_key->needs(engine_key);
  engine_key->needs(bus_key);
  worker->add_option("--name", options->name, "Name of this worker in logs");
  worker->add_option("--credit", options->credit, "Turns that it holds at a time")->check(CLI::Range(1, 256))->capture_default_str();
  worker->add_option("--sleep-ms", options->sleep_ms, "Each turn sleeps so long")->check(CLI::Range(0, 60'000));
  worker->add_option("--spin", options->spin_rounds, "Each turn does so many rounds of arithmetic");
  worker->add_flag("--mortal", options->mortal, "A first attempt at the message \"die\" or \"freeze\" kills or stops this process");
  return {worker, [options] { return run_idle_worker(*options); }};
}

}  // namespace turnstone
