// What can be wrong on a host, and the cure: the checks behind `turnstone doctor`.
//
// Each check looks at one thing and changes nothing that outlives it; what it cannot look at is not called good. Thread safe; a check of the disk takes a fraction
// of a second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

struct HostFinding {
  enum class Level : std::uint8_t { good, warning, bad } level = Level::good;
  std::string what;    // was looked at
  std::string detail;  // what was found
  std::string cure;    // what to do; empty when good
};
std::string_view to_string(HostFinding::Level level);

inline constexpr std::uint64_t space_bytes_bad = 64ULL << 20U;     // less free than this: turns will be refused
inline constexpr std::uint64_t space_bytes_warning = 1ULL << 30U;  // … soon
inline constexpr std::uint64_t open_files_warning = 4'096;         // 2,000 connections, the ledger's tables and some
inline constexpr std::int64_t sync_us_warning = 20'000;            // a turn waits for one
inline constexpr std::uint64_t memory_bytes_warning = 512ULL << 20U;

// The folder of a ledger: file system, space, who may read it, whether it is complete and who has it open. A folder that
// does not exist yet is looked at as the one above it. `master_key`: its file; empty: FOLDER/MASTER.
std::vector<HostFinding> check_ledger_folder(const std::string& folder, const std::string& master_key = {});
// The index opens and its digests hold.
HostFinding check_index(const std::string& folder);
// Open files, memory, clock. `memory`: where the system tells of its memory.
std::vector<HostFinding> check_process_limits(const std::string& memory = "/proc/meminfo");

}  // namespace turnstone
