// `turnstone bench http`: turns end to end over HTTP, engine and workers as processes, at a fixed rate.
//
// The load is open: turns are due at fixed times whatever the service does, and a turn's time is counted from when it
// was due. A service that falls behind cannot slow its own load down and look faster for it.
#pragma once

#include "tools/verbs/verb.h"

namespace turnstone {

// Adds the subcommand `http` to `bench`.
Verb add_bench_http(CLI::App& bench);

}  // namespace turnstone
