#include "engine/engine_process.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <spdlog/spdlog.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/bus/zmq_bus.h"
#include "engine/sequencer.h"
#include "engine/session_views.h"

namespace turnstone {
namespace {

constexpr int messages_a_round = 256;  // then replies leave before more is read
constexpr std::int64_t wait_ms_max = 100;
constexpr std::int64_t status_every_us = 50'000;
constexpr std::int64_t turned_away_every_us = 1'000'000;  // lines of the log

const Error stopped{ErrorCode::busy, "the engine is shutting down; try again in a moment"};

}  // namespace

// One thread owns the bus and the sequencer; calls from other threads are posted to it. A second thread does
// nothing but sync the ledger, so that turns are accepted and dispatched while the disk works.
class Engine::Shell {
 public:
  Shell(const EngineOptions& options, Ledger& ledger, const Clock& clock, std::unique_ptr<bus::ZmqEngineBus> bus)
      : options_(options), ledger_(ledger), clock_(clock), bus_(std::move(bus)), endpoint_(bus_->endpoint()), sequencer_(ledger, settings()) {}

  ~Shell() {
    stop();
    if (wake_ >= 0) ::close(wake_);
  }

  Status start() {
    wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_ < 0) return fail(ErrorCode::io, "no event descriptor is to be had; raise the limit of open files");
    if (auto recovered = sequencer_.recover(now()); !recovered) return recovered;
    syncer_ = std::thread([this] { sync_loop(); });
    loop_ = std::thread([this] { loop(); });
    return {};
  }

  // Runs `work` on the loop's thread; false when the engine has stopped.
  bool post(std::function<void()> work) {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return false;
      first = posted_.empty();
      posted_.push_back(std::move(work));
    }
    if (first) wake();
    return true;
  }

  Status drain() {
    if (!post([this] { sequencer_.refuse_new(); })) return {};
    std::unique_lock lock(mutex_);
    refusing_ = true;
    const auto finished = [this] { return (refusing_seen_ && unfinished_ == 0) || stopped_; };
    changed_.wait_for(lock, std::chrono::milliseconds(options_.drain_ms_max), finished);
    const std::size_t left = unfinished_;
    lock.unlock();
    stop();
    if (left == 0) return {};
    return fail(ErrorCode::busy, std::to_string(left) + " turns were not finished in time; they are taken up when the engine starts again");
  }

  void stop() {
    const std::lock_guard only(stop_mutex_);
    stopping_ = true;
    wake();
    if (loop_.joinable()) loop_.join();
    {
      const std::lock_guard lock(sync_mutex_);
      sync_stop_ = true;
    }
    sync_wanted_.notify_all();
    if (syncer_.joinable()) syncer_.join();
  }

  struct Snapshot {
    EngineCounters counters;
    Readiness readiness;
    std::vector<WorkerStatus> workers;
    std::uint64_t turned_away = 0;
  };
  Snapshot snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }

  Sequencer& sequencer() { return sequencer_; }
  const Ledger& ledger() const { return ledger_; }
  const std::string& endpoint() const { return endpoint_; }
  Moment now() const { return {clock_.now(), Instant{clock_.monotonic_us()}}; }

 private:
  SequencerOptions settings() const {
    SequencerOptions settings;
    settings.dispatch = options_.dispatch;
    settings.run = bus::RunId{bus::random_number()};
    settings.publisher = bus_->publisher_endpoint();
    return settings;
  }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  }

  void loop() {
    while (!stopping_) {
      const std::int64_t until_due = (sequencer_.next_due().value - now().instant.value) / 1'000 + 1;
      bus_->wait(wake_, std::clamp<std::int64_t>(until_due, 0, wait_ms_max));
      run_posted();
      for (int i = 0; i < messages_a_round; ++i) {
        auto received = bus_->receive();
        if (!received) break;
        sequencer_.on_message(received->peer, received->message, now());
      }
      sequencer_.on_tick(now());
      settle();
      log_turned_away();
      publish_snapshot();
    }
    std::vector<std::function<void()>> late;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      late.swap(posted_);
    }
    for (auto& work : late) work();  // their callbacks are owed an answer
    sequencer_.abandon(stopped.detail);
    carry_out();
    bus_.reset();
    changed_.notify_all();
  }

  void run_posted() {
    std::vector<std::function<void()>> work;
    {
      const std::lock_guard lock(mutex_);
      work.swap(posted_);
    }
    for (auto& each : work) each();
  }

  // Carries actions out until none is left: a worker found unreachable makes new ones.
  void settle() {
    sequencer_.flush(now());
    while (carry_out()) sequencer_.flush(now());
  }

  bool carry_out() {
    auto actions = sequencer_.take_actions();
    for (auto& action : actions) std::visit([this](auto& each) { carry_out(each); }, action);
    return !actions.empty();
  }
  void carry_out(Sequencer::Send& send) {
    if (bus_->send(send.worker, send.message) == bus::Sent::unreachable) sequencer_.on_unreachable(send.worker, now());
  }
  void carry_out(Sequencer::Publish& publish) { bus_->publish(publish.topic, publish.publication); }
  void carry_out(Sequencer::Answer& answer) { answer.run(); }
  void carry_out(Sequencer::Note& note) { spdlog::info("{}", note.text); }
  void carry_out(Sequencer::Sync& sync) {
    {
      const std::lock_guard lock(sync_mutex_);
      sync_ticket_ = sync.ticket;
    }
    sync_wanted_.notify_one();
  }

  void sync_loop() {
    std::uint64_t done = 0;
    for (;;) {
      std::uint64_t ticket = 0;
      {
        std::unique_lock lock(sync_mutex_);
        sync_wanted_.wait(lock, [&] { return sync_stop_ || sync_ticket_ != done; });
        if (sync_stop_) return;
        ticket = sync_ticket_;
      }
      Status status = ledger_.sync();
      done = ticket;
      post([this, ticket, status = std::move(status)] { sequencer_.on_synced(ticket, status, now()); });
    }
  }

  // One line a second at most, however many knock.
  void log_turned_away() {
    const std::int64_t at = clock_.monotonic_us();
    if (turned_away_at_ != 0 && at - turned_away_at_ < turned_away_every_us) return;
    const auto last = bus_->last_turned_away();
    if (!last) return;
    turned_away_at_ = at;
    const std::uint64_t count = bus_->turned_away() - turned_away_logged_;
    turned_away_logged_ += count;
    spdlog::warn("{}{}", *last, count > 1 ? " (and " + std::to_string(count - 1) + " before it)" : std::string());
  }

  void publish_snapshot() {
    Snapshot next;
    next.counters = sequencer_.counters();
    next.counters.traffic = bus_->traffic();
    next.readiness = sequencer_.readiness();
    next.turned_away = bus_->turned_away();
    const std::int64_t at = clock_.monotonic_us();
    const bool with_workers = at - status_at_ >= status_every_us || next.counters.workers != snapshot_.counters.workers;
    if (with_workers) {
      next.workers = sequencer_.dispatch().status();
      status_at_ = at;
    }
    const std::lock_guard lock(mutex_);
    if (!with_workers) next.workers = std::move(snapshot_.workers);
    snapshot_ = std::move(next);
    unfinished_ = sequencer_.unfinished();
    if (refusing_) {
      refusing_seen_ = true;
      changed_.notify_all();
    }
  }

  const EngineOptions options_;
  Ledger& ledger_;
  const Clock& clock_;
  std::unique_ptr<bus::ZmqEngineBus> bus_;  // the loop's
  const std::string endpoint_;
  Sequencer sequencer_;  // the loop's
  int wake_ = -1;
  std::atomic<bool> stopping_{false};
  std::thread loop_;
  std::int64_t status_at_ = 0;
  std::int64_t turned_away_at_ = 0;
  std::uint64_t turned_away_logged_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;
  bool stopped_ = false;
  bool refusing_ = false;
  bool refusing_seen_ = false;
  std::size_t unfinished_ = 0;
  Snapshot snapshot_;

  std::mutex stop_mutex_;
  std::mutex sync_mutex_;  // guards what follows
  std::condition_variable sync_wanted_;
  std::uint64_t sync_ticket_ = 0;
  bool sync_stop_ = false;
  std::thread syncer_;
};

