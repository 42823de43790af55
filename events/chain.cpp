#include "events/chain.h"

#include <sodium.h>

namespace turnstone {
namespace {

// Picks the fastest BLAKE2b of this processor; every choice gives the same digest.
void prepare_sodium() { [[maybe_unused]] static const int ready = sodium_init(); }

template <class Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

// Takes a fixed-width integer from the front; false when there are too few bytes.
template <class Unsigned>
bool take_big_endian(std::string_view& bytes, Unsigned& value) {
  if (bytes.size() < sizeof value) return false;
  value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = static_cast<Unsigned>(value << 8 | static_cast<unsigned char>(bytes[i]));
  bytes.remove_prefix(sizeof value);
  return true;
}

void absorb(crypto_generichash_state& hash, std::string_view bytes) {
  crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace

std::string encode_envelope(const Envelope& envelope) {
  std::string out;
  out.reserve(32 + envelope.stream.name.size());
  out += static_cast<char>(envelope.stream.kind);
  append_big_endian(out, static_cast<std::uint32_t>(envelope.stream.name.size()));
  out += envelope.stream.name;
  append_big_endian(out, envelope.sequence.value);
  append_big_endian(out, static_cast<std::uint16_t>(envelope.type));
  append_big_endian(out, envelope.schema_version);
  append_big_endian(out, static_cast<std::uint64_t>(envelope.time.value));
  append_big_endian(out, envelope.turn.value);
  return out;
}

std::optional<Envelope> decode_envelope(std::string_view bytes) {
  Envelope envelope;
  std::uint8_t kind = 0;
  std::uint32_t name_size = 0;
  if (!take_big_endian(bytes, kind) || !take_big_endian(bytes, name_size) || bytes.size() < name_size) return std::nullopt;
  if (kind != static_cast<std::uint8_t>(StreamKind::session) && kind != static_cast<std::uint8_t>(StreamKind::profile)) return std::nullopt;
  envelope.stream = {static_cast<StreamKind>(kind), std::string(bytes.substr(0, name_size))};
  bytes.remove_prefix(name_size);
  std::uint16_t type = 0;
  std::uint64_t time = 0;
  if (!take_big_endian(bytes, envelope.sequence.value) || !take_big_endian(bytes, type) || !take_big_endian(bytes, envelope.schema_version) ||
      !take_big_endian(bytes, time) || !take_big_endian(bytes, envelope.turn.value) || !bytes.empty()) {
    return std::nullopt;
  }
  envelope.type = static_cast<EventType>(type);
  envelope.time = Timestamp{static_cast<std::int64_t>(time)};
  return envelope;
}

Digest chain_hash(const Digest& previous, const Envelope& envelope, std::string_view stored_payload) {
  return chain_hash(previous, encode_envelope(envelope), stored_payload);
}

Digest chain_hash(const Digest& previous, std::string_view encoded_envelope, std::string_view stored_payload) {
  prepare_sodium();
  Digest digest{};
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, nullptr, 0, digest.size());
  crypto_generichash_update(&hash, previous.data(), previous.size());
  absorb(hash, encoded_envelope);
  absorb(hash, stored_payload);
  crypto_generichash_final(&hash, digest.data(), digest.size());
  return digest;
}

Digest blake2b(std::string_view bytes) {
  prepare_sodium();
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return digest;
}

}  // namespace turnstone
