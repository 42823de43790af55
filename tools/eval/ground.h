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

// What a catalogue and sessions are told apart by: BLAKE2b-256 over id, title, store and price of every product by id, and over the
// sessions in their order. Of the rows and of the index made of them it is the same.
Fingerprint catalogue_fingerprint(const std::vector<ProductRow>& rows);
Fingerprint catalogue_fingerprint(const Artefact& artefact);
Fingerprint sessions_fingerprint(const std::vector<EvalSession>& sessions);

struct Ground {
  Fingerprint catalogue;
  std::shared_ptr<const Policy> policy;
  std::shared_ptr<const Artefact> artefact;
  std::vector<ProductRow> rows;
  std::vector<EvalSession> sessions;
};

// Errors: invalid_argument unless exactly one of `sessions` and `generate_sessions` is given; refused when the index was not made of the
// catalogue (names both fingerprints); those of the parts.
Result<Ground> load_ground(const GroundOptions& options);

}  // namespace turnstone
