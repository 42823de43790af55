#include "tools/bench/engine_under_load.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tools/key_files.h"
#include "tools/process_log.h"

namespace turnstone {
namespace {

using std::chrono::milliseconds;

bool lists(const std::vector<WorkerStatus>& workers, std::size_t wanted) {
  return static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(), [](const WorkerStatus& worker) { return worker.ready; })) >= wanted;
}

struct BusKeys {
  bus::EngineKeys engine;
  std::vector<std::string> of_worker;  // arguments
};

Result<BusKeys> make_keys(const std::string& folder) {
  const KeyPair engine = make_key_pair(KeyUse::bus), worker = make_key_pair(KeyUse::bus);
  if (auto written = write_key_pair(folder + "/engine", KeyUse::bus, engine); !written) return tl::unexpected(written.error());
  if (auto written = write_key_pair(folder + "/worker", KeyUse::bus, worker); !written) return tl::unexpected(written.error());
  BusKeys keys;
  keys.engine = {bus::CurveSecret{engine.secret}, [admitted = worker.open](const bus::CurvePublic& key) { return key.value == admitted; }};
  keys.of_worker = {"--bus-key", folder + "/worker.key", "--engine-key", folder + "/engine.pub"};
  return keys;
}

}  // namespace

Result<std::unique_ptr<EngineUnderLoad>> EngineUnderLoad::start(const EngineUnderLoadOptions& options) {
  setenv("TURNSTONE_LOG", "warn", 0);  // the figures are what is wanted; inherited by the workers
  log_to_standard_error("bench");
  std::unique_ptr<EngineUnderLoad> loaded(new EngineUnderLoad());
  auto sockets = TemporaryFolder::make(std::filesystem::temp_directory_path().string());
  if (!sockets) return tl::unexpected(sockets.error());
  loaded->sockets_ = std::move(*sockets);
  LedgerOptions ledger_options;
  ledger_options.durability = options.durability;
  auto ledger = open_ledger(options.ledger, ledger_options);
  if (!ledger) return tl::unexpected(ledger.error());
  loaded->ledger_ = std::move(*ledger);
  EngineOptions engine_options;
  engine_options.dispatch = options.dispatch;
  engine_options.bus_endpoint = options.bus == BusKind::ipc ? "ipc://" + loaded->sockets_->path() + "/bus/bus" : "tcp://127.0.0.1:*";
  std::vector<std::string> keys_of_worker;
  if (options.bus == BusKind::curve) {
    auto keys = make_keys(loaded->sockets_->path());
    if (!keys) return tl::unexpected(keys.error());
    engine_options.bus_keys = std::move(keys->engine);
    keys_of_worker = std::move(keys->of_worker);
  }
  auto engine = Engine::start(engine_options, *loaded->ledger_);
  if (!engine) return tl::unexpected(engine.error());
  loaded->engine_ = std::move(*engine);
  if (auto started = loaded->start_workers(options, keys_of_worker); !started) return tl::unexpected(started.error());
  return loaded;
}

Status EngineUnderLoad::start_workers(const EngineUnderLoadOptions& options, const std::vector<std::string>& keys) {
  for (std::uint32_t number = 1; number <= options.workers; ++number) {
    const std::string name = fmt::format("bench-worker-{}", number);
    ChildProgram program{name, {own_program(), "bench", "worker", "--bus", engine_->bus_endpoint(), "--name", name}, {}};
    program.command.insert(program.command.end(), keys.begin(), keys.end());
    program.command.insert(program.command.end(), options.turns.begin(), options.turns.end());
    auto child = supervisor_.start(std::move(program));
    if (!child) return tl::unexpected(child.error());
    workers_.push_back(*child);
  }
  return wait_for_workers();
}

Status EngineUnderLoad::watch(const std::function<bool()>& done, milliseconds most) {
  if (supervisor_.run(done, most)) return {};
  if (supervisor_.stop_requested()) return fail(ErrorCode::closed, "stopped before the measurement was over");
  return fail(ErrorCode::io, "the engine or its workers did not do in time what was asked of them; see the lines above");
}

Status EngineUnderLoad::wait_for_workers() {
  return watch([this] { return lists(engine_->workers(), workers_.size()); }, std::chrono::minutes(1));
}

void EngineUnderLoad::signal_workers(int signal) {
  for (const Supervisor::Child worker : workers_) {
    if (const pid_t pid = supervisor_.pid(worker); pid > 0) kill(pid, signal);
  }
}

EngineUnderLoad::~EngineUnderLoad() {
  if (!engine_) return;
  (void)engine_->drain();  // turns that a broken measurement left are nobody's
  supervisor_.end(workers_, milliseconds(500));
}

}  // namespace turnstone
