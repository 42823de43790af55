#include "tests/simulation/run.h"

#include <fmt/core.h>

#include "tests/simulation/checker.h"
#include "tests/simulation/world.h"

namespace turnstone::simulation {

Outcome run(std::uint64_t seed, bool print) {
  World world(seed, print);
  world.play();
  Outcome outcome;
  outcome.seed = seed;
  outcome.violation = world.site().violation ? world.site().violation : check(world);
  outcome.trace_hash = world.site().trace.hash();
  outcome.switches = world.site().switches.names();
  outcome.strikes = world.site().switches.strikes_so_far();
  outcome.counters = world.totals();
  outcome.virtual_us = world.site().now_us;
  return outcome;
}

int hash_of_seeds(std::uint64_t seeds) {
  std::uint64_t hash = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) hash = hash * 31 + run(seed).trace_hash;
  fmt::print("{:016x}\n", hash);
  return 0;
}

void add(EngineCounters& sum, const EngineCounters& run) {
  sum.turns_accepted += run.turns_accepted;
  sum.turns_committed += run.turns_committed;
  sum.turns_repeated += run.turns_repeated;
  sum.turns_parked += run.turns_parked;
  sum.refused_busy += run.refused_busy;
  sum.dispatched += run.dispatched;
  sum.redispatched += run.redispatched;
  sum.fenced += run.fenced;
  sum.stale += run.stale;
  sum.conflicts += run.conflicts;
  sum.rejected += run.rejected;
  sum.failed += run.failed;
  sum.workers_gone += run.workers_gone;
  sum.workers_hung += run.workers_hung;
  sum.engine_changes += run.engine_changes;
  sum.sync_failures += run.sync_failures;
}

}  // namespace turnstone::simulation
