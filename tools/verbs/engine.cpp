#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/engine_process.h"
#include "engine/gateway/gateway.h"
#include "storage/ledger/ledger.h"
#include "tools/key_files.h"
#include "tools/process_log.h"
#include "tools/stop_signals.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

using std::chrono::milliseconds;

// Together below the five seconds within which SIGTERM must have ended everything.
constexpr milliseconds gateway_drain{3'000};
constexpr std::int64_t engine_drain_ms = 800;

struct EngineVerbOptions {
  std::string ledger;
  std::string master_key;
  std::string bus;
  std::string bus_key;
  std::string worker_keys;
  std::string http = "127.0.0.1:8080";
  std::string durability = "synced";
  bool accept_loss = false;
  std::vector<std::string> hosts;
  std::int64_t turn_ms_max = DispatchOptions{}.task_ms_max;
  bool allow_remote = false;
  bool allow_erase = false;
  bool json = false;
};

// Lets the process open as many files as it is allowed to, and gives sockets what the ledger leaves of them.
std::size_t connections_possible(std::size_t wanted) {
  constexpr std::size_t for_ledger = 512;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const auto files = static_cast<std::size_t>(limit.rlim_cur);
  return std::min(wanted, files > 2 * for_ledger ? files - for_ledger : files / 2);
}

// The list of workers is looked at at each connection: a key that was taken out of it lets nobody in from then on.
Result<std::optional<bus::EngineKeys>> bus_keys_of(const EngineVerbOptions& options) {
  if (options.bus_key.empty()) return std::nullopt;
  const auto mine = read_secret_key(options.bus_key, KeyUse::bus);
  if (!mine) return tl::unexpected(mine.error());
  if (auto listed = read_public_keys(options.worker_keys, KeyUse::bus); !listed) return tl::unexpected(listed.error());
  auto admits = [list = std::make_shared<KeyList>(options.worker_keys, KeyUse::bus), said = std::chrono::steady_clock::time_point()](
                    const bus::CurvePublic& worker) mutable {
    const bool listed = list->holds(worker.value);
    const auto now = std::chrono::steady_clock::now();
    if (list->problem() && now - said > std::chrono::seconds(1)) {  // however often somebody knocks
      said = now;
      spdlog::error("nobody can join: {}", list->problem()->detail);
    }
    return listed;
  };
  return bus::EngineKeys{bus::CurveSecret{mine->secret}, std::move(admits)};
}

// One line a change on standard output: for people, or (--json) for a program that started this one.
void announce(bool json, const nlohmann::ordered_json& event, const std::string& text) {
  fmt::print("{}\n", json ? event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) : text);
  std::fflush(stdout);
}

std::vector<std::string> ready_workers(const Engine& engine) {
  std::vector<std::string> names;
  for (const WorkerStatus& worker : engine.workers()) {
    if (worker.ready) names.push_back(worker.name);
  }
  return names;
}

void serve_until_stopped(const EngineVerbOptions& options, const StopSignals& signals, const Engine& engine, const Gateway& gateway) {
  const std::string http = gateway.address().text();
  announce(options.json, {{"event", "listening"}, {"http", http}, {"bus", engine.bus_endpoint()}, {"pid", getpid()}},
           fmt::format("listening on http://{}; workers join with: turnstone worker --index DIR --bus {}{}", http, engine.bus_endpoint(),
                       options.bus_key.empty() ? "" : " --bus-key WORKER.key --engine-key ENGINE.pub"));
  bool ready = false;
  std::vector<std::string> workers;
  milliseconds pause{10};  // short until it is in service, for whoever waits for that
  while (!signals.wait(pause)) {
    const Readiness now = engine.readiness();
    // For the program that started this one: which of its workers get turns.
    if (auto names = options.json ? ready_workers(engine) : std::vector<std::string>{}; names != workers) {
      workers = std::move(names);
      announce(true, {{"event", "workers"}, {"ready", workers}}, {});
    }
    if (now.ready == ready) continue;
    ready = now.ready;
    if (ready) {
      announce(options.json, {{"event", "in_service"}, {"http", http}, {"workers", now.workers}}, fmt::format("in service at http://{}", http));
      pause = milliseconds(100);
    } else {
      spdlog::warn("out of service: {}", now.reason);
    }
  }
}

