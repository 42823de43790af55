#include "tests/simulation/simulated_turn.h"

#include <utility>

#include "engine/scripted_turn.h"
#include "events/chain.h"

namespace turnstone::simulation {

Result<LoopProposal> simulated_turn(const IntentState& state, const LoopInput& input) {
  const std::string seen = "after " + std::to_string(state.sequence.value) + " events, in state " + to_hex(digest_of(state)).substr(0, 12);
  return testing::proposal_of(state, input, seen, "turn " + std::to_string(input.received.turn.value) + ": " + input.received.text + ", " + seen);
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
