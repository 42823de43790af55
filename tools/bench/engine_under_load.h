// An engine of this process over a new ledger on the disk to measure, and workers as processes whose turns decide nothing (`bench worker`).
//
// Thread safety: one thread uses it; engine() may be called upon from any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine_process.h"
#include "events/error.h"
#include "tools/supervisor.h"
#include "tools/temporary_folder.h"

namespace turnstone {

enum class BusKind : std::uint8_t { ipc, tcp, curve };  // curve: tcp with keys

struct EngineUnderLoadOptions {
  std::string ledger;  // folder; made
  Durability durability = Durability::synced;
  BusKind bus = BusKind::ipc;
  std::uint32_t workers = 2;
  std::vector<std::string> turns;  // further arguments of `bench worker`
  DispatchOptions dispatch;
};

class EngineUnderLoad {
 public:
  // Returns when all workers have joined. Errors: those of ledger and engine; io when a worker does not join within a minute.
  static Result<std::unique_ptr<EngineUnderLoad>> start(const EngineUnderLoadOptions& options);
  ~EngineUnderLoad();

  Engine& engine() { return *engine_; }
  // Watches the workers until `done` holds (asked at least every 50 ms). Error: closed when a stop was asked for.
  Status watch(const std::function<bool()>& done, std::chrono::milliseconds most = std::chrono::hours(1));
  // Until `workers` of them are there again and get turns.
  Status wait_for_workers();
  void signal_workers(int signal);

 private:
  EngineUnderLoad() = default;
  Status start_workers(const EngineUnderLoadOptions& options, const std::vector<std::string>& keys);

  std::unique_ptr<TemporaryFolder> sockets_;  // of the bus, and its keys
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Engine> engine_;
  Supervisor supervisor_{SupervisorOptions{std::chrono::milliseconds(1), std::chrono::milliseconds(1), std::chrono::milliseconds(1)}};
  std::vector<Supervisor::Child> workers_;
};

}  // namespace turnstone
