// Frames of the bus: "TS", protocol version, kind, msgpack fields.
//
// Decoding checks size and kind before it reads on: hostile bytes give an Error and allocate no more than the
// frame's own order of size. Pure; thread safe; linear in the bytes.
#pragma once

#include <string>
#include <string_view>

#include "engine/bus/protocol.h"
#include "events/error.h"

namespace turnstone::bus {

// Errors: limit_exceeded (the message breaks a limit that decode would refuse).
Result<std::string> encode(const Message& message);
// Errors: corrupt (no frame of ours, or damaged), unsupported (another protocol version or kind), limit_exceeded.
Result<Message> decode(std::string_view frame);

// Events between their stored and their wire form. Errors as those of encode_payload and decode_payload.
Result<WireEvent> to_wire(const Event& event);
Result<ProposedEvent> to_wire(const EventBody& body);
Result<EventBody> body_of(const WireEvent& event);
Result<EventBody> body_of(const ProposedEvent& event);

}  // namespace turnstone::bus