Result<ExitCode> run_engine(const EngineVerbOptions& options) {
  const StopSignals signals;
  log_to_standard_error("engine");
  auto address = parse_http_address(options.http);
  if (!address) return tl::unexpected(address.error());
  auto bus_keys = bus_keys_of(options);
  if (!bus_keys) return tl::unexpected(bus_keys.error());
  auto ledger = open_for_writing(options.ledger, {.durability = options.durability == "fast" ? Durability::fast : Durability::synced,
                                             .accept_loss = options.accept_loss,
                                             .master_key = options.master_key});
  if (!ledger) return tl::unexpected(ledger.error());

  EngineOptions engine_options;
  engine_options.bus_endpoint = options.bus;
  engine_options.bus_keys = std::move(*bus_keys);
  engine_options.drain_ms_max = engine_drain_ms;
  engine_options.dispatch.task_ms_max = options.turn_ms_max;
  auto engine = Engine::start(engine_options, **ledger);
  if (!engine) return tl::unexpected(engine.error());

  GatewayOptions gateway_options{.address = *address, .allow_remote = options.allow_remote, .hosts = options.hosts, .allow_erasure = options.allow_erase, .limits = {}};
  gateway_options.metrics = [&engine] {
    std::vector<Metric> metrics = metrics_of((*engine)->counters());
    metrics.push_back({Metric::Kind::counter, "bus_turned_away_total",
                       "Connections to the bus that were not let in: a wrong key or none, another protocol or version.", "", {{"", (*engine)->turned_away()}}});
    return metrics;
  };
  gateway_options.limits.connections = connections_possible(gateway_options.limits.connections);
  auto gateway = Gateway::start(gateway_options, **engine);
  if (!gateway) return tl::unexpected(gateway.error());

  serve_until_stopped(options, signals, **engine, **gateway);
  spdlog::info("draining: no new connections; turns at work are answered");
  (*gateway)->stop(gateway_drain);
  if (Status drained = (*engine)->drain(); !drained) spdlog::warn("{}", drained.error().detail);
  const EngineCounters counters = (*engine)->counters();
  spdlog::info("ended: {} turns accepted, {} committed, {} parked", counters.turns_accepted, counters.turns_committed, counters.turns_parked);
  return ExitCode::success;
}

}  // namespace

Verb add_engine(CLI::App& app) {
  auto options = std::make_shared<EngineVerbOptions>();
  CLI::App& command =
      add_command(app, "engine", "Run the engine: ledger, bus and HTTP gateway (workers join it over the bus)",
                  "turnstone engine --ledger ledger --bus ipc:///run/turnstone/bus --http 127.0.0.1:8080\n"
                  "turnstone engine --ledger ledger --bus tcp://10.0.0.1:7070 --bus-key engine.key --worker-keys workers --http 127.0.0.1:0");
  command.add_option("--ledger", options->ledger, "Folder of the ledger, made when missing")->required();
  add_master_key_option(command, options->master_key);
  command.add_option("--bus", options->bus, "Where workers join: ipc:///FOLDER/NAME, tcp://127.0.0.1:PORT, or with keys tcp://ADDRESS:PORT")
      ->required();
  CLI::Option* bus_key =
      command.add_option("--bus-key", options->bus_key, "Secret key of this engine (turnstone keys --for bus): workers need keys then");
  CLI::Option* worker_keys =
      command.add_option("--worker-keys", options->worker_keys, "File of the workers' public keys, one a line; looked at at each connection");
  bus_key->needs(worker_keys);
  worker_keys->needs(bus_key);
  command.add_option("--http", options->http, "Where front ends connect: ADDRESS:PORT; port 0 takes any free one")->capture_default_str();
  command.add_flag("--allow-remote", options->allow_remote, "Allow an --http address that other machines reach; the API has no log-in");
  command.add_flag("--allow-erase", options->allow_erase, "Let whoever reaches --http erase sessions and profiles (DELETE, turnstone erase --http)");
  command.add_option("--allow-host", options->hosts, "Host name to answer under besides the loopback ones; may be repeated");
  command.add_option("--durability", options->durability, "fast survives a killed process but not a power cut")
      ->check(CLI::IsMember({"synced", "fast"}))
      ->capture_default_str();
  command.add_flag("--accept-loss", options->accept_loss, "Go on without the turns that a damaged ledger has lost; its files are kept aside");
  command.add_option("--turn-ms-max", options->turn_ms_max, "A worker that holds a turn for so long loses it to another")
      ->check(CLI::Range(50, 600'000))
      ->capture_default_str();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_engine(*options); }};
}

}  // namespace turnstone
