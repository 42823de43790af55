#include "workers/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace turnstone::fixed_point {
namespace {

TEST(FixedPoint, PowersOfTwoAreExact) {
  for (int exponent = 0; exponent < 63; ++exponent) EXPECT_EQ(log2_millibits(std::uint64_t{1} << exponent), exponent * bit);
  for (int bits = 0; bits <= 30; ++bits) EXPECT_EQ(exp2_weight(bits * bit), weight_one >> bits);
}

TEST(FixedPoint, Log2RoundsDownAndNeverFalls) {
  std::int64_t before = 0;
  for (std::uint64_t x = 1; x < 200'000; ++x) {
    const std::int64_t value = log2_millibits(x);
    EXPECT_GE(value, before);
    EXPECT_NEAR(static_cast<double>(value), 1000.0 * std::log2(static_cast<double>(x)), 1.001) << x;
    before = value;
  }
  for (std::uint64_t x = 3; x < (std::uint64_t{1} << 62); x = x * 5 / 3 + 1) {
    EXPECT_NEAR(static_cast<double>(log2_millibits(x)), 1000.0 * std::log2(static_cast<double>(x)), 1.001) << x;
  }
}

TEST(FixedPoint, Exp2IsCloseAndNeverRises) {
  std::int64_t before = weight_one;
  for (std::int64_t millibits = 0; millibits < 32'000; ++millibits) {
    const std::int64_t value = exp2_weight(millibits);
    EXPECT_LE(value, before);
    const double exact = std::exp2(30.0 - static_cast<double>(millibits) / 1000.0);
    EXPECT_NEAR(static_cast<double>(value), millibits >= 31'000 ? 0.0 : exact, 1.5) << millibits;
    before = value;
  }
  EXPECT_EQ(exp2_weight(-5), weight_one);
  EXPECT_EQ(exp2_weight(std::int64_t{1} << 62), 0);
}

TEST(FixedPoint, EntropyOfKnownDistributions) {
  EXPECT_EQ(entropy_millibits({}), 0);
  const std::vector<std::int64_t> certain{0, weight_one, 0};
  EXPECT_EQ(entropy_millibits(certain), 0);
  const std::vector<std::int64_t> even(256, 1 << 20);
  EXPECT_EQ(entropy_millibits(even), 8 * bit);
  const std::vector<std::int64_t> halves{weight_one, weight_one / 2, weight_one / 2};
  EXPECT_NEAR(static_cast<double>(entropy_millibits(halves)), 1500.0, 2.0);
}

TEST(FixedPoint, EntropyHoldsAtItsLimits) {
  const std::vector<std::int64_t> most(65'536, weight_one);
  EXPECT_EQ(entropy_millibits(most), 16 * bit);
}

}  // namespace
}  // namespace turnstone::fixed_point
