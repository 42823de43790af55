// What the ledger costs on this machine's disk, beside raw probes of the same minute.
//
//     ledger_bench [DIRECTORY] [TURNS]      default: the current directory, 20000
//
// Prints machine, file system and sync mode; a raw fdatasync of an appended record; a RocksDB batch of a turn's bytes
// with one sync for 64 of them; then durable appends alone, durable turns a second with 64 in flight, verify and
// rebuild speed, and how long a ledger takes to open after its process was killed. Durable figures on a file system in
// memory mean nothing and are refused.
#include <fcntl.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "events/chain.h"
#include "events/state.h"
#include "storage/ledger/ledger.h"
#include "storage/ledger/open_ledger.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

constexpr int in_flight = 64;
constexpr long tmpfs_magic = 0x01021994;
constexpr std::size_t events_per_turn = 8;  // with TurnReceived and AttemptStarted

double seconds_of(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }
double now_seconds() { return seconds_of(std::chrono::steady_clock::now().time_since_epoch()); }

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "ledger_bench: %s\n", result.error().detail.c_str());
    std::exit(3);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Of this thread: what a core could do that had nothing else to do.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double percentile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string first_line(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.find(key) != std::string::npos) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string file_system(const std::string& directory) {
  std::ifstream mounts("/proc/mounts");
  std::string best, device, point, type, rest;
  std::size_t length = 0;
  const std::string path = fs::absolute(directory).string();
  while (mounts >> device >> point >> type && std::getline(mounts, rest)) {
    if (path.starts_with(point) && point.size() >= length) {
      length = point.size();
      best = type + " on " + device + " (" + rest.substr(1) + ")";
    }
  }
  return best;
}

SessionId session(int number) { return SessionId{"session-" + std::to_string(number)}; }

void start(Ledger& ledger, int number) {
  SessionStarted event;
  event.session = session(number);
  event.channel = "bench";
  event.policy_variant = "shopper";
  must(ledger.start_session(event, std::nullopt, system_clock().now()));
}

// A turn of no work: the events, reply and flight record of an ordinary one in size.
void take_turn(Ledger& ledger, int number, const std::string& key, bool sync = true) {
  AcceptRequest request;
  request.session = session(number);
  request.key = TurnKey{key};
  request.body_mac = blake2b(key);
  request.received.text = "something warm and red for my sister, not wool, under eighty";
  request.now = system_clock().now();
  const Accepted turn = std::get<Accepted>(must(ledger.accept(request)));
  CommitRequest commit;
  commit.session = request.session;
  commit.turn = turn.turn;
  commit.attempt = turn.attempt;
  commit.now = system_clock().now();
  ConstraintSet colour;
  colour.facet = "color";
  colour.value.any_of = {"red"};
  colour.said = "red";
  ProductsShown shown;
  for (int i = 0; i < 10; ++i) shown.products.push_back({ProductId{"B00EXAMPLE" + std::to_string(i)}, Score{123456 - i}, Permille{700}});
  TurnCompleted completed;
  completed.turn = turn.turn;
  completed.attempt = turn.attempt;
  commit.appends = {{stream_of(commit.session), turn.sequence,
                     {IntentClassified{Intent::buying, Permille{700}, "under eighty"}, colour, QuestionAsked{}, shown,
                      ReplySent{"Red, warm and not wool. Two match under $80."}, completed}}};
  commit.flight_record.assign(2000, 'f');
  commit.reply.assign(2500, 'r');
  must(ledger.commit(commit));
  if (sync) must(ledger.sync());
}

double fdatasync_p50(const std::string& directory) {
  const std::string file = directory + "/probe";
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string bytes(1024, 'x');
  std::vector<double> times;
  for (int i = 0; i < 400; ++i) {
    const double from = now_seconds();
    if (write(descriptor, bytes.data(), bytes.size()) < 0 || fdatasync(descriptor) != 0) std::perror("probe");
    times.push_back((now_seconds() - from) * 1e6);
  }
  close(descriptor);
  fs::remove(file);
  const double p50 = percentile(times, 0.5);
  std::printf("raw fdatasync of 1 kB appended        p50 %8.0f us   p99 %8.0f us\n", p50, percentile(times, 0.99));
  return p50;
}

// The best any ledger on RocksDB could do: a turn's bytes as two batches, and one sync for 64 turns.
double coalesced_probe(const std::string& directory) {
  auto store = must(open_rocks_store(directory + "/probe-db", {}, nullptr));
  const int rounds = 100;
  std::uint64_t number = 0;
  const double from = now_seconds();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < in_flight; ++i) {
      WriteBatch accept, commit;
      for (int k = 0; k < 7; ++k) accept.put("E" + std::to_string(number++), std::string(170, 'e'));
      for (int k = 0; k < 9; ++k) commit.put("E" + std::to_string(number++), std::string(220, 'e'));
      commit.put("T" + std::to_string(number++), std::string(4500, 't'));
      must(store->write(accept));
      must(store->write(commit));
    }
    must(store->sync({}));
  }
  const double rate = rounds * in_flight / (now_seconds() - from);
  std::printf("coalesced batches, a sync for %d turns     %8.0f turns/s\n", in_flight, rate);
  return rate;
}

