// `turnstone bench http`: turns end to end over HTTP, engine and workers as processes, at a fixed rate.
//
// The load is open: turns are due at fixed times whatever the service does, and a turn's time is counted from when it
// was due. A service that falls behind cannot slow its own load down and look faster for it.
#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/gateway/http_client.h"
#include "engine/gateway/target.h"
#include "tools/bench/benches.h"
#include "tools/bench/disk_probes.h"
#include "tools/bench/report.h"
#include "tools/bench/service_under_load.h"
#include "tools/embedded_engine.h"
#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t front_ends = 64;  // conversations at a time: the most turns that can be open at once

struct HttpBenchOptions {
  GroundOptions ground;
  std::string policy = "shopper";
  std::string directory = ".";
  std::string durability = "synced";
  std::uint32_t workers = 2;
  std::uint32_t rate = 50;
  std::uint32_t seconds = 20;
  bool json = false;
};

// Hands out the times at which turns are due, to whichever conversation asks first.
class Schedule {
 public:
  Schedule(std::uint32_t rate, std::uint32_t seconds)
      : begin_(SteadyClock::now() + milliseconds(200)), rate_(rate), count_(std::uint64_t{rate} * seconds) {}
  // Waits for the next due time; nothing when the load is over.
  std::optional<SteadyClock::time_point> next() {
    const std::uint64_t number = given_++;
    if (number >= count_) return std::nullopt;
    const auto due = begin_ + microseconds(number * 1'000'000 / rate_);
    std::this_thread::sleep_until(due);
    return due;
  }
  bool over() const { return given_ >= count_; }
  int permille() const { return static_cast<int>(std::min<std::uint64_t>(1'000, given_ * 1'000 / count_)); }

 private:
  const SteadyClock::time_point begin_;
  const std::uint64_t rate_, count_;
  std::atomic<std::uint64_t> given_{0};
};

struct Figures {
  std::mutex mutex;
  std::vector<std::int64_t> turn_us;     // from when it was due to the whole reply
  std::vector<std::int64_t> gateway_us;  // what the gateway says of the same turns
  std::uint64_t failed = 0;
};

// The service under load, for a simulated shopper.
class HttpAgent final : public Agent {
 public:
  HttpAgent(const HttpAddress& address, std::string session, Schedule& schedule, Figures& figures)
      : client_(address), session_(std::move(session)), schedule_(schedule), figures_(figures) {}

