// The one place through which every personal byte passes on its way to and from the store.
//
// seal() gives what is stored, open() what was sealed. The associated data (stream, number, kind, version) binds
// stored bytes to their place: a body that encrypts must fail to open bytes that were moved elsewhere. The chain
// hash covers the sealed bytes. What would tell without being read (ids, turn keys, digests of messages) has a stored
// form: stored(), stored_turn_key(), stored_digest(). Each stream has a key slot, noted in its head.
// Thread safety: all may be called from any thread, reserve() and erase() from one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/event.h"
#include "storage/ledger/key_store.h"

namespace turnstone {

// Kinds of sealed bytes that are no event's payload; an event's kind is its EventType.
inline constexpr std::uint16_t sealed_reply = 0xff01;
inline constexpr std::uint16_t sealed_flight_record = 0xff02;
inline constexpr std::uint16_t sealed_waiting_turn = 0xff03;
inline constexpr std::uint16_t sealed_snapshot = 0xff04;

struct AssociatedData {
  const StreamId& stream;  // in its stored form
  KeySlot key;
  std::uint64_t number;  // the event's sequence, of a snapshot the one it stands before; the turn's number for the other kinds
  std::uint16_t kind;
  std::uint16_t version;
};

class PayloadCodec {
 public:
  virtual ~PayloadCodec() = default;
  virtual std::uint8_t layout() const = 0;  // the version of the layout that it makes (docs/ledger-format.md)
  virtual Result<std::string> seal(const AssociatedData& where, std::string_view plain) const = 0;
  // Errors: erased (the key is), corrupt (bytes that were not sealed for this place).
  virtual Result<std::string> open(const AssociatedData& where, std::string_view sealed) const = 0;

  // The name under which a stream is kept; a stored name is its own.
  virtual StreamId stored(const StreamId& stream) const = 0;
  virtual Result<std::string> stored_turn_key(KeySlot key, const TurnKey& turn_key) const = 0;
  virtual Result<Digest> stored_digest(KeySlot key, const Digest& digest) const = 0;

  virtual Result<KeySlot> reserve(KeySlot from) const = 0;  // as KeyStore; 0 where nothing is encrypted
  virtual Result<bool> erased(KeySlot key) const = 0;
  virtual Status erase(KeySlot key, const Erasure& erasure) const = 0;
};

// Stores bytes as they are (layout 1): ledgers from before encryption, and tests of stored bytes. Erases nothing.
const PayloadCodec& plain_payload_codec();

}  // namespace turnstone
