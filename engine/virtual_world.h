// For tests: an engine, its workers, its clients and the network between them in one thread, under virtual time.
//
// The sequencer and the workers are the real ones; the network is MemoryNetwork, the ledger any Ledger. A killed
// process loses its memory and what was on its way to it, a paused one reads nothing until it goes on; a killed
// engine keeps what its ledger holds. Time moves in steps of step_us, so that runs repeat exactly.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/bus/memory_bus.h"
#include "engine/parked_turns.h"
#include "engine/scripted_turn.h"
#include "engine/sequencer.h"
#include "workers/loop/worker_core.h"

namespace turnstone::testing {

// What a client knows of a turn it asked for.
using Reply = std::shared_ptr<std::optional<Result<TurnReply>>>;

class VirtualWorld {
  std::int64_t now_us_ = 1'000'000;

 public:
  static constexpr std::int64_t step_us = 500;

  explicit VirtualWorld(SequencerOptions options = {}, std::unique_ptr<Ledger> ledger = make_memory_ledger())
      : network(now_us_), options_(std::move(options)), ledger_(std::move(ledger)) {
    start_engine();
  }

  // --- processes ---
  void start_engine() {
    options_.run = bus::RunId{++runs_};
    options_.publisher = "memory";
    bus_ = network.engine();
    sequencer_.emplace(*ledger_, options_);
    sync_due_.reset();
    (void)sequencer_->recover(now());
    settle();
  }
  void kill_engine() {
    sequencer_.reset();
    bus_.reset();
    network.stop_engine();
  }
  WorkerId start_worker(const std::string& name, Served served = scripted(), std::int64_t turn_us = 0, std::uint32_t credit = 8) {
    WorkerCoreOptions settings;
    settings.id = WorkerId{name + "-" + std::to_string(++started_)};
    settings.name = name;
    settings.credit = credit;
    const WorkerId id = settings.id;
    workers_.push_back({id, network.connect(id), std::make_unique<WorkerCore>(settings, std::move(served)), turn_us, 0, {}, false});
    return id;
  }
  void kill_worker(const WorkerId& id) {
    network.disconnect(id);
    std::erase_if(workers_, [&](const Worker& worker) { return worker.id == id; });
  }
  void pause(const WorkerId& id, bool paused = true) { find(id).paused = paused; }
  WorkerCore& core(const WorkerId& id) { return *find(id).core; }
  std::vector<WorkerId> workers() const {
    std::vector<WorkerId> ids;
    for (const Worker& worker : workers_) ids.push_back(worker.id);
    return ids;
  }

