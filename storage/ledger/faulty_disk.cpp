#include "storage/ledger/faulty_disk.h"

#include <filesystem>

namespace turnstone::ledger_test {
namespace {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using Fate = FaultyDisk::Fate;

IOStatus is_dead() { return IOStatus::IOError("the process is dead"); }
IOStatus is_full() { return IOStatus::NoSpace("No space left on device"); }

// Carries `change` out as its fate says; the dead learn nothing of it.
template <class Change>
IOStatus under(Fate fate, const Change& change) {
  if (fate == Fate::happens) return change();
  if (fate == Fate::dies_after) (void)change();
  return is_dead();
}

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string name, FaultyDisk& disk)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* context) override {
    const FaultyDisk::Written written = disk_.append(name_, data.size());
    if (written.size > 0) {
      const IOStatus status = FSWritableFileOwnerWrapper::Append(rocksdb::Slice(data.data(), written.size), options, context);
      if (!status.ok()) return status;
      disk_.grew(name_, written.size);
    }
    return written.status;
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&, IODebugContext* context) override {
    return Append(data, options, context);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* context) override {
    return under(disk_.change(), [&] {
      disk_.cut(name_, size);
      return FSWritableFileOwnerWrapper::Truncate(size, options, context);
    });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override { return sync(options, context); }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override { return sync(options, context); }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    const IOStatus status = FSWritableFileOwnerWrapper::Close(options, context);
    return disk_.dead() ? is_dead() : status;
  }

 private:
  IOStatus sync(const IOOptions& options, IODebugContext* context) {
    if (IOStatus may = disk_.before_sync(); !may.ok()) return may;
    return under(disk_.change(), [&] {
      const IOStatus status = FSWritableFileOwnerWrapper::Sync(options, context);
      if (status.ok()) disk_.synced(name_);
      return status;
    });
  }
  const std::string name_;
  FaultyDisk& disk_;
};

class FaultyFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyFolder(std::unique_ptr<rocksdb::FSDirectory>&& folder, std::string name, FaultyDisk& disk)
      : FSDirectoryWrapper(std::move(folder)), name_(std::move(name)), disk_(disk) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return under(disk_.change(), [&] {
      disk_.folder_synced(name_);
      return FSDirectoryWrapper::Fsync(options, context);
    });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context, const rocksdb::DirFsyncOptions& how) override {
    return under(disk_.change(), [&] {
      disk_.folder_synced(name_);
      return FSDirectoryWrapper::FsyncWithDirOptions(options, context, how);
    });
  }

 private:
  const std::string name_;
  FaultyDisk& disk_;
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(FaultyDisk& disk) : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options, std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* context) override {
    if (disk_.is_full()) return is_full();
    return under(disk_.change(), [&] {
      std::unique_ptr<rocksdb::FSWritableFile> file;
      const IOStatus status = FileSystemWrapper::NewWritableFile(name, options, &file, context);
      if (!status.ok()) return status;
      disk_.made(name);
      *result = std::make_unique<FaultyFile>(std::move(file), name, disk_);
      return status;
    });
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options, std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext* context) override {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    const IOStatus status = FileSystemWrapper::NewDirectory(name, options, &folder, context);
    if (status.ok()) *result = std::make_unique<FaultyFolder>(std::move(folder), name, disk_);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options, IODebugContext* context) override {
    return under(disk_.change(), [&] {
      const IOStatus status = FileSystemWrapper::RenameFile(from, to, options, context);
      if (status.ok()) disk_.renamed(from, to);
      return status;
    });
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options, IODebugContext* context) override {
    return under(disk_.change(), [&] {
      disk_.removed(name);
      return FileSystemWrapper::DeleteFile(name, options, context);
    });
  }
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& options, uint64_t* free, IODebugContext* context) override {
    const IOStatus status = FileSystemWrapper::GetFreeSpace(path, options, free, context);
    if (disk_.is_full()) *free = 0;
    return status;
  }

 private:
  FaultyDisk& disk_;
};

}  // namespace

std::unique_ptr<rocksdb::Env> FaultyDisk::start() {
  const std::lock_guard lock(mutex_);
  dead_ = false;
  changes_left_.reset();
  append_fails_ = sync_fails_ = full_ = false;
  return rocksdb::NewCompositeEnv(std::make_shared<FaultyFileSystem>(*this));
}

