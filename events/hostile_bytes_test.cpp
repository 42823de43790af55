// Bytes that nobody wrote: the decoder answers with an error, quickly and without large allocations.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "events/codec.h"
#include "events/event_table.h"
#include "events/testing/examples.h"
#include "events/testing/random_events.h"

namespace turnstone {
namespace {

using testing::Random;

long peak_memory_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

void expect_corrupt_for_every_type(std::string_view bytes, const std::string& what) {
  for (const EventKind& kind : event_kinds) {
    const auto decoded = decode_payload(kind.type, 1, bytes);
    ASSERT_FALSE(decoded) << what << " as " << kind.name;
    EXPECT_EQ(decoded.error().code, ErrorCode::corrupt) << what << " as " << kind.name;
  }
  const auto record = decode_flight_record(bytes);
  ASSERT_FALSE(record) << what;
  EXPECT_EQ(record.error().code, ErrorCode::corrupt) << what;
}

TEST(HostileBytes, LengthAndDepthBombsAreRefusedWithoutAllocation) {
  const long before = peak_memory_kb();
  expect_corrupt_for_every_type(std::string_view("\xdd\xff\x00\x00\x00", 5), "array of 4 billion");
  expect_corrupt_for_every_type(std::string_view("\xdf\xff\xff\xff\xff", 5), "map of 4 billion");
  expect_corrupt_for_every_type(std::string_view("\x91\xdb\xff\xff\xff\xff", 6), "string of 4 GB");
  expect_corrupt_for_every_type(std::string_view("\x91\xc6\xff\xff\xff\xff", 6), "bin of 4 GB");
  expect_corrupt_for_every_type(std::string_view("\x91\xc9\xff\xff\xff\xff\x01", 7), "ext of 4 GB");
  expect_corrupt_for_every_type(repeated("\x91", 200'000), "depth bomb");
  expect_corrupt_for_every_type(repeated("\x81\x01", 200'000), "map depth bomb");
  expect_corrupt_for_every_type(repeated(std::string_view("\xdd\x00\x00\x27\x10", 5), 200'000), "nested full arrays");
  EXPECT_LT(peak_memory_kb() - before, 64 * 1024) << "a bomb was allowed to grow";
}

TEST(HostileBytes, WrongShapesAreCorrupt) {
  expect_corrupt_for_every_type("", "nothing");
  expect_corrupt_for_every_type("\xc0", "nil");
  expect_corrupt_for_every_type("\xc1", "the byte msgpack never uses");
  expect_corrupt_for_every_type(std::string_view("\x90", 1), "no fields");
  expect_corrupt_for_every_type(std::string_view("\x80", 1), "a map");
  expect_corrupt_for_every_type(std::string_view("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00", 9), "a float");
  expect_corrupt_for_every_type(std::string(2 * decode_limits.payload_bytes_max, '\x90'), "more than the limit");
}

TEST(HostileBytes, MissingExtraAndTrailingFieldsAreCorrupt) {
  for (const EventBody& body : testing::example_events()) {
    const EventType type = type_of(body);
    const std::string good = *encode_payload(body);
    ASSERT_TRUE(decode_payload(type, 1, good));
    EXPECT_EQ(decode_payload(type, 1, good + '\x01').error().code, ErrorCode::corrupt) << name_of(type) << ": trailing byte";
    std::string more = good + '\x01';
    more[0] = static_cast<char>(more[0] + 1);
    EXPECT_EQ(decode_payload(type, 1, more).error().code, ErrorCode::corrupt) << name_of(type) << ": one field more";
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
      EXPECT_EQ(decode_payload(type, 1, good.substr(0, cut)).error().code, ErrorCode::corrupt) << name_of(type) << " cut at " << cut;
    }
  }
}

TEST(HostileBytes, IntegersOutOfRangeAreCorrupt) {
  // AttemptStarted{turn, attempt, worker}: 2^32 as turn, −1 as attempt.
  EXPECT_EQ(decode_payload(EventType::attempt_started, 1, std::string_view("\x93\xcf\x00\x00\x00\x01\x00\x00\x00\x00\x01\xa0", 12)).error().code,
            ErrorCode::corrupt);
  EXPECT_EQ(decode_payload(EventType::attempt_started, 1, std::string_view("\x93\x01\xff\xa0", 4)).error().code, ErrorCode::corrupt);
  EXPECT_TRUE(decode_payload(EventType::attempt_started, 1, std::string_view("\x93\x01\x01\xa0", 4)));
}

std::string mutated(std::string bytes, Random& random) {
  for (std::uint64_t n = 1 + random.below(4); n > 0 && !bytes.empty(); --n) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random.bits());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
        break;
      case 2:
        bytes.erase(at, 1 + random.below(4));
        break;
      case 3:
        bytes.insert(at, 1, static_cast<char>(random.bits()));
        break;
      default:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(16)));
        break;
    }
  }
  return bytes;
}

// Whatever a mutation makes of a payload, the decoder ends with an event that encodes again, or an error.
TEST(HostileBytes, TwentyThousandMutationsEndInAnEventOrAnError) {
  constexpr std::uint64_t seed = 20'240'601;
  Random random(seed);
  const auto examples = testing::example_events();
  std::size_t accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const EventBody& example = examples[random.below(examples.size())];
    const std::string bytes = mutated(*encode_payload(example), random);
    const auto decoded = decode_payload(type_of(example), 1, bytes);
    if (!decoded) {
      ASSERT_EQ(decoded.error().code, ErrorCode::corrupt) << "seed " << seed << " round " << i;
      continue;
    }
    ++accepted;
    const auto again = encode_payload(*decoded);
    ASSERT_TRUE(again) << "seed " << seed << " round " << i << ": decoded what the encoder refuses: " << again.error().detail;
    ASSERT_TRUE(*decode_payload(type_of(example), 1, *again) == *decoded) << "seed " << seed << " round " << i;
  }
  EXPECT_GT(accepted, 100U) << "the mutations are too wild to reach past the first check";
}

}  // namespace
}  // namespace turnstone
