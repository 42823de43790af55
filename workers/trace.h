// One turn with everything the stages handed to each other, for explain and for people who debug.
//
// take_turn(…) is trace_turn(…).proposal: there is one sequence of stages, in workers/turn.cpp. What a failed
// stage would have given stays empty, as the record says.
#pragma once

#include <functional>
#include <vector>

#include "workers/stages.h"
#include "workers/turn.h"

namespace turnstone {

struct TurnTrace {
  Reading reading;
  Revision revision;
  IntentState revised;  // the state that retrieve, rank, gate and ask decided from
  Retrieval retrieval;
  Ranking ranking;
  Slate slate;
  std::vector<QuestionAsked> questions;
  Proposal proposal;
};

// What reads the message: `understand`, or something that is measured against it.
using Reader = std::function<Reading(const IntentState&, const TurnReceived&, const Artefact&, const Policy&, StageRecord&)>;

TurnTrace trace_turn(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy, const Reader& reader = understand);

}  // namespace turnstone
