// One example a type, every field set to something telling. The golden files under events/golden hold their
// bytes; never change an example of a version that has been written by a release: add one for the new version.
#pragma once

#include <vector>

#include "events/event.h"
#include "events/flight_record.h"

namespace turnstone::testing {

std::vector<EventBody> example_events();  // in the order of EventType
FlightRecord example_flight_record();

}  // namespace turnstone::testing
