// Two ways to one state: folding every event, and folding what follows a snapshot. Shared by the fuzzer and its bounded run.
#pragma once

#include <string>
#include <string_view>

namespace turnstone {

// `bytes`: where the snapshot is taken (one byte), then events: a byte that picks the type, one for the payload's length, the payload. What does
// not decode is passed over. Gives what is wrong; empty when nothing is. Pure.
std::string snapshot_trial(std::string_view bytes);

}  // namespace turnstone
