// The keys of the ledger's entries: one letter for the kind, then fields that sort as their values do.
//
// A stream's part is its kind, its name and a zero byte. Names hold no control character (check_name), so no
// stream's part is a prefix of another's ("s1" does not read "s10") and streams sort by name. Numbers are
// big-endian. The table stands in docs/ledger-format.md. Pure; thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/event.h"

namespace turnstone::keys {

inline constexpr std::string_view format = "F";      // the version of this layout
inline constexpr std::string_view commits = "C";     // prefix of all commit records
inline constexpr std::string_view next_key = "N";    // the first key slot that no stream uses

// 1..200 bytes of UTF-8 without control characters; `what` begins the sentence of the error.
Status check_name(std::string_view what, std::string_view name);

std::string event_prefix(const StreamId& stream);
std::string event(const StreamId& stream, Sequence sequence);
std::string head_prefix(StreamKind kind);
std::string head(const StreamId& stream);
std::string turn_key(const StreamId& stream, std::string_view stored_key);
std::string turn(const StreamId& stream, TurnNumber turn);
std::string pending_prefix();
std::string pending(const StreamId& stream, TurnNumber turn);
std::string commit(GlobalPosition position);
std::string snapshot(const StreamId& stream);
std::string document(const Fingerprint& fingerprint);

// What a key names; nullopt for bytes that no function above makes.
std::optional<StreamId> stream_of_head(std::string_view key);
struct PendingKey { StreamId stream; TurnNumber turn; };
std::optional<PendingKey> parse_pending(std::string_view key);
std::optional<Sequence> sequence_of_event(std::string_view key, std::string_view prefix);
std::optional<GlobalPosition> position_of_commit(std::string_view key);
// An event's or a commit record's: but for its last eight bytes, a number, it is the key of the one before it.
bool numbered(std::string_view key);

}  // namespace turnstone::keys
