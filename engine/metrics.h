// Counters as Prometheus reads them (text exposition format 0.0.4). docs/operations.md explains each.
//
// Pure; thread safe. No label holds anything that a shopper said or is named by.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/counters.h"

namespace turnstone {

struct Metric {
  enum class Kind : std::uint8_t { counter, gauge } kind = Kind::counter;
  std::string name;  // without "turnstone_"; a counter's ends with _total
  std::string help;
  struct Sample {
    std::string label;  // value of the label `label_name`; empty: no label
    std::uint64_t value = 0;
  };
  std::string label_name;
  std::vector<Sample> samples;
};

inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

std::vector<Metric> metrics_of(const EngineCounters& counters);
std::string exposition(const std::vector<Metric>& metrics);

}  // namespace turnstone
