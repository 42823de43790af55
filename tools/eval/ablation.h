// What each part of finding, ranking, showing and asking is worth: the policy with that part switched off.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"
#include "tools/eval/score.h"
#include "workers/policy.h"

namespace turnstone {

struct PolicyChange {
  std::string_view part, key;  // as in [variants.NAME.part]
  std::int64_t value = 0;
};
struct Ablation {
  std::string_view name;
  std::vector<PolicyChange> changes;
};
std::span<const Ablation> ablations();

// The policy with the changes made to one variant. Error invalid_argument when a part or key is not (or no longer) one of the policy's.
Result<std::shared_ptr<const Policy>> without(const Policy& policy, const std::string& variant, const Ablation& ablation);

struct AblationResult {
  std::string_view name;
  Interval worth;  // score with the part less score without it
};
std::string ablation_report(const std::vector<AblationResult>& results, const std::vector<Outcome>& whole, const Subject& subject);
std::string ablation_summary(std::string_view report_text);

}  // namespace turnstone
