// Encryption of everything personal in a ledger (layout 2).
//
// Sealed bytes: nonce (24) ‖ XChaCha20-Poly1305-IETF ciphertext and tag, associated data = stream, number, kind, version. The nonce is
// a MAC (BLAKE2b under a key of its own) of associated data and plaintext: equal bytes at the same place give equal sealed bytes, so
// no random source is needed and a write made again is the same write; two different texts never share a nonce.
// Stream names: 0x01 ‖ 40 hex digits of BLAKE2b under the ledger key over kind and id; no id holds a control character, so a
// stored name is never mistaken for one. Turn keys and digests: BLAKE2b under the stream's MAC key.
#pragma once

#include <memory>

#include "storage/ledger/payload_codec.h"

namespace turnstone {

inline constexpr std::size_t sealed_overhead_bytes = 24 + 16;

// Without a key store (null) only what needs no key works: stored names, and the chains over them.
std::shared_ptr<const PayloadCodec> make_sealing_codec(std::shared_ptr<KeyStore> keys);
bool is_stored_name(std::string_view name);

}  // namespace turnstone
