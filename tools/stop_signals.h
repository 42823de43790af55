// SIGTERM, SIGINT and SIGHUP as something to wait for, instead of something that interrupts.
#pragma once

#include <csignal>

#include <chrono>

namespace turnstone {

// Whether this process was started to survive it (nohup).
bool is_ignored(int signal);

// Blocks SIGTERM, SIGINT and, unless it is ignored, SIGHUP for the calling thread and the threads it starts from then on: make one before any thread.
class StopSignals {
 public:
  StopSignals();
  // True when one came; at most `time` is waited for it. Others may follow.
  bool wait(std::chrono::milliseconds time) const;

 private:
  sigset_t signals_{};
};

}  // namespace turnstone
