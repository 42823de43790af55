// Shares disk syncs: whoever comes while one runs waits for the next, which covers all that were written by then.
//
// Thread safety: all member functions may be called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "storage/ledger/store.h"

namespace turnstone {

class GroupSync {
 public:
  // Returns when everything up to now() (taken at the call) is durable. `disk` makes durable what was written
  // before it is called; of concurrent callers one at a time runs it.
  Status sync(const std::function<LedgerMark()>& now, const std::function<Status(const LedgerMark&)>& disk) {
    std::unique_lock lock(mutex_);
    const GlobalPosition wanted = now().position;
    while (durable_ < wanted) {
      if (running_) {
        done_.wait(lock);
        continue;
      }
      running_ = true;
      lock.unlock();
      const LedgerMark covered = now();
      Status status = disk(covered);
      lock.lock();
      running_ = false;
      if (status && durable_ < covered.position) durable_ = covered.position;
      done_.notify_all();
      if (!status) return status;
    }
    return {};
  }

 private:
  std::mutex mutex_;  // guards the three below
  std::condition_variable done_;
  GlobalPosition durable_;
  bool running_ = false;
};

}  // namespace turnstone
