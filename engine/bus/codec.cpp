#include "engine/bus/codec.h"

#include <array>
#include <utility>

#include "events/codec.h"
#include "events/flight_record.h"
#include "events/msgpack_fields.h"
#include "events/snapshot.h"

namespace turnstone {

template <>
struct Vocabulary<bus::StreamType> {
  static constexpr std::array<std::string_view, 2> names{"session", "profile"};
};
template <>
struct Vocabulary<bus::Fault> {
  static constexpr std::array<std::string_view, 4> names{"unknown_worker", "unsupported_protocol", "bad_message", "full"};
};

}  // namespace turnstone

namespace turnstone::bus {
namespace {

constexpr std::string_view magic = "TS";
constexpr std::size_t header_bytes = 4;

constexpr DecodeLimits large{.array_items_max = 1'024,
                             .string_bytes_max = static_cast<std::uint32_t>(document_bytes_max),
                             .depth_max = 8,
                             .payload_bytes_max = static_cast<std::uint32_t>(frame_bytes_max)};
constexpr DecodeLimits small{.array_items_max = 256,
                             .string_bytes_max = static_cast<std::uint32_t>(small_frame_bytes_max),
                             .depth_max = 4,
                             .payload_bytes_max = static_cast<std::uint32_t>(small_frame_bytes_max)};

const DecodeLimits& limits_of(Kind kind) {
  switch (kind) {
    case Kind::proposed:
    case Kind::events:
    case Kind::commits:
    case Kind::document:
    case Kind::publication:
    case Kind::task:
      return large;
    default:
      return small;
  }
}

struct KindName {
  Kind kind;
  std::string_view name;
};
// By index of Message's alternatives.
constexpr std::array<KindName, std::variant_size_v<Message>> kinds{{
    {Kind::hello, "HELLO"},
    {Kind::welcome, "WELCOME"},
    {Kind::credit, "CREDIT"},
    {Kind::drain, "DRAIN"},
    {Kind::bye, "BYE"},
    {Kind::task, "TASK"},
    {Kind::proposed, "PROPOSED"},
    {Kind::failed, "FAILED"},
    {Kind::read, "READ"},
    {Kind::events, "EVENTS"},
    {Kind::read_commits, "READ_COMMITS"},
    {Kind::commits, "COMMITS"},
    {Kind::fetch_document, "FETCH_DOCUMENT"},
    {Kind::document, "DOCUMENT"},
    {Kind::ping, "PING"},
    {Kind::pong, "PONG"},
    {Kind::refusal, "REFUSAL"},
    {Kind::publication, "PUBLICATION"},
}};

Status too_large(std::string_view what) { return fail(ErrorCode::limit_exceeded, std::string(what) + " is over its limit"); }

Status check(const Hello& hello) {
  if (hello.worker.value.empty() || hello.worker.value.size() > worker_id_bytes_max || hello.name.size() > worker_id_bytes_max) {
    return too_large("the worker's id or name");
  }
  if (hello.artefacts.size() > fingerprints_max || hello.policies.size() > fingerprints_max || hello.decision_versions.size() > fingerprints_max) {
    return too_large("the set that a worker serves");
  }
  return hello.credit > credit_max ? too_large("the credit") : Status{};
}
Status check(const Credit& credit) { return credit.window > credit_max ? too_large("the credit") : Status{}; }
Status check(const Proposed& proposed) {
  if (proposed.events.empty() || proposed.events.size() > proposal_events_max) return too_large("the number of proposed events");
  std::size_t bytes = 0;
  for (const ProposedEvent& event : proposed.events) bytes += event.payload.size();
  if (bytes > proposal_bytes_max) return too_large("the size of the proposed events");
  if (proposed.snapshot.size() > snapshot_bytes_max) return too_large("the snapshot");
  if (proposed.flight_record.size() > flight_record_bytes_max) return too_large("the flight record");
  return proposed.reply.size() > reply_bytes_max ? too_large("the reply") : Status{};
}
Status check(const Events& events) { return events.events.size() > range_events_max ? too_large("the range of events") : Status{}; }
template <class T>
Status check(const T&) {
  return {};
}

template <std::size_t I = 0>
Result<Message> decode_alternative(Kind kind, std::string_view fields) {
  if constexpr (I == std::variant_size_v<Message>) {
    return fail(ErrorCode::unsupported, "a message of kind " + std::to_string(static_cast<int>(kind)) + " is not known to this build");
  } else {
    if (kinds[I].kind != kind) return decode_alternative<I + 1>(kind, fields);
    auto fields_read = decode_fields<std::variant_alternative_t<I, Message>>(fields, limits_of(kind));
    if (!fields_read) return tl::unexpected(fields_read.error());
    if (auto good = check(*fields_read); !good) return tl::unexpected(good.error());
    return Message{std::in_place_index<I>, std::move(*fields_read)};
  }
}

}  // namespace

Kind kind_of(const Message& message) { return kinds[message.index()].kind; }

std::string_view name_of(Kind kind) {
  for (const KindName& known : kinds) {
    if (known.kind == kind) return known.name;
  }
  return "UNKNOWN";
}

std::string topic_of(const StreamId& stream) {
  std::string topic(1, static_cast<char>(stream.kind));
  topic += stream.name;
  topic += '\0';
  return topic;
}

Result<std::string> encode(const Message& message) {
  const Kind kind = kind_of(message);
  auto fields = std::visit(
      [&](const auto& alternative) -> Result<std::string> {
        if (auto good = check(alternative); !good) return tl::unexpected(good.error());
        return encode_fields(alternative, limits_of(kind));
      },
      message);
  if (!fields) return tl::unexpected(fields.error());
  if (fields->size() + header_bytes > frame_bytes_max) return fail(ErrorCode::limit_exceeded, "the message is larger than a frame may be");
  std::string frame(magic);
  frame += static_cast<char>(protocol_version);
  frame += static_cast<char>(kind);
  frame += *fields;
  return frame;
}

Result<Message> decode(std::string_view frame) {
  if (frame.size() > frame_bytes_max) return fail(ErrorCode::limit_exceeded, "the frame is larger than allowed");
  if (frame.size() < header_bytes || frame.substr(0, magic.size()) != magic) return fail(ErrorCode::corrupt, "no frame of this protocol");
  const auto version = static_cast<unsigned char>(frame[2]);
  const auto kind = static_cast<Kind>(static_cast<unsigned char>(frame[3]));
  if (version != protocol_version) {
    return fail(ErrorCode::unsupported, "the peer speaks version " + std::to_string(version) + " of the bus protocol, this program version " +
                                            std::to_string(protocol_version) + "; run the same release on both sides");
  }
  return decode_alternative(kind, frame.substr(header_bytes));
}

Result<WireEvent> to_wire(const Event& event) {
  auto proposed = to_wire(event.body);
  if (!proposed) return tl::unexpected(proposed.error());
  return WireEvent{event.sequence, event.time, event.turn, proposed->type, proposed->schema_version, std::move(proposed->payload)};
}

Result<ProposedEvent> to_wire(const EventBody& body) {
  auto payload = encode_payload(body);
  if (!payload) return tl::unexpected(payload.error());
  const EventType type = type_of(body);
  return ProposedEvent{static_cast<std::uint16_t>(type), current_schema_version(type), std::move(*payload)};
}

Result<EventBody> body_of(const WireEvent& event) { return decode_payload(static_cast<EventType>(event.type), event.schema_version, event.payload); }

Result<EventBody> body_of(const ProposedEvent& event) {
  return decode_payload(static_cast<EventType>(event.type), event.schema_version, event.payload);
}

}  // namespace turnstone::bus
