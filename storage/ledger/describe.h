// How errors name a stream: session "s1", profile "user-7"; by the hash of its id where that is all that is known.
// Ids only, never what a shopper wrote.
#pragma once

#include <string>

#include "events/event.h"

namespace turnstone {

inline std::string describe(const StreamId& stream) {
  const bool stored = !stream.name.empty() && stream.name.front() == '\x01';
  return (stream.kind == StreamKind::session ? "session \"" : "profile \"") + stream.name.substr(stored ? 1 : 0) + '"';
}

}  // namespace turnstone
