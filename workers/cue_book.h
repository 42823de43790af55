// Cue phrases of the language ("instead", "anything but", "doesn't matter"): part of the policy.
#pragma once

namespace turnstone {

struct CueBook {};

}  // namespace turnstone
