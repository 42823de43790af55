// A worker as a process of a simulated run: the real WorkerCore, turns that take virtual time, deaths and pauses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/site.h"
#include "workers/loop/worker_core.h"

namespace turnstone::simulation {

// The text of a turn that kills whoever takes it.
inline constexpr std::string_view deadly = "deadly";

struct WorkerKind {
  std::string name;
  std::string version;       // of what it serves
  std::int64_t turn_us = 0;  // what a turn takes
  std::uint32_t credit = 8;
  std::size_t sessions_max = 1'024;
};

class WorkerProcess {
 public:
  WorkerProcess(Site& site, WorkerId id, const WorkerKind& kind);
  ~WorkerProcess();

  void step();
  void pause_for(std::int64_t us) { paused_until_us_ = site_.now_us + us; }
  void go_on() { paused_until_us_ = 0; }
  void drain();
  std::optional<std::int64_t> next_us() const;
  bool dead() const { return dead_; }
  const WorkerId& id() const { return id_; }
  bool draining() const { return draining_; }

 private:
  Status before_turn(const LoopInput& input);
  bool dies_at(Place place);
  void receive();
  void carry_out(std::vector<WorkerCore::Action> actions);

  Site& site_;
  const WorkerId id_;
  const std::int64_t turn_us_;
  std::unique_ptr<bus::WorkerBus> bus_;
  WorkerCore core_;
  std::vector<WorkerCore::Action> unsent_;  // of the turn under way
  std::int64_t busy_until_us_ = 0;
  std::int64_t paused_until_us_ = 0;
  std::int64_t tick_at_us_ = 0;
  bool draining_ = false;
  std::int64_t give_up_at_us_ = 0;  // while it drains
  bool said_bye_ = false;
  bool dead_ = false;
};

}  // namespace turnstone::simulation
