// The file KEYS: a header with the wrapped ledger key, then slots of 128 bytes, each overwritten in place when it is erased.
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "events/chain.h"
#include "storage/ledger/bytes.h"
#include "storage/ledger/key_store.h"
#include "storage/ledger/sync_folder.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "TSKEYS01";
constexpr std::size_t header_bytes = 4096;
constexpr std::size_t slot_bytes = 128, slot_checksum_bytes = 16, slot_body_bytes = 104;
constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t wrapped_bytes = sizeof(SecretKey) + crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::uint32_t slots_per_block = 256;
constexpr std::size_t cached_keys_max = 4096;
constexpr std::size_t by_bytes_max = 95;
enum class SlotState : std::uint8_t { live = 1, erased = 2 };

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

tl::unexpected<Error> io_error(const std::string& what, const std::string& path) {
  return fail(errno == ENOSPC ? ErrorCode::no_space : ErrorCode::io, what + " " + path + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int operator*() const { return value_; }
  bool valid() const { return value_ >= 0; }

 private:
  int value_;
};

bool write_at(int descriptor, std::string_view bytes, off_t at) {
  errno = ENOSPC;  // what a write that ends early has met
  return pwrite(descriptor, bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size());
}

std::string read_at(int descriptor, std::size_t size, off_t at) {
  std::string bytes(size, '\0');
  errno = EIO;  // what a read that ends early has met
  const ssize_t got = pread(descriptor, bytes.data(), size, at);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// nonce ‖ XChaCha20-Poly1305 of the key; `number` (the slot; 0 for the ledger key) is bound to it.
std::string wrap(const SecretKey& master, std::uint32_t number, const SecretKey& key) {
  std::string wrapped(nonce_bytes + wrapped_bytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(wrapped.data());
  const std::string bound = ByteWriter().u32(number).take();
  randombytes_buf(out, nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(out + nonce_bytes, nullptr, key.data(), key.size(), bytes_of(bound), bound.size(), nullptr, out,
                                             master.data());
  return wrapped;
}

std::optional<SecretKey> unwrap(const SecretKey& master, std::uint32_t number, std::string_view wrapped) {
  SecretKey key{};
  const std::string bound = ByteWriter().u32(number).take();
  const bool fits = crypto_aead_xchacha20poly1305_ietf_decrypt(key.data(), nullptr, nullptr, bytes_of(wrapped) + nonce_bytes, wrapped_bytes,
                                                               bytes_of(bound), bound.size(), bytes_of(wrapped), master.data()) == 0;
  return fits ? std::optional(key) : std::nullopt;
}

std::string checksum(std::string_view bytes) {
  const Digest digest = blake2b(bytes);
  return {reinterpret_cast<const char*>(digest.data()), slot_checksum_bytes};
}

std::string encode_slot(KeySlot slot, SlotState state, std::string body) {
  body.resize(slot_body_bytes, '\0');
  std::string bytes = ByteWriter().u8(static_cast<std::uint8_t>(state)).u8(0).u16(0).u32(slot.value).raw(body).take();
  return bytes + checksum(bytes);
}

struct Slot {
  SlotState state = SlotState::live;
  std::string wrapped;
  Erasure erasure;
};

std::optional<Slot> decode_slot(KeySlot slot, std::string_view bytes) {
  if (bytes.size() != slot_bytes || checksum(bytes.substr(0, slot_bytes - slot_checksum_bytes)) != bytes.substr(slot_bytes - slot_checksum_bytes))
    return std::nullopt;
  ByteReader in(bytes);
  Slot found;
  found.state = static_cast<SlotState>(in.u8());
  in.raw(3);
  if (in.u32() != slot.value || (found.state != SlotState::live && found.state != SlotState::erased)) return std::nullopt;
  if (found.state == SlotState::live) {
    found.wrapped = in.raw(nonce_bytes + wrapped_bytes);
  } else {
    found.erasure.at.value = static_cast<std::int64_t>(in.u64());
    const std::size_t length = in.u8();
    found.erasure.by = in.raw(std::min(length, by_bytes_max));
  }
  return found;
}

off_t offset_of(KeySlot slot) { return static_cast<off_t>(header_bytes + (slot.value - 1) * std::size_t{slot_bytes}); }

std::string encode_header(const SecretKey& master, const SecretKey& ledger_key) {
  std::string bytes = ByteWriter().raw(magic).raw(wrap(master, 0, ledger_key)).take();
  bytes += checksum(bytes);
  bytes.resize(header_bytes, '\0');
  return bytes;
}

// Writes and syncs a whole new file that only its owner may read, under `path`, which must not exist.
Status write_new_file(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return io_error("cannot create", path);
  if (!write_at(*file, bytes, 0) || fsync(*file) != 0) return io_error("cannot write", path);
  return {};
}

Status rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return io_error("cannot rename", from);
  return sync_folder_of(to);
}

std::string master_text(const SecretKey& master) { return to_hex(master) + "\n"; }

Result<SecretKey> read_master(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    if (errno != ENOENT) return io_error("cannot open the master key", path);
    return fail(ErrorCode::not_found,
                "the master key " + path + " does not exist; name it with --master-key, or put it back: without it nothing can be read");
  }
  struct stat status {};
  if (fstat(*file, &status) != 0) return io_error("cannot look at", path);
  if ((status.st_mode & 077) != 0) return fail(ErrorCode::refused, "others may read the master key " + path + "; run: chmod 600 " + path);
  std::string text = read_at(*file, 66, 0);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const auto key = parse_digest(text);
  if (!key) return fail(ErrorCode::corrupt, "the master key " + path + " is not 64 lower-case hex digits; put the right file back");
  return *key;
}

Result<SecretKey> read_header(int descriptor, const std::string& path, const SecretKey& master) {
  const std::string header = read_at(descriptor, header_bytes, 0);
  const std::size_t used = magic.size() + nonce_bytes + wrapped_bytes;
  if (header.size() != header_bytes || !header.starts_with(magic) || checksum(header.substr(0, used)) != header.substr(used, slot_checksum_bytes)) {
    return fail(ErrorCode::corrupt, "the key store " + path + " is damaged at its beginning; put the last copy of it back");
  }
  const auto key = unwrap(master, 0, std::string_view(header).substr(magic.size()));
  if (!key)
    return fail(ErrorCode::refused, "the master key does not fit the key store " + path + "; name the one it was made with: --master-key FILE");
  return *key;
}

class FileKeyStore final : public KeyStore {
 public:
  FileKeyStore(Descriptor file, std::string path, bool alone, const SecretKey& master, const SecretKey& ledger_key)
      : file_(std::move(file)), path_(std::move(path)), alone_(alone), master_(master), ledger_key_(ledger_key) {}
  ~FileKeyStore() override { forget(); }

  const SecretKey& ledger_key() const override { return ledger_key_; }

  Result<SlotKeys> keys(KeySlot slot) const override {
    const std::lock_guard lock(mutex_);
    if (const auto found = cached_.find(slot.value); found != cached_.end()) return found->second;
    const auto stored = read(slot);
    if (!stored) return damaged(slot);
    if (stored->state == SlotState::erased) return fail(ErrorCode::erased, "its key was erased");
    auto key = unwrap(master_, slot.value, stored->wrapped);
    if (!key) return damaged(slot);
    if (cached_.size() >= cached_keys_max) forget();
    const SlotKeys& keys = cached_.emplace(slot.value, derive_slot_keys(*key)).first->second;
    sodium_memzero(key->data(), key->size());
    return keys;
  }

  Result<KeySlot> reserve(KeySlot from) override {
    for (KeySlot slot{std::max(from.value, 1U)};; ++slot.value) {
      if (const auto stored = read(slot)) {
        if (stored->state == SlotState::live) return slot;
        continue;
      }
      // Behind the last block, or in one that a power cut left half written: nobody uses these yet.
      if (auto made = make_block(slot); !made) return tl::unexpected(made.error());
      return slot;
    }
  }

  Result<bool> erased(KeySlot slot) const override {
    const std::lock_guard lock(mutex_);
    if (alone_ && cached_.contains(slot.value)) return false;
    const auto stored = read(slot);
    if (!stored) return damaged(slot);
    return stored->state == SlotState::erased;
  }

  Status erase(KeySlot slot, const Erasure& erasure) override {
    const std::lock_guard lock(mutex_);
    if (const auto found = cached_.find(slot.value); found != cached_.end()) {  // first: it is not used again even if the disk fails
      sodium_memzero(&found->second, sizeof(SlotKeys));
      cached_.erase(found);
    }
    // One that reads erased is written once more, as it is: its sync may have failed, and a page that no write touched since is not synced again.
    const auto stored = read(slot);
    const Erasure& kept = stored && stored->state == SlotState::erased ? stored->erasure : erasure;
    const std::string by = kept.by.substr(0, by_bytes_max);
    ByteWriter body;
    body.u64(static_cast<std::uint64_t>(kept.at.value)).u8(static_cast<std::uint8_t>(by.size())).raw(by);
    if (!write_at(*file_, encode_slot(slot, SlotState::erased, body.take()), offset_of(slot)) || fdatasync(*file_) != 0) {
      return io_error("cannot erase a key in", path_);
    }
    return {};
  }

 private:
  tl::unexpected<Error> damaged(KeySlot slot) const {
    return fail(ErrorCode::corrupt,
                "key slot " + std::to_string(slot.value) + " of " + path_ + " is missing or damaged; put the last copy of the file back");
  }
  std::optional<Slot> read(KeySlot slot) const {
    return slot.value == 0 ? std::nullopt : decode_slot(slot, read_at(*file_, slot_bytes, offset_of(slot)));
  }
  Status make_block(KeySlot first) {
    std::string bytes;
    for (std::uint32_t i = 0; i < slots_per_block; ++i) {
      const KeySlot slot{first.value + i};
      if (read(slot)) break;  // never over one that is sound
      bytes += encode_slot(slot, SlotState::live, wrap(master_, slot.value, random_key()));
    }
    if (!write_at(*file_, bytes, offset_of(first)) || fdatasync(*file_) != 0) return io_error("cannot write new keys to", path_);
    return {};
  }
  void forget() const {
    for (auto& [slot, keys] : cached_) sodium_memzero(&keys, sizeof(SlotKeys));
    cached_.clear();
  }

  Descriptor file_;
  const std::string path_;
  const bool alone_;  // nobody else erases keys; a reader beside an engine looks into the file each time
  const SecretKey master_;
  const SecretKey ledger_key_;
  mutable std::mutex mutex_;  // guards cached_
  mutable std::unordered_map<std::uint32_t, SlotKeys> cached_;
};

Status create_files(const KeyFiles& files) {
  std::error_code error;
  if (!fs::exists(files.master, error)) {
    if (auto made = write_new_file(files.master, master_text(random_key())); !made) return made;
    if (auto synced = sync_folder_of(files.master); !synced) return synced;
  }
  const auto master = read_master(files.master);
  if (!master) return tl::unexpected(master.error());
  const std::string partial = files.keys + ".partial";
  fs::remove(partial, error);
  if (auto made = write_new_file(partial, encode_header(*master, random_key())); !made) return made;
  return rename_file(partial, files.keys);
}

std::string next_of(const std::string& path) { return path + ".next"; }

tl::unexpected<Error> no_keys(const std::string& path) {
  return fail(ErrorCode::not_found, "the key store " + path + " does not exist; put the last copy of it back: without it nothing can be read");
}

// A rotation cut short: the new master key counts once the keys are wrapped by it, and is thrown away only when the old one
// is seen to open them. Anything else (a file that cannot be read now) decides nothing: it may be the only key there is.
Status finish_rotation(const KeyFiles& files) {
  std::error_code error;
  if (!fs::exists(next_of(files.master), error)) return {};
  const Descriptor keys(::open(files.keys.c_str(), O_RDONLY | O_CLOEXEC));
  if (!keys.valid()) return errno == ENOENT ? no_keys(files.keys) : io_error("cannot open", files.keys);
  const auto next = read_master(next_of(files.master));
  if (next && read_header(*keys, files.keys, *next)) return rename_file(next_of(files.master), files.master);
  const auto old = read_master(files.master);
  if (!old) return tl::unexpected(old.error());
  if (const auto opened = read_header(*keys, files.keys, *old); !opened) return tl::unexpected(opened.error());
  fs::remove(next_of(files.keys), error);
  fs::remove(next_of(files.master), error);
  return {};
}

// Every slot of `file`, wrapped anew; those erased stay as they are.
Result<std::string> wrapped_anew(int file, const std::string& path, const SecretKey& from, const SecretKey& to) {
  const auto ledger_key = read_header(file, path, from);
  if (!ledger_key) return tl::unexpected(ledger_key.error());
  std::string bytes = encode_header(to, *ledger_key);
  for (KeySlot slot{1};; ++slot.value) {
    const std::string stored = read_at(file, slot_bytes, offset_of(slot));
    if (stored.size() < slot_bytes) return bytes;
    const auto decoded = decode_slot(slot, stored);
    if (!decoded || decoded->state == SlotState::erased) {
      bytes += stored;
      continue;
    }
    auto key = unwrap(from, slot.value, decoded->wrapped);
    if (!key)
      return fail(ErrorCode::corrupt,
                  "key slot " + std::to_string(slot.value) + " of " + path + " is damaged; put the last copy of the file back first");
    bytes += encode_slot(slot, SlotState::live, wrap(to, slot.value, *key));
    sodium_memzero(key->data(), key->size());
  }
}

Status overwrite(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return io_error("cannot overwrite", "the old keys");
  if (!write_at(file, std::string(static_cast<std::size_t>(status.st_size), '\0'), 0) || fsync(file) != 0)
    return io_error("cannot overwrite", "the old keys");
  return {};
}

}  // namespace

Result<std::unique_ptr<KeyStore>> open_key_store(const KeyFiles& files, bool create) {
  std::error_code error;
  if (create) {
    if (auto finished = finish_rotation(files); !finished) return tl::unexpected(finished.error());
    if (!fs::exists(files.keys, error)) {
      if (auto made = create_files(files); !made) return tl::unexpected(made.error());
    }
  }
  Descriptor file(::open(files.keys.c_str(), (create ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (!file.valid()) {
    if (errno != ENOENT) return io_error("cannot open", files.keys);
    return no_keys(files.keys);
  }
  const auto master = read_master(files.master);
  if (!master) return tl::unexpected(master.error());
  const auto ledger_key = read_header(*file, files.keys, *master);
  if (!ledger_key) return tl::unexpected(ledger_key.error());
  return std::make_unique<FileKeyStore>(std::move(file), files.keys, create, *master, *ledger_key);
}

Status copy_key_files(const std::string& from, const std::string& to) {
  for (const char* name : {"/KEYS", "/MASTER"}) {
    const std::string source = from + name;
    const Descriptor file(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() && errno == ENOENT && name == std::string_view("/MASTER")) continue;  // it is kept elsewhere
    struct stat status {};
    if (!file.valid() || fstat(*file, &status) != 0) return io_error("cannot read", source);
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::string bytes = read_at(*file, size, 0);
    if (bytes.size() != size) return io_error("cannot read", source);
    if (auto written = write_new_file(to + name, bytes); !written) return written;
  }
  return sync_folder_of(to + "/KEYS");
}

KeySlot slots_end(const std::string& keys_file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(keys_file, error);
  if (error || size <= header_bytes) return KeySlot{1};
  return KeySlot{static_cast<std::uint32_t>((size - header_bytes + slot_bytes - 1) / slot_bytes + 1)};
}

Status rotate_master_key(const KeyFiles& files) {
  if (auto finished = finish_rotation(files); !finished) return finished;
  const auto master = read_master(files.master);
  if (!master) return tl::unexpected(master.error());
  const Descriptor keys(::open(files.keys.c_str(), O_RDWR | O_CLOEXEC));
  if (!keys.valid()) return io_error("cannot open", files.keys);
  const Descriptor old_master(::open(files.master.c_str(), O_RDWR | O_CLOEXEC));
  if (!old_master.valid()) return io_error("cannot open", files.master);
  const SecretKey fresh = random_key();
  const auto bytes = wrapped_anew(*keys, files.keys, *master, fresh);
  if (!bytes) return tl::unexpected(bytes.error());
  std::error_code error;
  fs::remove(next_of(files.keys), error);
  if (auto made = write_new_file(next_of(files.master), master_text(fresh)); !made) return made;
  if (auto synced = sync_folder_of(files.master); !synced) return synced;
  if (auto made = write_new_file(next_of(files.keys), *bytes); !made) return made;
  if (auto renamed = rename_file(next_of(files.keys), files.keys); !renamed) return renamed;
  if (auto renamed = rename_file(next_of(files.master), files.master); !renamed) return renamed;
  if (auto gone = overwrite(*keys); !gone) return gone;
  return overwrite(*old_master);
}

Result<std::vector<ErasedSlot>> erasures_in(const std::string& keys_file) {
  const Descriptor file(::open(keys_file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return io_error("cannot open", keys_file);
  std::vector<ErasedSlot> erased;
  for (KeySlot slot{1};; ++slot.value) {
    const std::string stored = read_at(*file, slot_bytes, offset_of(slot));
    if (stored.size() < slot_bytes) return erased;
    const auto decoded = decode_slot(slot, stored);
    if (decoded && decoded->state == SlotState::erased) erased.push_back({slot, decoded->erasure});
  }
}

}  // namespace turnstone
