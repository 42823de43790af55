// A real conversation over a small generated catalogue, recorded in a ledger: what the tests of replay replay.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/replayer.h"
#include "storage/artefact/artefact.h"
#include "storage/ledger/ledger.h"
#include "workers/policy.h"

namespace turnstone::testing {

// Index of a generated catalogue, built once a process. nullptr and a test failure when it cannot be built.
std::shared_ptr<const Artefact> generated_artefact();

// Eight turns: a wish, narrowing, a correction, a rejected value, a waiver, another product, an answer, more.
const std::vector<std::string>& messages();

// Plays engine and worker on a ledger: accept, take_turn, commit.
class Conversation {
 public:
  Conversation(Ledger& ledger, std::shared_ptr<const Artefact> artefact, std::string session);
  void say(const std::string& message);          // a whole turn
  TurnNumber begin(const std::string& message);  // accepted, not decided
  void decide(TurnNumber turn);
  void fail_attempt(TurnNumber turn);  // a worker died: the attempt is raised
  void park(TurnNumber turn);
  const SessionId& session() const { return session_; }

 private:
  Ledger& ledger_;
  std::shared_ptr<const Artefact> artefact_;
  SessionId session_;
  std::uint32_t keys_ = 0;
};

// All messages() said in one session of a fresh in-memory ledger.
std::unique_ptr<Ledger> recorded_ledger(const std::string& session = "s1");

}  // namespace turnstone::testing
