// The bytes on disk never change by accident: one file a type and version, written by a program that knew no
// better. TURNSTONE_WRITE_GOLDEN=1 writes the missing files of new types and versions (never existing ones).
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "events/codec.h"
#include "events/event_table.h"
#include "events/testing/examples.h"

namespace turnstone {
namespace {

namespace fs = std::filesystem;

const fs::path golden_directory = TURNSTONE_GOLDEN_DIRECTORY;

std::string hex_of(std::string_view bytes) {
  std::ostringstream out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    static constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out << digits[byte >> 4] << digits[byte & 15] << (i % 48 == 47 ? "\n" : "");
  }
  return out.str() + '\n';
}

std::string bytes_of(const std::string& hex) {
  std::string digits;
  for (const char c : hex) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string golden_hex(const std::string& name, std::string_view current) {
  const fs::path file = golden_directory / (name + ".hex");
  if (std::getenv("TURNSTONE_WRITE_GOLDEN") != nullptr && !fs::exists(file)) std::ofstream(file) << hex_of(current);
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Golden, EveryEventTypeKeepsItsBytes) {
  const auto examples = testing::example_events();
  ASSERT_EQ(examples.size(), event_kinds.size()) << "a type without an example";
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const EventKind& kind = event_kinds[i];
    ASSERT_EQ(type_of(examples[i]), kind.type);
    const std::string name = std::string(kind.name) + ".v" + std::to_string(kind.schema_version);
    const std::string hex = golden_hex(name, *encode_payload(examples[i]));
    ASSERT_FALSE(hex.empty()) << name << ".hex is missing under " << golden_directory;
    EXPECT_EQ(hex_of(*encode_payload(examples[i])), hex) << name << " is written otherwise than before: raise the schema version";
    const auto decoded = decode_payload(kind.type, kind.schema_version, bytes_of(hex));
    ASSERT_TRUE(decoded) << name << ": " << decoded.error().detail;
    EXPECT_TRUE(*decoded == examples[i]) << name << " is read otherwise than before";
  }
}

TEST(Golden, FlightRecordKeepsItsBytes) {
  const std::string hex = golden_hex("FlightRecord.v1", *encode_flight_record(testing::example_flight_record()));
  ASSERT_FALSE(hex.empty());
  EXPECT_EQ(hex_of(*encode_flight_record(testing::example_flight_record())), hex);
  const auto decoded = decode_flight_record(bytes_of(hex));
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_TRUE(*decoded == testing::example_flight_record());
}

// Files of retired versions stay and must still be readable.
TEST(Golden, EveryFileBelongsToAKnownTypeAndIsReadable) {
  for (const auto& entry : fs::directory_iterator(golden_directory)) {
    const std::string stem = entry.path().stem().string();  // ConstraintSet.v1
    const std::size_t dot = stem.rfind(".v");
    ASSERT_NE(dot, std::string::npos) << stem;
    if (stem.starts_with("FlightRecord")) continue;
    const auto kind = std::find_if(event_kinds.begin(), event_kinds.end(), [&](const EventKind& k) { return k.name == stem.substr(0, dot); });
    ASSERT_NE(kind, event_kinds.end()) << stem;
    std::ifstream in(entry.path());
    const std::string hex(std::istreambuf_iterator<char>(in), {});
    const auto version = static_cast<std::uint16_t>(std::stoi(stem.substr(dot + 2)));
    EXPECT_TRUE(decode_payload(kind->type, version, bytes_of(hex))) << stem;
  }
}

}  // namespace
}  // namespace turnstone
