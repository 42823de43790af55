// `turnstone bench session`: what a turn of a very long session takes beside one of a short session, and what turns take on the disk.
//
// One session is talked into by one simulated shopper after the other until it holds so many events. Then the same messages go to it and to short
// sessions in turn, so that whatever else the machine does meanwhile falls on both: embedded with the state warm, embedded by a fresh engine that
// knows no state, and over HTTP through an engine and a worker that were just started and then are warm.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/gateway/target.h"
#include "storage/files/unfinished.h"
#include "storage/ledger/session_state.h"
#include "tools/bench/benches.h"
#include "tools/bench/paired.h"
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
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t short_events = 50;
constexpr std::size_t short_sessions = 40;
constexpr std::size_t turns_a_short_session = 3;  // measured ones, so that it stays short
constexpr std::size_t cold_rounds = 30;
constexpr std::size_t service_starts = 5;
constexpr std::size_t warm_turns_a_start = 20;
const SessionId long_session{"long"};

struct SessionBenchOptions {
  GroundOptions ground;
  std::string directory = ".";
  std::uint64_t events = 50'000;
  bool json = false;
};

SessionId short_session(std::size_t number) { return SessionId{fmt::format("short-{}", number)}; }

std::int64_t us_since(Clock::time_point begun) { return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun).count(); }

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code gone;  // files come and go while the ledger is open
  for (std::filesystem::recursive_directory_iterator it(folder, gone), end; !gone && it != end; it.increment(gone)) {
    std::error_code no_size;
    const std::uint64_t size = it->is_regular_file(no_size) ? it->file_size(no_size) : 0;
    if (!no_size) bytes += size;
  }
  return bytes;
}

// Says a text in a session of an embedded engine.
Result<EmbeddedReply> say(EmbeddedEngine& engine, const SessionId& session, const std::string& text, std::uint64_t number) {
  TurnRequest request;
  request.session = session;
  request.key = TurnKey{fmt::format("turn-{}", number)};
  request.text = text;
  request.top_k = top_k;
  return engine.take_turn(request);
}

// What was said while the long session grew, and how the disk did.
struct Growth {
  std::vector<std::string> texts;
  std::vector<std::pair<double, double>> turns_and_bytes;
};

class GrowingAgent final : public Agent {
 public:
  GrowingAgent(EmbeddedEngine& engine, std::string folder, Growth& growth) : engine_(engine), folder_(std::move(folder)), growth_(growth) {}
  Result<Answer> say(const Utterance& utterance) override {
    growth_.texts.push_back(utterance.text);
    const auto reply = turnstone::say(engine_, long_session, utterance.text, growth_.texts.size());
    if (!reply) return tl::unexpected(reply.error());
    if (growth_.texts.size() % 200 == 0) growth_.turns_and_bytes.emplace_back(growth_.texts.size(), bytes_below(folder_));
    return read_reply(reply->reply.document);
  }

 private:
  EmbeddedEngine& engine_;
  const std::string folder_;
  Growth& growth_;
};

Status start(EmbeddedEngine& engine, const SessionId& id) {
  NewSession session;
  session.session = id;
  session.channel = "bench";
  session.policy_variant = "shopper";
  const auto started = engine.start_session(session);
  return started ? Status{} : Status(tl::unexpected(started.error()));
}

