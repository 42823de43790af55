// What an evaluation or a benchmark stands on: policy, artefact, catalogue rows and sessions, loaded together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/catalogue/catalogue.h"
#include "tools/eval/sessions.h"
#include "workers/policy.h"

namespace turnstone {

struct GroundOptions {
  std::string index, catalogue, sessions, policy_file;
  std::size_t generate_sessions = 0;  // instead of `sessions`
  std::size_t limit = 0;              // 0: all
  std::uint64_t seed = 1;
};

struct Ground {
  std::shared_ptr<const Policy> policy;
  std::shared_ptr<const Artefact> artefact;
  std::vector<ProductRow> rows;
  std::vector<EvalSession> sessions;
};

// Errors: invalid_argument unless exactly one of `sessions` and `generate_sessions` is given; those of the parts.
Result<Ground> load_ground(const GroundOptions& options);

}  // namespace turnstone
