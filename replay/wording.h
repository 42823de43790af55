// How constraints, numbers and times read in sentences: shared by audit and explain.
#pragma once

#include <string>
#include <string_view>

#include "events/event.h"

namespace turnstone {

std::string words_of(const ConstraintSet& set);  // "color is red or blue", "price at most $40"
std::string words_of(Permille share);            // "0.95"
std::string words_of(Millibits information);     // "1.25 bits"
std::string clock_of(Timestamp time);            // "17:05:09"
std::string moment_of(Timestamp time);           // "2026-01-31 17:05:09 UTC"
std::string in_quotes(std::string_view text);    // “red boots”, one line, control characters removed
std::string one_line(std::string_view text);     // white space collapsed, control characters removed
std::string spaced(std::string_view name);       // "at_most" → "at most"

}  // namespace turnstone