void durable_append(const std::string& directory, double fdatasync_us) {
  auto ledger = must(open_ledger(directory + "/append", {}));
  start(*ledger, 0);
  must(ledger->sync());
  std::vector<double> times;
  for (int i = 0; i < 400; ++i) {
    const Sequence head = must(ledger->head(stream_of(session(0)))).sequence;
    const double from = now_seconds();
    must(ledger->append({{stream_of(session(0)), head, {EngineChanged{}}}}, system_clock().now()));
    must(ledger->sync());
    times.push_back((now_seconds() - from) * 1e6);
  }
  const double p50 = percentile(times, 0.5);
  std::printf("durable append alone                  p50 %8.0f us   p99 %8.0f us   %.2f x fdatasync (budget 2.2)\n", p50, percentile(times, 0.99),
              p50 / fdatasync_us);
}

void durable_turns(const std::string& directory, int turns, double probe) {
  auto ledger = must(open_ledger(directory + "/turns", {}));
  std::atomic<int> next = 0;
  const double from = now_seconds();
  std::vector<std::thread> threads;
  for (int t = 0; t < in_flight; ++t) {
    threads.emplace_back([&, t] {
      start(*ledger, t);
      for (int i = next++; i < turns; i = next++) take_turn(*ledger, t, "key " + std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double rate = turns / (now_seconds() - from);
  std::printf("durable turns of %zu events, %d in flight  %8.0f turns/s   %.2f x coalesced probe (budget 6,000 turns/s)\n", events_per_turn, in_flight, rate,
              rate / probe);
}

void reads(const std::string& directory) {
  auto ledger = must(open_ledger(directory + "/turns", {Durability::synced, OpenMode::read_only, false, false}));
  const auto heads = must(ledger->streams(StreamKind::session, std::nullopt, 1'000'000));
  std::uint64_t events = 0, broken = 0;
  double from = cpu_seconds();
  for (const StreamHead& head : heads) {
    Digest previous = chain_origin;
    for (std::uint64_t at = 1; at <= head.sequence.value; at += 1000) {
      for (const auto& event : must(ledger->stored_range(head.stream, Sequence{at}, 1000))) {
        previous = chain_hash(previous, event.envelope, event.payload);
        broken += previous != event.hash;
        ++events;
      }
    }
  }
  std::printf("verify                                     %8.0f events/s of CPU (budget 600,000), %llu broken\n", static_cast<double>(events) / (cpu_seconds() - from),
              static_cast<unsigned long long>(broken));
  from = cpu_seconds();
  std::uint64_t folded = 0;
  for (const StreamHead& head : heads) {
    IntentState state;
    for (std::uint64_t at = 1; at <= head.sequence.value; at += 1000) {
      for (const Event& event : must(ledger->read(head.stream, Sequence{at}, 1000))) fold(state, event);
    }
    folded += state.sequence.value;
  }
  std::printf("rebuild (read, decode, fold)               %8.0f events/s of CPU (budget 350,000)\n", static_cast<double>(folded) / (cpu_seconds() - from));
}

// Killed while its write buffer is as full as it gets: only then is there a log to recover.
void restart(const std::string& directory) {
  const std::string path = directory + "/turns";
  const pid_t pid = fork();
  if (pid == 0) {
    auto ledger = must(open_ledger(path, {Durability::fast, OpenMode::read_write, true, false}));
    start(*ledger, 1000);
    for (int i = 0; i < 2100; ++i) take_turn(*ledger, 1000, std::to_string(i), false);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  std::uintmax_t log_bytes = 0;
  for (const auto& entry : fs::directory_iterator(path + "/db")) {
    if (entry.path().extension() == ".log") log_bytes += entry.file_size();
  }
  const double from = now_seconds();
  auto ledger = must(open_ledger(path, {}));
  const double opened = now_seconds() - from;
  const std::size_t pending = must(ledger->pending()).size();
  std::printf("restart after kill, %5.1f MB of log        %8.0f ms, %zu pending, position %llu (budget 500 ms at 1 M events)\n",
              static_cast<double>(log_bytes) / 1e6, opened * 1e3, pending, static_cast<unsigned long long>(ledger->position().value));
}

int run(const std::string& parent, int turns) {
  struct statfs info {};
  if (statfs(parent.c_str(), &info) != 0 || info.f_type == tmpfs_magic) {
    std::fprintf(stderr, "ledger_bench: %s is missing or in memory; durable figures need a disk, name a directory on one\n", parent.c_str());
    return 2;
  }
  utsname machine{};
  uname(&machine);
  const std::string directory = parent + "/ledger-bench-" + std::to_string(getpid());
  fs::create_directories(directory);
  std::printf("machine      %s, %u cores, %s %s\n", first_line("/proc/cpuinfo", "model name").c_str(), std::thread::hardware_concurrency(), machine.sysname,
              machine.release);
  std::printf("file system  %s\nsync mode    synced (fdatasync of the log, shared by all who wait)\n\n", file_system(directory).c_str());
  const double fdatasync_us = fdatasync_p50(directory);
  const double probe = coalesced_probe(directory);
  durable_append(directory, fdatasync_us);
  durable_turns(directory, turns, probe);
  reads(directory);
  restart(directory);
  fs::remove_all(directory);
  return 0;
}

}  // namespace
}  // namespace turnstone

int main(int argc, char** argv) {
  if (argc > 3) {
    std::fprintf(stderr, "usage: ledger_bench [DIRECTORY] [TURNS]\n");
    return 2;
  }
  return turnstone::run(argc > 1 ? argv[1] : ".", argc > 2 ? std::max(1, std::atoi(argv[2])) : 20'000);
}
