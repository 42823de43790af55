#include "events/state.h"

#include "events/chain.h"
#include "events/msgpack_fields.h"

namespace turnstone {
namespace {

// Larger than any state that fold can make: the digest must exist for every state.
constexpr DecodeLimits unbounded{.array_items_max = 0xffffffff, .string_bytes_max = 0xffffffff, .depth_max = 64, .payload_bytes_max = 0xffffffff};

}  // namespace

Digest digest_of(const IntentState& state) {
  FieldWriter writer(unbounded);
  for_each_field(state, [&](const char*, const auto& member) {
    // The sequence is where the state stands in its stream, not what it says.
    if (static_cast<const void*>(&member) != static_cast<const void*>(&state.sequence)) writer.write(member);
  });
  return blake2b(writer.take());
}

}  // namespace turnstone
