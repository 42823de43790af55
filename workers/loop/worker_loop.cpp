#include "workers/loop/worker_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <spdlog/spdlog.h>
#include <chrono>
#include <mutex>
#include <utility>

#include "engine/bus/zmq_bus.h"

namespace turnstone {
namespace {

constexpr int messages_a_round = 256;
constexpr std::int64_t idle_wait_ms = 50;
constexpr std::int64_t last_task_ms = 50;  // a stopping worker waits so long for a task that was on its way

std::int64_t now_us() { return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

class WorkerLoop::Shell {
 public:
  explicit Shell(WorkerOptions options) : options_(std::move(options)) {}

  Status run(const std::stop_token& stop) {
    const auto endpoint = bus::parse_endpoint(options_.endpoint);
    if (!endpoint) return tl::unexpected(endpoint.error());
    WorkerCoreOptions settings;
    settings.id = bus::fresh_worker_id(options_.name);
    settings.name = options_.name.empty() ? "worker-" + std::to_string(::getpid()) : options_.name;
    settings.name.resize(std::min(settings.name.size(), bus::worker_id_bytes_max));
    settings.credit = options_.credit;
    settings.sessions_max = options_.sessions_max;
    auto connected = bus::ZmqWorkerBus::connect(*endpoint, settings.id, options_.keys);
    if (!connected) return tl::unexpected(connected.error());
    const int wake = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake < 0) return fail(ErrorCode::io, "no event descriptor is to be had; raise the limit of open files");
    const std::stop_callback on_stop(stop, [wake] {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = ::write(wake, &one, sizeof one);
    });
    WorkerCore core(std::move(settings), options_.served);
    loop(stop, core, **connected, wake);
    ::close(wake);
    const std::optional<Error> refused = core.refused() ? core.refused() : (*connected)->refused();
    return refused ? Status(tl::unexpected(*refused)) : Status{};
  }

  WorkerCounters counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  // One turn at a time, and between two turns whatever has come in: so pings are answered by what does the work.
  void loop(const std::stop_token& stop, WorkerCore& core, bus::ZmqWorkerBus& bus, int wake) {
    std::int64_t give_up_at = 0;
    std::int64_t quiet_since = 0;
    bool busy = false;
    while (!core.refused() && !bus.refused()) {
      if (stop.stop_requested()) {
        core.drain();
        if (give_up_at == 0) {
          quiet_since = now_us();
          give_up_at = quiet_since + options_.drain_ms_max * 1'000;
        }
        if (!core.drained()) quiet_since = now_us();
        // A turn may be on its way that only this worker serves: the engine sends it before it reads DRAIN.
        if (now_us() - quiet_since >= last_task_ms * 1'000 || now_us() >= give_up_at) break;
      }
      if (!busy) bus.wait(wake, stop.stop_requested() ? 1 : idle_wait_ms);
      receive(core, bus);
      core.on_tick(now_us());
      busy = core.work(now_us());
      carry_out(core, bus);
    }
    carry_out(core, bus);
    bus.send(bus::Bye{"the worker has stopped"});
  }

  void receive(WorkerCore& core, bus::ZmqWorkerBus& bus) {
    for (int i = 0; i < messages_a_round; ++i) {  // publications first: they may spare a read
      const auto published = bus.receive_published();
      if (!published) break;
      core.on_published(*published);
    }
    for (int i = 0; i < messages_a_round; ++i) {
      const auto message = bus.receive();
      if (!message) break;
      core.on_message(*message, now_us());
    }
  }

  void carry_out(WorkerCore& core, bus::ZmqWorkerBus& bus) {
    for (auto& action : core.take_actions()) {
      if (const auto* message = std::get_if<bus::Message>(&action)) {
        bus.send(*message);
      } else if (const auto* follow = std::get_if<WorkerCore::Follow>(&action)) {
        bus.follow(follow->publisher);
      } else if (const auto* subscribe = std::get_if<WorkerCore::Subscribe>(&action)) {
        bus.subscribe(subscribe->topic);
      } else {
        bus.unsubscribe(std::get<WorkerCore::Unsubscribe>(action).topic);
      }
    }
    const std::lock_guard lock(mutex_);
    if (core.counters().welcomes != counters_.welcomes) spdlog::info("joined the engine at {}", options_.endpoint);
    counters_ = core.counters();
  }

  const WorkerOptions options_;
  mutable std::mutex mutex_;
  WorkerCounters counters_;
};

WorkerLoop::WorkerLoop(WorkerOptions options) : shell_(std::make_unique<Shell>(std::move(options))) {}
WorkerLoop::~WorkerLoop() = default;
Status WorkerLoop::run(std::stop_token stop) { return shell_->run(stop); }
WorkerCounters WorkerLoop::counters() const { return shell_->counters(); }

}  // namespace turnstone
