// How errors name a stream: session "s1", profile "user-7". Ids only, never what a shopper wrote.
#pragma once

#include <string>

#include "events/event.h"

namespace turnstone {

inline std::string describe(const StreamId& stream) {
  return (stream.kind == StreamKind::session ? "session \"" : "profile \"") + stream.name + '"';
}

}  // namespace turnstone
