// The turn: a pure function from (state, message, artefact, policy) to a proposal.
//
// No clock, no I/O, no thread, no random source, no unordered iteration, no floating point: the same inputs
// give the same bytes on every machine and compiler. Worker, replayer, evaluator and embedded mode call this
// one function. A stage that meets a fault fails soft: the reply falls back (previous list, then popularity)
// and the record says which stage and why.
#pragma once

#include <string>
#include <vector>

#include "events/event.h"
#include "events/flight_record.h"
#include "events/state.h"
#include "storage/artefact/artefact.h"
#include "workers/policy.h"

namespace turnstone {

struct TurnInput {
  TurnReceived received;
  Attempt attempt;
};

struct Proposal {
  std::vector<EventBody> events;  // in order; TurnCompleted is the last
  FlightRecord flight;
  std::string flight_bytes;       // encoded, at most flight_record_bytes_max; its digest is in TurnCompleted
  std::string reply;              // the reply document (JSON text) without timing_us
};

// `state` has folded everything up to and including TurnReceived and AttemptStarted of this turn.
// p50 about a millisecond at 50,000 products; linear in the message.
Proposal take_turn(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy);

}  // namespace turnstone
