#include "storage/ledger/records.h"

#include "events/chain.h"
#include "storage/ledger/bytes.h"

namespace turnstone {

Digest commit_hash(const Digest& previous, const CommitRecord& record) {
  return blake2b(ByteWriter().digest(previous).raw(records::encode_for_hash(record)).bytes());
}

namespace records {
namespace {

constexpr std::uint8_t closed_bit = 1, erased_bit = 2;

std::uint64_t stored(Timestamp time) { return static_cast<std::uint64_t>(time.value); }
Timestamp timestamp(std::uint64_t bits) { return Timestamp{static_cast<std::int64_t>(bits)}; }

std::optional<StreamKind> stream_kind(std::uint8_t byte) {
  const auto kind = static_cast<StreamKind>(byte);
  return kind == StreamKind::session || kind == StreamKind::profile ? std::optional(kind) : std::nullopt;
}

}  // namespace

std::string encode(const Head& head) {
  const auto flags = static_cast<std::uint8_t>((head.closed ? closed_bit : 0) | (head.erased ? erased_bit : 0));
  ByteWriter out;
  out.u64(head.sequence.value).digest(head.hash).u32(head.last_turn.value).u32(head.in_flight.value).u8(flags);
  if (head.key.value != 0) out.u32(head.key.value);
  return out.take();
}

std::optional<Head> decode_head(std::string_view bytes) {
  ByteReader in(bytes);
  Head head;
  head.sequence.value = in.u64();
  head.hash = in.digest();
  head.last_turn.value = in.u32();
  head.in_flight.value = in.u32();
  const std::uint8_t flags = in.u8();
  head.closed = (flags & closed_bit) != 0;
  head.erased = (flags & erased_bit) != 0;
  if (constexpr std::size_t without_key = 8 + sizeof(Digest) + 4 + 4 + 1; bytes.size() > without_key) head.key.value = in.u32();
  const bool sound = in.complete() && flags <= (closed_bit | erased_bit) && head.in_flight <= head.last_turn && head.sequence.value > 0;
  return sound ? std::optional(head) : std::nullopt;
}

std::string encode(const Turn& turn) {
  return ByteWriter().u8(static_cast<std::uint8_t>(turn.state)).u32(turn.attempt.value).u64(turn.received.value).u64(turn.head.value)
      .text(turn.reply).text(turn.flight_record).take();
}

std::optional<Turn> decode_turn(std::string_view bytes) {
  ByteReader in(bytes);
  Turn turn;
  const std::uint8_t state = in.u8();
  turn.state = static_cast<TurnRecord::State>(state);
  turn.attempt.value = in.u32();
  turn.received.value = in.u64();
  turn.head.value = in.u64();
  turn.reply = in.text();
  turn.flight_record = in.text();
  const bool sound = in.complete() && state <= static_cast<std::uint8_t>(TurnRecord::State::parked) && turn.received <= turn.head;
  return sound ? std::optional(std::move(turn)) : std::nullopt;
}

std::string encode(const Key& key) { return ByteWriter().u32(key.turn.value).digest(key.body_mac).take(); }

std::optional<Key> decode_key(std::string_view bytes) {
  ByteReader in(bytes);
  Key key;
  key.turn.value = in.u32();
  key.body_mac = in.digest();
  return in.complete() && key.turn.value > 0 ? std::optional(key) : std::nullopt;
}

std::string encode(const Waiting& waiting) {
  return ByteWriter().u64(stored(waiting.time)).u16(waiting.schema_version).text(waiting.received).take();
}

std::optional<Waiting> decode_waiting(std::string_view bytes) {
  ByteReader in(bytes);
  Waiting waiting;
  waiting.time = timestamp(in.u64());
  waiting.schema_version = in.u16();
  waiting.received = in.text();
  return in.complete() ? std::optional(std::move(waiting)) : std::nullopt;
}

std::string encode(const Snapshot& snapshot) { return ByteWriter().u64(snapshot.before.value).text(snapshot.state).take(); }

std::optional<Snapshot> decode_snapshot(std::string_view bytes) {
  ByteReader in(bytes);
  Snapshot snapshot;
  snapshot.before.value = in.u64();
  snapshot.state = in.text();
  return in.complete() ? std::optional(std::move(snapshot)) : std::nullopt;
}

std::string encode(const StoredEvent& event) {
  return ByteWriter().u16(static_cast<std::uint16_t>(event.type)).u16(event.schema_version).u64(stored(event.time)).u32(event.turn.value)
      .digest(event.previous_hash).digest(event.hash).raw(event.payload).take();
}

std::optional<StoredEvent> decode_event(std::string_view bytes) {
  ByteReader in(bytes);
  StoredEvent event;
  event.type = static_cast<EventType>(in.u16());
  event.schema_version = in.u16();
  event.time = timestamp(in.u64());
  event.turn.value = in.u32();
  event.previous_hash = in.digest();
  event.hash = in.digest();
  event.payload = in.remaining();
  return in.complete() ? std::optional(event) : std::nullopt;
}

std::string encode_for_hash(const CommitRecord& record) {
  ByteWriter out;
  out.u64(record.position.value).u64(stored(record.time)).u32(record.turn.value_or(TurnNumber{}).value);
  if (record.turn) out.digest(record.turn_hash);
  out.u16(static_cast<std::uint16_t>(record.ranges.size()));
  for (const CommitRecord::Range& range : record.ranges) {
    out.u8(static_cast<std::uint8_t>(range.stream.kind)).text(range.stream.name).u64(range.first.value).u64(range.last.value).digest(range.head);
  }
  return out.take();
}

std::string encode(const CommitRecord& record) { return ByteWriter().raw(encode_for_hash(record)).digest(record.hash).take(); }

std::optional<CommitRecord> decode_commit(std::string_view bytes) {
  ByteReader in(bytes);
  CommitRecord record;
  record.position.value = in.u64();
  record.time = timestamp(in.u64());
  if (const std::uint32_t turn = in.u32(); turn != 0) {
    record.turn = TurnNumber{turn};
    record.turn_hash = in.digest();
  }
  const std::uint16_t count = in.u16();
  for (std::uint16_t i = 0; i < count && !in.failed(); ++i) {
    const auto kind = stream_kind(in.u8());
    if (!kind) return std::nullopt;
    CommitRecord::Range range{{*kind, std::string(in.text())}, Sequence{in.u64()}, Sequence{in.u64()}, in.digest()};
    if (range.first.value == 0 || range.last < range.first) return std::nullopt;
    record.ranges.push_back(std::move(range));
  }
  record.hash = in.digest();
  return in.complete() && record.position.value > 0 ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace records
}  // namespace turnstone
