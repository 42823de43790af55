#include "tools/stop_signals.h"

#include <ctime>

namespace turnstone {

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  if (!is_ignored(SIGHUP)) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool StopSignals::wait(std::chrono::milliseconds time) const {
  const timespec limit{time.count() / 1'000, (time.count() % 1'000) * 1'000'000};
  return sigtimedwait(&signals_, nullptr, &limit) > 0;
}

}  // namespace turnstone
