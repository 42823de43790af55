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
