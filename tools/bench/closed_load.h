// Turns asked of an engine by so many sessions at once: each asks its next when the last was answered. (Percentiles under a rate that the
// service cannot slow down come from `bench http`, whose load is open.)
//
// Thread safety: one thread starts and reads it; the engine's thread feeds it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/service.h"

namespace turnstone {

class ClosedLoad : public std::enable_shared_from_this<ClosedLoad> {
 public:
  struct Taken {
    std::vector<std::int64_t> turn_us;
    std::size_t failed = 0;
    double seconds = 0;  // from the first question to the last answer
    double turns_per_s() const { return seconds > 0 ? static_cast<double>(turn_us.size()) / seconds : 0; }
  };
  // Sessions are named `prefix` and a number; those that exist go on.
  ClosedLoad(ConversationService& service, std::size_t sessions, std::size_t turns, std::string prefix);

  // Makes the sessions, waits for them, and asks the first turns.
  void start();
  bool finished() const;
  Taken taken() const;  // once finished

 private:
  using SteadyClock = std::chrono::steady_clock;
  SessionId session(std::size_t number) const { return SessionId{prefix_ + std::to_string(number)}; }
  void create(std::size_t number);
  void ask(std::size_t number);
  void answered(SteadyClock::time_point begun, bool good);

  ConversationService& service_;
  const std::size_t sessions_, turns_;
  const std::string prefix_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable created_changed_;
  std::size_t created_ = 0, asked_ = 0;
  SteadyClock::time_point begun_, ended_;
  Taken taken_;
};

}  // namespace turnstone
