#include "workers/loop/served_turn.h"

#include <algorithm>
#include <utility>

#include "storage/artefact/artefact.h"
#include "workers/turn.h"

namespace turnstone {

Served serve(std::vector<std::shared_ptr<const Artefact>> artefacts, std::vector<std::shared_ptr<const Policy>> policies) {
  Served served;
  for (const auto& artefact : artefacts) served.artefacts.push_back(artefact->fingerprint());
  for (const auto& policy : policies) served.policies.push_back({policy->fingerprint(), policy->source()});
  served.decision_versions = {decision_version};
  served.turn = [artefacts = std::move(artefacts), policies = std::move(policies)](const IntentState& state,
                                                                                   const LoopInput& input) -> Result<LoopProposal> {
    const auto artefact = std::find_if(artefacts.begin(), artefacts.end(), [&](const auto& a) { return a->fingerprint() == input.decider.artefact; });
    const auto policy = std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p->fingerprint() == input.decider.policy; });
    if (artefact == artefacts.end() || policy == policies.end() || input.decider.decision_version != decision_version) {
      return fail(ErrorCode::refused, "this worker does not serve the artefact, policy or decision version that the turn names");
    }
    Proposal proposal = take_turn(state, {input.received, input.attempt}, **artefact, **policy);
    return LoopProposal{std::move(proposal.events), std::move(proposal.flight_bytes), std::move(proposal.reply)};
  };
  return served;
}

}  // namespace turnstone
