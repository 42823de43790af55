#include "engine/parked_turns.h"

#include <map>
#include <utility>

namespace turnstone {
namespace {

constexpr std::size_t page = 1'024;

// The parked turns of one session by number, with what its stream says of them.
Status read_session(const Ledger& ledger, const SessionId& session, std::map<TurnNumber, ParkedTurn>& parked) {
  const StreamId stream = stream_of(session);
  std::map<TurnNumber, TurnReceived> open;
  for (Sequence from{1};;) {
    const auto events = ledger.read(stream, from, page);
    if (!events) return tl::unexpected(events.error());
    if (events->empty()) return {};
    for (const Event& event : *events) {
      if (const auto* received = std::get_if<TurnReceived>(&event.body)) {
        open = {{received->turn, *received}};  // one turn is in flight at a time
        if (!received->retry_of) continue;
        if (const auto tried = parked.find(*received->retry_of); tried != parked.end()) tried->second.retried_as = received->turn;
      } else if (const auto* given_up = std::get_if<TurnParked>(&event.body)) {
        parked[given_up->turn] = ParkedTurn{session, given_up->turn, std::move(open[given_up->turn]), *given_up, event.time, std::nullopt};
      }
    }
    from = next(events->back().sequence);
  }
}

}  // namespace

Result<std::vector<ParkedTurn>> parked_turns(const Ledger& ledger) {
  std::map<SessionId, std::map<TurnNumber, ParkedTurn>> sessions;
  std::vector<ParkedTurn> found;
  for (GlobalPosition from{1};;) {
    const auto records = ledger.commits(from, page);
    if (!records) return tl::unexpected(records.error());
    if (records->empty()) break;
    for (const CommitRecord& record : *records) {
      if (!record.turn || record.ranges.empty()) continue;
      const auto named = ledger.named(record.ranges.front().stream);
      if (!named && named.error().code == ErrorCode::erased) continue;
      if (!named) return tl::unexpected(named.error());
      const SessionId session{named->name};
      const auto turn = ledger.turn(session, *record.turn);
      if (!turn) return tl::unexpected(turn.error());
      if (turn->state != TurnRecord::State::parked) continue;
      const auto [known, fresh] = sessions.try_emplace(session);
      if (fresh) {
        if (auto read = read_session(ledger, session, known->second); !read) return tl::unexpected(read.error());
      }
      const auto parked = known->second.find(*record.turn);
      if (parked == known->second.end()) {
        return fail(ErrorCode::corrupt, "turn " + std::to_string(record.turn->value) + " of session " + session.value + " has no message; run verify");
      }
      found.push_back(parked->second);
    }
    from = next(records->back().position);
  }
  return found;
}

TurnKey retry_key(TurnNumber parked) { return TurnKey{"retry-of-turn-" + std::to_string(parked.value)}; }

}  // namespace turnstone
