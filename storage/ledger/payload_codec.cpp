#include "storage/ledger/payload_codec.h"

namespace turnstone {
namespace {

class PlainPayloadCodec final : public PayloadCodec {
 public:
  std::uint8_t layout() const override { return 1; }
  Result<std::string> seal(const AssociatedData&, std::string_view plain) const override { return std::string(plain); }
  Result<std::string> open(const AssociatedData&, std::string_view sealed) const override { return std::string(sealed); }
  StreamId stored(const StreamId& stream) const override { return stream; }
  Result<std::string> stored_turn_key(KeySlot, const TurnKey& key) const override { return key.value; }
  Result<Digest> stored_digest(KeySlot, const Digest& digest) const override { return digest; }
  Result<KeySlot> reserve(KeySlot) const override { return KeySlot{}; }
  Result<bool> erased(KeySlot) const override { return false; }
  Status erase(KeySlot, const Erasure&) const override {
    return fail(ErrorCode::unsupported, "this ledger was made without encryption, so nothing in it can be erased; remove it as a whole");
  }
};

}  // namespace

const PayloadCodec& plain_payload_codec() {
  static const PlainPayloadCodec codec;
  return codec;
}

}  // namespace turnstone
