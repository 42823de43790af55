// What the questions of a recorded session told: entropy before each, what was expected of it, what it brought.
//
// From the events alone. Realised = the entropy before this question less the entropy before the next one of the same epoch (what else was
// said in between counts as well); empty when no question followed. With an index beside: what a greedy asker that knows every column
// would need for the products that the first turn left (tools/eval/question_tree.h), and for any asker the bound
// entropy / log2(options + 1), because a question with that many answers cannot tell more (Shannon 1948).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/audit.h"
#include "storage/artefact/artefact.h"

namespace turnstone {

struct AskedEntropy {
  TurnNumber turn;
  std::string facet;
  std::size_t options = 0;
  Millibits before, expected;
  std::optional<Millibits> realised;
  std::uint32_t matching = 0;                   // products that meet every hard wish when it was asked …
  std::optional<std::uint32_t> matching_after;  // … and a turn later
  std::optional<AnswerOutcome> outcome;
};

struct EntropyAudit {
  SessionId session;
  std::vector<AskedEntropy> questions;
  double least_questions = 0;              // the bound, from the entropy before the first question
  std::optional<double> greedy_questions;  // expected over the products that the first turn's category leaves; with an index
  std::uint32_t greedy_pool = 0;
};

// `artefact` may be nullptr.
EntropyAudit entropy_audit(const Audit& audit, const Artefact* artefact);
std::string entropy_text(const EntropyAudit& audit);
nlohmann::ordered_json to_json(const EntropyAudit& audit);

}  // namespace turnstone
