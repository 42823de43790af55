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
  // What reads the messages: the engine, or the shopper's own meaning put in its place.
  enum class ReadBy { engine, oracle };
  // `variant`: the policy's, "shopper" or "benchmark".
  static Result<std::unique_ptr<EmbeddedAgent>> make(std::shared_ptr<const Artefact> artefact, std::shared_ptr<const Policy> policy,
                                                     const std::string& variant, ReadBy read_by);
  Result<Answer> say(const Utterance& utterance) override;
  // After the conversation, for people: where the turn `turn` left `product`, and why. Error unsupported when the oracle read.
  Result<Explanation> explain_product_at(TurnNumber turn, const std::string& product) const;

 private:
  EmbeddedAgent() = default;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<EmbeddedEngine> engine_;
  ReadBy read_by_ = ReadBy::engine;
  Meaning meant_;  // by the message at hand
  std::uint32_t turns_ = 0;
};

// The parts of a reply document that a shopper looks at. Error corrupt when it is no such document.
Result<Agent::Answer> read_reply(const std::string& document);

}  // namespace turnstone
