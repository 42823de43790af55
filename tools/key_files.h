// Files of key pairs: NAME.key (secret, mode 0600) and NAME.pub, each one line that says what the key is for.
//
//     turnstone bus secret key 9f86d081…        64 hexadecimal digits
//     turnstone checkpoint public key 60303ae2…
//
// A key is never replaced; a secret one that others may read, and a public one or a list that others may write, is not used. Thread safe but for KeyList.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "events/error.h"

namespace turnstone {

enum class KeyUse : std::uint8_t { bus, checkpoint };
using KeyBytes = std::array<std::uint8_t, 32>;
struct KeyPair {
  KeyBytes secret{};
  KeyBytes open{};  // the public half
};

// From the operating system's randomness: X25519 for the bus, Ed25519 (the seed is the secret) for checkpoints.
KeyPair make_key_pair(KeyUse use);

// Both files are new: invalid_argument names the one that exists. Errors: also io, no_space. After an error neither is left behind.
Status write_key_pair(const std::string& name, KeyUse use, const KeyPair& keys);
// Both halves, from the secret one. Errors: not_found, io, refused (others may read the file; names the cure),
// invalid_argument (no key, or one for another use).
Result<KeyPair> read_secret_key(const std::string& file, KeyUse use);
// Errors: as above; refused: others may write the file.
Result<KeyBytes> read_public_key(const std::string& file, KeyUse use);
// A file of any number of public keys, one a line; empty lines and those that begin with # say nothing.
Result<std::vector<KeyBytes>> read_public_keys(const std::string& file, KeyUse use);

// A list of public keys that may change at any time, asked often: it is read again only when it changed. What cannot be read holds no key.
class KeyList {
 public:
  KeyList(std::string file, KeyUse use);
  bool holds(const KeyBytes& key);
  const std::optional<Error>& problem() const { return problem_; }  // of the last reading
  std::uint64_t readings() const { return readings_; }

 private:
  using Version = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::string file_;
  KeyUse use_;
  Version version_{};
  std::vector<KeyBytes> keys_;
  std::optional<Error> problem_;
  std::uint64_t readings_ = 0;
};

}  // namespace turnstone
