// The seam for old schemas: (type, version) → the version that this build writes, one step at a time.
//
// An upcaster is a pure function from the stored payload of version v to the payload of v + 1. It usually
// decodes the retired struct (kept beside it) and encodes its successor with events/msgpack_fields.h.
// Golden bytes of every version ever written keep the steps honest. Thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

struct Upcaster {
  EventType type;
  std::uint16_t from;  // gives version from + 1
  Result<std::string> (*step)(std::string_view payload);
};

// Every upcaster of this build; empty as long as all versions are 1.
std::span<const Upcaster> upcasters();

// `payload` of `version` as payload of version `latest`. Errors: unsupported (newer than latest, or a step is
// missing), corrupt (version 0, or a step could not read its input). O(steps · bytes).
Result<std::string> upcast(std::span<const Upcaster> table, EventType type, std::uint16_t version, std::uint16_t latest, std::string_view payload);

}  // namespace turnstone