Engine::Engine(std::unique_ptr<Shell> shell) : shell_(std::move(shell)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::start(const EngineOptions& options, Ledger& ledger, const Clock& clock) {
  const auto endpoint = bus::parse_endpoint(options.bus_endpoint);
  if (!endpoint) return tl::unexpected(endpoint.error());
  auto bound = bus::ZmqEngineBus::bind(*endpoint, options.bus_keys);
  if (!bound) return tl::unexpected(bound.error());
  auto shell = std::make_unique<Shell>(options, ledger, clock, std::move(*bound));
  if (auto started = shell->start(); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Engine>(new Engine(std::move(shell)));
}

Status Engine::drain() { return shell_->drain(); }
void Engine::stop() { shell_->stop(); }
const std::string& Engine::bus_endpoint() const { return shell_->endpoint(); }
EngineCounters Engine::counters() const { return shell_->snapshot().counters; }
std::vector<WorkerStatus> Engine::workers() const { return shell_->snapshot().workers; }
std::uint64_t Engine::turned_away() const { return shell_->snapshot().turned_away; }
Readiness Engine::readiness() const { return shell_->snapshot().readiness; }

void Engine::create_session(NewSession session, Callback<SessionCreated> done) {
  auto shared = std::make_shared<Callback<SessionCreated>>(std::move(done));
  const bool posted = shell_->post([this, session = std::move(session), shared]() mutable {
    shell_->sequencer().create_session(std::move(session), std::move(*shared), shell_->now());
  });
  if (!posted) (*shared)(tl::unexpected(stopped));
}

void Engine::take_turn(TurnRequest request, Callback<TurnReply> done) {
  auto shared = std::make_shared<Callback<TurnReply>>(std::move(done));
  const bool posted = shell_->post([this, request = std::move(request), shared]() mutable {
    shell_->sequencer().take_turn(std::move(request), std::move(*shared), shell_->now());
  });
  if (!posted) (*shared)(tl::unexpected(stopped));
}

void Engine::erase(ErasureWanted wanted, Callback<ErasureDone> done) {
  auto shared = std::make_shared<Callback<ErasureDone>>(std::move(done));
  const bool posted = shell_->post([this, wanted = std::move(wanted), shared]() mutable {
    shell_->sequencer().erase({wanted.session, wanted.profile, std::nullopt}, std::move(wanted.by), std::move(*shared));
  });
  if (!posted) (*shared)(tl::unexpected(stopped));
}

Result<std::string> Engine::state_document(const SessionId& session, std::optional<TurnNumber> at) const {
  return state_document_at(shell_->ledger(), session, at);
}

Result<std::vector<Event>> Engine::events(const SessionId& session, Sequence from, std::size_t limit) const {
  return shell_->ledger().read(stream_of(session), from, limit);
}

}  // namespace turnstone
