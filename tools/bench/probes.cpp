#include "tools/bench/probes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace turnstone {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point began) { return std::chrono::duration<double>(SteadyClock::now() - began).count(); }

// Keeps the optimiser from dropping a sum that nobody reads.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cores = std::thread::hardware_concurrency();
  utsname name{};
  if (uname(&name) == 0) machine.kernel = fmt::format("{} {}", name.sysname, name.release);
  struct sysinfo memory {};
  if (sysinfo(&memory) == 0) machine.memory_mb = memory.totalram * memory.mem_unit / (1 << 20);
#ifdef NDEBUG
  constexpr const char* kind = "optimised";
#else
  constexpr const char* kind = "DEBUG, figures are not comparable";
#endif
#ifdef __clang__
  machine.build = fmt::format("clang {}, {}", __clang_major__, kind);
#else
  machine.build = fmt::format("gcc {}, {}", __GNUC__, kind);
#endif
  return machine;
}

std::string file_system_of(const std::string& directory) {
  struct statfs information {};
  if (statfs(directory.c_str(), &information) != 0) return "unknown";
  switch (static_cast<std::uint64_t>(information.f_type)) {
    case 0xEF53: return "ext4";
    case 0x58465342: return "xfs";
    case 0x9123683E: return "btrfs";
    case 0x01021994: return "tmpfs";
    case 0x794C7630: return "overlay";
    case 0x6969: return "nfs";
    case 0x2FC12FC1: return "zfs";
    default: return fmt::format("{:#x}", static_cast<std::uint64_t>(information.f_type));
  }
}

Percentiles percentiles(std::vector<std::int64_t> values) {
  Percentiles out;
  out.count = values.size();
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t permille) { return values[std::min(values.size() - 1, values.size() * permille / 1000)]; };
  out.p50 = at(500);
  out.p90 = at(900);
  out.p99 = at(990);
  out.max = values.back();
  return out;
}

double memory_read_gb_per_s() {
  const std::vector<std::uint64_t> memory((256U << 20) / sizeof(std::uint64_t), 1);
  const auto began = SteadyClock::now();
  std::uint64_t sum = 0;
  for (const std::uint64_t word : memory) sum += word;
  keep(sum);
  return static_cast<double>(memory.size() * sizeof(std::uint64_t)) / 1e9 / seconds_since(began);
}

double posting_scan_ns(const Artefact& artefact) {
  std::vector<TermId> terms;
  for (std::uint32_t term = 0; term < artefact.term_count(); ++term) terms.emplace_back(term);
  const std::size_t longest = std::min<std::size_t>(200, terms.size());
  std::partial_sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(longest), terms.end(), [&artefact](TermId a, TermId b) {
    const auto left = artefact.document_frequency(a), right = artefact.document_frequency(b);
    return left != right ? left > right : a < b;
  });
  std::uint64_t sum = 0, postings = 0;
  const auto began = SteadyClock::now();
  for (std::size_t at = 0; at < longest; ++at) {
    for (const Posting& posting : artefact.postings(terms[at])) sum += posting.impact;
    postings += artefact.postings(terms[at]).size();
  }
  keep(sum);
  return postings == 0 ? 0 : seconds_since(began) * 1e9 / static_cast<double>(postings);
}

}  // namespace turnstone
