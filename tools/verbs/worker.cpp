#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <stop_token>
#include <thread>

#include "storage/artefact/artefact.h"
#include "tools/key_files.h"
#include "tools/policy_file.h"
#include "tools/process_log.h"
#include "tools/stop_signals.h"
#include "tools/verbs/verb.h"
#include "workers/loop/served_turn.h"
#include "workers/loop/worker_loop.h"

namespace turnstone {
namespace {

struct WorkerVerbOptions {
  std::string index;
  std::string bus;
  std::string bus_key;
  std::string engine_key;
  std::string policy_file;
  std::string name;
};

Result<std::optional<bus::WorkerKeys>> bus_keys_of(const WorkerVerbOptions& options) {
  if (options.bus_key.empty()) return std::nullopt;
  const auto mine = read_secret_key(options.bus_key, KeyUse::bus);
  if (!mine) return tl::unexpected(mine.error());
  const auto engine = read_public_key(options.engine_key, KeyUse::bus);
  if (!engine) return tl::unexpected(engine.error());
  return bus::WorkerKeys{bus::CurveSecret{mine->secret}, bus::CurvePublic{mine->open}, bus::CurvePublic{*engine}};
}

Result<ExitCode> run_worker(const WorkerVerbOptions& options) {
  const StopSignals signals;
  log_to_standard_error(options.name.empty() ? "worker" : options.name);
  auto artefact = Artefact::open(options.index);
  if (!artefact) return tl::unexpected(artefact.error());
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(policy.error());
  auto keys = bus_keys_of(options);
  if (!keys) return tl::unexpected(keys.error());

  WorkerOptions worker;
  worker.endpoint = options.bus;
  worker.keys = *keys;
  worker.name = options.name.empty() ? fmt::format("worker-{}", getpid()) : options.name;
  worker.served = serve({*artefact}, {*policy});
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
  const WorkerCounters counters = loop.counters();
  spdlog::info("ended: {} turns taken, {} failed", counters.proposals, counters.failures);
  return ExitCode::success;
}

}  // namespace

Verb add_worker(CLI::App& app) {
  auto options = std::make_shared<WorkerVerbOptions>();
  CLI::App& command = add_command(app, "worker", "Run one worker: joins an engine and takes turns until told to stop",
                                  "turnstone worker --index idx --bus ipc:///run/turnstone/bus\n"
                                  "turnstone worker --index idx --bus tcp://10.0.0.1:7070 --bus-key worker.key --engine-key engine.pub");
  command.add_option("--index", options->index, "Folder that `turnstone index` wrote")->required();
  command.add_option("--bus", options->bus, "The engine's --bus endpoint; an engine that is not there yet is waited for")->required();
  CLI::Option* bus_key = command.add_option("--bus-key", options->bus_key, "Secret key of this worker (turnstone keys --for bus)");
  CLI::Option* engine_key = command.add_option("--engine-key", options->engine_key, "Public key of the engine");
  bus_key->needs(engine_key);
  engine_key->needs(bus_key);
  command.add_option("--policy", options->policy_file, "Policy file to use instead of the compiled-in one");
  command.add_option("--name", options->name, "Name of this worker in logs");
  return {&command, [options] { return run_worker(*options); }};
}

}  // namespace turnstone
