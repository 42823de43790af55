#include "tools/stop_signals.h"

#include <ctime>

namespace turnstone {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool StopSignals::wait(std::chrono::milliseconds time) const {
  const timespec limit{time.count() / 1'000, (time.count() % 1'000) * 1'000'000};
  return sigtimedwait(&signals_, nullptr, &limit) > 0;
}

}  // namespace turnstone
