#include "storage/ledger/anchor.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "events/chain.h"
#include "storage/ledger/bytes.h"
#include "storage/ledger/rocks_files.h"

namespace turnstone {
namespace {

constexpr std::string_view magic = "TSANCHOR";
constexpr std::size_t slot_bytes = 8 + 8 + 8 + 32 + 32;
constexpr off_t slot_distance = 4096;  // the slots never share a disk sector
constexpr auto synced_interval = std::chrono::milliseconds(100);
constexpr auto fast_interval = std::chrono::seconds(1);

struct Slot {
  std::uint64_t generation = 0;
  LedgerMark mark;
};

std::string encode(const Slot& slot) {
  ByteWriter writer;
  writer.raw(magic).u64(slot.generation).u64(slot.mark.position.value).digest(slot.mark.commit_hash);
  return writer.digest(blake2b(writer.bytes())).take();
}

std::optional<Slot> read_slot(int descriptor, int index) {
  std::array<char, slot_bytes> bytes{};
  if (pread(descriptor, bytes.data(), bytes.size(), index * slot_distance) != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  const std::string_view all(bytes.data(), bytes.size());
  ByteReader reader(all);
  const std::string_view word = reader.raw(magic.size());
  Slot slot;
  slot.generation = reader.u64();
  slot.mark.position.value = reader.u64();
  slot.mark.commit_hash = reader.digest();
  const bool sound = word == magic && reader.digest() == blake2b(all.substr(0, slot_bytes - sizeof(Digest))) && reader.complete();
  return sound ? std::optional(slot) : std::nullopt;
}

std::optional<Slot> newest(int descriptor) {
  auto a = read_slot(descriptor, 0);
  auto b = read_slot(descriptor, 1);
  if (a && b) return a->generation < b->generation ? b : a;
  return a ? a : b;
}

tl::unexpected<Error> io_error(const std::string& what, const std::string& path) {
  return fail(errno == ENOSPC ? ErrorCode::no_space : ErrorCode::io, what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<LedgerMark> AnchorFile::read(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return fail(ErrorCode::not_found, path + " does not exist");
    return io_error("cannot open", path);
  }
  const auto slot = newest(descriptor);
  close(descriptor);
  if (!slot) return fail(ErrorCode::corrupt, path + " is damaged: neither of its slots can be read");
  return slot->mark;
}

Result<LedgerMark> acknowledged_in(const std::string& directory) {
  auto mark = AnchorFile::read(LedgerPaths(directory).anchor);
  if (!mark && mark.error().code == ErrorCode::not_found) return fail(ErrorCode::not_found, "there is no ledger in " + directory);
  return mark;
}

Result<std::unique_ptr<AnchorFile>> AnchorFile::open(const std::string& path, const LedgerMark& mark, bool replace) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error("cannot open", path);
  std::unique_ptr<AnchorFile> file(new AnchorFile(descriptor, path));
  const auto slot = newest(descriptor);
  if (slot) file->generation_ = slot->generation;
  if (slot && !replace) return file;
  for (int i = 0; i < 2; ++i) {
    if (auto noted = file->note(mark); !noted) return tl::unexpected(noted.error());
  }
  if (auto synced = file->sync(); !synced) return tl::unexpected(synced.error());
  return file;
}

AnchorFile::~AnchorFile() { close(descriptor_); }

Status AnchorFile::note(const LedgerMark& mark) {
  const std::string bytes = encode({++generation_, mark});
  const off_t offset = static_cast<off_t>(generation_ % 2) * slot_distance;
  if (pwrite(descriptor_, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) return io_error("cannot write", path_);
  return {};
}

Status AnchorFile::sync() {
  if (fdatasync(descriptor_) != 0) return io_error("cannot sync", path_);
  return {};
}

AnchorKeeper::AnchorKeeper(std::unique_ptr<AnchorFile> file, std::function<Status()> sync_log)
    : file_(std::move(file)), sync_log_(std::move(sync_log)), thread_([this] { run(); }) {}

AnchorKeeper::~AnchorKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status AnchorKeeper::note(const LedgerMark& mark) {
  const std::lock_guard lock(mutex_);
  if (!sync_log_) {
    if (auto noted = file_->note(mark); !noted) return noted;
  }
  if (!noted_) changed_.notify_all();
  noted_ = mark;
  return {};
}

// A failure here leaves the anchor older than it could be, which is always safe; the next interval tries again.
void AnchorKeeper::bring_to_disk(const LedgerMark& mark) {
  if (sync_log_) {
    if (!sync_log_()) return;
    const std::lock_guard lock(mutex_);
    if (!file_->note(mark)) return;
  }
  (void)file_->sync();
}

void AnchorKeeper::run() {
  const auto interval = sync_log_ ? std::chrono::nanoseconds(fast_interval) : std::chrono::nanoseconds(synced_interval);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || noted_; });
    changed_.wait_for(lock, interval, [this] { return stop_; });  // gathers what comes within the interval
    if (const auto mark = std::exchange(noted_, std::nullopt)) {
      lock.unlock();
      bring_to_disk(*mark);
      lock.lock();
      continue;
    }
    if (stop_) return;
  }
}

}  // namespace turnstone
