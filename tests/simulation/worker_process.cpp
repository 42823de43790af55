#include "tests/simulation/worker_process.h"

#include <algorithm>
#include <utility>

#include "tests/simulation/simulated_turn.h"

namespace turnstone::simulation {
namespace {

constexpr std::int64_t tick_us = 25'000;
constexpr std::int64_t drain_us_max = 2'000'000;  // as WorkerOptions::drain_ms_max

WorkerCoreOptions options_of(const WorkerId& id, const WorkerKind& kind) {
  WorkerCoreOptions options;
  options.id = id;
  options.name = kind.name;
  options.credit = kind.credit;
  options.sessions_max = kind.sessions_max;
  options.snapshot_interval = 24;  // so that sessions of some turns have one
  return options;
}

}  // namespace

WorkerProcess::WorkerProcess(Site& site, WorkerId id, const WorkerKind& kind)
    : site_(site),
      id_(std::move(id)),
      turn_us_(kind.turn_us),
      bus_(site.network.connect(id_)),
      core_(options_of(id_, kind), simulated_service(kind.version, [this](const LoopInput& input) { return before_turn(input); })) {}

WorkerProcess::~WorkerProcess() { site_.network.disconnect(id_); }

bool WorkerProcess::dies_at(Place place) {
  if (!dead_ && site_.switches.strikes(place)) {
    site_.note([&] { return "switch " + std::string(name_of(place)) + ": " + id_.value; });
    dead_ = true;
  }
  return dead_;
}

Status WorkerProcess::before_turn(const LoopInput& input) {
  if (input.received.text.starts_with(deadly)) dead_ = true;
  if (dies_at(Place::worker_dies_in_its_turn)) return fail(ErrorCode::internal, "killed");
  if (site_.switches.strikes(Place::worker_hangs_in_its_turn)) pause_for(site_.random.between(300'000, 4'000'000));
  if (site_.switches.strikes(Place::power_fails_during_a_turn)) {
    site_.power_fails = true;
    pause_for(site_.random.between(100'000, 1'000'000));
  }
  if (site_.switches.strikes(Place::turn_is_given_back)) return fail(ErrorCode::internal, "given back");
  return {};
}

void WorkerProcess::drain() {
  if (std::exchange(draining_, true)) return;
  core_.drain();
  give_up_at_us_ = site_.now_us + drain_us_max;
  tick_at_us_ = site_.now_us;
}

std::optional<std::int64_t> WorkerProcess::next_us() const {
  if (paused_until_us_ > site_.now_us) return paused_until_us_;
  if (busy_until_us_ > site_.now_us) return busy_until_us_;
  if (!unsent_.empty()) return site_.now_us;
  const auto arrival = site_.network.next_for(id_);
  return arrival ? std::min(*arrival, tick_at_us_) : tick_at_us_;
}

void WorkerProcess::receive() {
  while (auto publication = bus_->receive_published()) core_.on_published(*publication);
  while (auto message = bus_->receive()) {
    if (std::holds_alternative<bus::Task>(*message) && dies_at(Place::worker_dies_with_a_task)) return;
    core_.on_message(*message, site_.now_us);
  }
}

void WorkerProcess::step() {
  if (dead_ || paused_until_us_ > site_.now_us || busy_until_us_ > site_.now_us) return;
  carry_out(std::exchange(unsent_, {}));
  if (dead_) return;
  receive();
  if (dead_) return;
  core_.on_tick(site_.now_us);
  tick_at_us_ = site_.now_us + tick_us;
  carry_out(core_.take_actions());
  while (!dead_ && core_.work(site_.now_us)) {
    if (dead_) return;  // in the middle of the turn
    busy_until_us_ = site_.now_us + turn_us_;
    if (turn_us_ == 0 && paused_until_us_ <= site_.now_us) continue;
    unsent_ = core_.take_actions();
    return;
  }
  carry_out(core_.take_actions());
  if (draining_ && (core_.drained() || give_up_at_us_ <= site_.now_us) && !dead_) {
    if (!said_bye_) bus_->send(bus::Bye{"the worker has stopped"});
    dead_ = std::exchange(said_bye_, true);  // by the next tick what it sent has arrived
  }
}

void WorkerProcess::carry_out(std::vector<WorkerCore::Action> actions) {
  for (auto& action : actions) {
    if (dead_) return;
    if (const auto* message = std::get_if<bus::Message>(&action)) {
      bus_->send(*message);
      if (std::holds_alternative<bus::Proposed>(*message)) dies_at(Place::worker_dies_after_proposing);
    } else if (const auto* follow = std::get_if<WorkerCore::Follow>(&action)) {
      bus_->follow(follow->publisher);
    } else if (const auto* subscribe = std::get_if<WorkerCore::Subscribe>(&action)) {
      bus_->subscribe(subscribe->topic);
    } else {
      bus_->unsubscribe(std::get<WorkerCore::Unsubscribe>(action).topic);
    }
  }
}

}  // namespace turnstone::simulation
