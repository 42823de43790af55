#include "storage/ledger/sealing_codec.h"

#include <sodium.h>

#include "storage/ledger/bytes.h"

namespace turnstone {
namespace {

constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(nonce_bytes + tag_bytes == sealed_overhead_bytes);
constexpr std::size_t name_hash_bytes = 20;
constexpr char stored_name_mark = '\x01';

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

template <std::size_t Size>
std::array<std::uint8_t, Size> keyed_hash(const SecretKey& key, std::string_view text) {
  std::array<std::uint8_t, Size> hash{};
  crypto_generichash(hash.data(), hash.size(), bytes_of(text), text.size(), key.data(), key.size());
  return hash;
}

std::string encode(const AssociatedData& where) {
  return ByteWriter()
      .u8(static_cast<std::uint8_t>(where.stream.kind))
      .text(where.stream.name)
      .u64(where.number)
      .u16(where.kind)
      .u16(where.version)
      .take();
}

void make_nonce(const SlotKeys& keys, std::string_view where, std::string_view plain, unsigned char* nonce) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, keys.nonce.data(), keys.nonce.size(), nonce_bytes);
  crypto_generichash_update(&state, bytes_of(where), where.size());
  crypto_generichash_update(&state, bytes_of(plain), plain.size());
  crypto_generichash_final(&state, nonce, nonce_bytes);
}

class SealingCodec final : public PayloadCodec {
 public:
  explicit SealingCodec(std::shared_ptr<KeyStore> keys) : keys_(std::move(keys)) {}
  std::uint8_t layout() const override { return 2; }

  Result<std::string> seal(const AssociatedData& where, std::string_view plain) const override {
    const auto keys = slot_keys(where.key);
    if (!keys) return tl::unexpected(keys.error());
    const std::string bound = encode(where);
    std::string sealed(nonce_bytes + plain.size() + tag_bytes, '\0');
    make_nonce(*keys, bound, plain, bytes_of(sealed));
    crypto_aead_xchacha20poly1305_ietf_encrypt(bytes_of(sealed) + nonce_bytes, nullptr, bytes_of(plain), plain.size(),
                                               bytes_of(std::string_view(bound)), bound.size(), nullptr, bytes_of(sealed), keys->encryption.data());
    return sealed;
  }

  Result<std::string> open(const AssociatedData& where, std::string_view sealed) const override {
    const auto keys = slot_keys(where.key);
    if (!keys) return tl::unexpected(keys.error());
    const std::string bound = encode(where);
    if (sealed.size() < sealed_overhead_bytes) return fail(ErrorCode::corrupt, "its encrypted bytes are too few; run verify and restore a backup");
    std::string plain(sealed.size() - sealed_overhead_bytes, '\0');
    const std::string_view text = sealed.substr(nonce_bytes);
    const bool authentic =
        crypto_aead_xchacha20poly1305_ietf_decrypt(bytes_of(plain), nullptr, nullptr, bytes_of(text), text.size(), bytes_of(std::string_view(bound)),
                                                   bound.size(), bytes_of(sealed), keys->encryption.data()) == 0;
    if (!authentic) return fail(ErrorCode::corrupt, "its encrypted bytes do not belong here or were altered; run verify and restore a backup");
    return plain;
  }

  StreamId stored(const StreamId& stream) const override {
    if (!keys_ || is_stored_name(stream.name)) return stream;
    const std::string text = static_cast<char>(stream.kind) + stream.name;
    const auto hash = keyed_hash<name_hash_bytes>(keys_->ledger_key(), text);
    std::array<char, 2 * name_hash_bytes + 1> hex{};
    sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
    return {stream.kind, stored_name_mark + std::string(hex.data())};
  }

  Result<std::string> stored_turn_key(KeySlot slot, const TurnKey& key) const override {
    const auto keys = slot_keys(slot);
    if (!keys) return tl::unexpected(keys.error());
    const auto hash = keyed_hash<name_hash_bytes>(keys->mac, "key " + key.value);
    return std::string(hash.begin(), hash.end());
  }

  Result<Digest> stored_digest(KeySlot slot, const Digest& digest) const override {
    const auto keys = slot_keys(slot);
    if (!keys) return tl::unexpected(keys.error());
    return keyed_hash<sizeof(Digest)>(keys->mac, ByteWriter().raw("digest ").digest(digest).take());
  }

  Result<KeySlot> reserve(KeySlot from) const override { return keys_ ? keys_->reserve(from) : no_keys(); }
  Result<bool> erased(KeySlot slot) const override { return keys_ && slot.value != 0 ? keys_->erased(slot) : false; }
  Status erase(KeySlot slot, const Erasure& erasure) const override { return keys_ ? keys_->erase(slot, erasure) : Status(no_keys()); }

 private:
  static tl::unexpected<Error> no_keys() {
    return fail(ErrorCode::not_found, "the ledger was opened without its keys; give --master-key and have KEYS beside it");
  }
  Result<SlotKeys> slot_keys(KeySlot slot) const { return keys_ ? keys_->keys(slot) : no_keys(); }

  std::shared_ptr<KeyStore> keys_;
};

}  // namespace

std::shared_ptr<const PayloadCodec> make_sealing_codec(std::shared_ptr<KeyStore> keys) { return std::make_shared<SealingCodec>(std::move(keys)); }

bool is_stored_name(std::string_view name) { return !name.empty() && name.front() == stored_name_mark; }

}  // namespace turnstone
