#include "storage/ledger/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace turnstone {

Result<OwnerLock> OwnerLock::take(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(ErrorCode::io, "cannot open " + path + ": " + std::strerror(errno));
  OwnerLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail(ErrorCode::io, "cannot lock " + path + ": " + std::strerror(errno));
    std::array<char, 300> owner{};
    const ssize_t size = pread(descriptor, owner.data(), owner.size() - 1, 0);
    std::string name(owner.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    while (!name.empty() && name.back() == '\n') name.pop_back();
    lock.descriptor_ = -1;
    close(descriptor);
    return fail(ErrorCode::locked, "the ledger is in use by " + (name.empty() ? "another process" : name) + " (" + path +
                                       "); stop that process first, or open the ledger read-only");
  }
  std::array<char, 256> host{};
  (void)gethostname(host.data(), host.size() - 1);
  const std::string owner = "pid " + std::to_string(getpid()) + " on " + host.data() + "\n";
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
    // A full disk must not keep the engine from starting: the lock holds, only the name is missing.
    (void)ftruncate(descriptor, 0);
  }
  return lock;
}

OwnerLock::~OwnerLock() {
  if (descriptor_ < 0) return;
  if (ftruncate(descriptor_, 0) != 0) errno = 0;  // the name of a past owner would only mislead
  close(descriptor_);
}

}  // namespace turnstone
