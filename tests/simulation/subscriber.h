// A subscriber as a process of a simulated run: follows every durable write of the ledger with the real CommitFollower.
//
// What it was given it stores together with its position, in one write of its own; when it dies it starts from there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bus/commit_follower.h"
#include "tests/simulation/site.h"

namespace turnstone::simulation {

// What a subscriber keeps across its deaths.
struct SubscriberStore {
  GlobalPosition position;
  std::vector<bus::Publication> received;
};

class Subscriber {
 public:
  Subscriber(Site& site, WorkerId id, SubscriberStore& store);
  ~Subscriber();

  void step();
  void pause_for(std::int64_t us) { paused_until_us_ = site_.now_us + us; }
  void go_on() { paused_until_us_ = 0; }
  std::optional<std::int64_t> next_us() const;
  bool dead() const { return dead_; }

 private:
  void receive();
  void say_hello();

  Site& site_;
  const WorkerId id_;
  SubscriberStore& store_;
  std::unique_ptr<bus::WorkerBus> bus_;
  bus::CommitFollower follower_;
  bool welcomed_ = false;
  std::int64_t hello_at_us_ = 0;
  std::int64_t paused_until_us_ = 0;
  std::int64_t tick_at_us_ = 0;
  bool dead_ = false;
};

}  // namespace turnstone::simulation
