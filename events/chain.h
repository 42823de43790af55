// The hash chain of a stream.
//
// hash = BLAKE2b-256(previous hash ‖ envelope ‖ stored payload). The envelope holds stream, sequence, type,
// schema version, time and causing turn, each in a fixed-width big-endian or length-prefixed form, and not the
// global position, so that a stream exported and imported elsewhere keeps its hashes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/event.h"

namespace turnstone {

struct Envelope {
  StreamId stream;
  Sequence sequence;
  EventType type = EventType::session_started;
  std::uint16_t schema_version = 1;
  Timestamp time;
  TurnNumber turn;
};

inline constexpr Digest chain_origin{};  // previous hash of a stream's first event

std::string encode_envelope(const Envelope& envelope);
std::optional<Envelope> decode_envelope(std::string_view bytes);  // nullopt for anything encode_envelope does not write
Digest chain_hash(const Digest& previous, const Envelope& envelope, std::string_view stored_payload);
// The same over an envelope that is encoded already (verification hashes the stored bytes as they are).
Digest chain_hash(const Digest& previous, std::string_view encoded_envelope, std::string_view stored_payload);
Digest blake2b(std::string_view bytes);

}  // namespace turnstone
