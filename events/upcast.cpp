#include "events/upcast.h"

#include <algorithm>

namespace turnstone {

std::span<const Upcaster> upcasters() { return {}; }

Result<std::string> upcast(std::span<const Upcaster> table, EventType type, std::uint16_t version, std::uint16_t latest, std::string_view payload) {
  const std::string what = std::string(name_of(type)) + " version " + std::to_string(version);
  if (version == 0) return fail(ErrorCode::corrupt, what + " was never written");
  if (version > latest) return fail(ErrorCode::unsupported, what + " was written by a newer program; read it with that version or later");
  std::string current(payload);
  for (std::uint16_t at = version; at < latest; ++at) {
    const auto step = std::find_if(table.begin(), table.end(), [&](const Upcaster& u) { return u.type == type && u.from == at; });
    if (step == table.end()) return fail(ErrorCode::unsupported, what + " has no way to version " + std::to_string(at + 1) + " in this build");
    auto next_payload = step->step(current);
    if (!next_payload) return fail(next_payload.error().code, what + ": " + next_payload.error().detail);
    current = std::move(*next_payload);
  }
  return current;
}

}  // namespace turnstone
