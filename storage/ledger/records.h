// The values of the ledger's entries, and their bytes (docs/ledger-format.md).
//
// Decoders accept exactly what the encoders write and give nullopt for anything else; the caller names the place.
// Pure; thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/event.h"
#include "storage/ledger/key_store.h"
#include "storage/ledger/ledger.h"

namespace turnstone::records {

// What a stream is at: where the next event goes and which turns are open.
struct Head {
  Sequence sequence;
  Digest hash{};
  TurnNumber last_turn;    // the highest number given
  TurnNumber in_flight;    // 0 = none; every turn after it up to last_turn waits
  bool closed = false;
  bool erased = false;
  KeySlot key;             // of its stream; 0 in layout 1
  std::uint32_t waiting() const { return in_flight.value == 0 ? 0 : last_turn.value - in_flight.value; }
};

struct Turn {
  TurnRecord::State state = TurnRecord::State::pending;
  Attempt attempt;     // 0 while it waits
  Sequence received;   // of its TurnReceived; 0 while it waits
  Sequence head;       // the stream's head when it was started or last attempted
  std::string reply;          // sealed
  std::string flight_record;  // sealed
};

struct Key {
  TurnNumber turn;
  Digest body_mac{};
};

// A waiting turn's TurnReceived, until it enters the stream. In flight, the pending entry is empty.
struct Waiting {
  Timestamp time;
  std::uint16_t schema_version = 1;
  std::string received;  // sealed payload
};

// Of a session's state before the TurnCompleted at `before`.
struct Snapshot {
  Sequence before;
  std::string state;  // sealed
};

// An event but for its stream and sequence, which are its key. The envelope is computed from both.
struct StoredEvent {
  EventType type = EventType::session_started;
  std::uint16_t schema_version = 1;
  Timestamp time;
  TurnNumber turn;
  Digest previous_hash{};
  Digest hash{};
  std::string_view payload;  // sealed; lives as long as the decoded bytes
};

std::string encode(const Head& head);
std::string encode(const Turn& turn);
std::string encode(const Key& key);
std::string encode(const Waiting& waiting);
std::string encode(const Snapshot& snapshot);
std::string encode(const StoredEvent& event);
std::string encode(const CommitRecord& record);
std::string encode_for_hash(const CommitRecord& record);  // everything but the hash

std::optional<Head> decode_head(std::string_view bytes);
std::optional<Turn> decode_turn(std::string_view bytes);
std::optional<Key> decode_key(std::string_view bytes);
std::optional<Waiting> decode_waiting(std::string_view bytes);
std::optional<Snapshot> decode_snapshot(std::string_view bytes);
std::optional<StoredEvent> decode_event(std::string_view bytes);
std::optional<CommitRecord> decode_commit(std::string_view bytes);

}  // namespace turnstone::records
