#include "tools/eval/ground.h"

#include "tools/policy_file.h"
#include "tools/progress.h"

namespace turnstone {

Result<Ground> load_ground(const GroundOptions& options) {
  if (options.sessions.empty() == (options.generate_sessions == 0)) {
    return fail(ErrorCode::invalid_argument, "give either --sessions FILE or --generate-sessions N");
  }
  Ground ground;
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(policy.error());
  ground.policy = *std::move(policy);
  auto artefact = Artefact::open(options.index);
  if (!artefact) return tl::unexpected(artefact.error());
  ground.artefact = *std::move(artefact);
  ProgressBar progress("catalogue");
  ImportReport import;
  auto rows = read_catalogue(options.catalogue, import, [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  if (!rows) return tl::unexpected(rows.error());
  ground.rows = *std::move(rows);
  auto sessions = options.sessions.empty() ? make_sessions(ground.rows, options.generate_sessions, options.seed) : read_sessions(options.sessions);
  if (!sessions) return tl::unexpected(sessions.error());
  ground.sessions = *std::move(sessions);
  if (options.limit > 0 && ground.sessions.size() > options.limit) ground.sessions.resize(options.limit);
  return ground;
}

}  // namespace turnstone
