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
  std::this_thread::sleep_for(milliseconds(1'200));
  worker.signal(SIGCONT);
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

INSTANTIATE_TEST_SUITE_P(
    Faults, UnderLoad,
    ::testing::Values(Fault{"WorkerKilledIpc", Transport::ipc, 25, kill_a_worker}, Fault{"WorkerKilledTcp", Transport::tcp, 10, kill_a_worker},
                      Fault{"EngineKilledIpc", Transport::ipc, 12, kill_the_engine}, Fault{"EngineKilledTcp", Transport::tcp, 5, kill_the_engine},
                      Fault{"AllKilled", Transport::ipc, 6, kill_everyone}, Fault{"WorkerFrozen", Transport::ipc, 2, freeze_a_worker},
                      Fault{"EngineEnded", Transport::ipc, 5, end_the_engine}),
    [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace turnstone::end_to_end
