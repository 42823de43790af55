// Verification of one stream's chain (a part of verify).
#pragma once

#include <map>
#include <optional>

#include "replay/verify.h"

namespace turnstone {

// Hashes that the commit chain names for a stream: sequence → hash of that event.
using CommittedHashes = std::map<Sequence, Digest>;

// The first damage of the stream up to `head`. `events` counts what was verified.
Result<std::optional<Damage>> verify_stream(const Ledger& ledger, const StreamHead& head, const CommittedHashes& committed, std::uint64_t& events,
                                            const VerifyProgress& progress);

}  // namespace turnstone