  Result<Answer> say(const Utterance& utterance) override {
    const auto due = schedule_.next();
    if (!due) return fail(ErrorCode::closed, "the load is over");
    const HttpRequest request{"POST",
                              "/v1/sessions/" + percent_encode(session_) + "/turns",
                              {{"Idempotency-Key", fmt::format("turn-{}", ++turns_)}},
                              Json({{"message", utterance.text}}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    const auto reply = client_.send(request);
    const auto took = std::chrono::duration_cast<microseconds>(SteadyClock::now() - *due).count();
    const std::lock_guard lock(figures_.mutex);
    if (!reply || reply->status != 200) {
      ++figures_.failed;
      return fail(ErrorCode::io, reply ? reply->body : reply.error().detail);
    }
    figures_.turn_us.push_back(took);
    const Json document = Json::parse(reply->body, nullptr, false);
    if (document.contains("timing_us")) figures_.gateway_us.push_back(document["timing_us"].value("total", std::int64_t{0}));
    return read_reply(reply->body);
  }

 private:
  HttpClient client_;
  const std::string session_;
  Schedule& schedule_;
  Figures& figures_;
  std::uint32_t turns_ = 0;
};

// Conversations one after the other until the load is over.
void converse(const HttpBenchOptions& options, const HttpAddress& address, const Ground& ground, const RowIndex& rows,
              std::atomic<std::size_t>& next_session, Schedule& schedule, Figures& figures) {
  HttpClient client(address);
  while (!schedule.over()) {
    const std::size_t number = next_session++;
    const std::string session = fmt::format("bench-{}", number);
    const auto created = client.send({"POST", "/v1/sessions", {}, Json({{"session", session}, {"policy", options.policy}}).dump()});
    if (!created || created->status != 201) {
      if (schedule.over()) return;
      const std::lock_guard lock(figures.mutex);
      ++figures.failed;
      return;
    }
    HttpAgent agent(address, session, schedule, figures);
    // A conversation that was cut off by the end of the load, or failed, has been counted already.
    [[maybe_unused]] const auto outcome = run_trial(ground.sessions[number % ground.sessions.size()], rows, {options.ground.seed + number}, agent);
  }
}

// Says what the shoppers say to an engine without servers, at the same times.
class PacedAgent final : public Agent {
 public:
  PacedAgent(EmbeddedEngine& engine, SessionId session, Schedule& schedule, std::vector<std::int64_t>& decided_us)
      : engine_(engine), session_(std::move(session)), schedule_(schedule), decided_us_(decided_us) {}
  Result<Answer> say(const Utterance& utterance) override {
    if (!schedule_.next()) return fail(ErrorCode::closed, "the load is over");
    TurnRequest request;
    request.session = session_;
    request.key = TurnKey{fmt::format("turn-{}", ++turns_)};
    request.text = utterance.text;
    const auto reply = engine_.take_turn(request);
    if (!reply) return tl::unexpected(reply.error());
    decided_us_.push_back(reply->timings.decide);
    return read_reply(reply->reply.document);
  }

 private:
  EmbeddedEngine& engine_;
  const SessionId session_;
  Schedule& schedule_;
  std::vector<std::int64_t>& decided_us_;
  std::uint32_t turns_ = 0;
};

// The part of a turn that no service can do without: what deciding alone takes at this rate, on processors that rest in between.
Result<std::vector<std::int64_t>> decide_at_the_same_rate(const HttpBenchOptions& options, const Ground& ground, const std::string& folder) {
  LedgerOptions ledger_options;
  ledger_options.durability = Durability::fast;
  const auto ledger = open_ledger(folder, ledger_options);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto engine = EmbeddedEngine::open(**ledger, ground.artefact, ground.policy, system_clock());
  if (!engine) return tl::unexpected(engine.error());
  const RowIndex rows(ground.rows);
  std::vector<std::int64_t> decided_us;
  Schedule schedule(options.rate, std::max(1U, options.seconds / 4));
  for (std::size_t number = 0; !schedule.over(); ++number) {
    NewSession session;
    session.session = SessionId{fmt::format("bench-{}", number)};
    session.policy_variant = options.policy;
    if (auto started = (*engine)->start_session(session); !started) return tl::unexpected(started.error());
    PacedAgent agent(**engine, *session.session, schedule, decided_us);
    [[maybe_unused]] const auto outcome = run_trial(ground.sessions[number % ground.sessions.size()], rows, {options.ground.seed + number}, agent);
  }
  return decided_us;
}

// Round trips of 1 kB between two threads over loopback TCP: what any HTTP exchange costs at least.
Result<Percentiles> loopback_echo_us(std::size_t count) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool connected = bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(listener, 1) == 0 &&
                         getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
                         connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  const int server = connected ? accept(listener, nullptr, nullptr) : -1;
  close(listener);
  if (server < 0) {
    close(client);
    return fail(ErrorCode::io, "the loopback interface cannot be used; is it up?");
  }
  std::thread echo([server] {
    char bytes[1024];
    while (recv(server, bytes, sizeof bytes, MSG_WAITALL) == sizeof bytes && send(server, bytes, sizeof bytes, MSG_NOSIGNAL) == sizeof bytes) {}
    close(server);
  });
  std::vector<std::int64_t> times;
  char bytes[1024] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const auto begun = SteadyClock::now();
    if (send(client, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes || recv(client, bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes) break;
    times.push_back(std::chrono::duration_cast<microseconds>(SteadyClock::now() - begun).count());
  }
  close(client);
  echo.join();
  return percentiles(std::move(times));
}

std::vector<std::string> arguments_of(const HttpBenchOptions& options, const std::string& ledger) {
  std::vector<std::string> arguments{"--index",    options.ground.index, "--ledger", ledger, "--workers", std::to_string(options.workers), "--durability",
                                     options.durability};
  if (!options.ground.policy_file.empty()) arguments.insert(arguments.end(), {"--policy", options.ground.policy_file});
  return arguments;
}

Status put_load(const HttpBenchOptions& options, const Ground& ground, ServiceUnderLoad& service, Figures& figures) {
  const RowIndex rows(ground.rows);
  Schedule schedule(options.rate, options.seconds);
  std::atomic<std::size_t> next_session{0}, talking{front_ends};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < front_ends; ++i) {
    threads.emplace_back([&] {
      converse(options, service.address(), ground, rows, next_session, schedule, figures);
      --talking;
    });
  }
  ProgressBar progress("bench http");
  const bool whole = service.watch([&] {
    progress.update("turns", schedule.permille());
    return talking == 0;
  });
  while (!schedule.over()) schedule.next();  // a load that was broken off gives nothing out any more
  for (std::thread& thread : threads) thread.join();
  if (!whole) return fail(ErrorCode::closed, "stopped before the load was over");
  return {};
}

Result<ExitCode> run_http_bench(const HttpBenchOptions& options) {
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("http", (*scratch)->path(), options.durability);
  if (!report) return tl::unexpected(report.error());
  std::vector<std::int64_t> syncs;
  if (auto probed = add_fdatasyncs((*scratch)->path(), 100, syncs); !probed) return tl::unexpected(probed.error());
  ServiceUnderLoad service;
  if (Status started = service.start(arguments_of(options, (*scratch)->path() + "/ledger")); !started) return tl::unexpected(started.error());
  Figures figures;
  const Status loaded = put_load(options, *ground, service, figures);
  service.stop();
  if (!loaded) return tl::unexpected(loaded.error());
  const auto decided = decide_at_the_same_rate(options, *ground, (*scratch)->path() + "/embedded");
  if (!decided) return tl::unexpected(decided.error());
  if (auto probed = add_fdatasyncs((*scratch)->path(), 100, syncs); !probed) return tl::unexpected(probed.error());
  const auto echo = loopback_echo_us(2'000);
  if (!echo) return tl::unexpected(echo.error());

  const Percentiles turn = percentiles(figures.turn_us), decide = percentiles(*decided);
  report->circumstance("products", static_cast<std::int64_t>(ground->artefact->product_count()));
  report->circumstance("workers", options.workers);
  report->circumstance("turns_a_second_open_loop", options.rate);
  report->circumstance("seconds", options.seconds);
  report->circumstance("failed", static_cast<std::int64_t>(figures.failed));
  report->times("turn_over_http", turn);
  report->times("in_the_gateway", percentiles(figures.gateway_us));
  report->figure("turn_over_http_p50", static_cast<double>(turn.p50) / 1'000, "ms", at_most(4));
  report->figure("turn_over_http_p99", static_cast<double>(turn.p99) / 1'000, "ms", at_most(15));
  report->probe("decided_embedded_at_the_same_rate", decide);
  report->probe("fdatasync", percentiles(std::move(syncs)));
  report->probe("loopback_echo", *echo);
  report->print(options.json);
  return figures.failed == 0 ? ExitCode::success : ExitCode::negative;
}

}  // namespace

Verb add_bench_http(CLI::App& bench) {
  auto options = std::make_shared<HttpBenchOptions>();
  CLI::App* http = bench.add_subcommand("http", "Latency of turns over HTTP through engine and workers, at a fixed rate");
  add_ground_options(*http, options->ground);
  http->add_option("--policy", options->policy, "Variant of the policy")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  http->add_option("--policy-file", options->ground.policy_file, "Policy to use instead of the compiled-in one");
  http->add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(1, 256))->capture_default_str();
  http->add_option("--rate", options->rate, "Turns a second")->check(CLI::Range(1, 100'000))->capture_default_str();
  http->add_option("--seconds", options->seconds, "Length of the load")->check(CLI::Range(1, 3'600))->capture_default_str();
  http->add_option("--durability", options->durability, "Sync before every reply, or not")
      ->check(CLI::IsMember({"synced", "fast"}))
      ->capture_default_str();
  http->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*http, options->json);
  return {http, [options] { return run_http_bench(*options); }};
}

}  // namespace turnstone
