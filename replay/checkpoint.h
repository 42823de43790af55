// Signed checkpoints: a third party's proof that a ledger was not altered since.
//
// A checkpoint names a position of the commit chain and its hash, signed with Ed25519. Whoever keeps it, and the public
// key, elsewhere can later tell whether the ledger still has that very history up to that position: the chain of commit
// hashes covers every event, reply and flight record before it. It says nothing about what came after, and nothing about
// whether what was recorded was true. Pure; thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/types.h"
#include "storage/ledger/ledger.h"
#include "storage/ledger/store.h"

namespace turnstone {

using SigningSeed = Named<struct SigningSeedTag, std::array<std::uint8_t, 32>>;  // the secret half, RFC 8032
using VerifyingKey = Named<struct VerifyingKeyTag, std::array<std::uint8_t, 32>>;

struct Checkpoint {
  GlobalPosition position;
  Digest commit_hash{};
  Timestamp made_at;
};

// The checkpoint of the ledger's last durable write, which `durable` names: what a power cut may still take is not signed.
// Errors: not_found (no write is durable yet), corrupt (the ledger ends before it, or that write has another hash), those of the reads.
Result<Checkpoint> checkpoint_of(const Ledger& ledger, const LedgerMark& durable, Timestamp now);
// One line of JSON without its end.
std::string sign_checkpoint(const Checkpoint& checkpoint, const SigningSeed& seed);
// Errors: invalid_argument (no checkpoint); refused (the signature does not fit: another key, or altered).
Result<Checkpoint> read_checkpoint(std::string_view text, const VerifyingKey& key);

// Why the ledger does not have the checkpoint's history; nothing when it has, provided that verify_ledger finds the
// chain before it sound.
Result<std::optional<std::string>> contradiction(const Ledger& ledger, const Checkpoint& checkpoint);

}  // namespace turnstone
