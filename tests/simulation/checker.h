// What must hold after a run, looked up in the ledger as a power cut leaves it.
//
// Acknowledged = stored; each key once; turns in the order in which they were acknowledged, one at a time; the chains
// hold; each turn executed again from the stored events gives the stored events and reply; each subscriber was given
// every write, in order, once.
#pragma once

#include <optional>
#include <string>

#include "tests/simulation/world.h"

namespace turnstone::simulation {

// The first rule that does not hold, for people.
std::optional<std::string> check(World& world);

}  // namespace turnstone::simulation
