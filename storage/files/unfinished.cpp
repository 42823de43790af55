#include "storage/files/unfinished.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>

namespace turnstone {
namespace {

struct Registry {
  std::mutex mutex;
  std::multiset<std::string> paths;
};

Registry& registry() {
  static Registry& all = *new Registry;  // outlives every static object
  return all;
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

// From here on nothing new can be registered: whoever tries waits for the end of the program.
[[noreturn]] void end_by(int signal) {
  Registry& all = registry();
  all.mutex.lock();
  std::error_code ignored;
  // The other threads go on until the end: what they put into a folder meanwhile keeps it from going at once.
  constexpr int tries_max = 100;
  for (const std::string& path : all.paths) {
    for (int tries = 0; tries < tries_max && !path.empty() && std::filesystem::exists(path, ignored); ++tries) std::filesystem::remove_all(path, ignored);
  }
  std::signal(signal, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  raise(signal);
  _exit(128 + signal);
}

void watch(int signals, int over) {
  pollfd watched[2] = {{signals, POLLIN, 0}, {over, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0) continue;
    signalfd_siginfo info{};
    if (watched[0].revents != 0 && read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) end_by(static_cast<int>(info.ssi_signo));
    if (watched[1].revents != 0) break;
  }
  close(signals);
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  all.paths.insert(path_);
}

Unfinished::Unfinished(const std::function<std::string()>& make) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  path_ = make();
  all.paths.insert(path_);
}

Unfinished::~Unfinished() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  all.paths.erase(all.paths.find(path_));
}

ClearedWhenStopped::ClearedWhenStopped() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int arriving = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  over_ = eventfd(0, EFD_CLOEXEC);
  watching_ = std::thread(watch, arriving, over_);
}

ClearedWhenStopped::~ClearedWhenStopped() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(over_, &one, sizeof one);
  watching_.join();
  close(over_);
}

}  // namespace turnstone
