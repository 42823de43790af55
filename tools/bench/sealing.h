// `turnstone bench sealing`: what encryption costs of a turn.
//
// Every message of the simulated shoppers goes to two embedded engines of this process, one over an encrypted ledger and one over a plain one,
// first to the one and then to the other in turn. Their turns differ in nothing but the codec, so the difference of each pair is its cost.
#pragma once

#include "tools/verbs/verb.h"

namespace turnstone {

// Adds the subcommand `sealing` to `bench`.
Verb add_bench_sealing(CLI::App& bench);

}  // namespace turnstone
