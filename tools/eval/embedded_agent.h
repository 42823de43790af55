// The agent under test: this engine, embedded, over a ledger in memory. One a session.
#pragma once

#include <memory>

#include "replay/explain.h"
#include "storage/artefact/artefact.h"
#include "storage/ledger/ledger.h"
#include "tools/embedded_engine.h"
#include "tools/eval/trial.h"
#include "workers/policy.h"

namespace turnstone {

class EmbeddedAgent final : public Agent {
 public:
  // `variant`: the policy's, "shopper" or "benchmark".
  static Result<std::unique_ptr<EmbeddedAgent>> make(std::shared_ptr<const Artefact> artefact, std::shared_ptr<const Policy> policy,
                                                     const std::string& variant);
  Result<Answer> say(const std::string& message) override;
  // After the conversation, for people: where the turn `turn` left `product`, and why.
  Result<Explanation> explain_product_at(TurnNumber turn, const std::string& product) const;

 private:
  EmbeddedAgent() = default;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<EmbeddedEngine> engine_;
  std::uint32_t turns_ = 0;
};

// The parts of a reply document that a shopper looks at. Error corrupt when it is no such document.
Result<Agent::Answer> read_reply(const std::string& document);

}  // namespace turnstone
