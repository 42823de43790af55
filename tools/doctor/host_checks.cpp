#include "tools/doctor/host_checks.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "storage/artefact/artefact.h"
#include "storage/ledger/ledger.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;
using Level = HostFinding::Level;

constexpr std::uint64_t mebibyte = 1ULL << 20U;

HostFinding good(std::string what, std::string detail) { return {Level::good, std::move(what), std::move(detail), {}}; }

HostFinding unseen(std::string what, std::string detail, std::string cure) { return {Level::warning, std::move(what), std::move(detail), std::move(cure)}; }

// The folder itself, or the nearest one above it that exists.
std::string existing(const std::string& folder) {
  fs::path path = fs::absolute(folder);
  std::error_code error;
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

HostFinding check_file_system(const std::string& folder) {
  constexpr long tmpfs = 0x01021994, ramfs = static_cast<long>(0x858458f6), nfs = 0x6969;
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) {
    return {Level::bad, "file system", folder + ": " + std::strerror(errno), "name a folder that this user can reach"};
  }
  if (info.f_type == tmpfs || info.f_type == ramfs) {
    return {Level::warning, "file system", folder + " is in memory: a restart of the machine loses every turn", "keep the ledger on a disk"};
  }
  if (info.f_type == nfs) {
    return {Level::warning, "file system", folder + " is on a network: its syncs and locks may not hold", "keep the ledger on a local disk"};
  }
  return good("file system", folder + " is on a disk");
}

HostFinding check_space(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0)
    return {Level::bad, "space", folder + ": " + std::strerror(errno), "name a folder that this user can reach"};
  const std::uint64_t free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  const std::string detail = fmt::format("{} MiB are free", free / mebibyte);
  if (free < space_bytes_bad)
    return {Level::bad, "space", detail, "free some: turns are refused when the disk is full, and go on by themselves after"};
  if (free < space_bytes_warning) return {Level::warning, "space", detail, "free some before turns are refused"};
  return good("space", detail);
}

// The median of a few small writes, each synced; nothing is left behind.
HostFinding check_sync(const std::string& folder) {
  const std::string name = folder + "/turnstone-doctor-" + std::to_string(::getpid());
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return {Level::bad, "disk sync", folder + " cannot be written: " + std::strerror(errno), "give this user the right to write there"};
  std::array<std::int64_t, 9> times{};
  bool synced = true;
  for (std::int64_t& time : times) {
    const std::int64_t begun = system_clock().monotonic_us();
    synced = synced && ::write(descriptor, "turnstone", 9) == 9 && ::fdatasync(descriptor) == 0;
    time = system_clock().monotonic_us() - begun;
  }
  const int failure = errno;
  ::close(descriptor);
  ::unlink(name.c_str());
  if (!synced)
    return {Level::bad, "disk sync", fmt::format("a sync failed: {}", std::strerror(failure)), "check the disk: no turn can be acknowledged"};
  std::sort(times.begin(), times.end());
  const std::int64_t median = times[times.size() / 2];
  const std::string detail = fmt::format("{:.2f} ms", static_cast<double>(median) / 1'000);
  if (median > sync_us_warning) return {Level::warning, "disk sync", detail, "every reply waits for a sync: use a faster disk"};
  return good("disk sync", detail);
}

HostFinding check_readers(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return {Level::bad, "access", folder + ": " + std::strerror(errno), "name a folder that this user can reach"};
  if (info.st_uid != ::geteuid() && ::geteuid() != 0) {
    return {Level::warning, "access", folder + " belongs to another user", "run as its owner: new files would belong to two users"};
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return {Level::warning, "access", fmt::format("{} has mode {:04o}: others can reach what shoppers said", folder, info.st_mode & 07777U),
            "chmod 700 " + folder};
  }
  return good("access", "only its owner can reach it");
}

std::string cure_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::corrupt:
      return "restore a backup, or decide to go on without what is missing";
    case ErrorCode::not_found:
    case ErrorCode::refused:
      return "put the file back, or name it with --master-key: without its keys nothing of a ledger can be read";
    case ErrorCode::busy:
      return "look again when the engine writes less";
    default:
      return "give this user the right to read every file of the folder";
  }
}

