#include "tests/simulation/world.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "storage/ledger/ledger_core.h"
#include "tests/simulation/run.h"

namespace turnstone::simulation {
namespace {

constexpr std::uint64_t steps_max = 400'000;       // of one run: far beyond any that comes to rest
constexpr std::size_t frames_waiting_max = 2'000;  // for one process: the queues of the real bus are as long

}  // namespace

World::World(std::uint64_t seed, bool print) : site_(seed, print) {
  site_.note([&] { return "switches: " + site_.switches.names(); });
  site_.network.set_plan([this](const bus::FrameOnItsWay& frame) { return fate_of(frame); });
  if (site_.random.chance(300)) site_.network.bound_publications(8);
  if (site_.random.chance(500)) singled_out_ = static_cast<bus::Kind>(site_.random.between(1, 18));
  if (site_.random.chance(300)) {  // bounds that are reached
    options_.turns_pending_max = 12;
    options_.unstarted_max = 3;
    options_.waiters_max = 2;
    options_.erasures_max = 2;
    options_.erasure_page = 1;
  }
  start_engine();
  for (std::int64_t i = site_.random.between(1, 4); i > 0; --i) start_worker("one");
  stores_.resize(2);
  subscribers_.resize(2);
  for (std::size_t i = 0; i < stores_.size(); ++i) start_subscriber(i);
}

World::~World() = default;

// --- processes -------------------------------------------------------------------------------------------

void World::start_engine() {
  options_.run = bus::RunId{++runs_};
  auto engine = std::make_unique<EngineProcess>(site_, options_);
  const Status started = engine->start();
  site_.note([&] { return "engine starts: " + (started ? "run " + std::to_string(runs_) : started.error().detail); });
  site_.trace.add(runs_);
  if (started) {
    engine_ = std::move(engine);
    return;
  }
  if (started.error().code != ErrorCode::io) site_.violated("the engine does not start: " + started.error().detail);
  engine_starts_at_us_ = site_.now_us + 200'000;
}

void World::engine_died(bool power_fails) {
  if (engine_) add(totals_, engine_->sequencer().counters());
  engine_.reset();
  break_connections();
  site_.note([&] { return std::string("the engine is dead") + (power_fails ? ", the power failed" : ""); });
  if (power_fails) site_.disk.power_fails(site_.random);
  engine_starts_at_us_ = site_.now_us + site_.random.between(1'000, 300'000);
}

void World::start_worker(const std::string& version) {
  WorkerKind kind;
  kind.name = "w" + std::to_string(site_.random.below(3));
  kind.version = version;
  constexpr std::array<std::int64_t, 4> turns_us{0, 1'000, 5'000, 40'000};
  kind.turn_us = turns_us[site_.random.below(turns_us.size())];
  kind.credit = static_cast<std::uint32_t>(site_.random.between(1, 8));
  if (site_.random.chance(200)) kind.sessions_max = 1;
  const WorkerId id{kind.name + "-" + std::to_string(++started_)};
  site_.note([&] { return "worker " + id.value + " starts"; });
  workers_.push_back(std::make_unique<WorkerProcess>(site_, id, kind));
}

void World::start_subscriber(std::size_t index) {
  const WorkerId id{"subscriber-" + std::to_string(index) + "-" + std::to_string(++started_)};
  subscribers_[index] = std::make_unique<Subscriber>(site_, id, stores_[index]);
}

void World::bury_the_dead() {
  if (std::exchange(site_.power_fails, false) && engine_) engine_died(true);
  if (engine_ && (engine_->dead() || engine_->finished())) engine_died(engine_->dead() && site_.switches.strikes(Place::power_fails_with_the_engine));
  if (!engine_ && engine_starts_at_us_ <= site_.now_us) start_engine();
  std::erase_if(workers_, [](const auto& worker) { return worker->dead(); });
  if (workers_.empty()) start_worker("one");  // as a supervisor would
  for (std::size_t i = 0; i < subscribers_.size(); ++i) {
    if (subscribers_[i]->dead()) start_subscriber(i);
  }
}

// --- time ------------------------------------------------------------------------------------------------

void World::step() {
  if (++steps_ > steps_max) return site_.violated("something goes round in circles: 400,000 steps and no rest");
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](std::optional<std::int64_t> at) { next = at ? std::min(next, *at) : next; };
  if (!site_.timers.empty()) consider(site_.timers.begin()->first.first);
  consider(engine_ ? engine_->next_us() : std::optional(engine_starts_at_us_));
  for (const auto& worker : workers_) consider(worker->next_us());
  for (const auto& subscriber : subscribers_) consider(subscriber->next_us());
  site_.now_us = std::max(site_.now_us + 1, next);

  while (!site_.timers.empty() && site_.timers.begin()->first.first <= site_.now_us) {
    const auto timer = std::move(site_.timers.begin()->second);
    site_.timers.erase(site_.timers.begin());
    timer();
  }
  bury_the_dead();
  const auto due = [this](std::optional<std::int64_t> at) { return at && *at <= site_.now_us; };
  if (engine_ && due(engine_->next_us())) engine_->step();
  for (const auto& worker : workers_) {
    if (due(worker->next_us())) worker->step();
    if (site_.network.waiting_for(worker->id()) > frames_waiting_max) site_.violated("frames to " + worker->id().value + " pile up");
  }
  for (const auto& subscriber : subscribers_) {
    if (due(subscriber->next_us())) subscriber->step();
  }
  bury_the_dead();
}

bool World::run_until(const std::function<bool()>& condition, std::int64_t us_max) {
  for (const std::int64_t end = site_.now_us + us_max; site_.now_us < end && !site_.violation;) {
    if (condition()) return true;
    step();
  }
  return condition();
}

void World::run_for(std::int64_t us) {
  (void)run_until([] { return false; }, us);
}

Result<std::unique_ptr<Ledger>> World::ledger_after_power_cut() {
  if (engine_) engine_died(true);
  return LedgerCore::open(std::make_shared<OpenDisk>(site_.disk), site_.codec);
}

}  // namespace turnstone::simulation
