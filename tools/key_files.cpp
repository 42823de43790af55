#include "tools/key_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "tools/text_file.h"

namespace turnstone {
namespace {

constexpr std::size_t file_bytes_max = 1 << 20;
static_assert(crypto_sign_SEEDBYTES == sizeof(KeyBytes) && crypto_sign_PUBLICKEYBYTES == sizeof(KeyBytes));
static_assert(crypto_box_SECRETKEYBYTES == sizeof(KeyBytes) && crypto_box_PUBLICKEYBYTES == sizeof(KeyBytes));

std::string prefix_of(KeyUse use, bool secret) {
  return fmt::format("turnstone {} {} key ", use == KeyUse::bus ? "bus" : "checkpoint", secret ? "secret" : "public");
}

std::string line_of(KeyUse use, bool secret, const KeyBytes& key) {
  std::string hex(key.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), key.data(), key.size());
  hex.back() = '\n';
  return prefix_of(use, secret) + hex;
}

std::optional<KeyBytes> key_in(std::string_view line, KeyUse use, bool secret) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const std::string prefix = prefix_of(use, secret);
  if (!line.starts_with(prefix)) return std::nullopt;
  line.remove_prefix(prefix.size());
  KeyBytes key{};
  std::size_t length = 0;
  const bool read = line.size() == key.size() * 2 && sodium_hex2bin(key.data(), key.size(), line.data(), line.size(), nullptr, &length, nullptr) == 0;
  return read && length == key.size() ? std::optional(key) : std::nullopt;
}

tl::unexpected<Error> no_key(const std::string& file, KeyUse use, bool secret) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} does not hold a {}; `turnstone keys --for {}` makes a pair: NAME.key is the secret half, NAME.pub the public one", file,
                          prefix_of(use, secret).substr(10) + "of Turnstone", use == KeyUse::bus ? "bus" : "checkpoints"));
}

Status write_new(const std::string& path, const std::string& text, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) {
    if (errno == EEXIST) return fail(ErrorCode::invalid_argument, path + " exists; a key is never replaced, choose another name");
    return fail(ErrorCode::io, fmt::format("{} cannot be made: {}", path, std::strerror(errno)));
  }
  const bool written = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(descriptor) == 0;
  const int why = errno;
  ::close(descriptor);
  if (written) return {};
  ::unlink(path.c_str());
  return fail(why == ENOSPC ? ErrorCode::no_space : ErrorCode::io, fmt::format("{} cannot be written: {}", path, std::strerror(why)));
}

Status check_private(const std::string& file, unsigned mode) {
  if ((mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return fail(ErrorCode::refused,
              fmt::format("{} has mode {:04o}: others can read this secret key, so it is not used; make a new pair, or run chmod 600 "
                          "on it if nobody has",
                          file, mode));
}

// Whoever can write a public key, or a list of them, decides whom this process trusts.
Status check_own(const std::string& file, unsigned mode) {
  if ((mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fail(ErrorCode::refused,
              fmt::format("{} has mode {:04o}: others can put their keys there, so it is not used; look whether it holds the right ones, then run "
                          "chmod go-w on it",
                          file, mode));
}

Result<std::string> read_open_file(const std::string& file) {
  return read_text_file(file, file_bytes_max, [&](unsigned mode) { return check_own(file, mode); });
}

KeyBytes open_half(KeyUse use, const KeyBytes& secret) {
  KeyBytes open{};
  if (use == KeyUse::bus) {
    crypto_scalarmult_base(open.data(), secret.data());
  } else {
    std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> both{};
    crypto_sign_seed_keypair(open.data(), both.data(), secret.data());
    sodium_memzero(both.data(), both.size());
  }
  return open;
}

}  // namespace

KeyPair make_key_pair(KeyUse use) {
  KeyPair keys;
  [[maybe_unused]] const int ready = sodium_init();
  randombytes_buf(keys.secret.data(), keys.secret.size());
  keys.open = open_half(use, keys.secret);
  return keys;
}

Status write_key_pair(const std::string& name, KeyUse use, const KeyPair& keys) {
  const std::string open_file = name + ".pub";
  if (::access(open_file.c_str(), F_OK) == 0)
    return fail(ErrorCode::invalid_argument, open_file + " exists; a key is never replaced, choose another name");
  std::string secret = line_of(use, true, keys.secret);
  const Status written = write_new(name + ".key", secret, 0600);
  sodium_memzero(secret.data(), secret.size());
  if (!written) return written;
  Status open_written = write_new(open_file, line_of(use, false, keys.open), 0644);
  if (!open_written) ::unlink((name + ".key").c_str());  // half a pair would be in the way of the next try
  return open_written;
}

Result<KeyPair> read_secret_key(const std::string& file, KeyUse use) {
  auto text = read_text_file(file, file_bytes_max, [&](unsigned mode) { return check_private(file, mode); });
  if (!text) return tl::unexpected(text.error());
  const auto secret = key_in(*text, use, true);
  sodium_memzero(text->data(), text->size());
  if (!secret) return no_key(file, use, true);
  return KeyPair{*secret, open_half(use, *secret)};
}

Result<KeyBytes> read_public_key(const std::string& file, KeyUse use) {
  const auto text = read_open_file(file);
  if (!text) return tl::unexpected(text.error());
  const auto key = key_in(*text, use, false);
  if (!key) return no_key(file, use, false);
  return *key;
}

Result<std::vector<KeyBytes>> read_public_keys(const std::string& file, KeyUse use) {
  const auto text = read_open_file(file);
  if (!text) return tl::unexpected(text.error());
  std::vector<KeyBytes> keys;
  for (std::size_t begin = 0, number = 1; begin < text->size(); ++number) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#') continue;
    const auto key = key_in(line, use, false);
    if (!key) return no_key(fmt::format("{} line {}", file, number), use, false);
    keys.push_back(*key);
  }
  return keys;
}

KeyList::KeyList(std::string file, KeyUse use) : file_(std::move(file)), use_(use) {}

bool KeyList::holds(const KeyBytes& key) {
  struct stat info {};
  const bool there = ::stat(file_.c_str(), &info) == 0;
  const Version version{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
  // A file that was changed a moment ago may change again without a later time.
  const bool settled = there && version == version_ && std::time(nullptr) > std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) + 1;
  if (!settled) {
    version_ = version;
    ++readings_;
    auto read = read_public_keys(file_, use_);
    problem_ = read ? std::nullopt : std::optional(read.error());
    keys_ = std::move(read).value_or(std::vector<KeyBytes>());
  }
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

}  // namespace turnstone
