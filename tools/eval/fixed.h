// Numbers in reports: a fixed number of digits, so that a report's text does not depend on how doubles are printed.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace turnstone {

nlohmann::ordered_json fixed(double value, int digits);

}  // namespace turnstone
