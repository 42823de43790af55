// The open question ("What matters most to you about it?") competes with the others by what it is expected to
// bring: much while little is known, less each time it was asked, nothing once it was declined or left to us twice,
// until another question has shown that the shopper has more to say.
#pragma once

#include <cstdint>
#include <string_view>

#include "events/state.h"
#include "workers/variant.h"

namespace turnstone {

inline constexpr std::string_view open_facet = "other";

// Millibits; 0 = not worth asking.
std::int64_t open_question_yield(const IntentState& state, const Variant& variant);

}  // namespace turnstone
