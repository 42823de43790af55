#include "tools/embedded_engine.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "engine/turn_request.h"
#include "events/documents.h"
#include "events/snapshot.h"
#include "storage/ledger/session_state.h"
#include "workers/turn.h"

namespace turnstone {

namespace {

constexpr std::uint32_t attempts_max = 3;  // then the turn is parked
constexpr const char* parked_text = "Sorry, I could not work that message out. Please say it in other words.";

std::string parked_document(const IntentState& state, TurnNumber turn) {
  const nlohmann::ordered_json document = {
      {"session", state.session.value}, {"turn", turn.value},  {"epoch", state.epoch.value},
      {"message", parked_text},         {"ask_attribute", nullptr}, {"questions", nlohmann::json::array()},
      {"recommendations", nlohmann::json::array()}, {"route", to_string(Route::none)}, {"state", state_document(state)}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

EmbeddedEngine::EmbeddedEngine(Ledger& ledger, std::shared_ptr<const Artefact> artefact, std::shared_ptr<const Policy> policy,
                               const Clock& clock, EmbeddedOptions options)
    : ledger_(ledger), artefact_(std::move(artefact)), policy_(std::move(policy)), clock_(clock), options_(std::move(options)) {}

Result<std::unique_ptr<EmbeddedEngine>> EmbeddedEngine::open(Ledger& ledger, std::shared_ptr<const Artefact> artefact,
                                                             std::shared_ptr<const Policy> policy, const Clock& clock,
                                                             EmbeddedOptions options) {
  std::unique_ptr<EmbeddedEngine> engine(new EmbeddedEngine(ledger, std::move(artefact), std::move(policy), clock, std::move(options)));
  const auto kept = ledger.put_document(engine->policy_->source());
  if (!kept) return tl::unexpected(kept.error());
  if (auto recovered = engine->recover(); !recovered) return tl::unexpected(recovered.error());
  return engine;
}

EngineChanged EmbeddedEngine::engine_from(const std::optional<EngineChanged>& before) const {
  EngineChanged changed;
  if (before) {
    changed.artefact_from = before->artefact_to;
    changed.policy_from = before->policy_to;
    changed.decision_from = before->decision_to;
  }
  changed.artefact_to = artefact_->fingerprint();
  changed.policy_to = policy_->fingerprint();
  changed.decision_to = decision_version;
  return changed;
}

Result<std::vector<std::int32_t>> EmbeddedEngine::taste_of(const ProfileId& profile) const {
  const StreamId stream = stream_of(profile);
  const auto head = ledger_.head(stream);
  if (!head) {
    if (head.error().code == ErrorCode::not_found) return std::vector<std::int32_t>{};
    return tl::unexpected(head.error());
  }
  const auto last = ledger_.read(stream, head->sequence, 1);
  if (!last) return tl::unexpected(last.error());
  if (last->empty()) return std::vector<std::int32_t>{};
  const auto* updated = std::get_if<ProfileUpdated>(&last->front().body);
  return updated != nullptr ? updated->taste : std::vector<std::int32_t>{};
}

Result<bool> EmbeddedEngine::start_session(const NewSession& session) {
  if (auto valid = validate_session(session); !valid) return tl::unexpected(valid.error());
  if (!session.session) return fail(ErrorCode::invalid_argument, "the session has no name; give it one");
  if (warm_.contains(session.session->value)) return false;
  SessionStarted started;
  started.session = *session.session;
  started.channel = session.channel;
  started.policy_variant = session.policy_variant;
  started.profile = session.profile;
  started.preference_tags = session.preference_tags;
  if (session.profile) {
    auto taste = taste_of(*session.profile);
    if (!taste) return tl::unexpected(taste.error());
    started.taste = std::move(*taste);
  }
  return ledger_.start_session(started, engine_from(std::nullopt), clock_.now());
}

Result<IntentState*> EmbeddedEngine::caught_up(const SessionId& session) {
  auto found = warm_.find(session.value);
  if (found == warm_.end()) {
    if (warm_.size() >= options_.sessions_cached_max) {
      warm_.erase(by_use_.back());
      by_use_.pop_back();
    }
    by_use_.push_front(session.value);
    IntentState kept = snapshot_state(ledger_, session);
    const Sequence last_snapshot = kept.sequence;
    found = warm_.emplace(session.value, Warm{std::move(kept), last_snapshot, by_use_.begin()}).first;
  } else {
    by_use_.splice(by_use_.begin(), by_use_, found->second.used);
  }
  IntentState& state = found->second.state;
  const auto caught = catch_up(ledger_, session, state);
  if (caught && state.sequence.value != 0) return &state;
  by_use_.erase(found->second.used);  // what cannot be read, was erased or is not there takes no place of others
  warm_.erase(found);
  if (!caught) return tl::unexpected(caught.error());
  return fail(ErrorCode::not_found, "there is no session of that name in this ledger; start it first");
}

Result<const IntentState*> EmbeddedEngine::state(const SessionId& session) {
  auto state = caught_up(session);
  if (!state) return tl::unexpected(state.error());
  return *state;
}

// From the next turn on this engine decides, and the stream says so before it does.
Status EmbeddedEngine::adopt_engine(const SessionId& session, IntentState& state) {
  const EngineChanged changed = engine_from(state.engine);
  if (state.engine && changed.artefact_from == changed.artefact_to && changed.policy_from == changed.policy_to &&
      changed.decision_from == changed.decision_to) {
    return {};
  }
  if (state.closed || state.erased || state.turn != state.completed) return {};  // accept tells the caller why not
  const auto outcome = ledger_.append({{stream_of(session), state.sequence, {changed}}}, clock_.now());
  if (!outcome) return tl::unexpected(outcome.error());
  if (!std::holds_alternative<Committed>(*outcome)) {
    return fail(ErrorCode::busy, "another writer changed the session at the same moment; send the turn again");
  }
  fold(state, changed, TurnNumber{0});
  return {};
}

// Of the state before the turn's TurnCompleted; empty while the last one is young.
std::string EmbeddedEngine::due_snapshot(const IntentState& before, const std::vector<EventBody>& events) {
  Sequence& last = warm_.at(before.session.value).last_snapshot;
  if (before.sequence.value < last.value + snapshot_interval_events) return {};
  IntentState state = before;
  for (const EventBody& body : events) {
    if (std::holds_alternative<TurnCompleted>(body)) break;
    fold(state, body, before.turn);
  }
  last = state.sequence;
  return encode_snapshot(state).value_or(std::string());
}

Result<EmbeddedEngine::Decided> EmbeddedEngine::decide_and_commit(IntentState& state, TurnReceived received, Attempt attempt) {
  const TurnNumber turn = received.turn;
  const SessionId session = state.session;
  const Sequence expected = state.sequence;
  const std::int64_t before = clock_.monotonic_us();
  const TurnInput input{std::move(received), attempt};
  Proposal proposal = trace_turn(state, input, *artefact_, *policy_, options_.reader).proposal;
  const std::int64_t decided = clock_.monotonic_us();
  CommitRequest request{session, turn, attempt, {}, std::move(proposal.flight_bytes), proposal.reply, clock_.now()};
  request.appends.push_back({stream_of(session), expected, proposal.events});
  request.snapshot = due_snapshot(state, proposal.events);
  const auto outcome = ledger_.commit(request);
  if (!outcome) return tl::unexpected(outcome.error());
  if (!std::holds_alternative<Committed>(*outcome)) {
    return fail(ErrorCode::busy, "another writer finished or moved this turn at the same moment; send it again");
  }
  for (const EventBody& body : proposal.events) fold(state, body, turn);
  Decided out;
  out.reply.turn = turn;
  out.reply.document = std::move(proposal.reply);
  out.decide = decided - before;
  out.commit = clock_.monotonic_us() - decided;
  return out;
}

Result<EmbeddedReply> EmbeddedEngine::take_turn(const TurnRequest& request) {
  const std::int64_t began = clock_.monotonic_us();
  if (auto valid = validate_turn(request); !valid) return tl::unexpected(valid.error());
  auto state = caught_up(request.session);
  if (!state) return tl::unexpected(state.error());
  if (auto adopted = adopt_engine(request.session, **state); !adopted) return tl::unexpected(adopted.error());

  AcceptRequest accept;
  accept.session = request.session;
  accept.key = request.key;
  accept.body_mac = body_digest(request);
  accept.received.text = request.text;
  accept.received.top_k = request.top_k;
  accept.received.front_end = request.front_end;
  accept.now = clock_.now();
  auto outcome = ledger_.accept(accept);
  if (!outcome) return tl::unexpected(outcome.error());

  EmbeddedReply reply;
  if (const auto* done = std::get_if<Done>(&*outcome)) {
    reply.reply = {done->turn, done->reply, true, false};
    reply.timings.total = clock_.monotonic_us() - began;
    return reply;
  }
  if (std::holds_alternative<KeyReused>(*outcome)) {
    return fail(ErrorCode::key_reused, "this turn key was used for another message; a new message needs a new key");
  }
  if (std::holds_alternative<InFlight>(*outcome)) {
    return fail(ErrorCode::busy, "this turn is still being worked on; ask again with the same key");
  }
  const Accepted& accepted = std::get<Accepted>(*outcome);
  state = caught_up(request.session);  // TurnReceived and AttemptStarted, as the ledger wrote them
  if (!state) return tl::unexpected(state.error());
  reply.timings.accept = clock_.monotonic_us() - began;

  TurnReceived received = accept.received;
  received.turn = accepted.turn;
  received.key = request.key;
  auto decided = decide_and_commit(**state, std::move(received), accepted.attempt);
  if (!decided) return tl::unexpected(decided.error());
  const std::int64_t committed = clock_.monotonic_us();
  if (auto synced = ledger_.sync(); !synced) return tl::unexpected(synced.error());
  reply.reply = std::move(decided->reply);
  reply.timings.decide = decided->decide;
  reply.timings.commit = decided->commit;
  reply.timings.sync = clock_.monotonic_us() - committed;
  reply.timings.total = clock_.monotonic_us() - began;
  return reply;
}

// --- what an earlier process left ------------------------------------------------------------------------

Status EmbeddedEngine::recover() {
  const auto pending = ledger_.pending();
  if (!pending) return tl::unexpected(pending.error());
  for (const PendingTurn& turn : *pending) {
    if (auto finished = finish_pending(turn); !finished) return finished;
    ++recovered_;
  }
  return {};
}

Status EmbeddedEngine::finish_pending(const PendingTurn& pending) {
  auto state = caught_up(pending.session);
  if (!state) return tl::unexpected(state.error());
  if (pending.attempt.value >= attempts_max) return park(pending, **state);
  const auto raised = ledger_.raise_attempt(pending.session, pending.turn, WorkerId{options_.worker}, clock_.now());
  if (!raised) return tl::unexpected(raised.error());
  // The attempt is durable before the turn is tried, so that a turn that kills its process is not tried for ever.
  if (auto synced = ledger_.sync(); !synced) return synced;
  state = caught_up(pending.session);
  if (!state) return tl::unexpected(state.error());
  const auto decided = decide_and_commit(**state, pending.received, raised->attempt);
  if (!decided) return tl::unexpected(decided.error());
  return ledger_.sync();
}

Status EmbeddedEngine::park(const PendingTurn& pending, const IntentState& state) {
  const TurnParked parked{pending.turn, "three attempts did not finish it", pending.attempt.value};
  const auto outcome =
      ledger_.park(pending.session, pending.turn, parked, parked_text, parked_document(state, pending.turn), clock_.now());
  if (!outcome) return tl::unexpected(outcome.error());
  if (!std::holds_alternative<Committed>(*outcome)) return fail(ErrorCode::busy, "another writer finished a pending turn; open the ledger again");
  return ledger_.sync();
}

std::string with_timings(const std::string& document, const TurnTimings& timings) {
  std::string out = document;
  const std::size_t end = out.find_last_of('}');
  if (end == std::string::npos) return out;
  const bool first = out.find_first_not_of(" \t\r\n", out.find('{') + 1) == end;
  out.erase(end);
  out += fmt::format("{}\"timing_us\":{{\"accept\":{},\"turn\":{},\"commit\":{},\"sync\":{},\"total\":{}}}}}", first ? "" : ",", timings.accept,
                     timings.decide, timings.commit, timings.sync, timings.total);
  return out;
}

}  // namespace turnstone
