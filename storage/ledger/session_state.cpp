#include "storage/ledger/session_state.h"

#include "events/snapshot.h"

namespace turnstone {
namespace {

constexpr std::size_t read_batch = 512;

}  // namespace

IntentState snapshot_state(const Ledger& ledger, const SessionId& session) {
  const auto kept = ledger.snapshot(session);
  if (!kept || !*kept) return {};
  const auto events = ledger.read(stream_of(session), (*kept)->before, 1);
  const auto* completed = events && !events->empty() ? std::get_if<TurnCompleted>(&events->front().body) : nullptr;
  if (completed == nullptr) return {};
  auto state = open_snapshot((*kept)->bytes, session, (*kept)->before, *completed);
  return state ? std::move(*state) : IntentState{};
}

Status catch_up(const Ledger& ledger, const SessionId& session, IntentState& state) {
  for (;;) {
    const auto events = ledger.read(stream_of(session), next(state.sequence), read_batch);
    if (!events) return tl::unexpected(events.error());
    for (const Event& event : *events) fold(state, event);
    if (events->size() < read_batch) return {};
  }
}

}  // namespace turnstone
