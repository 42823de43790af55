#include "replay/session_reader.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace turnstone {
namespace {

Result<RecordedTurn> recorded_turn(const Ledger& ledger, const SessionId& session, TurnNumber turn) {
  auto record = ledger.turn(session, turn);
  if (!record) return tl::unexpected(std::move(record.error()));
  return RecordedTurn{std::move(record->flight_record), std::move(record->reply)};
}

// Policies by fingerprint, parsed once.
class PolicyShelf {
 public:
  explicit PolicyShelf(const Ledger& ledger) : ledger_(ledger) {}
  std::shared_ptr<const Policy> find(const Fingerprint& fingerprint) {
    const std::lock_guard lock(mutex_);
    if (const auto known = parsed_.find(fingerprint); known != parsed_.end()) return known->second;
    return parsed_[fingerprint] = load(fingerprint);
  }

 private:
  std::shared_ptr<const Policy> load(const Fingerprint& fingerprint) const {
    if (Policy::standard()->fingerprint() == fingerprint) return Policy::standard();
    const auto source = ledger_.document(fingerprint);
    if (!source) return nullptr;
    const auto policy = Policy::parse(*source);
    return policy ? *policy : nullptr;
  }
  const Ledger& ledger_;
  std::mutex mutex_;
  std::map<Fingerprint, std::shared_ptr<const Policy>> parsed_;
};

}  // namespace

Result<std::vector<SessionId>> all_sessions(const Ledger& ledger) {
  std::vector<SessionId> sessions;
  std::optional<std::string> after;
  for (;;) {
    auto page = ledger.streams(StreamKind::session, after, events_per_read);
    if (!page) return tl::unexpected(std::move(page.error()));
    if (page->empty()) break;
    for (const StreamHead& head : *page) {
      auto named = ledger.named(head.stream);
      if (named) sessions.emplace_back(std::move(named->name));
      if (!named && named.error().code != ErrorCode::erased) return tl::unexpected(std::move(named.error()));
    }
    after = page->back().stream.name;
  }
  std::sort(sessions.begin(), sessions.end());  // they are kept in the order of their stored names
  return sessions;
}

Status for_each_event(const Ledger& ledger, const StreamId& stream, const std::function<bool(const Event&)>& visit, std::size_t page) {
  for (Sequence from{1};;) {
    const auto events = ledger.read(stream, from, page);
    if (!events) return tl::unexpected(events.error());
    for (const Event& event : *events) {
      if (!visit(event)) return {};
    }
    if (events->empty()) return {};
    from = next(events->back().sequence);
  }
}

Result<Recording> record_session(const Ledger& ledger, const SessionId& session) {
  Recording recording;
  recording.session = session;
  auto read = for_each_event(ledger, stream_of(session), [&](const Event& event) {
    recording.events.push_back(event);
    return true;
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  for (const Event& event : recording.events) {
    const auto* completed = std::get_if<TurnCompleted>(&event.body);
    if (completed == nullptr) continue;
    auto turn = recorded_turn(ledger, session, completed->turn);
    if (!turn) return tl::unexpected(std::move(turn.error()));
    recording.turns.emplace(completed->turn, std::move(*turn));
    if (recording.policies.contains(completed->policy)) continue;
    if (auto source = ledger.document(completed->policy)) {
      recording.policies.emplace(completed->policy, std::move(*source));
    } else if (Policy::standard()->fingerprint() == completed->policy) {
      recording.policies.emplace(completed->policy, Policy::standard()->source());
    }
  }
  return recording;
}

PolicyLookup policies_of(const Ledger& ledger) {
  auto shelf = std::make_shared<PolicyShelf>(ledger);
  return [shelf](const Fingerprint& fingerprint) { return shelf->find(fingerprint); };
}

SessionReplay replay_session(const Ledger& ledger, const SessionId& session, const ArtefactLookup& artefact, const PolicyLookup& policy,
                             const ReplayOptions& options) {
  const ReplaySources sources{artefact, policy, [&](TurnNumber turn) { return recorded_turn(ledger, session, turn); }};
  SessionReplayer replayer(session, sources, options);
  // One event at a time when nothing beyond the turn may be read.
  const std::size_t page = options.only_turn ? 1 : events_per_read;
  auto read = for_each_event(
      ledger, stream_of(session), [&](const Event& event) { return replayer.feed(event); }, page);
  SessionReplay replay;
  if (read) {
    replay = replayer.finish();
    if (options.only_turn && replay.turns.empty()) {
      replay.error = Error{ErrorCode::not_found, "session " + session.value + " has no turn " + std::to_string(options.only_turn->value)};
    }
  } else {
    replay = replayer.abandon();
    replay.error = std::move(read.error());
  }
  return replay;
}

std::vector<SessionReplay> replay_sessions(const Ledger& ledger, const std::vector<SessionId>& sessions, const ArtefactLookup& artefact,
                                           const PolicyLookup& policy, const ReplayOptions& options, unsigned threads,
                                           const std::function<void(const SessionReplay&)>& done) {
  std::vector<SessionReplay> results(sessions.size());
  std::atomic<std::size_t> next_session{0};
  std::mutex done_mutex;
  const auto work = [&] {
    for (std::size_t i = next_session++; i < sessions.size(); i = next_session++) {
      results[i] = replay_session(ledger, sessions[i], artefact, policy, options);
      if (!done) continue;
      const std::lock_guard lock(done_mutex);
      done(results[i]);
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1U), sessions.size());
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  return results;
}

Result<TurnNumber> last_turn(const Ledger& ledger, const SessionId& session) {
  TurnNumber last;
  auto read = for_each_event(ledger, stream_of(session), [&](const Event& event) {
    if (const auto* received = std::get_if<TurnReceived>(&event.body)) last = received->turn;
    return true;
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  if (last.value == 0) return fail(ErrorCode::not_found, "session " + session.value + " has no turn yet");
  return last;
}

Result<TurnStart> read_turn_start(const Ledger& ledger, const SessionId& session, TurnNumber turn) {
  TurnStart start;
  IntentState state;
  bool found = false;
  auto read = for_each_event(ledger, stream_of(session), [&](const Event& event) {
    if (const auto* completed = std::get_if<TurnCompleted>(&event.body); completed != nullptr && completed->turn == turn)
      start.completed = *completed;
    if (start.completed || (found && std::holds_alternative<TurnParked>(event.body))) return false;
    fold(state, event);
    if (const auto* received = std::get_if<TurnReceived>(&event.body); received != nullptr && received->turn == turn) {
      found = true;
      start.input.received = *received;
      start.state = state;
    }
    if (const auto* started = std::get_if<AttemptStarted>(&event.body); started != nullptr && started->turn == turn) {
      start.input.attempt = started->attempt;
      start.state = state;
    }
    return true;
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  if (!found) return fail(ErrorCode::not_found, "session " + session.value + " has no turn " + std::to_string(turn.value));
  return start;
}

}  // namespace turnstone
