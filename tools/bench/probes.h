// Raw probes: what the hardware does without us, measured in the same minute as the figure it stands beside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/error.h"
#include "storage/artefact/artefact.h"

namespace turnstone {

// What a figure was measured on, for printing before it.
struct Machine {
  std::string cpu;
  unsigned cores = 0;
  std::string kernel;
  std::uint64_t memory_mb = 0;
  std::string build;  // compiler and whether assertions are on
};
Machine this_machine();
// The type of the file system that holds `directory` ("ext4", "overlay", "tmpfs" …).
std::string file_system_of(const std::string& directory);

struct Percentiles {
  std::size_t count = 0;
  std::int64_t p50 = 0, p90 = 0, p99 = 0, max = 0;
};
Percentiles percentiles(std::vector<std::int64_t> values);

// One core reading memory it has not cached: GB/s over 256 MB.
double memory_read_gb_per_s();
// Nanoseconds a posting when the longest postings lists are summed in turn.
double posting_scan_ns(const Artefact& artefact);

}  // namespace turnstone