void FaultyDisk::die_within(std::uint64_t changes) {
  const std::lock_guard lock(mutex_);
  changes_left_ = random_.below(changes);
}
void FaultyDisk::die_now() {
  const std::lock_guard lock(mutex_);
  dead_ = true;
}
bool FaultyDisk::dead() const {
  const std::lock_guard lock(mutex_);
  return dead_;
}
void FaultyDisk::fill(bool full) {
  const std::lock_guard lock(mutex_);
  full_ = full;
}
void FaultyDisk::fail_next_append() {
  const std::lock_guard lock(mutex_);
  append_fails_ = true;
}
void FaultyDisk::fail_next_sync() {
  const std::lock_guard lock(mutex_);
  sync_fails_ = true;
}
bool FaultyDisk::is_full() const {
  const std::lock_guard lock(mutex_);
  return full_;
}

FaultyDisk::Fate FaultyDisk::change_locked() {
  if (dead_) return Fate::is_dead;
  if (!changes_left_) return Fate::happens;
  if (*changes_left_ > 0) {
    --*changes_left_;
    return Fate::happens;
  }
  dead_ = true;
  return random_.one_in(2) ? Fate::dies_before : Fate::dies_after;
}
FaultyDisk::Fate FaultyDisk::change() {
  const std::lock_guard lock(mutex_);
  return change_locked();
}

FaultyDisk::Written FaultyDisk::append(const std::string&, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (dead_) return {0, ledger_test::is_dead()};
  if (full_) return {random_.below(size + 1), ledger_test::is_full()};
  if (std::exchange(append_fails_, false)) return {size / 2, IOStatus::IOError("the disk gave up within a write")};
  switch (change_locked()) {
    case Fate::happens:
      return {size, IOStatus::OK()};
    case Fate::dies_after:
      return {random_.below(size + 1), ledger_test::is_dead()};
    default:
      return {0, ledger_test::is_dead()};
  }
}

rocksdb::IOStatus FaultyDisk::before_sync() {
  const std::lock_guard lock(mutex_);
  return std::exchange(sync_fails_, false) ? IOStatus::IOError("the disk did not take it") : IOStatus::OK();
}

void FaultyDisk::made(const std::string& name) {
  const std::lock_guard lock(mutex_);
  files_[name] = File{};
}
void FaultyDisk::grew(const std::string& name, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  files_[name].size += bytes;
}
void FaultyDisk::cut(const std::string& name, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  File& file = files_[name];
  file.size = std::min(file.size, size);
  file.synced = std::min(file.synced, size);
}
void FaultyDisk::synced(const std::string& name) {
  const std::lock_guard lock(mutex_);
  files_[name].synced = files_[name].size;
}
// Whoever renames a file in place of another finds either under the name after a power cut; which one, this disk decides by keeping the new one. What
// was made in the folder before is then kept too: file systems with a journal (ext4, XFS) forget the last changes of names, never one amid them, and
// RocksDB builds on it, as it points CURRENT to a new MANIFEST before it syncs the folder of both.
void FaultyDisk::renamed(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(from);
  if (found == files_.end()) return;
  const File file = found->second;
  files_.erase(found);
  files_[to] = file;
  keep_names_locked(fs::path(to).parent_path().string());
}
void FaultyDisk::removed(const std::string& name) {
  const std::lock_guard lock(mutex_);
  files_.erase(name);
}
void FaultyDisk::folder_synced(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  keep_names_locked(folder);
}
void FaultyDisk::keep_names_locked(const std::string& folder) {
  const fs::path kept = fs::path(folder).lexically_normal();
  for (auto& [name, file] : files_) {
    const fs::path parent = fs::path(name).lexically_normal().parent_path();
    if (parent == kept || parent / "" == kept) file.name_synced = true;
  }
}

void FaultyDisk::power_cut() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, file] : files_) {
    std::error_code gone;
    if (!file.name_synced && random_.one_in(3)) {
      fs::remove(name, gone);
      continue;
    }
    const std::uint64_t unsynced = file.size - file.synced;
    const std::uint64_t kept = random_.one_in(3) ? 0 : random_.one_in(2) ? unsynced : random_.below(unsynced + 1);
    if (fs::exists(name, gone)) fs::resize_file(name, file.synced + kept, gone);
  }
  files_.clear();
}

}  // namespace turnstone::ledger_test
