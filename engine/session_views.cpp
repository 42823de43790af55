#include "engine/session_views.h"

#include <nlohmann/json.hpp>

#include "events/documents.h"
#include "storage/ledger/session_state.h"

namespace turnstone {
namespace {

constexpr std::size_t chunk = 1'024;
constexpr const char* apology = "Sorry, I could not finish that one. Please say it again, perhaps in other words.";

}  // namespace

Result<IntentState> state_at(const Ledger& ledger, const SessionId& session, std::optional<TurnNumber> at) {
  const StreamId stream = stream_of(session);
  // Before the head: one that is newer than the head would be the state in the midst of what was committed with it.
  IntentState state = at ? IntentState{} : snapshot_state(ledger, session);
  const auto head = ledger.head(stream);
  if (!head) {
    if (head.error().code != ErrorCode::not_found) return tl::unexpected(head.error());
    return fail(ErrorCode::not_found, "there is no session of this name; create it with POST /v1/sessions first");
  }
  for (Sequence from = next(state.sequence); from <= head->sequence; from = next(state.sequence)) {
    const auto events = ledger.read(stream, from, chunk);
    if (!events) return tl::unexpected(events.error());
    if (events->empty()) break;
    for (const Event& event : *events) {
      const auto* received = std::get_if<TurnReceived>(&event.body);
      if (at && received != nullptr && received->turn > *at) return state;
      fold(state, event);
    }
  }
  if (at && *at > state.turn) {
    return fail(ErrorCode::not_found, "the session has " + std::to_string(state.turn.value) + " turns so far; ask for one of them");
  }
  return state;
}

Result<std::string> state_document_at(const Ledger& ledger, const SessionId& session, std::optional<TurnNumber> at) {
  const auto state = state_at(ledger, session, at);
  if (!state) return tl::unexpected(state.error());
  return state_document(*state).dump();
}

ParkedReply parked_reply(const Ledger& ledger, const SessionId& session, TurnNumber turn) {
  const auto state = state_at(ledger, session, std::nullopt);
  nlohmann::json document{{"session", session.value},
                          {"turn", turn.value},
                          {"epoch", state ? state->epoch.value : 1},
                          {"message", apology},
                          {"ask_attribute", nullptr},
                          {"questions", nlohmann::json::array()},
                          {"recommendations", nlohmann::json::array()},
                          {"route", "none"},
                          {"parked", true},
                          {"state", state ? state_document(*state) : nlohmann::json::object()}};
  return {apology, document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace turnstone
