// All sessions of an evaluation, several at a time, each on an engine and a ledger of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"

namespace turnstone {

struct EvaluationOptions {
  TrialOptions trial;
  std::string variant = "benchmark";  // of the policy
  EmbeddedAgent::ReadBy read_by = EmbeddedAgent::ReadBy::engine;
  bool knowing = false;  // shoppers know everything and only answer (tools/eval/knowing_shopper.h)
  bool explain = false;  // where the target was left at the end, for transcripts
  unsigned jobs = 1;     // sessions at a time
};

// In the order of the sessions, so that the number of threads changes nothing.
struct Evaluation {
  std::vector<Outcome> outcomes;
  std::vector<std::optional<Explanation>> target_at_the_end;  // for people: nothing is scored by it
};

// Errors: the first of a session.
Result<Evaluation> evaluate(const Ground& ground, const std::shared_ptr<const Policy>& policy, const EvaluationOptions& options);
// The conversations, one JSON object a line.
std::string transcripts(const Evaluation& evaluation);

}  // namespace turnstone
