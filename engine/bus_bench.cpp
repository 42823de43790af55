// What bus and ledger cost: turns that do no work, through real sockets, a worker's loop and a real ledger, beside the
// raw probes of the same minute (fdatasync of a turn's bytes; a ZeroMQ echo over ipc).
//
//     bus_bench [DIRECTORY] [TURNS] [WORKERS]      the ledger goes to DIRECTORY, which must be on a disk
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "engine/engine_process.h"
#include "engine/scripted_turn.h"
#include "workers/loop/worker_loop.h"

namespace turnstone {
namespace {

using Clock_ = std::chrono::steady_clock;

double us_since(Clock_::time_point begin) { return std::chrono::duration<double, std::micro>(Clock_::now() - begin).count(); }

struct Percentiles {
  double p50 = 0, p99 = 0;
};
Percentiles percentiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? Percentiles{} : Percentiles{values[values.size() / 2], values[values.size() * 99 / 100]};
}

constexpr std::size_t turn_bytes = 1'000;  // what a turn of no work writes, about

Percentiles probe_fdatasync(const std::filesystem::path& directory, int writes) {
  const std::string file = (directory / "probe").string();
  const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  const std::string bytes(turn_bytes, 'x');
  std::vector<double> times;
  for (int i = 0; i < writes && fd >= 0; ++i) {
    const auto begin = Clock_::now();
    if (::write(fd, bytes.data(), bytes.size()) < 0 || ::fdatasync(fd) != 0) break;
    times.push_back(us_since(begin));
  }
  ::close(fd);
  std::filesystem::remove(file);
  return percentiles(std::move(times));
}

Percentiles probe_echo(const std::string& endpoint, int rounds) {
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind(endpoint);
  std::jthread echo([&] {
    for (int i = 0; i < rounds; ++i) {
      zmq::message_t peer, frame;
      if (!router.recv(peer) || !router.recv(frame)) return;
      router.send(peer, zmq::send_flags::sndmore);
      router.send(frame, zmq::send_flags::none);
    }
  });
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.connect(endpoint);
  const std::string bytes(turn_bytes, 'x');
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock_::now();
    zmq::message_t answer;
    dealer.send(zmq::buffer(bytes), zmq::send_flags::none);
    if (!dealer.recv(answer)) break;
    times.push_back(us_since(begin));
  }
  return percentiles(std::move(times));
}

// Turns of no work, but of six events: what the durable rate is stated for.
Served no_work() {
  Served served = testing::scripted();
  served.turn = [](const IntentState& state, const LoopInput& input) {
    auto proposal = testing::scripted_proposal(state, input);
    if (state.active.size() > 8) proposal->events.erase(proposal->events.begin());  // a state of everyday size
    while (proposal->events.size() < 6) proposal->events.insert(proposal->events.begin(), EventBody{PreferenceWaived{}});
    return proposal;
  };
  return served;
}

struct Load {
  double seconds = 0;
  std::size_t turns = 0;
  std::size_t errors = 0;
  Percentiles latency;
};

// Closed loop: each session asks its next turn when the last was answered. Callbacks share its ownership: the last
// one may still be on its way out when the run is over.
class ClosedLoop : public std::enable_shared_from_this<ClosedLoop> {
 public:
  ClosedLoop(Engine& engine, std::size_t turns, std::string prefix) : engine_(engine), turns_(turns), prefix_(std::move(prefix)) {}

  Load run(std::size_t sessions) {
    for (std::size_t s = 0; s < sessions; ++s) create(s);
    const auto begin = Clock_::now();
    for (std::size_t s = 0; s < sessions; ++s) ask(s);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return times_.size() == turns_; });
    return {us_since(begin) / 1e6, turns_, errors_, percentiles(times_)};
  }

 private:
  SessionId session(std::size_t s) const { return SessionId{prefix_ + std::to_string(s)}; }

  void create(std::size_t s) {
    NewSession wanted;
    wanted.session = session(s);
    auto created = std::make_shared<std::atomic<bool>>(false);
    engine_.create_session(wanted, [created](const auto&) { *created = true; });
    while (!*created) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  void ask(std::size_t s) {
    TurnRequest request;
    {
      const std::lock_guard lock(mutex_);
      if (asked_ == turns_) return;
      request.key = TurnKey{std::to_string(++asked_)};
    }
    request.session = session(s);
    request.text = "something red for the summer";
    engine_.take_turn(request, [self = shared_from_this(), s, begin = Clock_::now()](const Result<TurnReply>& reply) {
      {
        const std::lock_guard lock(self->mutex_);
        self->times_.push_back(us_since(begin));
        self->errors_ += reply ? 0 : 1;
        if (self->times_.size() == self->turns_) self->finished_.notify_all();
      }
      self->ask(s);
    });
  }

  Engine& engine_;
  const std::size_t turns_;
  const std::string prefix_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable finished_;
  std::vector<double> times_;
  std::size_t asked_ = 0;
  std::size_t errors_ = 0;
};

