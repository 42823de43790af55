// What a worker serves when it serves take_turn: artefacts and policies, by fingerprint.
#pragma once

#include <memory>
#include <vector>

#include "workers/loop/worker_core.h"
#include "workers/policy.h"

namespace turnstone {

class Artefact;

// The first of each is what new sessions begin with. A task for a pair that is not here fails with `refused`.
Served serve(std::vector<std::shared_ptr<const Artefact>> artefacts, std::vector<std::shared_ptr<const Policy>> policies);

}  // namespace turnstone
