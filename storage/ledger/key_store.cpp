#include "storage/ledger/key_store.h"

#include <sodium.h>

#include <map>
#include <mutex>
#include <optional>

#include "storage/ledger/bytes.h"

namespace turnstone {
namespace {

class MemoryKeyStore final : public KeyStore {
 public:
  explicit MemoryKeyStore(std::optional<SecretKey> seed) : seed_(seed), ledger_key_(key_of(0)) {}
  const SecretKey& ledger_key() const override { return ledger_key_; }

  Result<SlotKeys> keys(KeySlot slot) const override {
    const std::lock_guard lock(mutex_);
    const auto found = slots_.find(slot);
    if (found == slots_.end()) return fail(ErrorCode::corrupt, "there is no key slot " + std::to_string(slot.value));
    if (!found->second) return fail(ErrorCode::erased, "its key was erased");
    return *found->second;
  }
  Result<KeySlot> reserve(KeySlot from) override {
    const std::lock_guard lock(mutex_);
    for (KeySlot slot{std::max(from.value, 1U)};; ++slot.value) {
      const auto [found, fresh] = slots_.try_emplace(slot, std::nullopt);
      if (fresh) found->second = derive_slot_keys(key_of(slot.value));
      if (found->second) return slot;
    }
  }
  Result<bool> erased(KeySlot slot) const override {
    const std::lock_guard lock(mutex_);
    const auto found = slots_.find(slot);
    return found != slots_.end() && !found->second;
  }
  Status erase(KeySlot slot, const Erasure&) override {
    const std::lock_guard lock(mutex_);
    slots_[slot].reset();
    return {};
  }

 private:
  SecretKey key_of(std::uint32_t slot) const {
    if (!seed_) return random_key();
    SecretKey key{};
    const std::string number = ByteWriter().u32(slot).take();
    crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(number.data()), number.size(), seed_->data(), seed_->size());
    return key;
  }
  const std::optional<SecretKey> seed_;
  const SecretKey ledger_key_;
  mutable std::mutex mutex_;  // guards slots_
  std::map<KeySlot, std::optional<SlotKeys>> slots_;
};

}  // namespace

SlotKeys derive_slot_keys(const SecretKey& key) {
  static constexpr char context[crypto_kdf_CONTEXTBYTES + 1] = "turnston";
  SlotKeys keys;
  crypto_kdf_derive_from_key(keys.encryption.data(), keys.encryption.size(), 1, context, key.data());
  crypto_kdf_derive_from_key(keys.nonce.data(), keys.nonce.size(), 2, context, key.data());
  crypto_kdf_derive_from_key(keys.mac.data(), keys.mac.size(), 3, context, key.data());
  return keys;
}

SecretKey random_key() {
  static const bool ready = sodium_init() >= 0;
  SecretKey key{};
  if (ready) randombytes_buf(key.data(), key.size());
  return key;
}

std::unique_ptr<KeyStore> make_memory_key_store() { return std::make_unique<MemoryKeyStore>(std::nullopt); }
std::unique_ptr<KeyStore> make_memory_key_store(const SecretKey& seed) { return std::make_unique<MemoryKeyStore>(seed); }

}  // namespace turnstone
