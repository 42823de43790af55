// libFuzzer target for the event and flight record decoders. The first byte picks the type, or a type and a version of any number; what decodes must
// encode again and read back equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "events/codec.h"
#include "events/event_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnstone;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t choice = data[0] % (event_kinds.size() + 2);
  if (choice == event_kinds.size() + 1) {  // whatever type and version a newer or a damaged ledger names
    if (bytes.size() < 2) return 0;
    (void)decode_payload(static_cast<EventType>(static_cast<unsigned char>(bytes[0])), static_cast<unsigned char>(bytes[1]), bytes.substr(2));
    return 0;
  }
  if (choice == event_kinds.size()) {
    const auto record = decode_flight_record(bytes);
    if (!record) return 0;
    const auto again = encode_flight_record(*record);
    // A record may be written with wider integers than needed, so it may only shrink.
    if (!again || !(*decode_flight_record(*again) == *record)) std::abort();
    return 0;
  }
  const EventKind& kind = event_kinds[choice];
  const auto body = decode_payload(kind.type, kind.schema_version, bytes);
  if (!body) return 0;
  const auto again = encode_payload(*body);
  if (!again || !(*decode_payload(kind.type, kind.schema_version, *again) == *body)) std::abort();
  return 0;
}
