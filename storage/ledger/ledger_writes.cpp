#include <algorithm>
#include <set>

#include "events/chain.h"
#include "events/codec.h"
#include "storage/ledger/describe.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_core.h"

namespace turnstone {
namespace {

constexpr std::size_t streams_per_write_max = 16;
constexpr std::size_t document_bytes_max = 4 * 1024 * 1024;

// Events that only the ledger writes, because they carry its turn numbers and attempts.
bool ledger_writes(const EventBody& body) {
  return std::holds_alternative<SessionStarted>(body) || std::holds_alternative<TurnReceived>(body) || std::holds_alternative<AttemptStarted>(body) ||
         std::holds_alternative<TurnParked>(body) || std::holds_alternative<SessionErased>(body);
}

Status check_appends(const std::vector<StreamAppend>& appends) {
  if (appends.empty() || appends.size() > streams_per_write_max) {
    return fail(ErrorCode::invalid_argument, "a write appends to 1 to 16 streams, not to " + std::to_string(appends.size()));
  }
  std::set<StreamId> seen;
  for (const StreamAppend& append : appends) {
    if (auto name = keys::check_name("the stream's name", append.stream.name); !name) return name;
    if (!seen.insert(append.stream).second) return fail(ErrorCode::invalid_argument, describe(append.stream) + " is appended to twice in one write");
    if (append.events.empty()) return fail(ErrorCode::invalid_argument, "the append to " + describe(append.stream) + " holds no event");
    for (const EventBody& body : append.events) {
      if (ledger_writes(body)) {
        return fail(ErrorCode::invalid_argument, std::string(name_of(type_of(body))) + " is written by the ledger itself; leave it out of the append");
      }
    }
  }
  return {};
}

// A commit's shape: see CommitRequest. Gives the session's own append.
Result<const StreamAppend*> check_commit(const CommitRequest& request) {
  if (auto sound = check_appends(request.appends); !sound) return tl::unexpected(sound.error());
  const StreamAppend* own = nullptr;
  for (const StreamAppend& append : request.appends) {
    if (append.stream == stream_of(request.session)) {
      own = &append;
    } else if (append.stream.kind != StreamKind::profile) {
      return fail(ErrorCode::invalid_argument, "a turn appends to its own session and to profiles, not to " + describe(append.stream));
    }
  }
  if (own == nullptr) return fail(ErrorCode::invalid_argument, "the commit holds no append to " + describe(stream_of(request.session)));
  std::size_t completions = 0;
  for (const EventBody& body : own->events) {
    if (const auto* completed = std::get_if<TurnCompleted>(&body)) {
      ++completions;
      if (completed->turn != request.turn || completed->attempt != request.attempt) {
        return fail(ErrorCode::invalid_argument, "TurnCompleted names another turn or attempt than the commit of turn " + std::to_string(request.turn.value));
      }
    }
  }
  if (completions != 1) {
    return fail(ErrorCode::invalid_argument, "the commit of turn " + std::to_string(request.turn.value) + " must hold exactly one TurnCompleted");
  }
  if (std::max({request.reply.size(), request.flight_record.size(), request.snapshot.size()}) > decode_limits.payload_bytes_max) {
    return fail(ErrorCode::limit_exceeded, "the reply, the flight record or the snapshot of a turn is larger than 1 MiB");
  }
  return own;
}

}  // namespace

LedgerMark LedgerCore::mark() const {
  const std::lock_guard lock(mark_mutex_);
  return mark_;
}

Result<GlobalPosition> LedgerCore::write(Draft& draft, Timestamp now) {
  const LedgerMark before = mark();
  CommitRecord& record = draft.record;
  record.position = next(before.position);
  record.time = now;
  record.hash = commit_hash(before.commit_hash, record);
  draft.batch.put(keys::commit(record.position), records::encode(record));
  if (auto written = store_->write(draft.batch); !written) return tl::unexpected(written.error());
  const std::lock_guard lock(mark_mutex_);
  mark_ = {record.position, record.hash};
  return record.position;
}

Status LedgerCore::sync() {
  return group_.sync([this] { return mark(); }, [this](const LedgerMark& covered) { return store_->sync(covered); });
}

Result<bool> LedgerCore::start_session(const SessionStarted& started, const std::optional<EngineChanged>& engine, Timestamp now) {
  if (auto name = keys::check_name("the session's name", started.session.value); !name) return tl::unexpected(name.error());
  const StreamId stream = codec_.stored(stream_of(started.session));
  const std::lock_guard lock(write_mutex_);
  auto known = load_live_head(stream_of(started.session));
  if (known) return false;
  if (known.error().code != ErrorCode::not_found) return tl::unexpected(known.error());
  Draft draft;
  const auto head = new_head(draft);
  if (!head) return tl::unexpected(head.error());
  StreamWriter writer(stream, *head, codec_, draft.batch);
  if (auto done = writer.append(started, {}, now); !done) return tl::unexpected(done.error());
  if (engine) {
    if (auto done = writer.append(*engine, {}, now); !done) return tl::unexpected(done.error());
  }
  draft.add(writer);
  if (auto written = write(draft, now); !written) return tl::unexpected(written.error());
  return true;
}

Result<std::optional<AcceptOutcome>> LedgerCore::answer_known_key(const StreamId& stream, KeySlot slot, const AcceptRequest& request) const {
  const auto turn_key = codec_.stored_turn_key(slot, request.key);
  if (!turn_key) return tl::unexpected(turn_key.error());
  auto bytes = store_->get(keys::turn_key(stream, *turn_key));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  const auto key = records::decode_key(**bytes);
  if (!key) return fail(ErrorCode::corrupt, "a turn key of " + describe(stream) + " is damaged; run verify");
  const auto body_mac = codec_.stored_digest(slot, request.body_mac);
  if (!body_mac) return tl::unexpected(body_mac.error());
  if (key->body_mac != *body_mac) return AcceptOutcome{KeyReused{key->turn}};
  auto record = turn(request.session, key->turn);
  if (!record) return tl::unexpected(record.error());
  if (record->state == TurnRecord::State::pending) return AcceptOutcome{InFlight{key->turn}};
  return AcceptOutcome{Done{key->turn, std::move(record->reply)}};
}

Status LedgerCore::start_turn(Draft& draft, StreamWriter& writer, const TurnReceived& received, Timestamp received_at, Timestamp now) {
  const TurnNumber number = received.turn;
  if (auto done = writer.append(received, number, received_at); !done) return done;
  records::Turn turn;
  turn.received = writer.head().sequence;
  turn.attempt = Attempt{1};
  if (auto done = writer.append(AttemptStarted{number, turn.attempt, {}}, number, now); !done) return done;
  turn.head = writer.head().sequence;
  writer.head().in_flight = number;
  draft.batch.put(keys::turn(writer.stream(), number), records::encode(turn));
  draft.batch.put(keys::pending(writer.stream(), number), {});
  return {};
}

Status LedgerCore::store_waiting(Draft& draft, StreamWriter& writer, const TurnReceived& received, Timestamp now) {
  auto plain = encode_payload(received);
  if (!plain) return tl::unexpected(plain.error());
  const std::uint16_t version = current_schema_version(EventType::turn_received);
  auto sealed = codec_.seal({writer.stream(), writer.head().key, received.turn.value, sealed_waiting_turn, version}, *plain);
  if (!sealed) return tl::unexpected(sealed.error());
  draft.batch.put(keys::turn(writer.stream(), received.turn), records::encode(records::Turn{}));
  draft.batch.put(keys::pending(writer.stream(), received.turn), records::encode(records::Waiting{now, version, std::move(*sealed)}));
  return {};
}

Result<AcceptOutcome> LedgerCore::accept(const AcceptRequest& request) {
  if (auto name = keys::check_name("the session's name", request.session.value); !name) return tl::unexpected(name.error());
  if (auto key = keys::check_name("the turn key", request.key.value); !key) return tl::unexpected(key.error());
  const StreamId named = stream_of(request.session);
  const StreamId stream = codec_.stored(named);
  const std::lock_guard lock(write_mutex_);
  auto head = load_live_head(named);
  if (!head) return tl::unexpected(head.error());
  auto known = answer_known_key(stream, head->key, request);
  if (!known) return tl::unexpected(known.error());
  if (*known) return std::move(**known);
  if (head->closed) return fail(ErrorCode::closed, describe(named) + " is closed; start a new one");
  if (head->waiting() >= waiting_turns_max) {
    return fail(ErrorCode::busy, describe(named) + " has " + std::to_string(waiting_turns_max) + " turns waiting; send this one again later");
  }

  Draft draft;
  StreamWriter writer(stream, *head, codec_, draft.batch);
  const bool waits = head->in_flight.value != 0;
  const TurnNumber number = next(head->last_turn);
  writer.head().last_turn = number;
  TurnReceived received = request.received;
  received.turn = number;
  received.key = request.key;
  const auto turn_key = codec_.stored_turn_key(head->key, request.key);
  if (!turn_key) return tl::unexpected(turn_key.error());
  const auto body_mac = codec_.stored_digest(head->key, request.body_mac);
  if (!body_mac) return tl::unexpected(body_mac.error());
  draft.batch.put(keys::turn_key(stream, *turn_key), records::encode(records::Key{number, *body_mac}));
  auto stored = waits ? store_waiting(draft, writer, received, request.now) : start_turn(draft, writer, received, request.now, request.now);
  if (!stored) return tl::unexpected(stored.error());
  draft.add(writer);
  if (auto written = write(draft, request.now); !written) return tl::unexpected(written.error());
  if (waits) return AcceptOutcome{Accepted{number, {}, {}}};
  return AcceptOutcome{Accepted{number, Attempt{1}, writer.head().sequence}};
}

Result<std::optional<PendingTurn>> LedgerCore::close_turn(Draft& draft, StreamWriter& writer, TurnNumber number, records::Turn turn,
                                                          const SessionId& session, Timestamp now) {
  const StreamId& stream = writer.stream();
  auto reply = codec_.seal({stream, writer.head().key, number.value, sealed_reply, 1}, turn.reply);
  if (!reply) return tl::unexpected(reply.error());
  auto flight = codec_.seal({stream, writer.head().key, number.value, sealed_flight_record, 1}, turn.flight_record);
  if (!flight) return tl::unexpected(flight.error());
  turn.reply = std::move(*reply);
  turn.flight_record = std::move(*flight);
  std::string bytes = records::encode(turn);
  draft.record.turn = number;
  draft.record.turn_hash = blake2b(bytes);
  draft.batch.put(keys::turn(stream, number), std::move(bytes));
  draft.batch.remove(keys::pending(stream, number));

  records::Head& head = writer.head();
  head.in_flight = {};
  if (head.last_turn == number) return std::nullopt;
  Timestamp received_at;
  auto following = load_waiting(session, head.key, next(number), &received_at);
  if (!following) return tl::unexpected(following.error());
  if (auto started = start_turn(draft, writer, following->received, received_at, now); !started) return tl::unexpected(started.error());
  following->attempt = Attempt{1};
  following->head = head.sequence;
  return std::move(*following);
}

Result<std::optional<Conflict>> LedgerCore::find_conflict(const std::vector<StreamAppend>& appends, const std::optional<KnownHead>& read) const {
  for (const StreamAppend& append : appends) {
    Sequence actual;
    if (read && read->of == append.stream) {
      actual = read->sequence;
    } else {
      auto head = load_head(append.stream);
      if (!head) return tl::unexpected(head.error());
      if (*head) actual = (*head)->sequence;
    }
    if (actual != append.expected) return Conflict{actual, append.stream};
  }
  return std::nullopt;
}

Result<CommitOutcome> LedgerCore::commit(const CommitRequest& request) {
  auto own = check_commit(request);
  if (!own) return tl::unexpected(own.error());
  const std::lock_guard lock(write_mutex_);
  auto open = load_open_turn(request.session, request.turn);
  if (!open) return tl::unexpected(open.error());
  const auto erased = is_erased(open->head);
  if (!erased) return tl::unexpected(erased.error());
  if (*erased || !open->in_flight(request.turn) || open->turn.attempt != request.attempt) return CommitOutcome{Fenced{open->turn.attempt}};
  auto conflict = find_conflict(request.appends, KnownHead{(*own)->stream, open->head.sequence});
  if (!conflict) return tl::unexpected(conflict.error());
  if (*conflict) return CommitOutcome{**conflict};

  Draft draft;
  StreamWriter session(open->stream, open->head, codec_, draft.batch);
  for (const EventBody& body : (*own)->events) {
    if (auto done = session.append(body, request.turn, request.now); !done) return tl::unexpected(done.error());
    if (std::holds_alternative<TurnCompleted>(body) && !request.snapshot.empty()) {
      auto sealed = codec_.seal({open->stream, open->head.key, session.head().sequence.value, sealed_snapshot, 1}, request.snapshot);
      if (!sealed) return tl::unexpected(sealed.error());
      draft.batch.put(keys::snapshot(open->stream), records::encode(records::Snapshot{session.head().sequence, std::move(*sealed)}));
    }
  }
  records::Turn turn = open->turn;
  turn.state = TurnRecord::State::done;
  turn.reply = request.reply;
  turn.flight_record = request.flight_record;
  auto following = close_turn(draft, session, request.turn, std::move(turn), request.session, request.now);
  if (!following) return tl::unexpected(following.error());
  draft.add(session);
  for (const StreamAppend& append : request.appends) {
    if (append.stream == stream_of(request.session)) continue;
    auto head = load_live_head(append.stream);
    if (!head && head.error().code == ErrorCode::not_found) head = new_head(draft);
    if (!head) return tl::unexpected(head.error());
    StreamWriter writer(codec_.stored(append.stream), *head, codec_, draft.batch);
    for (const EventBody& body : append.events) {
      if (auto done = writer.append(body, {}, request.now); !done) return tl::unexpected(done.error());
    }
    draft.add(writer);
  }
  auto written = write(draft, request.now);
  if (!written) return tl::unexpected(written.error());
  return CommitOutcome{Committed{session.head().sequence, *written, std::move(*following)}};
}

Result<Ledger::RaisedAttempt> LedgerCore::raise_attempt(const SessionId& session, TurnNumber turn, const WorkerId& worker, Timestamp now) {
  const std::lock_guard lock(write_mutex_);
  auto open = load_open_turn(session, turn);
  if (!open) return tl::unexpected(open.error());
  const auto erased = is_erased(open->head);
  if (!erased) return tl::unexpected(erased.error());
  if (*erased) return fail(ErrorCode::erased, describe(stream_of(session)) + " was erased; its turns were dropped");
  if (!open->in_flight(turn)) {
    return fail(ErrorCode::invalid_argument, "turn " + std::to_string(turn.value) + " of " + describe(stream_of(session)) + " is not in flight; only that one can be tried again");
  }
  Draft draft;
  StreamWriter writer(open->stream, open->head, codec_, draft.batch);
  open->turn.attempt = next(open->turn.attempt);
  if (auto done = writer.append(AttemptStarted{turn, open->turn.attempt, worker}, turn, now); !done) return tl::unexpected(done.error());
  open->turn.head = writer.head().sequence;
  draft.batch.put(keys::turn(open->stream, turn), records::encode(open->turn));
  draft.add(writer);
  if (auto written = write(draft, now); !written) return tl::unexpected(written.error());
  return RaisedAttempt{open->turn.attempt, open->turn.head};
}

Result<CommitOutcome> LedgerCore::park(const SessionId& session, TurnNumber turn, const TurnParked& parked, const std::string& reply_text,
                                       const std::string& reply, Timestamp now) {
  const std::lock_guard lock(write_mutex_);
  auto open = load_open_turn(session, turn);
  if (!open) return tl::unexpected(open.error());
  const auto erased = is_erased(open->head);
  if (!erased) return tl::unexpected(erased.error());
  if (*erased || open->turn.state != TurnRecord::State::pending) return CommitOutcome{Fenced{open->turn.attempt}};
  if (!open->in_flight(turn)) {
    return fail(ErrorCode::invalid_argument, "turn " + std::to_string(turn.value) + " of " + describe(stream_of(session)) + " waits; only the turn in flight can be parked");
  }
  Draft draft;
  StreamWriter writer(open->stream, open->head, codec_, draft.batch);
  TurnParked event = parked;
  event.turn = turn;
  if (auto done = writer.append(event, turn, now); !done) return tl::unexpected(done.error());
  if (auto done = writer.append(ReplySent{reply_text}, turn, now); !done) return tl::unexpected(done.error());
  records::Turn record = open->turn;
  record.state = TurnRecord::State::parked;
  record.reply = reply;
  auto following = close_turn(draft, writer, turn, std::move(record), session, now);
  if (!following) return tl::unexpected(following.error());
  draft.add(writer);
  auto written = write(draft, now);
  if (!written) return tl::unexpected(written.error());
  return CommitOutcome{Committed{writer.head().sequence, *written, std::move(*following)}};
}

Result<CommitOutcome> LedgerCore::append(const std::vector<StreamAppend>& appends, Timestamp now) {
  if (auto sound = check_appends(appends); !sound) return tl::unexpected(sound.error());
  const std::lock_guard lock(write_mutex_);
  Draft draft;
  std::vector<StreamWriter> writers;
  writers.reserve(appends.size());
  for (const StreamAppend& append : appends) {
    auto head = load_live_head(append.stream);
    if (!head && head.error().code == ErrorCode::not_found && append.stream.kind == StreamKind::profile) head = new_head(draft);
    if (!head) return tl::unexpected(head.error());
    const records::Head& at = *head;
    if (at.in_flight.value != 0) return fail(ErrorCode::busy, describe(append.stream) + " has a turn in flight; append when it is done");
    if (at.closed) return fail(ErrorCode::closed, describe(append.stream) + " is closed; nothing but its erasure can follow");
    if (std::any_of(append.events.begin(), append.events.end(), [](const EventBody& e) { return std::holds_alternative<TurnCompleted>(e); })) {
      return fail(ErrorCode::invalid_argument, "TurnCompleted belongs into the commit of its turn");
    }
    writers.emplace_back(codec_.stored(append.stream), at, codec_, draft.batch);
  }
  auto conflict = find_conflict(appends);
  if (!conflict) return tl::unexpected(conflict.error());
  if (*conflict) return CommitOutcome{**conflict};
  for (std::size_t i = 0; i < appends.size(); ++i) {
    for (const EventBody& body : appends[i].events) {
      if (auto done = writers[i].append(body, {}, now); !done) return tl::unexpected(done.error());
    }
    draft.add(writers[i]);
  }
  auto written = write(draft, now);
  if (!written) return tl::unexpected(written.error());
  return CommitOutcome{Committed{writers.front().head().sequence, *written, std::nullopt}};
}

// The key goes first: whatever happens afterwards, nothing can be read any more, and erasing again ends it.
Result<bool> LedgerCore::erase(const StreamId& named, const std::string& by, Timestamp now) {
  const std::lock_guard lock(write_mutex_);
  auto head = load_head(named);
  if (!head) return tl::unexpected(head.error());
  if (!*head) return fail(ErrorCode::not_found, "there is no " + describe(named));
  if ((*head)->erased) return false;
  if (auto gone = codec_.erase((*head)->key, {by, now}); !gone) return tl::unexpected(gone.error());
  Draft draft;
  StreamWriter writer(codec_.stored(named), **head, codec_, draft.batch);
  for (TurnNumber turn = (*head)->in_flight; turn.value != 0 && turn <= (*head)->last_turn; turn = next(turn)) {
    draft.batch.remove(keys::pending(writer.stream(), turn));
  }
  draft.batch.remove(keys::snapshot(writer.stream()));
  writer.head().in_flight = {};
  if (auto done = writer.append(SessionErased{by}, {}, now); !done) return tl::unexpected(done.error());
  draft.add(writer);
  if (auto written = write(draft, now); !written) return tl::unexpected(written.error());
  if (auto synced = sync(); !synced) return tl::unexpected(synced.error());
  return true;
}

Result<Fingerprint> LedgerCore::put_document(std::string_view bytes) {
  if (bytes.size() > document_bytes_max) return fail(ErrorCode::limit_exceeded, "a document is larger than 4 MiB; shorten it");
  const Fingerprint fingerprint{blake2b(bytes)};
  const std::lock_guard lock(write_mutex_);
  auto known = store_->get(keys::document(fingerprint));
  if (!known) return tl::unexpected(known.error());
  if (*known) return fingerprint;
  Draft draft;
  draft.batch.put(keys::document(fingerprint), std::string(bytes));
  if (auto written = write(draft, Timestamp{}); !written) return tl::unexpected(written.error());
  return fingerprint;
}

}  // namespace turnstone
