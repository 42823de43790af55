#include "tests/simulation/simulated_turn.h"

#include <utility>

#include "engine/scripted_turn.h"
#include "events/snapshot.h"

namespace turnstone::simulation {
namespace {

constexpr std::string_view next_build = "two";
constexpr std::uint32_t next_fold_version = fold_version + 1;

IntentState folded_otherwise(IntentState state) {
  state.last_constraint.value += 1'000;
  return state;
}

bool decided_by_next_build(const LoopInput& input) { return input.decider.artefact == testing::scripted(next_build).artefacts.front(); }

}  // namespace

Result<LoopProposal> simulated_turn(const IntentState& state, const LoopInput& input) {
  const std::string seen = "after " + std::to_string(state.sequence.value) + " events, in state " + to_hex(digest_of(state)).substr(0, 12);
  LoopProposal proposal =
      testing::proposal_of(state, input, seen, "turn " + std::to_string(input.received.turn.value) + ": " + input.received.text + ", " + seen);
  IntentState after = state;
  for (EventBody& body : proposal.events) {
    if (auto* completed = std::get_if<TurnCompleted>(&body)) {
      const bool otherwise = decided_by_next_build(input);
      completed->fold_version = otherwise ? next_fold_version : fold_version;
      completed->state_digest = digest_of(otherwise ? folded_otherwise(after) : after);
    }
    fold(after, body, input.received.turn);
  }
  return proposal;
}

Served simulated_service(std::string_view version, std::function<Status(const LoopInput&)> before) {
  Served served = testing::scripted(version);
  served.turn = [before = std::move(before)](const IntentState& state, const LoopInput& input) -> Result<LoopProposal> {
    if (auto may = before(input); !may) return tl::unexpected(may.error());
    return simulated_turn(state, input);
  };
  if (version == next_build) {
    served.snapshot = [](const IntentState& state) { return encode_snapshot(folded_otherwise(state), next_fold_version); };
  }
  return served;
}

}  // namespace turnstone::simulation
