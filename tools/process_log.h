// The log of the long-running verbs: lines on standard error that name the process they come from. No line holds
// what a shopper said, nor a session's name.
#pragma once

#include <string>

namespace turnstone {

// Sends spdlog's default logger to standard error as "TIME LEVEL NAME[pid] text". TURNSTONE_LOG=debug|info|warn|error
// chooses the least level shown; info without it.
void log_to_standard_error(const std::string& name);

}  // namespace turnstone
