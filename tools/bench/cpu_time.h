// What a thread of this process has taken of a processor: what a core could do that had nothing else to do.
#pragma once

#include <ctime>

namespace turnstone {

inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace turnstone
