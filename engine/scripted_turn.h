// For tests and benchmarks: a turn function that needs no artefact. It proposes what its events and reply make
// checkable: the turn's text comes back, and the state that it was taken from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "events/chain.h"
#include "workers/loop/worker_core.h"

namespace turnstone::testing {

inline Fingerprint fingerprint_of(std::string_view text) { return Fingerprint{blake2b(text)}; }

// Sets one wish of this turn, of the given value, and replies with the given text.
inline LoopProposal proposal_of(const IntentState& state, const LoopInput& input, std::string value, const std::string& text) {
  LoopProposal proposal;
  ConstraintSet constraint;
  constraint.id = ConstraintId{state.last_constraint.value + 1};
  constraint.facet = "turn_" + std::to_string(input.received.turn.value);
  constraint.value.any_of = {std::move(value)};
  constraint.said = input.received.text;
  proposal.events.emplace_back(std::move(constraint));
  proposal.events.emplace_back(ReplySent{text});
  proposal.flight_record = "flight of " + input.received.key.value;
  TurnCompleted completed;
  completed.turn = input.received.turn;
  completed.attempt = input.attempt;
  completed.artefact = input.decider.artefact;
  completed.policy = input.decider.policy;
  completed.decision_version = input.decider.decision_version;
  completed.flight_digest = blake2b(proposal.flight_record);
  completed.fold_version = fold_version;
  proposal.events.emplace_back(completed);
  proposal.reply = "{\"message\":\"" + text + "\"}";
  return proposal;
}

inline Result<LoopProposal> scripted_proposal(const IntentState& state, const LoopInput& input) {
  return proposal_of(state, input, input.received.text,
                     "turn " + std::to_string(input.received.turn.value) + " says " + input.received.text + " with " +
                         std::to_string(state.active.size()) + " before");
}

// Serves one artefact and one policy, named by `version`. `before` runs first in every turn.
inline Served scripted(std::string_view version = "one", std::function<void(const LoopInput&)> before = nullptr) {
  Served served;
  const std::string policy = "policy " + std::string(version);
  served.artefacts = {fingerprint_of("artefact " + std::string(version))};
  served.policies = {{fingerprint_of(policy), policy}};
  served.decision_versions = {decision_version};
  served.turn = [before = std::move(before)](const IntentState& state, const LoopInput& input) {
    if (before) before(input);
    return scripted_proposal(state, input);
  };
  return served;
}

}  // namespace turnstone::testing
