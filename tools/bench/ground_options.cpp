#include <CLI/CLI.hpp>

#include "tools/bench/benches.h"
#include "tools/eval/ground.h"

namespace turnstone {

void add_ground_options(CLI::App& bench, GroundOptions& ground) {
  bench.add_option("--index", ground.index, "Folder that `turnstone index` wrote")->required();
  bench.add_option("--catalogue", ground.catalogue, "The catalogue that was indexed")->required();
  bench.add_option("--sessions", ground.sessions, "Sessions: JSON lines with scenario and target");
  bench.add_option("--generate-sessions", ground.generate_sessions, "Make this many sessions over the catalogue instead");
  bench.add_option("--seed", ground.seed, "Seed of the shoppers")->capture_default_str();
}

}  // namespace turnstone
