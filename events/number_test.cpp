#include "events/number.h"

#include <gtest/gtest.h>

#include <limits>

#include "events/testing/random_events.h"

namespace turnstone {
namespace {

void expect_number(std::string_view text, std::int64_t units) {
  const auto number = parse_number(text);
  ASSERT_TRUE(number) << text;
  EXPECT_EQ(number->value, units) << text;
}

TEST(Number, ReadsWhatPeopleWrite) {
  expect_number("1299", 12'990'000);
  expect_number("1,299.00", 12'990'000);
  expect_number("19.99", 199'900);
  expect_number("-5", -50'000);
  expect_number(".5", 5'000);
  expect_number("-0.5", -5'000);
  expect_number("0005", 50'000);
  expect_number("12,345,678", 123'456'780'000);
  expect_number("0.00019", 1);
  expect_number("3.14159265358979323846", 31'415);
  expect_number("900000000000000", 9'000'000'000'000'000'000);
  expect_number("-900,000,000,000,000", -9'000'000'000'000'000'000);
}

TEST(Number, RefusesEverythingElse) {
  for (const char* text : {"",
                           "-",
                           ".",
                           "5.",
                           "-.",
                           "1,29",
                           "12,34",
                           ",123",
                           "1,2345",
                           "1234,567",
                           "1,",
                           "1,,234",
                           "1.2.3",
                           "1.2,3",
                           "$5",
                           "5 ",
                           " 5",
                           "+5",
                           "--5",
                           "1e3",
                           "0x10",
                           "five",
                           "nan",
                           "inf",
                           "900000000000001",
                           "900000000000000.0001",
                           "99999999999999999999",
                           "-99999999999999999999",
                           "99,999,999,999,999,999,999",
                           "١٢"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
  EXPECT_FALSE(parse_number(std::string(1'000'000, '9')));
  EXPECT_FALSE(parse_number(std::string_view("5\0", 2)));
}

TEST(Number, PrintsTheShortestExactForm) {
  EXPECT_EQ(to_string(Number{199'900}), "19.99");
  EXPECT_EQ(to_string(whole_number(1200)), "1200");
  EXPECT_EQ(to_string(Number{-5'000}), "-0.5");
  EXPECT_EQ(to_string(Number{1}), "0.0001");
  EXPECT_EQ(to_string(Number{0}), "0");
  EXPECT_EQ(to_string(Number{std::numeric_limits<std::int64_t>::min()}), "-922337203685477.5808");
  EXPECT_EQ(to_string(Number{std::numeric_limits<std::int64_t>::max()}), "922337203685477.5807");
}

TEST(Number, ReadsBackWhatItPrints) {
  testing::Random random(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto magnitude = static_cast<std::int64_t>(random.bits() >> (2 + random.below(60))) % 9'000'000'000'000'000'000;
    const Number number{random.one_in(2) ? magnitude : -magnitude};
    ASSERT_EQ(parse_number(to_string(number)), number) << to_string(number);
  }
}

}  // namespace
}  // namespace turnstone
