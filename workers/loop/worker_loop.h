// A worker process's loop: joins the engine, takes turns until told to stop, joins again when the engine restarts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/bus/keys.h"
#include "events/error.h"
#include "workers/loop/worker_core.h"

namespace turnstone {

struct WorkerOptions {
  std::string endpoint;                                // the engine's bus endpoint
  std::string name;                                    // for people; the id on the bus is made from it, fresh at each start
  Served served;                                       // serve(artefacts, policies) of workers/loop/served_turn.h
  std::optional<bus::WorkerKeys> keys = std::nullopt;  // a must for an engine on another host
  std::uint32_t credit = 8;
  std::size_t sessions_max = 1'024;
  std::int64_t drain_ms_max = 2'000;
};

class WorkerLoop {
 public:
  explicit WorkerLoop(WorkerOptions options);
  ~WorkerLoop();
  // Runs on the calling thread until a stop is requested (then finishes what it holds and says goodbye) or the
  // engine refuses this worker for good. An engine that is not there yet is waited for.
  // Errors: invalid_argument (endpoint), refused (another host without keys, keys that do not fit), unsupported (protocol
  // version), io.
  Status run(std::stop_token stop);
  WorkerCounters counters() const;  // any thread

 private:
  class Shell;
  std::unique_ptr<Shell> shell_;
};

}  // namespace turnstone
