// Faults under load with real processes, over ipc and tcp: no acknowledged turn is lost, none is applied twice, order is
// kept, the chains verify and every session replays identically.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using std::chrono::milliseconds;

// TURNSTONE_SEED chooses another.
std::uint32_t chosen_seed() {
  const char* text = std::getenv("TURNSTONE_SEED");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 20'260'101;
}
constexpr std::size_t shoppers_count = 6;

struct Fault {
  std::string name;
  Transport transport;
  int times;
  // Does harm once, while shoppers are at work, and mends what a supervisor would mend.
  std::function<void(Deployment&, std::mt19937&)> strike;
};

void pause(std::mt19937& random, int milliseconds_max) {
  std::this_thread::sleep_for(milliseconds(random() % static_cast<unsigned>(milliseconds_max)));
}

void kill_a_worker(Deployment& deployment, std::mt19937& random) { deployment.restart_worker(random() % deployment.workers()); }

void kill_the_engine(Deployment& deployment, std::mt19937&) {
  deployment.engine().kill();
  deployment.start_engine();
}

void kill_everyone(Deployment& deployment, std::mt19937& random) {
  deployment.engine().kill();
  for (std::size_t worker = 0; worker < deployment.workers(); ++worker) deployment.restart_worker(worker);
  pause(random, 20);
  deployment.start_engine();
}

void end_the_engine(Deployment& deployment, std::mt19937&) {
  deployment.end_engine();
  deployment.start_engine();
}

// Frozen for longer than the engine waits, then alive again with what it held.
void freeze_a_worker(Deployment& deployment, std::mt19937& random) {
  ChildProcess& worker = deployment.worker(random() % deployment.workers());
  worker.freeze();
  std::this_thread::sleep_for(milliseconds(1'200));  // the fault itself
  worker.signal(SIGCONT);
}

// Rolling restart: it finishes what it holds, and another of its name takes over.
void drain_a_worker(Deployment& deployment, std::mt19937& random) {
  const std::size_t number = random() % deployment.workers();
  deployment.worker(number).signal(SIGTERM);
  EXPECT_EQ(deployment.worker(number).wait(patience), 0) << deployment.worker(number).errors();
  deployment.restart_worker(number);
}

void freeze_the_engine(Deployment& deployment, std::mt19937&) {
  deployment.engine().freeze();
  std::this_thread::sleep_for(milliseconds(1'500));  // the fault itself: heartbeats stay out for longer than workers wait
  deployment.engine().signal(SIGCONT);
}

class UnderLoad : public ::testing::TestWithParam<Fault> {};

TEST_P(UnderLoad, LosesAndDoublesNothing) {
  const Fault& fault = GetParam();
  const std::uint32_t seed = chosen_seed();
  std::mt19937 random(seed);
  Deployment deployment(fault.transport);
  deployment.start_engine();
  deployment.start_worker();
  deployment.start_worker();
  deployment.wait_until_ready();
  std::vector<Acknowledged> acknowledged;
  {
    Shoppers shoppers(deployment, shoppers_count, seed);
    shoppers.wait_for(2 * shoppers_count);
    for (int time = 0; time < fault.times && !::testing::Test::HasFatalFailure(); ++time) {
      pause(random, 60);
      fault.strike(deployment, random);
      shoppers.wait_for(shoppers_count);  // it goes on afterwards
    }
    shoppers.stop();
    acknowledged = shoppers.all();
  }
  if (!HasFatalFailure()) deployment.end_engine();
  deployment.kill_everything();
  check_ledger(deployment, acknowledged);
  std::printf("seed %u: %zu turns acknowledged through %d x %s\n", seed, acknowledged.size(), fault.times, fault.name.c_str());
}

// Every fault over both transports; often over ipc, where a kill costs less.
std::vector<Fault> matrix() {
  struct Row {
    std::string name;
    int times_ipc, times_tcp;
    std::function<void(Deployment&, std::mt19937&)> strike;
  };
  const std::vector<Row> rows{{"WorkerKilled", 25, 10, kill_a_worker}, {"WorkerFrozen", 2, 1, freeze_a_worker},  {"WorkerDrained", 6, 3, drain_a_worker},
                              {"EngineKilled", 12, 5, kill_the_engine}, {"EngineFrozen", 2, 1, freeze_the_engine}, {"EngineEnded", 5, 3, end_the_engine},
                              {"AllKilled", 6, 3, kill_everyone}};
  std::vector<Fault> faults;
  for (const Row& row : rows) {
    faults.push_back({row.name + "Ipc", Transport::ipc, row.times_ipc, row.strike});
    faults.push_back({row.name + "Tcp", Transport::tcp, row.times_tcp, row.strike});
  }
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Faults, UnderLoad, ::testing::ValuesIn(matrix()), [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace turnstone::end_to_end