HostFinding check_complete(const std::string& folder, const std::string& master_key) {
  const auto ledger = open_ledger(folder, {.mode = OpenMode::read_only, .create_if_missing = false, .master_key = master_key});
  if (!ledger) return {Level::bad, "ledger", ledger.error().detail, cure_of(ledger.error().code)};
  const auto pending = (*ledger)->pending();
  if (!pending) return {Level::bad, "ledger", pending.error().detail, "run turnstone verify"};
  return good("ledger", fmt::format("{} writes, {} turns open; turnstone verify checks every byte", (*ledger)->position().value, pending->size()));
}

// Folders that an opening set aside because it went on without acknowledged turns, or was refused.
HostFinding check_quarantine(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code none;
    const bool empty = name.starts_with("quarantine") && fs::is_empty(it->path(), none);
    if (none) return unseen("quarantine", it->path().string() + " cannot be listed: " + none.message(), "run as its owner");
    if (name.starts_with("quarantine") && !empty) {
      return {Level::warning, "quarantine", it->path().string() + " keeps files of a ledger that was refused or went on with a loss",
              "look into it, then remove it"};
    }
  }
  if (error) return unseen("quarantine", folder + " cannot be listed: " + error.message(), "run as its owner");
  return good("quarantine", "nothing was set aside");
}

}  // namespace

std::string_view to_string(Level level) {
  switch (level) {
    case Level::good:
      return "good";
    case Level::warning:
      return "warning";
    case Level::bad:
      return "bad";
  }
  return "bad";
}

std::vector<HostFinding> check_ledger_folder(const std::string& folder, const std::string& master_key) {
  const std::string looked_at = existing(folder);
  std::vector<HostFinding> findings{check_file_system(looked_at), check_space(looked_at), check_sync(looked_at)};
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  if (type == fs::file_type::not_found && fs::is_directory(looked_at)) {
    findings.push_back(good("ledger", folder + " does not exist yet; the engine makes it"));
    return findings;
  }
  if (type != fs::file_type::directory) {
    findings.push_back({Level::bad, "ledger", folder + " cannot be looked at: " + (error ? error.message() : "it is no folder"),
                        "name a folder that this user can reach"});
    return findings;
  }
  findings.push_back(check_readers(folder));
  findings.push_back(check_quarantine(folder));
  const bool empty = fs::is_empty(folder, error);
  if (error) findings.push_back({Level::bad, "ledger", folder + " cannot be listed: " + error.message(), "run as its owner"});
  if (!error && empty) findings.push_back(good("ledger", folder + " is empty; the engine makes one there"));
  if (!error && !empty) findings.push_back(check_complete(folder, master_key));
  return findings;
}

HostFinding check_index(const std::string& folder) {
  const auto artefact = Artefact::open(folder);
  if (!artefact) return {Level::bad, "index", artefact.error().detail, "make it again with turnstone index"};
  return good("index", folder + " is whole: " + to_hex((*artefact)->fingerprint().value).substr(0, 12));
}

namespace {

HostFinding check_open_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return unseen("open files", fmt::format("the limit is not told: {}", std::strerror(errno)), "look with ulimit -Hn");
  if (files.rlim_max != RLIM_INFINITY && files.rlim_max < open_files_warning) {
    return {Level::warning, "open files", fmt::format("at most {}", files.rlim_max),
            fmt::format("raise the hard limit to {} (ulimit -Hn, LimitNOFILE): fewer connections are taken", open_files_warning)};
  }
  return good("open files", "enough are allowed");
}

HostFinding check_memory(const std::string& source) {
  std::ifstream meminfo(source);
  std::string word;
  std::uint64_t kibibytes = 0;
  while (meminfo >> word && word != "MemAvailable:") continue;
  if (!(meminfo >> kibibytes)) return unseen("memory", source + " does not tell how much is available", "look with free");
  const std::string detail = fmt::format("{} MiB are available", kibibytes / 1'024);
  if (kibibytes * 1'024 < memory_bytes_warning) return {Level::warning, "memory", detail, "stop something, or run fewer workers"};
  return good("memory", detail);
}

HostFinding check_clock() {
  timex clock{};
  const int state = adjtimex(&clock);
  if (state == -1) return unseen("clock", fmt::format("whether it is synchronised is not told: {}", std::strerror(errno)), "look with timedatectl on the host");
  if (state != TIME_ERROR) return good("clock", "synchronised");
  return {Level::warning, "clock", "it is not synchronised: times in the record may be off, its order is not",
          "run a time service (systemd-timesyncd, chrony)"};
}

}  // namespace

std::vector<HostFinding> check_process_limits(const std::string& memory) { return {check_open_files(), check_memory(memory), check_clock()}; }

}  // namespace turnstone
