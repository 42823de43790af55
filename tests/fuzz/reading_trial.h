// Plays arbitrary bytes as a conversation: the fuzzer's and the mutation test's one way in.
//
// The first byte picks a catalogue; every line is a message, except that a line of one byte '?' asks an open question,
// '?' with a name asks about that column and '!' shows products. Returns what is broken afterwards: a state that breaks
// an invariant, a span outside its message, more read than the bounds allow. Aborts and hangs speak for themselves.
// At most turns_max messages are played. Deterministic.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

inline constexpr std::size_t turns_max = 24;

std::vector<std::string> broken_by(std::string_view bytes);

}  // namespace turnstone
