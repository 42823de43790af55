#include "storage/ledger/keys.h"

#include <utf8proc.h>

#include "storage/ledger/bytes.h"

namespace turnstone::keys {
namespace {

constexpr std::size_t name_bytes_max = 200;
constexpr char event_letter = 'E', head_letter = 'H', key_letter = 'K', turn_letter = 'T', pending_letter = 'P', document_letter = 'D', snapshot_letter = 'S';

ByteWriter entry(char letter, const StreamId& stream) {
  ByteWriter writer;
  writer.u8(static_cast<std::uint8_t>(letter)).u8(static_cast<std::uint8_t>(stream.kind)).raw(stream.name).u8(0);
  return writer;
}

// Takes kind, name and the closing zero off the front of `rest`.
std::optional<StreamId> take_stream(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos || end < 2) return std::nullopt;
  const auto kind = static_cast<StreamKind>(rest[0]);
  if (kind != StreamKind::session && kind != StreamKind::profile) return std::nullopt;
  StreamId stream{kind, std::string(rest.substr(1, end - 1))};
  rest.remove_prefix(end + 1);
  return stream;
}

bool is_control(utf8proc_int32_t codepoint) { return codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0); }

}  // namespace

Status check_name(std::string_view what, std::string_view name) {
  const std::string label(what);
  if (name.empty()) return fail(ErrorCode::invalid_argument, label + " is empty; give one of 1 to 200 bytes");
  if (name.size() > name_bytes_max) return fail(ErrorCode::limit_exceeded, label + " is longer than 200 bytes; shorten it");
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(name.data());
  auto left = static_cast<utf8proc_ssize_t>(name.size());
  while (left > 0) {
    utf8proc_int32_t codepoint = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(at, left, &codepoint);
    if (used <= 0) return fail(ErrorCode::invalid_argument, label + " is not valid UTF-8; encode it as UTF-8");
    if (is_control(codepoint)) return fail(ErrorCode::invalid_argument, label + " holds a control character; use printable characters only");
    at += used;
    left -= used;
  }
  return {};
}

std::string event_prefix(const StreamId& stream) { return entry(event_letter, stream).take(); }
std::string event(const StreamId& stream, Sequence sequence) { return entry(event_letter, stream).u64(sequence.value).take(); }
std::string head_prefix(StreamKind kind) { return {head_letter, static_cast<char>(kind)}; }
std::string head(const StreamId& stream) { return entry(head_letter, stream).take(); }
std::string turn_key(const StreamId& stream, std::string_view stored_key) { return entry(key_letter, stream).raw(stored_key).take(); }
std::string turn(const StreamId& stream, TurnNumber turn) { return entry(turn_letter, stream).u32(turn.value).take(); }
std::string pending_prefix() { return {pending_letter}; }
std::string pending(const StreamId& stream, TurnNumber turn) { return entry(pending_letter, stream).u32(turn.value).take(); }
std::string commit(GlobalPosition position) { return ByteWriter().raw(commits).u64(position.value).take(); }
std::string snapshot(const StreamId& stream) { return entry(snapshot_letter, stream).take(); }
std::string document(const Fingerprint& fingerprint) {
  return ByteWriter().u8(static_cast<std::uint8_t>(document_letter)).digest(fingerprint.value).take();
}

std::optional<StreamId> stream_of_head(std::string_view key) {
  if (key.empty() || key[0] != head_letter) return std::nullopt;
  key.remove_prefix(1);
  auto stream = take_stream(key);
  return key.empty() ? stream : std::nullopt;
}

std::optional<PendingKey> parse_pending(std::string_view key) {
  if (key.empty() || key[0] != pending_letter) return std::nullopt;
  key.remove_prefix(1);
  auto stream = take_stream(key);
  if (!stream) return std::nullopt;
  ByteReader rest(key);
  const TurnNumber turn{rest.u32()};
  if (!rest.complete()) return std::nullopt;
  return PendingKey{std::move(*stream), turn};
}

std::optional<Sequence> sequence_of_event(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) return std::nullopt;
  ByteReader rest(key.substr(prefix.size()));
  const Sequence sequence{rest.u64()};
  return rest.complete() ? std::optional(sequence) : std::nullopt;
}

std::optional<GlobalPosition> position_of_commit(std::string_view key) {
  if (!key.starts_with(commits)) return std::nullopt;
  ByteReader rest(key.substr(commits.size()));
  const GlobalPosition position{rest.u64()};
  return rest.complete() ? std::optional(position) : std::nullopt;
}

bool numbered(std::string_view key) { return key.size() > sizeof(std::uint64_t) && (key.front() == event_letter || key.starts_with(commits)); }

}  // namespace turnstone::keys
