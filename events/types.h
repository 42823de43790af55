// The identifiers and quantities that every part speaks of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/named_type.h"

namespace turnstone {

// --- identity -------------------------------------------------------------------------------------
using SessionId = Named<struct SessionIdTag, std::string>;    // 1..200 bytes of UTF-8 without control characters
using ProfileId = Named<struct ProfileIdTag, std::string>;    // same rules
using TurnKey = Named<struct TurnKeyTag, std::string>;        // the front end's idempotency key, 1..200 bytes
using ProductId = Named<struct ProductIdTag, std::string>;    // the catalogue's own id
using WorkerId = Named<struct WorkerIdTag, std::string>;      // fresh at each start of a worker process
using ConstraintId = Named<struct ConstraintIdTag, std::uint32_t>;  // 1, 2, 3 … within a session

// --- position -------------------------------------------------------------------------------------
using Sequence = Named<struct SequenceTag, std::uint64_t>;              // within a stream: 1, 2, 3 … without gaps
using GlobalPosition = Named<struct GlobalPositionTag, std::uint64_t>;  // over all streams: 1, 2, 3 … a commit record each
using TurnNumber = Named<struct TurnNumberTag, std::uint32_t>;          // within a session: 1, 2, 3 …; 0 = before any turn
using Attempt = Named<struct AttemptTag, std::uint32_t>;                // of a turn: 1, 2, 3 …; the fencing token
using Epoch = Named<struct EpochTag, std::uint32_t>;                    // of a session: 1, 2, 3 …

// --- quantities -----------------------------------------------------------------------------------
using Timestamp = Named<struct TimestampTag, std::int64_t>;  // microseconds since 1970-01-01 UTC; never decides anything
using Millibits = Named<struct MillibitsTag, std::int64_t>;  // information, 1/1000 bit
using Score = Named<struct ScoreTag, std::int64_t>;          // ranking score; scale in workers/fixed_point.h
using Permille = Named<struct PermilleTag, std::int32_t>;    // 0..1000: confidence, shares

// 256-bit BLAKE2b digest: event hashes, fingerprints of artefacts and policies.
using Digest = std::array<std::uint8_t, 32>;
using Fingerprint = Named<struct FingerprintTag, Digest>;

std::string to_hex(const Digest& digest);
std::optional<Digest> parse_digest(std::string_view hex);  // 64 lower-case hex digits; nullopt for anything else

// The version of the decisions made by this program's take_turn. Raise it with every change that can
// alter an event, a flight record or a reply for the same input; replay refuses to compare across it.
inline constexpr std::uint32_t decision_version = 2;
// The version of fold: raise it when the same events give another state.
inline constexpr std::uint32_t fold_version = 1;

}  // namespace turnstone
