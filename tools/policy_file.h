// The policy that a verb was told to use.
#pragma once

#include <memory>
#include <string>

#include "workers/policy.h"

namespace turnstone {

// The compiled-in policy when `file` is empty. Errors: not_found, io, invalid_argument (names the rule broken).
Result<std::shared_ptr<const Policy>> load_policy(const std::string& file);

}  // namespace turnstone
