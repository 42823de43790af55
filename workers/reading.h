// What understand read in a message: signals, each with its span of the text and its confidence.
// Every byte of the message belongs to at most one consuming signal.
#pragma once

#include <string>
#include <vector>

#include "events/event.h"

namespace turnstone {

struct Reading {};

}  // namespace turnstone
