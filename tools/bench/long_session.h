// `turnstone bench session`: what a turn of a very long session takes beside one of a short session, and what turns take on the disk.
//
// One session is talked into by one simulated shopper after the other until it holds so many events. Then the same messages go to it and to short
// sessions in turn, so that whatever else the machine does meanwhile falls on both: embedded with the state warm, embedded by a fresh engine that
// knows no state, and over HTTP through an engine and a worker that were just started and then are warm.
#pragma once

#include "tools/verbs/verb.h"

namespace turnstone {

// Adds the subcommand `session` to `bench`.
Verb add_bench_session(CLI::App& bench);

}  // namespace turnstone
