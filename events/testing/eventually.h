// Waits in tests for what another thread or process brings about: looked at again and again, with a deadline far beyond what it
// takes, and never a fixed sleep.
#pragma once

#include <chrono>
#include <thread>

namespace turnstone::testing {

// Whether the condition came to hold in time.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return condition();
}

}  // namespace turnstone::testing
