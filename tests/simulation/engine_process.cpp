#include "tests/simulation/engine_process.h"

#include <algorithm>
#include <utility>

#include "engine/session_views.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/ledger_core.h"
#include "storage/ledger/records.h"

namespace turnstone::simulation {
namespace {

constexpr int messages_a_round = 256;
constexpr std::int64_t drain_us_max = 4'000'000;
constexpr std::uint64_t steps_between_looks = 32;

}  // namespace

EngineProcess::EngineProcess(Site& site, SequencerOptions options) : site_(site), options_(std::move(options)) {}

EngineProcess::~EngineProcess() {
  if (files_ && !finished_) files_->process_died();
  sequencer_.reset();
  ledger_.reset();
  if (bus_) site_.network.stop_engine();
}

Status EngineProcess::start() {
  if (site_.disk.full || site_.disk.sync_fails) return fail(ErrorCode::io, "the ledger cannot be opened: the disk does not work");
  files_ = std::make_shared<OpenDisk>(site_.disk);
  auto opened = LedgerCore::open(files_, site_.codec);
  if (!opened) return tl::unexpected(opened.error());
  ledger_ = std::move(*opened);
  site_.disk.settle();
  options_.publisher = "memory";
  bus_ = site_.network.engine();
  sequencer_.emplace(*ledger_, options_);
  api_.emplace(
      *this, [](const std::function<void()>& work) { work(); }, ApiOptions{.hosts = {}, .metrics = {}, .allow_erasure = true});
  published_ = ledger_->position();
  if (auto recovered = sequencer_->recover(now()); !recovered) return recovered;
  dies_at(Place::engine_dies_at_start);
  return {};
}

Moment EngineProcess::now() const { return {Timestamp{1'700'000'000'000'000 + site_.now_us + site_.wall_offset_us}, Instant{site_.now_us}}; }

bool EngineProcess::dies_at(Place place) {
  if (!dead_ && site_.switches.strikes(place)) {
    site_.note([&] { return "switch " + std::string(name_of(place)); });
    dead_ = true;
  }
  return dead_;
}

void EngineProcess::drain() {
  if (drain_until_us_ != 0) return;
  drain_until_us_ = site_.now_us + drain_us_max;
  sequencer_->refuse_new();
  touched_ = true;
}

std::optional<std::int64_t> EngineProcess::next_us() const {
  if (paused_until_us_ > site_.now_us) return paused_until_us_;
  if (touched_) return site_.now_us;
  std::int64_t next = sequencer_->next_due().value;
  if (sync_) next = std::min(next, sync_->due_us);
  if (drain_until_us_ != 0) next = std::min(next, drain_until_us_);
  if (const auto arrival = site_.network.next_for_engine()) next = std::min(next, *arrival);
  return next;
}

void EngineProcess::request(const HttpRequest& request, HttpRespond respond) {
  const std::uint64_t accepted = sequencer_->counters().turns_accepted;
  (void)api_->handle(request, std::move(respond));
  touched_ = true;
  if (sequencer_->counters().turns_accepted > accepted) dies_at(Place::engine_dies_after_accept);
}

void EngineProcess::step() {
  if (dead_ || paused_until_us_ > site_.now_us) return;
  touched_ = false;
  for (int i = 0; i < messages_a_round; ++i) {
    auto received = bus_->receive();
    if (!received) break;
    const std::uint64_t committed = sequencer_->counters().turns_committed;
    sequencer_->on_message(received->peer, received->message, now());
    if (sequencer_->counters().turns_committed > committed && dies_at(Place::engine_dies_after_commit)) return;
  }
  if (sync_ && sync_->due_us <= site_.now_us) end_sync();
  if (dead_) return;
  site_.disk.sync_waits = true;  // of an erasure: nothing else syncs here
  sequencer_->on_tick(now());
  site_.disk.sync_waits = false;
  settle();
  if (dead_) return;
  if (++steps_ % steps_between_looks == 0) watch_bounds();
  if (drain_until_us_ != 0 && (sequencer_->unfinished() == 0 || drain_until_us_ <= site_.now_us)) {
    sequencer_->abandon("the engine is shutting down; try again in a moment");
    for (auto& action : sequencer_->take_actions()) std::visit([this](auto& each) { carry_out(each); }, action);
    finished_ = true;
  }
}

void EngineProcess::settle() {
  for (sequencer_->flush(now());; sequencer_->flush(now())) {
    const std::uint64_t raised = sequencer_->counters().redispatched;
    if (std::exchange(raised_, raised) < raised && dies_at(Place::engine_dies_after_raise)) return;
    auto actions = sequencer_->take_actions();
    if (actions.empty()) return;
    for (auto& action : actions) std::visit([this](auto& each) { carry_out(each); }, action);
  }
}

void EngineProcess::end_sync() {
  SyncUnderWay sync = *std::exchange(sync_, std::nullopt);
  if (sync.status) site_.disk.end_sync();
  if (dies_at(Place::engine_dies_after_sync)) return;
  sequencer_->on_synced(sync.ticket, sync.status, now());
}

void EngineProcess::carry_out(Sequencer::Sync& sync) {
  std::int64_t takes_us = site_.random.between(200, 3'000);
  if (site_.switches.strikes(Place::sync_is_slow)) takes_us = site_.random.between(20'000, 400'000);
  if (site_.switches.strikes(Place::sync_fails)) {
    site_.disk.sync_fails = true;
    site_.after(site_.random.between(0, 600'000), [this_site = &site_] { this_site->disk.sync_fails = false; });
  }
  sync_ = SyncUnderWay{sync.ticket, site_.now_us + takes_us, ledger_->sync()};
}

void EngineProcess::carry_out(Sequencer::Send& send) {
  if (const auto* task = std::get_if<bus::Task>(&send.message)) watch_task(send.worker, *task);
  if (bus_->send(send.worker, send.message) == bus::Sent::unreachable) sequencer_->on_unreachable(send.worker, now());
}

void EngineProcess::carry_out(Sequencer::Publish& publish) {
  const GlobalPosition position = publish.publication.position;
  if (position <= published_) site_.violated("position " + std::to_string(position.value) + " was published out of order");
  if (!site_.disk.durable(keys::commit(position))) {
    site_.violated("position " + std::to_string(position.value) + " was published before it was durable");
  }
  published_ = position;
  bus_->publish(publish.topic, publish.publication);
}

void EngineProcess::carry_out(Sequencer::Note& note) {
  site_.note([&] { return "engine: " + note.text; });
}

void EngineProcess::watch_task(const WorkerId& worker, const bus::Task& task) {
  site_.note([&] {
    return "task " + task.session.value + " turn " + std::to_string(task.turn.value) + " attempt " + std::to_string(task.attempt.value) + " to " +
           worker.value;
  });
  const auto [sent, first] = tasks_.emplace(std::tuple(task.session, task.turn, task.attempt), worker);
  if (!first && sent->second != worker) {
    site_.violated("attempt " + std::to_string(task.attempt.value) + " of turn " + std::to_string(task.turn.value) + " of " + task.session.value +
                   " went to two workers");
  }
  if (task.attempt.value < 2) return;
  const auto bytes = site_.disk.durable(keys::turn(site_.codec->stored(stream_of(task.session)), task.turn));
  const auto record = bytes ? records::decode_turn(*bytes) : std::nullopt;
  if (!record || record->attempt < task.attempt) {
    site_.violated("attempt " + std::to_string(task.attempt.value) + " of " + task.session.value + " was sent out before it was durable");
  }
}

void EngineProcess::watch_bounds() {
  const EngineCounters counters = sequencer_->counters();
  if (counters.in_flight + counters.waiting > options_.turns_pending_max + options_.unstarted_max) {
    site_.violated("the engine holds " + std::to_string(counters.in_flight + counters.waiting) + " turns, more than its bound");
  }
  for (const WorkerStatus& worker : sequencer_->dispatch().status()) {
    if (worker.held > worker.credit) site_.violated("worker " + worker.id.value + " holds more tasks than its credit");
  }
}

void EngineProcess::create_session(NewSession session, Callback<SessionCreated> done) {
  sequencer_->create_session(std::move(session), std::move(done), now());
}
void EngineProcess::take_turn(TurnRequest request, Callback<TurnReply> done) { sequencer_->take_turn(std::move(request), std::move(done), now()); }
void EngineProcess::erase(ErasureWanted wanted, Callback<ErasureDone> done) {
  sequencer_->erase({wanted.session, wanted.profile, std::nullopt}, std::move(wanted.by), std::move(done));
  touched_ = true;
}
Result<std::string> EngineProcess::state_document(const SessionId& session, std::optional<TurnNumber> at) const {
  return state_document_at(*ledger_, session, at);
}
Result<std::vector<Event>> EngineProcess::events(const SessionId& session, Sequence from, std::size_t limit) const {
  return ledger_->read(stream_of(session), from, limit);
}
Readiness EngineProcess::readiness() const { return sequencer_->readiness(); }

}  // namespace turnstone::simulation
