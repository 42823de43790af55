#include "tests/simulation/simulated_turn.h"

#include <utility>

#include "engine/scripted_turn.h"
#include "events/chain.h"

namespace turnstone::simulation {

Result<LoopProposal> simulated_turn(const IntentState& state, const LoopInput& input) {
  LoopProposal proposal;
  const std::string seen = "after " + std::to_string(state.sequence.value) + " events, in state " + to_hex(digest_of(state)).substr(0, 12);
  ConstraintSet constraint;
  constraint.id = ConstraintId{state.last_constraint.value + 1};
  constraint.facet = "turn_" + std::to_string(input.received.turn.value);
  constraint.value.any_of = {seen};
  constraint.said = input.received.text;
  proposal.events.emplace_back(std::move(constraint));
  const std::string text = "turn " + std::to_string(input.received.turn.value) + ": " + input.received.text + ", " + seen;
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

Served simulated_service(std::string_view version, std::function<Status(const LoopInput&)> before) {
  Served served = testing::scripted(version);
  served.turn = [before = std::move(before)](const IntentState& state, const LoopInput& input) -> Result<LoopProposal> {
    if (auto may = before(input); !may) return tl::unexpected(may.error());
    return simulated_turn(state, input);
  };
  return served;
}

}  // namespace turnstone::simulation
