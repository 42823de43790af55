// Verification of a ledger's chains: every stream, the commit records over all of them, and the heads.
//
// Stream chains: each event's hash is recomputed from its stored bytes and must be what is stored and what its
// successor and the stream's head name. Commit chain: positions without gaps, each record's hash recomputed;
// its ranges must cover every stream from the first event to the head, and the hashes it names must be the
// events' own; so a stream cut together with its head is still noticed. Turn records (reply, flight record) must
// have the hash that their commit names.
// What this proves and what not: verification_meaning.
// O(events); memory O(commits). Read only.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

enum class DamageKind : std::uint8_t {
  edited,      ///< the stored bytes are not those that were hashed
  deleted,     ///< an event or record that its successors build on is gone
  inserted,    ///< an event that its neighbours know nothing of
  reordered,   ///< an event of this stream at another's place
  cut_tail,    ///< the last events are gone: head or commit chain name more than there are
  unreadable,  ///< the storage refuses to read it
};
std::string_view to_string(DamageKind kind);

struct Damage {
  DamageKind kind = DamageKind::edited;
  std::optional<StreamId> stream;          // nullopt: the commit chain
  Sequence sequence;                       // first bad position in the stream
  std::optional<GlobalPosition> position;  // … in the commit chain
  std::string detail;
};

struct VerifyReport {
  std::uint64_t streams = 0;
  std::uint64_t events = 0;
  std::uint64_t commits = 0;
  std::uint64_t turns = 0;      // stored replies and flight records
  std::vector<Damage> damages;  // the first a stream, and the first of the commit chain
  GlobalPosition position;      // of the last commit record: what a checkpoint names
  Digest commit_hash{};
  double seconds = 0;
  bool sound() const { return damages.empty(); }
};

inline constexpr std::string_view verification_meaning =
    "Every stored byte fits the hashes around it. Whoever can write these files can also recompute an unkeyed chain: that nothing was "
    "altered since some moment is proven only by comparing the last commit hash with a copy kept elsewhere.";

using VerifyProgress = std::function<void(std::uint64_t events)>;
Result<VerifyReport> verify_ledger(const Ledger& ledger, const VerifyProgress& progress = {});

std::string describe(const Damage& damage);
nlohmann::json to_json(const VerifyReport& report);

}  // namespace turnstone
