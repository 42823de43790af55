// Work for a processor and nothing else: no memory, no system call.
#pragma once

#include <cstdint>

namespace turnstone {

// About two nanoseconds a round; each needs the one before.
inline void spin(std::uint64_t rounds) {
  std::uint64_t x = rounds | 1U;
  for (std::uint64_t i = 0; i < rounds; ++i) x = x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  asm volatile("" : : "r"(x) : "memory");
}

}  // namespace turnstone
