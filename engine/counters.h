// What the engine counts, for readiness, metrics and tests. Plain numbers; a copy is a consistent snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/bus/bus.h"

namespace turnstone {

struct EngineCounters {
  std::uint64_t turns_accepted = 0;
  std::uint64_t turns_committed = 0;
  std::uint64_t turns_repeated = 0;  // answered from the stored reply
  std::uint64_t turns_parked = 0;
  std::uint64_t refused_busy = 0;
  std::uint64_t dispatched = 0;
  std::uint64_t redispatched = 0;  // an attempt after the first
  std::uint64_t fenced = 0;        // late proposals
  std::uint64_t stale = 0;         // proposals dispatched by another run of the engine
  std::uint64_t conflicts = 0;
  std::uint64_t rejected = 0;  // proposals that break a rule
  std::uint64_t failed = 0;    // tasks that a worker gave back
  std::uint64_t stalled = 0;   // writes of a turn that the ledger refused; each is tried again
  std::uint64_t workers_joined = 0;
  std::uint64_t workers_gone = 0;
  std::uint64_t workers_hung = 0;
  std::uint64_t engine_changes = 0;  // sessions moved to another artefact, policy or decision version
  std::uint64_t syncs = 0;
  std::uint64_t sync_failures = 0;
  std::uint64_t publications = 0;
  std::uint64_t streams_erased = 0;
  std::uint32_t in_flight = 0;  // now
  std::uint32_t waiting = 0;    // now
  std::uint32_t workers = 0;    // now, live
  bus::TrafficCounters traffic;
};

struct WorkerStatus {
  WorkerId id;
  std::string name;
  std::uint32_t held = 0;  // tasks
  std::uint32_t credit = 0;
  bool ready = false;  // gets tasks
  std::string reason;  // why not
};

}  // namespace turnstone
