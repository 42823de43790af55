// The benchmarks: each adds its subcommand to `bench`. What each measures, and how, stands above its definition.
#pragma once

#include "tools/verbs/verb.h"

namespace turnstone {

struct GroundOptions;

// --index, --catalogue, --sessions or --generate-sessions, and --seed: what benchmarks with simulated shoppers stand on.
void add_ground_options(CLI::App& bench, GroundOptions& ground);

Verb add_bench_bus(CLI::App& bench);       // bus.cpp: bus and ledger share of a turn, durable turns a second, keys on the bus
Verb add_bench_http(CLI::App& bench);      // http_load.cpp: turns over HTTP at a fixed rate
Verb add_bench_index(CLI::App& bench);     // index.cpp: building an index
Verb add_bench_ledger(CLI::App& bench);    // ledger.cpp: appends, turns, verification, rebuilding, opening after a kill
Verb add_bench_replay(CLI::App& bench);    // replaying.cpp: turns executed again, records checked
Verb add_bench_scaling(CLI::App& bench);   // scaling.cpp: more workers, more turns
Verb add_bench_sealing(CLI::App& bench);   // sealing.cpp: what encryption costs
Verb add_bench_session(CLI::App& bench);   // long_session.cpp: a very long session, and turns on the disk
Verb add_bench_takeover(CLI::App& bench);  // takeover.cpp: turns of workers that die or freeze
Verb add_bench_turn(CLI::App& bench);      // embedded_turn.cpp: turns without servers
Verb add_bench_worker(CLI::App& bench);    // idle_worker.cpp: no benchmark, a part of several

}  // namespace turnstone
