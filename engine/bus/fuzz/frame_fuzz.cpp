// libFuzzer target for the bus's frames: what is read must encode again and read back equal, and so must the events in it.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/bus/codec.h"

namespace {

using namespace turnstone::bus;

template <class WireOrProposed>
void try_events(const std::vector<WireOrProposed>& events) {
  for (const WireOrProposed& event : events) {
    const auto body = body_of(event);
    if (!body) continue;
    const auto again = to_wire(*body);
    if (!again || !(*body_of(*again) == *body)) std::abort();
  }
}

// As the engine, workers and subscribers look into what they were sent.
void try_events_of(const Message& message) {
  if (const auto* proposed = std::get_if<Proposed>(&message)) try_events(proposed->events);
  if (const auto* events = std::get_if<Events>(&message)) try_events(events->events);
  if (const auto* publication = std::get_if<Publication>(&message)) {
    for (const Range& range : publication->ranges) try_events(range.events);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto message = decode(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!message) return 0;
  const auto again = encode(*message);
  if (!again || !(*decode(*again) == *message)) std::abort();
  try_events_of(*message);
  return 0;
}
