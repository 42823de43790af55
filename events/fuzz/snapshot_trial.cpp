#include "events/fuzz/snapshot_trial.h"

#include <algorithm>
#include <vector>

#include "events/codec.h"
#include "events/event_table.h"
#include "events/snapshot.h"

namespace turnstone {
namespace {

unsigned take(std::string_view& bytes) {
  const unsigned byte = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(bytes.empty() ? 0 : 1);
  return byte;
}

std::vector<Event> events_in(std::string_view bytes) {
  std::vector<Event> events;
  TurnNumber turn;
  while (!bytes.empty()) {
    const EventKind& kind = event_kinds[take(bytes) % event_kinds.size()];
    const std::size_t wanted = take(bytes);
    const std::size_t length = std::min(wanted, bytes.size());
    auto body = decode_payload(kind.type, kind.schema_version, bytes.substr(0, length));
    bytes.remove_prefix(length);
    if (!body) continue;
    if (const auto* received = std::get_if<TurnReceived>(&*body)) turn = received->turn;
    Event event;
    event.sequence = Sequence{events.size() + 1};
    event.turn = turn;
    event.body = std::move(*body);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

std::string snapshot_trial(std::string_view bytes) {
  const std::size_t cut = take(bytes);
  const std::vector<Event> events = events_in(bytes);
  IntentState whole;
  IntentState resumed;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i == cut) {
      const auto kept = encode_snapshot(whole);
      if (!kept) return {};  // a state too large for one
      TurnCompleted completed;
      completed.fold_version = fold_version;
      completed.state_digest = digest_of(whole);
      auto opened = open_snapshot(*kept, whole.session, next(whole.sequence), completed);
      if (!opened) return "a snapshot is refused by its own state: " + opened.error().detail;
      if (!(*opened == whole)) return "a snapshot holds another state than was put into it";
      resumed = std::move(*opened);
    }
    fold(whole, events[i]);
    if (i >= cut) fold(resumed, events[i]);
  }
  if (cut < events.size() && !(resumed == whole)) return "folding on from a snapshot ends in another state than folding every event";
  return {};
}

}  // namespace turnstone
