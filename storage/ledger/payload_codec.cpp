#include "storage/ledger/payload_codec.h"

namespace turnstone {
namespace {

class PlainPayloadCodec final : public PayloadCodec {
 public:
  Result<std::string> seal(const AssociatedData&, std::string_view plain) const override { return std::string(plain); }
  Result<std::string> open(const AssociatedData&, std::string_view sealed) const override { return std::string(sealed); }
};

}  // namespace

const PayloadCodec& plain_payload_codec() {
  static const PlainPayloadCodec codec;
  return codec;
}

}  // namespace turnstone
