#include "events/snapshot.h"

#include "events/msgpack_fields.h"

namespace turnstone {
namespace {

constexpr DecodeLimits snapshot_limits{.payload_bytes_max = static_cast<std::uint32_t>(snapshot_bytes_max)};

struct Snapshot {
  std::uint32_t version = 0;
  IntentState state;
  static constexpr auto fields() { return std::tuple{field("version", &Snapshot::version), field("state", &Snapshot::state)}; }
};

}  // namespace

Result<std::string> encode_snapshot(const IntentState& state, std::uint32_t version) {
  return encode_fields(Snapshot{version, state}, snapshot_limits);
}

Result<IntentState> open_snapshot(std::string_view bytes, const SessionId& session, Sequence at, const TurnCompleted& completed) {
  auto snapshot = decode_fields<Snapshot>(bytes, snapshot_limits);
  if (!snapshot) return tl::unexpected(std::move(snapshot.error()));
  if (snapshot->version != fold_version || completed.fold_version != fold_version) {
    return fail(ErrorCode::unsupported, "a snapshot of fold version " + std::to_string(snapshot->version) + " is of no use to version " +
                                            std::to_string(fold_version) + "; the session is folded anew");
  }
  IntentState& state = snapshot->state;
  if (state.session != session || next(state.sequence) != at || digest_of(state) != completed.state_digest) {
    return fail(ErrorCode::corrupt, "a snapshot is not the state that its session's events name; the session is folded anew");
  }
  return std::move(state);
}

}  // namespace turnstone
