// The turn as workers and the embedded engine take it, and reading a message alone, over a real index:
//
//   TURNSTONE_INDEX=DIR build/release/bench/worker_bench
//
// Conversations are put together from the index's own values, so that any catalogue can be measured. Beside the
// mean stand the 50th and 99th percentile of the thread's CPU time a turn, which other work on the machine
// disturbs least.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "workers/stages.h"
#include "workers/turn.h"

namespace turnstone {
namespace {

std::shared_ptr<const Artefact> index_of_environment() {
  const char* directory = std::getenv("TURNSTONE_INDEX");
  if (directory == nullptr) return nullptr;
  auto artefact = Artefact::open(directory);
  return artefact ? *artefact : nullptr;
}

std::int64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A kind of product, then two values of columns that are asked about, then more of the same: the n-th conversation.
std::vector<std::string> conversation(const Artefact& artefact, std::size_t n) {
  std::vector<std::string> says;
  if (const Facet* category = artefact.facet("category"); category != nullptr && category->value_count > 0) {
    const auto kinds = artefact.values(category->id);
    says.push_back("I'm looking for " + std::string(kinds[n * 7 % std::min<std::size_t>(kinds.size(), 100)].text));
  }
  std::vector<const Facet*> asked;
  for (const Facet& facet : artefact.facets()) {
    if (facet.verdict == Verdict::ask && facet.kind == FacetKind::words && facet.value_count > 1 && facet.name != "category") asked.push_back(&facet);
  }
  for (std::size_t i = 0; i < 2 && !asked.empty(); ++i) {
    const auto values = artefact.values(asked[(n + i) % asked.size()]->id);
    says.push_back("it should be " + std::string(values[n % std::min<std::size_t>(values.size(), 12)].text));
  }
  says.push_back("show me more");
  return says;
}

void fold_all(IntentState& state, const Proposal& proposal, TurnNumber turn) {
  for (const EventBody& event : proposal.events) fold(state, event, turn);
}

void take_conversation(const Artefact& artefact, const char* variant, std::size_t n, std::vector<std::int64_t>& times) {
  IntentState state;
  fold(state, SessionStarted{SessionId{"bench"}, "bench", variant, {}, {}, {}, {}}, TurnNumber{0});
  for (const std::string& text : conversation(artefact, n)) {
    TurnInput input;
    input.received.turn = next(state.turn);
    input.received.key = TurnKey{"k"};
    input.received.text = text;
    input.attempt = Attempt{1};
    fold(state, input.received, input.received.turn);
    const std::int64_t before = cpu_ns();
    const Proposal proposal = take_turn(state, input, artefact, *Policy::standard());
    times.push_back(cpu_ns() - before);
    fold_all(state, proposal, input.received.turn);
  }
}

void conversations(benchmark::State& bench, const char* variant) {
  const auto artefact = index_of_environment();
  if (artefact == nullptr) {
    bench.SkipWithError("set TURNSTONE_INDEX to an index directory (turnstone index FILE --out DIR)");
    return;
  }
  std::vector<std::int64_t> warm_up, times;
  take_conversation(*artefact, variant, 0, warm_up);
  std::size_t n = 0;
  for (auto _ : bench) take_conversation(*artefact, variant, n++, times);
  std::sort(times.begin(), times.end());
  bench.counters["products"] = artefact->product_count();
  bench.counters["turns"] = static_cast<double>(times.size());
  bench.counters["turn_p50_us"] = static_cast<double>(times[times.size() / 2]) / 1000.0;
  bench.counters["turn_p99_us"] = static_cast<double>(times[times.size() * 99 / 100]) / 1000.0;
}

// Reading one message after another of the conversations, each in the state of an opened session.
void understanding(benchmark::State& bench) {
  const auto artefact = index_of_environment();
  if (artefact == nullptr) {
    bench.SkipWithError("set TURNSTONE_INDEX to an index directory (turnstone index FILE --out DIR)");
    return;
  }
  std::vector<std::int64_t> times;
  std::size_t n = 0;
  const auto read = [&](const std::string& text) {
    TurnReceived received;
    received.text = text;
    StageRecord record;
    const std::int64_t before = cpu_ns();
    benchmark::DoNotOptimize(understand(IntentState{}, received, *artefact, *Policy::standard(), record));
    return cpu_ns() - before;
  };
  read("warm up");  // makes the lexicon
  for (auto _ : bench) {
    for (const std::string& text : conversation(*artefact, n++)) times.push_back(read(text));
  }
  std::sort(times.begin(), times.end());
  bench.counters["messages"] = static_cast<double>(times.size());
  bench.counters["message_p50_us"] = static_cast<double>(times[times.size() / 2]) / 1000.0;
  bench.counters["message_p99_us"] = static_cast<double>(times[times.size() * 99 / 100]) / 1000.0;
}

// A message of so many bytes, put together from the conversations; what it costs must grow with its length alone.
void long_message(benchmark::State& bench) {
  const auto artefact = index_of_environment();
  if (artefact == nullptr) {
    bench.SkipWithError("set TURNSTONE_INDEX to an index directory (turnstone index FILE --out DIR)");
    return;
  }
  TurnReceived received;
  for (std::size_t n = 0; received.text.size() < static_cast<std::size_t>(bench.range(0)); ++n) {
    for (const std::string& text : conversation(*artefact, n)) received.text += text + ". ";
  }
  received.text.resize(static_cast<std::size_t>(bench.range(0)));
  StageRecord record;
  for (auto _ : bench) benchmark::DoNotOptimize(understand(IntentState{}, received, *artefact, *Policy::standard(), record));
  bench.SetComplexityN(bench.range(0));
}

BENCHMARK(understanding)->Unit(benchmark::kMicrosecond);
BENCHMARK(long_message)->Arg(625)->Arg(1250)->Arg(2500)->Arg(5000)->Unit(benchmark::kMicrosecond)->Complexity();
BENCHMARK_CAPTURE(conversations, shopper, "shopper")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(conversations, benchmark, "benchmark")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace turnstone

BENCHMARK_MAIN();
