// The one place through which every personal byte passes on its way to and from the store.
//
// seal() gives what is stored, open() what was sealed. The associated data (stream, number, kind, version) binds
// stored bytes to their place: a body that encrypts must fail to open bytes that were moved elsewhere. The chain
// hash covers the sealed bytes. Thread safety: both may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

// Kinds of sealed bytes that are no event's payload; an event's kind is its EventType.
inline constexpr std::uint16_t sealed_reply = 0xff01;
inline constexpr std::uint16_t sealed_flight_record = 0xff02;
inline constexpr std::uint16_t sealed_waiting_turn = 0xff03;

struct AssociatedData {
  const StreamId& stream;
  std::uint64_t number;  // the event's sequence; the turn's number for the other kinds
  std::uint16_t kind;
  std::uint16_t version;
};

class PayloadCodec {
 public:
  virtual ~PayloadCodec() = default;
  virtual Result<std::string> seal(const AssociatedData& where, std::string_view plain) const = 0;
  virtual Result<std::string> open(const AssociatedData& where, std::string_view sealed) const = 0;
};

// Stores bytes as they are.
const PayloadCodec& plain_payload_codec();

}  // namespace turnstone
