// Everything of one simulated run: an engine, workers, subscribers, front ends, and what happens to them.
//
// One thread, virtual time that jumps from event to event, one seed. First the faults that the seed's switches allow,
// then they end, and everything has to come to rest: each question answered, each subscriber up to date.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/engine_process.h"
#include "tests/simulation/front_end.h"
#include "tests/simulation/site.h"
#include "tests/simulation/subscriber.h"
#include "tests/simulation/worker_process.h"

namespace turnstone::simulation {

class World {
 public:
  World(std::uint64_t seed, bool print);
  ~World();

  void play();  // finds violations while it runs
  // Opens the ledger as a power cut at this moment leaves it.
  Result<std::unique_ptr<Ledger>> ledger_after_power_cut();

  Site& site() { return site_; }
  const std::vector<std::unique_ptr<FrontEnd>>& front_ends() const { return front_ends_; }
  const std::vector<SubscriberStore>& subscriber_stores() const { return stores_; }
  const EngineCounters& totals() const { return totals_; }

 private:
  // world.cpp: processes and time
  void start_engine();
  void engine_died(bool power_fails);
  void start_worker(const std::string& version);
  void start_subscriber(std::size_t index);
  void bury_the_dead();
  void step();
  bool run_until(const std::function<bool()>& condition, std::int64_t us_max);
  void run_for(std::int64_t us);

  // links.cpp: the network's faults
  using Answered = std::function<void(std::optional<HttpResponse>)>;
  std::vector<std::int64_t> fate_of(const bus::FrameOnItsWay& frame);
  void http(const HttpRequest& request, Answered answered);
  void arrive(const HttpRequest& request, std::uint64_t connection);
  void answer(std::uint64_t connection, std::optional<HttpResponse> response);
  void break_connections();

  // scenario.cpp: what happens
  void shop();
  void open_shop();  // one more front end, with a session of its own
  void erase_profile();
  void ask_something();
  void meddle();
  void meddle_with_links();
  void meddle_with_workers();
  void meddle_with_the_engine();
  void end_faults();
  void come_to_rest();
  void check_rest();

  Site site_;
  SequencerOptions options_;
  std::uint64_t steps_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t started_ = 0;
  std::unique_ptr<EngineProcess> engine_;
  std::int64_t engine_starts_at_us_ = 0;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::unique_ptr<Subscriber>> subscribers_;
  std::vector<SubscriberStore> stores_;
  std::vector<std::unique_ptr<FrontEnd>> front_ends_;
  enum class ProfileErasure : std::uint8_t { none, asked_for, acknowledged } profile_erasure_ = ProfileErasure::none;
  std::map<std::uint64_t, Answered> connections_;  // whose responses are open
  std::uint64_t connected_ = 0;
  std::map<WorkerId, std::int64_t> cut_until_us_;  // links that carry nothing
  std::optional<bus::Kind> singled_out_;           // the kind of message that faults strike; none: all
  EngineCounters totals_;                          // of the runs that ended
};

}  // namespace turnstone::simulation
