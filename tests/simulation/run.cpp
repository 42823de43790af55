#include "tests/simulation/run.h"

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

}  // namespace turnstone::simulation
