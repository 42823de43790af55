// One engine a ledger: a locked file that names who has it.
//
// The lock is the kernel's (flock), so it ends with its process whatever kills that; the text is for people.
#pragma once

#include <string>
#include <utility>

#include "events/error.h"

namespace turnstone {

class OwnerLock {
 public:
  // Errors: locked (names pid, host and path of the owner), io.
  static Result<OwnerLock> take(const std::string& path);
  OwnerLock(OwnerLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OwnerLock& operator=(OwnerLock&&) = delete;
  ~OwnerLock();

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace turnstone
