// Evaluation sessions: who comes with which product in mind.
//
// File: JSON lines with sample_id, scenario_type (buying, browsing, intent_override, boundary) and
// ground_truth.parent_asin; whatever else stands in a line is not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/error.h"
#include "tools/eval/shopper.h"

namespace turnstone {

struct EvalSession {
  std::string sample_id;
  Scenario scenario = Scenario::browsing;
  std::string target;  // product id
};

// Errors: not_found, io, invalid_argument (names the line).
Result<std::vector<EvalSession>> read_sessions(const std::string& file);
// Targets drawn evenly among rows with at least one feature or detail; of every 100 sessions 40 buying, 40
// browsing, 15 intent_override, 5 boundary. Error invalid_argument when no row qualifies.
Result<std::vector<EvalSession>> make_sessions(const std::vector<ProductRow>& rows, std::size_t count, std::uint64_t seed);

}  // namespace turnstone
