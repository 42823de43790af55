// Exact decimal numbers. The turn decides with these, never with floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/named_type.h"

namespace turnstone {

// A decimal in units of 1/10,000: 19.99 is Number{199'900}. Range ± 9.2e14.
using Number = Named<struct NumberTag, std::int64_t>;
inline constexpr std::int64_t number_scale = 10'000;

constexpr Number whole_number(std::int64_t n) { return Number{n * number_scale}; }

// Reads "1299", "1,299.00", "19.99", ".5", "-5"; commas only between groups of three; more than four decimals
// are cut off. nullopt for anything else and for magnitudes outside ± 9e14 (so "99999999999999999999" is no number, not a wrapped one).
std::optional<Number> parse_number(std::string_view text);

// Shortest exact form: "19.99", "1200", "-0.5".
std::string to_string(Number number);

}  // namespace turnstone
