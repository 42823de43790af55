// tools/simulate: seeds of the deterministic simulation. Exit codes: 0 nothing found, 1 something found, 2 usage.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>

#include "tests/simulation/run.h"

namespace turnstone::simulation {
namespace {

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1'000;
  std::optional<std::uint64_t> seed;
  bool trace = false;
  std::uint64_t hash_of = 0;
};

void add(Outcome& sum, const Outcome& run) {
  for (std::size_t i = 0; i < places; ++i) sum.strikes[i] += run.strikes[i];
  sum.virtual_us += run.virtual_us;
  simulation::add(sum.counters, run.counters);
}

int fails(const Outcome& outcome) {
  fmt::print("seed {}: {}\n  repeat it: tools/simulate --seed {} --trace\n  switches: {}\n", outcome.seed, *outcome.violation, outcome.seed,
             outcome.switches);
  return 1;
}

int one(std::uint64_t seed, bool trace) {
  const Outcome outcome = run(seed, trace);
  fmt::print("seed {}: trace {:016x}\n", seed, outcome.trace_hash);
  return outcome.violation ? fails(outcome) : 0;
}

// Switches that never struck and outcomes that never came about prove nothing.
int met_everything(const Outcome& sum) {
  int missing = 0;
  for (std::size_t i = 0; i < places; ++i) {
    if (sum.strikes[i] > 0) continue;
    fmt::print("the place {} never struck\n", name_of(static_cast<Place>(i)));
    missing = 1;
  }
  const EngineCounters& c = sum.counters;
  for (const std::uint64_t count : {c.turns_repeated, c.turns_parked, c.redispatched, c.fenced, c.stale, c.refused_busy, c.engine_changes,
                                    c.sync_failures, c.workers_gone, c.workers_hung}) {
    if (count == 0) missing = 1;
  }
  if (missing != 0) fmt::print("not every fault came about: these runs prove less than they should\n");
  return missing;
}

int many(const Arguments& arguments) {
  const auto begun = std::chrono::steady_clock::now();
  Outcome sum;
  for (std::uint64_t seed = arguments.first; seed < arguments.first + arguments.seeds; ++seed) {
    const Outcome outcome = run(seed);
    if (outcome.violation) return fails(outcome);
    if (seed % 97 == 0 && run(seed).trace_hash != outcome.trace_hash) {
      fmt::print("seed {}: the same seed did something else the second time\n", seed);
      return 1;
    }
    add(sum, outcome);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const EngineCounters& c = sum.counters;
  fmt::print("{} seeds in {:.1f} s ({:.0f} a second, {:.0f} times as fast as the clock): nothing found\n", arguments.seeds, seconds,
             static_cast<double>(arguments.seeds) / seconds, static_cast<double>(sum.virtual_us) / 1e6 / seconds);
  fmt::print(
      "{} turns committed, {} repeated, {} parked, {} attempts raised, {} proposals fenced, {} of a former engine, {} refused as busy, {} failed "
      "syncs, "
      "{} engine changes, {} workers gone, {} hung\n",
      c.turns_committed, c.turns_repeated, c.turns_parked, c.redispatched, c.fenced, c.stale, c.refused_busy, c.sync_failures, c.engine_changes,
      c.workers_gone, c.workers_hung);
  return arguments.seeds >= 500 ? met_everything(sum) : 0;
}

}  // namespace
}  // namespace turnstone::simulation

int main(int argc, char** argv) {
  using namespace turnstone::simulation;
  CLI::App app(
      "Runs engine, workers, front ends and subscribers under faults, in one thread and virtual time; one run a seed.\n"
      "Example: simulate --seeds 1000");
  Arguments arguments;
  app.add_option("--seeds", arguments.seeds, "how many seeds to run")->capture_default_str();
  app.add_option("--first", arguments.first, "the first of them")->capture_default_str();
  app.add_option("--seed", arguments.seed, "run this one alone");
  app.add_flag("--trace", arguments.trace, "with --seed: print what happens");
  app.add_option("--hash-of", arguments.hash_of, "run so many seeds and print one number over their traces");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (arguments.hash_of > 0) return hash_of_seeds(arguments.hash_of);
  return arguments.seed ? one(*arguments.seed, arguments.trace) : many(arguments);
}
