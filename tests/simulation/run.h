// One seed: a run, and what was found.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/counters.h"
#include "tests/simulation/switches.h"

namespace turnstone::simulation {

struct Outcome {
  std::uint64_t seed = 0;
  std::uint64_t trace_hash = 0;  // two runs with the same hash did the same
  std::optional<std::string> violation;
  std::string switches;  // places that were on
  std::array<std::uint64_t, places> strikes{};
  EngineCounters counters;
  std::int64_t virtual_us = 0;
};

// `print`: what happens goes to standard output, line by line.
Outcome run(std::uint64_t seed, bool print = false);

// Runs the seeds from 1 on and prints one number over their traces; the exit code.
int hash_of_seeds(std::uint64_t seeds);

// Adds what only grows.
void add(EngineCounters& sum, const EngineCounters& run);

}  // namespace turnstone::simulation
