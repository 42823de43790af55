// A soak of real processes: turns at a fixed rate, whatever the service does, while workers and engine are killed at random. Ends with the whole
// ledger held against what was acknowledged, verified and replayed. tools/soak runs it for as long as one likes.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <random>

#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

constexpr std::size_t front_ends = 48;  // turns that can be open at once
constexpr std::size_t workers = 2;

// Turns that are due at fixed times. Each front end holds one conversation after the other.
class OpenLoad {
 public:
  OpenLoad(const Deployment& deployment, std::uint32_t rate, std::uint32_t seconds)
      : rate_(rate), turns_(std::uint64_t{rate} * seconds), begin_(Clock::now() + milliseconds(100)) {
    for (std::size_t number = 0; number < front_ends; ++number) create_session(deployment, "soak-" + std::to_string(number));
    heard_.resize(front_ends);
    for (std::size_t number = 0; number < front_ends; ++number) {
      threads_.emplace_back([this, client = deployment.client(), number]() mutable { converse(std::move(client), number); });
    }
  }
  bool over() const { return given_ >= turns_; }
  void wait() {
    for (std::thread& thread : threads_) thread.join();
  }
  std::vector<Acknowledged> all() const {
    std::vector<Acknowledged> all;
    for (const auto& heard : heard_) all.insert(all.end(), heard.begin(), heard.end());
    return all;
  }
  std::vector<std::int64_t> took_us() const { return took_us_; }

 private:
  void converse(HttpClient client, std::size_t number) {
    static const std::vector<std::string> sayings{"a red dress", "under 60 dollars", "not leather", "any brand is fine", "actually boots", "cheaper", "show me more"};
    std::mt19937 random(static_cast<std::uint32_t>(number));
    const std::atomic<bool> never{false};
    for (std::uint32_t turn = 1;; ++turn) {
      const std::uint64_t mine = given_++;
      if (mine >= turns_) return;
      const auto due = begin_ + microseconds(mine * 1'000'000 / rate_);
      std::this_thread::sleep_until(due);
      auto acknowledged =
          take_turn_surely(client, {"soak-" + std::to_string(number), "key-" + std::to_string(turn), sayings[random() % sayings.size()]}, never);
      if (!acknowledged) return;
      EXPECT_EQ(acknowledged->turn, turn);
      heard_[number].push_back(std::move(*acknowledged));
      const std::lock_guard lock(mutex_);
      took_us_.push_back(std::chrono::duration_cast<microseconds>(Clock::now() - due).count());
    }
  }

  const std::uint64_t rate_, turns_;
  const Clock::time_point begin_;
  std::atomic<std::uint64_t> given_{0};
  std::vector<std::vector<Acknowledged>> heard_;
  std::mutex mutex_;  // guards took_us_
  std::vector<std::int64_t> took_us_;
  std::vector<std::thread> threads_;
};

struct Harm {
  std::uint64_t workers_killed = 0, engines_killed = 0, workers_frozen = 0, engines_ended = 0;
};

void do_harm(Deployment& deployment, std::mt19937& random, Harm& harm) {
  const std::size_t worker = random() % deployment.workers();
  switch (random() % 10) {
    case 0:
    case 1:
      deployment.engine().kill();
      deployment.start_engine();
      ++harm.engines_killed;
      break;
    case 2:
      deployment.end_engine();
      deployment.start_engine();
      ++harm.engines_ended;
      break;
    case 3:
      deployment.worker(worker).freeze();
      std::this_thread::sleep_for(milliseconds(1'200));  // the fault itself: longer than the engine waits for a heartbeat
      deployment.worker(worker).signal(SIGCONT);
      ++harm.workers_frozen;
      break;
    default:
      deployment.restart_worker(worker);
      ++harm.workers_killed;
  }
}

double ms_at(const std::vector<std::int64_t>& sorted, double part) {
  return sorted.empty() ? 0 : static_cast<double>(sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))]) / 1'000;
}

TEST(Soak, RandomKillsUnderOpenLoadLoseAndDoubleNothing) {
  const std::uint32_t seconds = from_environment("TURNSTONE_SOAK_SECONDS", 8);
  const std::uint32_t rate = from_environment("TURNSTONE_SOAK_RATE", 40);
  const std::uint32_t seed = from_environment("TURNSTONE_SEED", 20'260'101);
  std::mt19937 random(seed);
  Deployment deployment(Transport::ipc);
  deployment.start_engine();
  for (std::size_t worker = 0; worker < workers; ++worker) deployment.start_worker();
  deployment.wait_until_ready();
  OpenLoad load(deployment, rate, seconds);
  Harm harm;
  while (!load.over() && !HasFatalFailure()) {
    std::this_thread::sleep_for(milliseconds(100 + random() % 900));  // harm comes at any moment of the load
    do_harm(deployment, random, harm);
  }
  load.wait();
  const std::vector<Acknowledged> acknowledged = load.all();
  if (!HasFatalFailure()) deployment.end_engine();
  deployment.kill_everything();
  check_ledger(deployment, acknowledged);
  EXPECT_EQ(acknowledged.size(), std::size_t{rate} * seconds);
  EXPECT_GT(harm.workers_killed + harm.engines_killed, 0U);

  if (HasFailure()) return;
  std::vector<std::int64_t> took = load.took_us();
  std::sort(took.begin(), took.end());
  std::printf("seed %u: %zu turns at %u a second for %u s, all acknowledged, verified and replayed\n"
              "%lu workers and %lu engines killed, %lu workers frozen, %lu engines ended\n"
              "from when it was due to its reply: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms\n",
              seed, acknowledged.size(), rate, seconds, harm.workers_killed, harm.engines_killed, harm.workers_frozen, harm.engines_ended, ms_at(took, 0.5),
              ms_at(took, 0.9), ms_at(took, 0.99), ms_at(took, 1));
}

}  // namespace
}  // namespace turnstone::end_to_end
