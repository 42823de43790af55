#include "engine/metrics.h"

#include <gtest/gtest.h>

namespace turnstone {
namespace {

TEST(Metrics, AreWhatPrometheusReads) {
  EngineCounters counters;
  counters.turns_committed = 7;
  counters.fenced = 3;
  counters.in_flight = 2;
  counters.traffic.dropped_frames = 4;
  const std::string text = exposition(metrics_of(counters));
  EXPECT_NE(text.find("# TYPE turnstone_turns_finished_total counter\nturnstone_turns_finished_total{outcome=\"committed\"} 7\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("turnstone_proposals_turned_away_total{reason=\"fenced\"} 3\n"), std::string::npos);
  EXPECT_NE(text.find("# TYPE turnstone_turns_in_flight gauge\nturnstone_turns_in_flight 2\n"), std::string::npos);
  EXPECT_NE(text.find("turnstone_bus_dropped_total{reason=\"unreadable\"} 4\n"), std::string::npos);
}

// Each counter ends in exactly one sample: setting it changes one line and no other.
TEST(Metrics, EachCounterIsToldOnce) {
  std::vector<std::uint64_t EngineCounters::*> members = {
      &EngineCounters::turns_accepted, &EngineCounters::turns_committed, &EngineCounters::turns_repeated, &EngineCounters::turns_parked,
      &EngineCounters::refused_busy,   &EngineCounters::dispatched,      &EngineCounters::redispatched,   &EngineCounters::fenced,
      &EngineCounters::stale,          &EngineCounters::conflicts,       &EngineCounters::rejected,       &EngineCounters::failed,
      &EngineCounters::stalled,        &EngineCounters::workers_joined,  &EngineCounters::workers_gone,   &EngineCounters::workers_hung,
      &EngineCounters::engine_changes, &EngineCounters::syncs,           &EngineCounters::sync_failures,  &EngineCounters::publications,
      &EngineCounters::streams_erased};
  for (const auto member : members) {
    EngineCounters counters;
    counters.*member = 41;
    int told = 0;
    for (const Metric& metric : metrics_of(counters)) {
      for (const Metric::Sample& sample : metric.samples) told += sample.value == 41 ? 1 : 0;
    }
    EXPECT_EQ(told, 1);
  }
}

}  // namespace
}  // namespace turnstone
