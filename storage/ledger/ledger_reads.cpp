#include <algorithm>
#include <tuple>

#include "events/chain.h"
#include "events/codec.h"
#include "storage/ledger/bytes.h"
#include "storage/ledger/describe.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/sealing_codec.h"

namespace turnstone {
namespace {

constexpr std::uint8_t layout_version_max = 2;
constexpr std::size_t reserve_max = 4096;  // limits come from callers; memory follows what is there

tl::unexpected<Error> damaged(const std::string& what) { return fail(ErrorCode::corrupt, what + " is damaged or missing; run verify and restore a backup"); }

std::string event_name(const StreamId& stream, Sequence sequence) { return "event " + std::to_string(sequence.value) + " of " + describe(stream); }
// The stream that an event is the first of; nullopt for one that begins no stream.
std::optional<StreamId> owner_of(const EventBody& body) {
  if (const auto* started = std::get_if<SessionStarted>(&body)) return stream_of(started->session);
  if (const auto* updated = std::get_if<ProfileUpdated>(&body)) return stream_of(updated->profile);
  return std::nullopt;
}

std::string turn_name(const StreamId& stream, TurnNumber turn) { return "turn " + std::to_string(turn.value) + " of " + describe(stream); }

}  // namespace

Result<std::optional<std::uint8_t>> LedgerCore::layout_of(const Store& store) {
  const auto format = store.get(keys::format);
  if (!format) return tl::unexpected(format.error());
  if (!*format) return std::nullopt;
  const std::uint8_t layout = (*format)->size() == 1 ? static_cast<std::uint8_t>((**format)[0]) : 0;
  if (layout < 1 || layout > layout_version_max) {
    return fail(ErrorCode::unsupported, "the ledger was written in another layout than version 1 or 2; use the version of this program that wrote it");
  }
  return layout;
}

Result<std::unique_ptr<Ledger>> LedgerCore::open(std::shared_ptr<Store> store, const PayloadCodec& codec) {
  return open(std::move(store), std::shared_ptr<const PayloadCodec>(std::shared_ptr<void>(), &codec));
}

Result<std::unique_ptr<Ledger>> LedgerCore::open(std::shared_ptr<Store> store, std::shared_ptr<const PayloadCodec> codec) {
  const auto format = layout_of(*store);
  if (!format) return tl::unexpected(format.error());
  if (*format && **format != codec->layout()) {
    return fail(ErrorCode::unsupported, "the ledger has layout " + std::to_string(**format) + ", not " + std::to_string(codec->layout()));
  }
  auto last = store->last(keys::commits);
  if (!last) return tl::unexpected(last.error());
  LedgerMark mark;
  if (*last) {
    const auto record = records::decode_commit((*last)->second);
    const auto position = keys::position_of_commit((*last)->first);
    if (!*format || !record || !position || record->position != *position) return damaged("the last commit record");
    mark = {record->position, record->hash};
  } else if (!*format) {
    WriteBatch batch;
    batch.put(std::string(keys::format), std::string(1, static_cast<char>(codec->layout())));
    if (auto written = store->write(batch); !written) return tl::unexpected(written.error());
  }
  const auto next_key = store->get(keys::next_key);
  if (!next_key) return tl::unexpected(next_key.error());
  KeySlot slot{1};
  if (*next_key) {
    ByteReader in(**next_key);
    slot.value = in.u32();
    if (!in.complete()) return damaged("the number of the next key slot");
  }
  return std::unique_ptr<Ledger>(new LedgerCore(std::move(store), std::move(codec), mark, slot));
}

LedgerCore::~LedgerCore() { (void)sync(); }  // a failed last sync loses nothing that was acknowledged

Result<std::optional<records::Head>> LedgerCore::load_head(const StreamId& stream) const {
  auto bytes = store_->get(keys::head(codec_.stored(stream)));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  auto head = records::decode_head(**bytes);
  if (!head) return damaged("the head of " + describe(stream));
  return head;
}

Result<bool> LedgerCore::is_erased(const records::Head& head) const {
  if (head.erased) return true;
  return codec_.erased(head.key);
}

Result<records::Head> LedgerCore::load_live_head(const StreamId& stream) const {
  auto head = load_head(stream);
  if (!head) return tl::unexpected(head.error());
  if (!*head) return fail(ErrorCode::not_found, "there is no " + describe(stream) + " in this ledger");
  const auto erased = is_erased(**head);
  if (!erased) return tl::unexpected(erased.error());
  if (*erased) return fail(ErrorCode::erased, describe(stream) + " was erased; start a new one");
  return **head;
}

Result<records::Head> LedgerCore::new_head(Draft& draft) {
  const auto key = codec_.reserve(next_key_);
  if (!key) return tl::unexpected(key.error());
  records::Head head;
  head.key = *key;
  if (key->value != 0) {
    next_key_ = next(*key);
    draft.batch.put(std::string(keys::next_key), ByteWriter().u32(next_key_.value).take());
  }
  return head;
}

// Both kinds of stream say in their first event whose they are.
Result<StreamId> LedgerCore::named(const StreamId& stream) const {
  if (!is_stored_name(stream.name)) return stream;
  const auto first = read(stream, Sequence{1}, 1);
  if (!first) return tl::unexpected(first.error());
  if (first->empty()) return damaged(event_name(stream, Sequence{1}));
  return first->front().stream;
}

Result<std::optional<records::Turn>> LedgerCore::load_turn(const StreamId& stream, TurnNumber turn) const {
  auto bytes = store_->get(keys::turn(codec_.stored(stream), turn));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  auto record = records::decode_turn(**bytes);
  if (!record) return damaged("the record of " + turn_name(stream, turn));
  return record;
}

Result<LedgerCore::OpenTurn> LedgerCore::load_open_turn(const SessionId& session, TurnNumber turn) const {
  const StreamId stream = stream_of(session);
  OpenTurn open{codec_.stored(stream), {}, {}};
  if (auto name = keys::check_name("the session's name", session.value); !name) return tl::unexpected(name.error());
  auto head = load_head(stream);
  if (!head) return tl::unexpected(head.error());
  if (!*head) return fail(ErrorCode::not_found, "there is no " + describe(stream));
  auto record = load_turn(stream, turn);
  if (!record) return tl::unexpected(record.error());
  if (!*record) return fail(ErrorCode::not_found, "there is no " + turn_name(stream, turn));
  open.head = **head;
  open.turn = std::move(**record);
  return open;
}

Result<PendingTurn> LedgerCore::load_waiting(const SessionId& session, KeySlot key, TurnNumber turn, Timestamp* received_at) const {
  const StreamId stream = codec_.stored(stream_of(session));
  auto bytes = store_->get(keys::pending(stream, turn));
  if (!bytes) return tl::unexpected(bytes.error());
  const auto waiting = *bytes ? records::decode_waiting(**bytes) : std::nullopt;
  if (!waiting) return damaged("the waiting " + turn_name(stream, turn));
  auto plain = codec_.open({stream, key, turn.value, sealed_waiting_turn, waiting->schema_version}, waiting->received);
  if (!plain) return tl::unexpected(plain.error());
  auto body = decode_payload(EventType::turn_received, waiting->schema_version, *plain);
  if (!body) return tl::unexpected(body.error());
  auto* received = std::get_if<TurnReceived>(&*body);
  if (received == nullptr || received->turn != turn) return damaged("the waiting " + turn_name(stream, turn));
  if (received_at != nullptr) *received_at = waiting->time;
  return PendingTurn{session, turn, {}, {}, std::move(*received)};
}

// The head is read first, so every event up to it must be there: a gap, a foreign key or a broken link is damage.
Status LedgerCore::visit_events(const StreamId& stream, Sequence from, std::size_t limit, const VisitEvent& visit) const {
  if (from.value == 0) return fail(ErrorCode::invalid_argument, "sequences begin at 1");
  auto head = load_head(stream);
  if (!head) return tl::unexpected(head.error());
  if (!*head) return fail(ErrorCode::not_found, "there is no " + describe(stream));
  const StreamId stored_stream = codec_.stored(stream);
  const std::string prefix = keys::event_prefix(stored_stream);
  const Sequence last = (*head)->sequence;
  Sequence expected = from;
  std::optional<Digest> previous;
  Status status;
  auto scanned = store_->scan(prefix, keys::event(stored_stream, from), [&](std::string_view key, std::string_view value) {
    if (limit == 0 || last < expected) return false;
    const auto stored = records::decode_event(value);
    if (keys::sequence_of_event(key, prefix) != expected || !stored || (previous && *previous != stored->previous_hash) ||
        (expected.value == 1 && stored->previous_hash != chain_origin)) {
      status = damaged(event_name(stream, expected));
      return false;
    }
    previous = stored->hash;
    status = visit(expected, *stored);
    expected = next(expected);
    --limit;
    return status.has_value();
  });
  if (!scanned) return scanned;
  if (status && limit > 0 && expected <= last) return damaged(event_name(stream, expected));
  return status;
}

Result<Event> LedgerCore::decode(const StreamId& stream, KeySlot key, Sequence sequence, const records::StoredEvent& stored) const {
  auto plain = codec_.open({codec_.stored(stream), key, sequence.value, static_cast<std::uint16_t>(stored.type), stored.schema_version}, stored.payload);
  auto body = plain ? decode_payload(stored.type, stored.schema_version, *plain) : tl::unexpected(plain.error());
  if (!body) return fail(body.error().code, event_name(stream, sequence) + ": " + body.error().detail);
  return Event{stream, sequence, stored.schema_version, stored.time, stored.turn, std::move(*body), stored.previous_hash, stored.hash};
}

Result<StreamHead> LedgerCore::head(const StreamId& stream) const {
  auto head = load_live_head(stream);
  if (!head) return tl::unexpected(head.error());
  return StreamHead{stream, head->sequence, head->hash};
}

Result<std::vector<Event>> LedgerCore::read(const StreamId& stream, Sequence from, std::size_t limit) const {
  const auto head = load_live_head(stream);
  if (!head) return tl::unexpected(head.error());
  StreamId name = stream;
  if (is_stored_name(name.name) && from.value > 1) {
    auto known = named(stream);
    if (!known) return tl::unexpected(known.error());
    name = std::move(*known);
  }
  std::vector<Event> events;
  events.reserve(std::min(limit, reserve_max));
  auto visited = visit_events(stream, from, limit, [&](Sequence sequence, const records::StoredEvent& stored) -> Status {
    auto event = decode(name, head->key, sequence, stored);
    if (event && is_stored_name(name.name)) {
      const auto own = owner_of(event->body);
      if (!own || codec_.stored(*own) != stream) return damaged(event_name(stream, sequence));
      event->stream = name = *own;
    }
    if (!event) return tl::unexpected(event.error());
    events.push_back(std::move(*event));
    return {};
  });
  if (!visited) return tl::unexpected(visited.error());
  return events;
}

Result<std::vector<Ledger::StoredEvent>> LedgerCore::stored_range(const StreamId& stream, Sequence from, std::size_t limit) const {
  const StreamId stored_stream = codec_.stored(stream);
  std::vector<StoredEvent> events;
  events.reserve(std::min(limit, reserve_max));
  auto visited = visit_events(stream, from, limit, [&](Sequence sequence, const records::StoredEvent& stored) -> Status {
    const Envelope envelope{stored_stream, sequence, stored.type, stored.schema_version, stored.time, stored.turn};
    events.push_back({encode_envelope(envelope), std::string(stored.payload), stored.previous_hash, stored.hash});
    return {};
  });
  if (!visited) return tl::unexpected(visited.error());
  return events;
}

Result<Ledger::StoredEvent> LedgerCore::stored(const StreamId& stream, Sequence sequence) const {
  auto events = stored_range(stream, sequence, 1);
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return fail(ErrorCode::not_found, "there is no " + event_name(stream, sequence));
  return std::move(events->front());
}

Result<TurnRecord> LedgerCore::turn(const SessionId& session, TurnNumber turn) const {
  const StreamId stream = codec_.stored(stream_of(session));
  const auto head = load_live_head(stream_of(session));
  if (!head && head.error().code != ErrorCode::not_found) return tl::unexpected(head.error());
  auto found = load_turn(stream, turn);
  if (!found) return tl::unexpected(found.error());
  if (!head || !*found) return fail(ErrorCode::not_found, "there is no " + turn_name(stream_of(session), turn));
  TurnRecord record{turn, (*found)->state, (*found)->attempt, {}, {}};
  if (record.state == TurnRecord::State::pending) return record;
  auto reply = codec_.open({stream, head->key, turn.value, sealed_reply, 1}, (*found)->reply);
  if (!reply) return tl::unexpected(reply.error());
  auto flight = codec_.open({stream, head->key, turn.value, sealed_flight_record, 1}, (*found)->flight_record);
  if (!flight) return tl::unexpected(flight.error());
  record.reply = std::move(*reply);
  record.flight_record = std::move(*flight);
  return record;
}

Result<std::optional<Ledger::Snapshot>> LedgerCore::snapshot(const SessionId& session) const {
  const StreamId stream = codec_.stored(stream_of(session));
  const auto head = load_live_head(stream_of(session));
  if (!head) return tl::unexpected(head.error());
  const auto bytes = store_->get(keys::snapshot(stream));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  const auto kept = records::decode_snapshot(**bytes);
  if (!kept) return damaged("the snapshot of " + describe(stream));
  auto state = codec_.open({stream, head->key, kept->before.value, sealed_snapshot, 1}, kept->state);
  if (!state) return tl::unexpected(state.error());
  return Snapshot{kept->before, std::move(*state)};
}

Result<Digest> LedgerCore::turn_hash(const SessionId& session, TurnNumber turn) const {
  const StreamId stream = codec_.stored(stream_of(session));
  auto bytes = store_->get(keys::turn(stream, turn));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return fail(ErrorCode::not_found, "there is no " + turn_name(stream, turn));
  return blake2b(**bytes);
}

Result<std::vector<PendingTurn>> LedgerCore::pending() const {
  const std::lock_guard lock(write_mutex_);  // the entries and the records they point to must be of one moment
  std::vector<keys::PendingKey> found;
  bool sound = true;
  auto scanned = store_->scan(keys::pending_prefix(), keys::pending_prefix(), [&](std::string_view key, std::string_view) {
    auto parsed = keys::parse_pending(key);
    sound = parsed.has_value();
    if (sound) found.push_back(std::move(*parsed));
    return sound;
  });
  if (!scanned) return tl::unexpected(scanned.error());
  if (!sound) return damaged("the key of a pending turn");

  std::vector<PendingTurn> turns;
  for (const keys::PendingKey& key : found) {
    const auto head = load_live_head(key.stream);
    if (!head && head.error().code == ErrorCode::erased) continue;  // an erasure that was cut short: the next one drops them
    if (!head) return tl::unexpected(head.error());
    const auto name = named(key.stream);
    if (!name) return tl::unexpected(name.error());
    const SessionId session{name->name};
    auto record = load_turn(key.stream, key.turn);
    if (!record) return tl::unexpected(record.error());
    if (!*record || (*record)->state != TurnRecord::State::pending) return damaged("the record of " + turn_name(key.stream, key.turn));
    if ((*record)->attempt.value == 0) {
      auto waiting = load_waiting(session, head->key, key.turn);
      if (!waiting) return tl::unexpected(waiting.error());
      turns.push_back(std::move(*waiting));
      continue;
    }
    auto events = read(key.stream, (*record)->received, 1);
    if (!events) return tl::unexpected(events.error());
    auto* received = events->empty() ? nullptr : std::get_if<TurnReceived>(&events->front().body);
    if (received == nullptr || received->turn != key.turn) return damaged("the message of " + turn_name(key.stream, key.turn));
    turns.push_back({session, key.turn, (*record)->attempt, (*record)->head, std::move(*received)});
  }
  std::sort(turns.begin(), turns.end(), [](const PendingTurn& a, const PendingTurn& b) { return std::tie(a.session, a.turn) < std::tie(b.session, b.turn); });
  return turns;
}

Result<std::vector<StreamHead>> LedgerCore::streams(StreamKind kind, std::optional<std::string> after, std::size_t limit) const {
  std::vector<StreamHead> heads;
  std::optional<std::string> bad;
  const std::string prefix = keys::head_prefix(kind);
  const std::string from = after ? keys::head(codec_.stored({kind, *after})) : prefix;
  auto scanned = store_->scan(prefix, from, [&](std::string_view key, std::string_view value) {
    if (after && key == from) return true;
    if (heads.size() >= limit) return false;
    auto stream = keys::stream_of_head(key);
    const auto head = records::decode_head(value);
    if (!stream || !head) {
      bad = stream ? "the head of " + describe(*stream) : "the key of a stream's head";
      return false;
    }
    heads.push_back({std::move(*stream), head->sequence, head->hash});
    return true;
  });
  if (!scanned) return tl::unexpected(scanned.error());
  if (bad) return damaged(*bad);
  return heads;
}

Result<std::vector<CommitRecord>> LedgerCore::commits(GlobalPosition from, std::size_t limit) const {
  std::vector<CommitRecord> records;
  const GlobalPosition last = position();
  GlobalPosition expected{std::max<std::uint64_t>(from.value, 1)};
  bool sound = true;
  auto scanned = store_->scan(keys::commits, keys::commit(expected), [&](std::string_view key, std::string_view value) {
    if (records.size() >= limit || last < expected) return false;
    auto record = records::decode_commit(value);
    sound = record && record->position == expected && keys::position_of_commit(key) == expected;
    if (!sound) return false;
    records.push_back(std::move(*record));
    expected = next(expected);
    return true;
  });
  if (!scanned) return tl::unexpected(scanned.error());
  if (!sound || (records.size() < limit && expected <= last)) return damaged("commit record " + std::to_string(expected.value));
  return records;
}

Result<std::string> LedgerCore::document(const Fingerprint& fingerprint) const {
  auto bytes = store_->get(keys::document(fingerprint));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return fail(ErrorCode::not_found, "the ledger holds no document " + to_hex(fingerprint.value));
  if (blake2b(**bytes) != fingerprint.value) return damaged("document " + to_hex(fingerprint.value));
  return std::move(**bytes);
}

}  // namespace turnstone
