// A session's state kept beside its events, so that a long session need not be folded from its beginning.
//
// A snapshot is a shortcut, never a source. It is the state before a TurnCompleted, and holds only where that event, which the hash chain
// covers, names its digest under this build's fold version; whoever cannot use it folds from the first event and makes a new one.
// Bytes: the msgpack array of fold version and state. Pure; linear in the state, which is bounded (events/state.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/state.h"

namespace turnstone {

inline constexpr std::uint64_t snapshot_interval_events = 512;  // what is folded at most on top of one, and a turn
inline constexpr std::size_t snapshot_bytes_max = 512 * 1024;

// Errors: limit_exceeded (a state of more bytes than snapshot_bytes_max; its session goes without).
Result<std::string> encode_snapshot(const IntentState& state, std::uint32_t version = fold_version);

// The state of `session` before `completed`, which is event `at` of its stream. Errors: unsupported (of another fold version), corrupt (cannot
// be read, or is not the state that the event names).
Result<IntentState> open_snapshot(std::string_view bytes, const SessionId& session, Sequence at, const TurnCompleted& completed);

}  // namespace turnstone