  // --- clients ---
  std::optional<Result<ConversationService::SessionCreated>> create(const std::string& session) {
    auto outcome = std::make_shared<std::optional<Result<ConversationService::SessionCreated>>>();
    NewSession wanted;
    wanted.session = SessionId{session};
    if (!sequencer_) return std::nullopt;
    sequencer_->create_session(
        wanted, [outcome](auto result) { *outcome = std::move(result); }, now());
    run_until([&] { return outcome->has_value(); }, 5'000);
    return *outcome;
  }
  Reply take(const std::string& session, const std::string& key, const std::string& text = "red") {
    auto reply = std::make_shared<std::optional<Result<TurnReply>>>();
    TurnRequest request;
    request.session = SessionId{session};
    request.key = TurnKey{key};
    request.text = text;
    if (sequencer_) {
      sequencer_->take_turn(
          request, [reply](Result<TurnReply> result) { *reply = std::move(result); }, now());
      settle();
    }
    return reply;
  }

  // Asks for a parked turn again, as `turnstone parked retry` does.
  Reply retry(const std::string& session, TurnNumber turn, const std::string& text) {
    auto reply = std::make_shared<std::optional<Result<TurnReply>>>();
    TurnRequest request{.session = SessionId{session}, .key = retry_key(turn), .text = text, .front_end = {}, .retry_of = turn};
    sequencer_->take_turn(
        request, [reply](Result<TurnReply> result) { *reply = std::move(result); }, now());
    settle();
    return reply;
  }

  // --- time ---
  Moment now() const { return {Timestamp{1'700'000'000'000'000 + now_us_}, Instant{now_us_}}; }
  std::int64_t now_ms() const { return now_us_ / 1'000; }
  void step() {
    now_us_ += step_us;
    step_engine();
    for (Worker& worker : workers_) step_worker(worker);
  }
  void run_for(std::int64_t ms) {
    for (const std::int64_t end = now_us_ + ms * 1'000; now_us_ < end;) step();
  }
  template <class Condition>
  bool run_until(Condition condition, std::int64_t ms_max) {
    for (const std::int64_t end = now_us_ + ms_max * 1'000; now_us_ < end && !condition();) step();
    return condition();
  }

  Sequencer& sequencer() { return *sequencer_; }
  bool engine_runs() const { return sequencer_.has_value(); }
  Ledger& ledger() { return *ledger_; }
  EngineCounters counters() const { return sequencer_->counters(); }
  bus::EngineBus& bus() { return *bus_; }

  bus::MemoryNetwork network;
  std::int64_t sync_us = 1'000;
  Status sync_status;                                     // what syncs that end from now on say
  std::vector<std::pair<std::int64_t, bus::Task>> tasks;  // every TASK sent, with its time in ms
  std::vector<bus::Publication> published;

 private:
  struct Worker {
    WorkerId id;
    std::unique_ptr<bus::WorkerBus> bus;
    std::unique_ptr<WorkerCore> core;
    std::int64_t turn_us;
    std::int64_t busy_until_us;
    std::vector<WorkerCore::Action> unsent;  // of the turn under way
    bool paused;
  };

  Worker& find(const WorkerId& id) {
    for (Worker& worker : workers_) {
      if (worker.id == id) return worker;
    }
    throw std::out_of_range("no such worker");
  }

  void step_engine() {
    if (!sequencer_) return;
    while (auto received = bus_->receive()) sequencer_->on_message(received->peer, received->message, now());
    if (sync_due_ && sync_due_->first <= now_us_) {
      const std::uint64_t ticket = std::exchange(sync_due_, std::nullopt)->second;
      sequencer_->on_synced(ticket, sync_status ? ledger_->sync() : sync_status, now());
    }
    sequencer_->on_tick(now());
    settle();
  }

  void settle() {
    for (sequencer_->flush(now());; sequencer_->flush(now())) {
      auto actions = sequencer_->take_actions();
      if (actions.empty()) return;
      for (auto& action : actions) carry_out(action);
    }
  }

  void carry_out(Sequencer::Action& action) {
    if (auto* send = std::get_if<Sequencer::Send>(&action)) {
      if (const auto* task = std::get_if<bus::Task>(&send->message)) tasks.emplace_back(now_ms(), *task);
      if (bus_->send(send->worker, send->message) == bus::Sent::unreachable) sequencer_->on_unreachable(send->worker, now());
    } else if (auto* publish = std::get_if<Sequencer::Publish>(&action)) {
      published.push_back(publish->publication);
      bus_->publish(publish->topic, publish->publication);
    } else if (auto* sync = std::get_if<Sequencer::Sync>(&action)) {
      sync_due_ = {now_us_ + sync_us, sync->ticket};
    } else if (auto* answer = std::get_if<Sequencer::Answer>(&action)) {
      answer->run();
    }
  }

  void step_worker(Worker& worker) {
    if (worker.paused || worker.busy_until_us > now_us_) return;
    carry_out(worker, std::exchange(worker.unsent, {}));
    while (auto publication = worker.bus->receive_published()) worker.core->on_published(*publication);
    while (auto message = worker.bus->receive()) worker.core->on_message(*message, now_us_);
    worker.core->on_tick(now_us_);
    carry_out(worker, worker.core->take_actions());
    while (worker.core->work(now_us_)) {
      worker.busy_until_us = now_us_ + worker.turn_us;
      if (worker.turn_us == 0) continue;
      worker.unsent = worker.core->take_actions();
      return;
    }
    carry_out(worker, worker.core->take_actions());
  }

  static void carry_out(Worker& worker, std::vector<WorkerCore::Action> actions) {
    for (auto& action : actions) {
      if (const auto* message = std::get_if<bus::Message>(&action)) {
        worker.bus->send(*message);
      } else if (const auto* follow = std::get_if<WorkerCore::Follow>(&action)) {
        worker.bus->follow(follow->publisher);
      } else if (const auto* subscribe = std::get_if<WorkerCore::Subscribe>(&action)) {
        worker.bus->subscribe(subscribe->topic);
      } else {
        worker.bus->unsubscribe(std::get<WorkerCore::Unsubscribe>(action).topic);
      }
    }
  }

  SequencerOptions options_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<bus::EngineBus> bus_;
  std::optional<Sequencer> sequencer_;
  std::optional<std::pair<std::int64_t, std::uint64_t>> sync_due_;
  std::vector<Worker> workers_;
  std::uint64_t runs_ = 0;
  std::uint64_t started_ = 0;
};

}  // namespace turnstone::testing
