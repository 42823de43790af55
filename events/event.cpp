#include "events/event.h"

#include "events/event_table.h"

namespace turnstone {

EventType type_of(const EventBody& body) { return event_kinds[body.index()].type; }

std::string_view name_of(EventType type) {
  const auto alternative = alternative_of(type);
  return alternative ? event_kinds[*alternative].name : std::string_view{"unknown"};
}

}  // namespace turnstone
