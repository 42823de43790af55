// SIGTERM and SIGINT as something to wait for, instead of something that interrupts.
#pragma once

#include <csignal>

#include <chrono>

namespace turnstone {

// Blocks SIGTERM and SIGINT for the calling thread and the threads it starts from then on: make one before any thread.
class StopSignals {
 public:
  StopSignals();
  // True when one came; at most `time` is waited for it. Both may come again.
  bool wait(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_{};
};

}  // namespace turnstone