Result<Growth> grow(EmbeddedEngine& engine, const Ledger& ledger, const Ground& ground, const SessionBenchOptions& options, const std::string& folder) {
  if (auto begun = start(engine, long_session); !begun) return tl::unexpected(begun.error());
  Growth growth;
  const RowIndex rows(ground.rows);
  ProgressBar progress("bench session");
  for (std::size_t round = 0;; ++round) {
    const auto head = ledger.head(stream_of(long_session));
    if (!head) return tl::unexpected(head.error());
    if (head->sequence.value >= options.events) return growth;
    progress.update(fmt::format("{} events", head->sequence.value), static_cast<int>(head->sequence.value * 1'000 / options.events));
    GrowingAgent agent(engine, folder, growth);
    const auto outcome = run_trial(ground.sessions[round % ground.sessions.size()], rows, {options.ground.seed + round}, agent);
    if (!outcome) return tl::unexpected(outcome.error());
  }
}

// Least squares of bytes over turns.
struct Line {
  double bytes_a_turn = 0, r_squared = 0;
};
Line line_through(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const auto& [turns, bytes] : points) n += 1, x += turns, y += bytes, xx += turns * turns, xy += turns * bytes, yy += bytes * bytes;
  const double sxx = n * xx - x * x, sxy = n * xy - x * y, syy = n * yy - y * y;
  return sxx > 0 && syy > 0 ? Line{sxy / sxx, sxy * sxy / (sxx * syy)} : Line{};
}

struct Pair {
  std::vector<std::int64_t> of_short, of_long;
};

struct Figures {
  Pair warm, cold, http_cold, http_warm;
  std::vector<std::int64_t> fold_all;  // the long session, without its snapshot
  std::uint64_t events = 0, turns = 0;
  Line disk;
};

// Grows the short sessions, then measures warm turns of both kinds.
Status measure_warm(EmbeddedEngine& engine, const Ledger& ledger, Growth& growth, Figures& figures) {
  for (std::size_t number = 0; number < short_sessions; ++number) {
    const SessionId session = short_session(number);
    if (auto begun = start(engine, session); !begun) return begun;
    std::uint64_t said = 0;
    for (auto head = ledger.head(stream_of(session)); head && head->sequence.value < short_events; head = ledger.head(stream_of(session))) {
      const auto reply = say(engine, session, growth.texts[(number * 97 + said) % growth.texts.size()], said);
      if (!reply) return tl::unexpected(reply.error());
      ++said;
    }
    for (std::size_t turn = 0; turn < turns_a_short_session; ++turn) {
      const std::string text = growth.texts[(number * 131 + turn * 17) % growth.texts.size()];
      const auto one = say(engine, session, text, 1'000 + turn);
      if (!one) return tl::unexpected(one.error());
      growth.texts.push_back(text);
      const auto other = say(engine, long_session, text, growth.texts.size());
      if (!other) return tl::unexpected(other.error());
      figures.warm.of_short.push_back(one->timings.total);
      figures.warm.of_long.push_back(other->timings.total);
    }
  }
  return {};
}

// The first turn that an engine takes of a session, which it knows nothing of.
Status measure_cold(Ledger& ledger, const Ground& ground, Growth& growth, Figures& figures) {
  for (std::size_t round = 0; round < cold_rounds; ++round) {
    const auto engine = EmbeddedEngine::open(ledger, ground.artefact, ground.policy, system_clock());
    if (!engine) return tl::unexpected(engine.error());
    const std::string text = growth.texts[round * 53 % growth.texts.size()];
    const auto one = say(**engine, short_session(round), text, 2'000);
    if (!one) return tl::unexpected(one.error());
    growth.texts.push_back(text);
    const auto other = say(**engine, long_session, text, growth.texts.size());
    if (!other) return tl::unexpected(other.error());
    figures.cold.of_short.push_back(one->timings.total);
    figures.cold.of_long.push_back(other->timings.total);
  }
  for (int round = 0; round < 5; ++round) {
    const auto begun = Clock::now();
    IntentState state;
    if (auto folded = catch_up(ledger, long_session, state); !folded) return folded;
    figures.fold_all.push_back(us_since(begun));
  }
  return {};
}

Result<std::int64_t> say_over_http(HttpClient& client, const SessionId& session, const std::string& text, const std::string& key) {
  const HttpRequest request{"POST", "/v1/sessions/" + percent_encode(session.value) + "/turns", {{"Idempotency-Key", key}},
                            Json({{"message", text}}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
  const auto begun = Clock::now();
  const auto reply = client.send(request);
  if (!reply || reply->status != 200) return fail(ErrorCode::io, reply ? reply->body : reply.error().detail);
  return us_since(begun);
}

Status measure_http(const SessionBenchOptions& options, const std::string& ledger, const Growth& growth, Figures& figures) {
  for (std::size_t start = 0; start < service_starts; ++start) {
    ServiceUnderLoad service;
    std::vector<std::string> arguments{"--index", options.ground.index, "--ledger", ledger, "--workers", "1", "--durability", "fast"};
    if (!options.ground.policy_file.empty()) arguments.insert(arguments.end(), {"--policy", options.ground.policy_file});
    if (auto begun = service.start(std::move(arguments)); !begun) return begun;
    HttpClient client(service.address());
    // A session that is not measured takes what the first turn of any process takes.
    if (auto first = say_over_http(client, short_session(short_sessions - 1 - start), growth.texts.front(), fmt::format("http-{}", start)); !first) {
      return tl::unexpected(first.error());
    }
    const SessionId session = short_session(start);
    for (std::size_t turn = 0; turn <= warm_turns_a_start; ++turn) {
      const std::string& text = growth.texts[(start * 211 + turn * 29) % growth.texts.size()];
      const std::string key = fmt::format("http-{}-{}", start, turn);
      const auto one = say_over_http(client, session, text, key);
      if (!one) return tl::unexpected(one.error());
      const auto other = say_over_http(client, long_session, text, key);
      if (!other) return tl::unexpected(other.error());
      Pair& pair = turn == 0 ? figures.http_cold : figures.http_warm;
      pair.of_short.push_back(*one);
      pair.of_long.push_back(*other);
    }
    service.stop();
  }
  return {};
}

Result<Figures> measure(const Ground& ground, const SessionBenchOptions& options, const std::string& folder) {
  Figures figures;
  Growth growth;
  {
    LedgerOptions ledger_options;
    ledger_options.durability = Durability::fast;
    auto ledger = open_ledger(folder, ledger_options);
    if (!ledger) return tl::unexpected(ledger.error());
    auto engine = EmbeddedEngine::open(**ledger, ground.artefact, ground.policy, system_clock());
    if (!engine) return tl::unexpected(engine.error());
    auto grown = grow(**engine, **ledger, ground, options, folder);
    if (!grown) return tl::unexpected(grown.error());
    growth = std::move(*grown);
    const auto head = (*ledger)->head(stream_of(long_session));
    figures.events = head ? head->sequence.value : 0;
    figures.turns = growth.texts.size();
    figures.disk = line_through(growth.turns_and_bytes);
    if (auto warm = measure_warm(**engine, **ledger, growth, figures); !warm) return tl::unexpected(warm.error());
    if (auto cold = measure_cold(**ledger, ground, growth, figures); !cold) return tl::unexpected(cold.error());
  }
  if (auto http = measure_http(options, folder, growth, figures); !http) return tl::unexpected(http.error());
  return figures;
}

void add(BenchReport& report, const std::string& name, const Pair& pair) {
  const Percentiles one = percentiles(pair.of_short), other = percentiles(pair.of_long);
  report.times(name + "_short", one);
  report.times(name + "_long", other);
  report.figure(name + "_long_to_short", ratio_of(other.p50, one.p50), "x", at_most(2));
}

Result<ExitCode> run_session_bench(const SessionBenchOptions& options) {
  const ClearedWhenStopped cleared;
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  const auto scratch = TemporaryFolder::make(options.directory);
  if (!scratch) return tl::unexpected(scratch.error());
  auto report = BenchReport::begin("session", (*scratch)->path(), "fast");
  if (!report) return tl::unexpected(report.error());
  const auto figures = measure(*ground, options, (*scratch)->path() + "/ledger");
  if (!figures) return tl::unexpected(figures.error());
  report->circumstance("products", static_cast<std::int64_t>(ground->artefact->product_count()));
  report->circumstance("events_of_a_short_session", static_cast<std::int64_t>(short_events));
  report->circumstance("events_of_the_long_session", static_cast<std::int64_t>(figures->events));
  report->circumstance("turns_of_the_long_session", static_cast<std::int64_t>(figures->turns));
  add(*report, "embedded_state_warm", figures->warm);
  add(*report, "embedded_fresh_engine", figures->cold);
  add(*report, "http_fresh_worker", figures->http_cold);
  add(*report, "http_worker_warm", figures->http_warm);
  report->times("folded_from_the_first_event", percentiles(figures->fold_all));
  report->figure("on_the_disk", figures->disk.bytes_a_turn, "bytes a turn");
  report->figure("on_the_disk_r_squared", figures->disk.r_squared, "of a straight line");
  report->probe("memory_read", memory_read_gb_per_s(), "GB/s on one core");
  report->print(options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_bench_session(CLI::App& bench) {
  auto options = std::make_shared<SessionBenchOptions>();
  CLI::App* session = bench.add_subcommand("session", "A turn of a very long session beside one of a short session; bytes a turn on the disk");
  add_ground_options(*session, options->ground);
  session->add_option("--policy-file", options->ground.policy_file, "Policy to use instead of the compiled-in one");
  session->add_option("--events", options->events, "Events of the long session")->check(CLI::Range(1'000, 10'000'000))->capture_default_str();
  session->add_option("--dir", options->directory, "Folder on the disk to measure")->capture_default_str();
  add_json_flag(*session, options->json);
  return {session, [options] { return run_session_bench(*options); }};
}

}  // namespace turnstone
