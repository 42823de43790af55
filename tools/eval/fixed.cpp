#include "tools/eval/fixed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace turnstone {

nlohmann::ordered_json fixed(double value, int digits) { return nlohmann::ordered_json::parse(fmt::format("{:.{}f}", value, digits)); }

}  // namespace turnstone
