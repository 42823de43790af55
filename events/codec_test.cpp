#include "events/codec.h"

#include <gtest/gtest.h>

#include "events/event_table.h"
#include "events/msgpack_fields.h"
#include "events/testing/random_events.h"

namespace turnstone {
namespace {

using testing::Random;

TEST(Codec, DecodeOfEncodeIsTheEvent) {
  for (const EventKind& kind : event_kinds) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Random random(seed);
      const EventBody body = testing::random_event(random, kind.type);
      ASSERT_EQ(type_of(body), kind.type);
      const auto bytes = encode_payload(body);
      ASSERT_TRUE(bytes) << kind.name << " seed " << seed << ": " << bytes.error().detail;
      const auto decoded = decode_payload(kind.type, kind.schema_version, *bytes);
      ASSERT_TRUE(decoded) << kind.name << " seed " << seed << ": " << decoded.error().detail;
      ASSERT_TRUE(*decoded == body) << kind.name << " seed " << seed;
      ASSERT_EQ(*encode_payload(*decoded), *bytes) << kind.name << " seed " << seed;
    }
  }
}

TEST(Codec, DecodeOfEncodeIsTheFlightRecord) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    FlightRecord record;
    record.stages.push_back({Stage::rank, {}});
    for (std::uint64_t n = random.below(6); n > 0; --n) record.stages[0].decided.push_back(testing::random_value<FlightField>(random));
    const auto bytes = encode_flight_record(record);
    if (!bytes) {
      EXPECT_EQ(bytes.error().code, ErrorCode::limit_exceeded) << "seed " << seed;
      continue;
    }
    ASSERT_LE(bytes->size(), flight_record_bytes_max);
    const auto decoded = decode_flight_record(*bytes);
    ASSERT_TRUE(decoded) << "seed " << seed << ": " << decoded.error().detail;
    ASSERT_TRUE(*decoded == record) << "seed " << seed;
  }
}

TEST(Codec, FlightRecordOverItsLimitIsRefusedOnBothSides) {
  FlightRecord record;
  record.stages.push_back({Stage::rank, {}});
  record.stages[0].note("text", std::string(flight_record_bytes_max, 'x'));
  EXPECT_EQ(encode_flight_record(record).error().code, ErrorCode::limit_exceeded);
  const auto bytes = encode_fields(record);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(decode_flight_record(*bytes).error().code, ErrorCode::corrupt);
}

// What the encoder refuses, the decoder refuses, and the largest allowed value passes both.
TEST(Codec, EncoderAndDecoderHoldTheSameLimits) {
  const auto round = [](std::size_t text_bytes) {
    const EventBody body = ReplySent{std::string(text_bytes, 'a')};
    return encode_payload(body);
  };
  const auto largest = round(decode_limits.string_bytes_max);
  ASSERT_TRUE(largest);
  EXPECT_TRUE(decode_payload(EventType::reply_sent, 1, *largest));
  EXPECT_EQ(round(decode_limits.string_bytes_max + 1).error().code, ErrorCode::limit_exceeded);
  const auto oversized = encode_fields(ReplySent{std::string(decode_limits.string_bytes_max + 1, 'a')}, {.string_bytes_max = 1 << 20});
  EXPECT_EQ(decode_payload(EventType::reply_sent, 1, *oversized).error().code, ErrorCode::corrupt);

  const auto list = [](std::size_t items) { return ReferenceResolved{"", ProductId{}, std::vector<std::string>(items)}; };
  const auto longest = encode_payload(list(decode_limits.array_items_max));
  ASSERT_TRUE(longest);
  EXPECT_TRUE(decode_payload(EventType::reference_resolved, 1, *longest));
  EXPECT_EQ(encode_payload(list(decode_limits.array_items_max + 1)).error().code, ErrorCode::limit_exceeded);
  const auto too_long = encode_fields(list(decode_limits.array_items_max + 1), {.array_items_max = 1 << 20});
  EXPECT_EQ(decode_payload(EventType::reference_resolved, 1, *too_long).error().code, ErrorCode::corrupt);

  const ReferenceResolved heavy{"", ProductId{}, std::vector<std::string>(17, std::string(decode_limits.string_bytes_max, 'a'))};
  EXPECT_EQ(encode_payload(heavy).error().code, ErrorCode::limit_exceeded);
}

TEST(Codec, DepthIsCountedAlikeOnBothSides) {
  using One = std::vector<std::int64_t>;
  using Three = std::vector<std::vector<One>>;
  const Three value{{{1}}};
  EXPECT_TRUE(decode_fields<Three>(*encode_fields(value, {.depth_max = 3}), {.depth_max = 3}));
  EXPECT_EQ(encode_fields(value, {.depth_max = 2}).error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(decode_fields<Three>(*encode_fields(value), {.depth_max = 2}).error().code, ErrorCode::corrupt);
}

TEST(Codec, ValuesOutsideTheirVocabularyAreRefusedOnBothSides) {
  EXPECT_EQ(encode_payload(SessionClosed{static_cast<CloseReason>(3)}).error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(decode_payload(EventType::session_closed, 1, std::string_view("\x91\x02", 2)));
  EXPECT_EQ(decode_payload(EventType::session_closed, 1, std::string_view("\x91\x03", 2)).error().code, ErrorCode::corrupt);
}

TEST(Codec, UnknownTypesAndNewerVersionsAreUnsupported) {
  EXPECT_EQ(decode_payload(static_cast<EventType>(999), 1, "\x90").error().code, ErrorCode::unsupported);
  EXPECT_EQ(decode_payload(EventType::session_closed, 2, "\x91\x01").error().code, ErrorCode::unsupported);
  EXPECT_EQ(decode_payload(EventType::session_closed, 0, "\x91\x01").error().code, ErrorCode::corrupt);
  EXPECT_EQ(name_of(static_cast<EventType>(999)), "unknown");
  EXPECT_EQ(current_schema_version(EventType::session_closed), 1);
  EXPECT_EQ(current_schema_version(static_cast<EventType>(999)), 0);
}

TEST(Codec, EveryStoredNumberStandsForItsOwnStruct) {
  for (std::size_t i = 0; i < event_kinds.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(event_kinds[i].type), i + 1) << "stored numbers never change";
    EXPECT_EQ(alternative_of(event_kinds[i].type), i);
  }
  EXPECT_EQ(type_of(EventBody(ConstraintSet{})), EventType::constraint_set);
  EXPECT_EQ(type_of(EventBody(ProfileUpdated{})), EventType::profile_updated);
  EXPECT_EQ(name_of(EventType::products_shown), "ProductsShown");
}

}  // namespace
}  // namespace turnstone
