#include "storage/ledger/stream_writer.h"

#include "events/chain.h"
#include "events/codec.h"
#include "storage/ledger/keys.h"

namespace turnstone {

Status StreamWriter::append(const EventBody& body, TurnNumber causing, Timestamp time) {
  const EventType type = type_of(body);
  auto plain = encode_payload(body);
  if (!plain) return tl::unexpected(plain.error());
  if (type == EventType::session_closed) head_.closed = true;
  if (type == EventType::session_erased) head_.erased = true;
  return append_encoded(type, current_schema_version(type), *plain, causing, time);
}

Status StreamWriter::append_encoded(EventType type, std::uint16_t schema_version, std::string_view plain, TurnNumber causing, Timestamp time) {
  const Sequence sequence = next(head_.sequence);
  // Who erased it stays readable; everything else is sealed.
  auto sealed = type == EventType::session_erased ? Result<std::string>(std::string(plain))
                                                  : codec_.seal({stream_, head_.key, sequence.value, static_cast<std::uint16_t>(type), schema_version}, plain);
  if (!sealed) return tl::unexpected(sealed.error());
  const Digest hash = chain_hash(head_.hash, Envelope{stream_, sequence, type, schema_version, time, causing}, *sealed);
  const records::StoredEvent stored{type, schema_version, time, causing, head_.hash, hash, *sealed};
  batch_.put(keys::event(stream_, sequence), records::encode(stored));
  head_.sequence = sequence;
  head_.hash = hash;
  return {};
}

std::optional<CommitRecord::Range> StreamWriter::finish() {
  batch_.put(keys::head(stream_), records::encode(head_));
  if (head_.sequence.value < first_) return std::nullopt;
  return CommitRecord::Range{stream_, Sequence{first_}, head_.sequence, head_.hash};
}

}  // namespace turnstone