Load run_load(Engine& engine, std::size_t sessions, std::size_t turns, const std::string& prefix) {
  return std::make_shared<ClosedLoop>(engine, turns, prefix)->run(sessions);
}

int bench(const std::filesystem::path& directory, std::size_t turns, int workers) {
  std::filesystem::create_directories(directory);
  struct statfs fs {};
  ::statfs(directory.c_str(), &fs);
  utsname machine{};
  ::uname(&machine);
  constexpr long tmpfs = 0x01021994;
  fmt::print("machine {} {}, {} cores; ledger in {} (file system type {:#x}), synced, {} workers\n", machine.sysname, machine.release,
             std::thread::hardware_concurrency(), directory.string(), static_cast<unsigned long>(fs.f_type), workers);
  if (fs.f_type == tmpfs) {
    fmt::print(stderr, "{} is a tmpfs, where nothing is durable; give a directory on a disk\n", directory.string());
    return 2;
  }
  auto ledger = open_ledger((directory / "ledger").string(), {});
  if (!ledger) {
    fmt::print(stderr, "{}\n", ledger.error().detail);
    return 3;
  }
  EngineOptions options;
  options.bus_endpoint = "ipc://" + (directory / "bus" / "bus").string();
  options.dispatch.task_ms_max = 10'000;
  auto engine = Engine::start(options, **ledger);
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().detail);
    return 3;
  }
  {
    std::vector<std::jthread> threads;
    std::vector<std::unique_ptr<WorkerLoop>> loops;
    for (int w = 0; w < workers; ++w) {
      loops.push_back(std::make_unique<WorkerLoop>(
          WorkerOptions{.endpoint = options.bus_endpoint, .name = "w" + std::to_string(w), .served = no_work(), .credit = 32}));
      threads.emplace_back([loop = loops.back().get()](const std::stop_token& stop) { (void)loop->run(stop); });
    }
    while ((*engine)->readiness().workers < static_cast<std::uint32_t>(workers)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    (void)run_load(**engine, 4, 400, "warm");
    for (const std::size_t sessions : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
      const Percentiles sync = probe_fdatasync(directory, 300);
      const Percentiles echo = probe_echo("ipc://" + (directory / "echo").string(), 2'000);
      const std::size_t count = sessions == 1 ? std::min<std::size_t>(turns, 2'000) : turns;
      const auto before = (*engine)->counters();
      const Load load = run_load(**engine, sessions, count, "s" + std::to_string(sessions) + "-");
      const auto after = (*engine)->counters();
      fmt::print(
          "in flight {:3}: p50 {:7.0f} us  p99 {:7.0f} us  {:7.0f} turns/s  {:.1f} turns a sync | raw fdatasync p50 {:5.0f} p99 {:6.0f} us"
          "  zmq echo p50 {:4.0f} us  p50 = {:.2f} x fdatasync{}\n",
          sessions, load.latency.p50, load.latency.p99, static_cast<double>(load.turns) / load.seconds,
          static_cast<double>(load.turns) / static_cast<double>(std::max<std::uint64_t>(1, after.syncs - before.syncs)), sync.p50, sync.p99, echo.p50,
          load.latency.p50 / sync.p50, load.errors == 0 ? "" : fmt::format("  {} ERRORS", load.errors));
    }
  }
  (void)(*engine)->drain();
  return 0;
}

}  // namespace
}  // namespace turnstone

int main(int argc, char** argv) {
  spdlog::set_level(spdlog::level::warn);
  const std::filesystem::path directory = argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::current_path() / "bus_bench.data";
  const int status = turnstone::bench(directory, argc > 2 ? std::stoul(argv[2]) : 20'000, argc > 3 ? std::stoi(argv[3]) : 2);
  std::filesystem::remove_all(directory);
  return status;
}
