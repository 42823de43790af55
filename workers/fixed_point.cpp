#include "workers/fixed_point.h"

#include <array>
#include <bit>

namespace turnstone::fixed_point {
namespace {

constexpr int fraction_bits = 11;
constexpr std::size_t log_entries = (std::size_t{1} << fraction_bits) + 1;
constexpr int log_precision = 24;  // entries are in 2^-24 bits

// log2(mantissa / 2^31) for a mantissa in [2^31, 2^32), by repeated squaring (Knuth, TAOCP 1.2.2, exercise 25).
constexpr std::uint64_t log2_of_mantissa(std::uint64_t mantissa) {
  std::uint64_t result = 0;
  for (int i = 0; i < log_precision; ++i) {
    mantissa = (mantissa * mantissa) >> 31;
    result <<= 1;
    if (mantissa >= (std::uint64_t{1} << 32)) {
      result |= 1;
      mantissa >>= 1;
    }
  }
  return result;
}

constexpr std::array<std::uint32_t, log_entries> make_log_table() {
  std::array<std::uint32_t, log_entries> table{};
  for (std::size_t i = 0; i + 1 < log_entries; ++i) {
    table[i] = static_cast<std::uint32_t>(log2_of_mantissa((std::uint64_t{1} << 31) + (std::uint64_t{i} << (31 - fraction_bits))));
  }
  table[log_entries - 1] = std::uint32_t{1} << log_precision;
  return table;
}

// 2^(-1/1000) in units of 2^-62.
constexpr std::uint64_t millibit_step = 4608490548859387466ULL;

constexpr std::array<std::int64_t, 1000> make_exp_table() {
  std::array<std::int64_t, 1000> table{};
  std::uint64_t value = std::uint64_t{1} << 62;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::int64_t>(value >> 32);
    // The high half of a 64 × 64 bit product, kept at 2^-62 by the shift.
    const std::uint64_t a_high = value >> 32, a_low = value & 0xffffffffU;
    const std::uint64_t b_high = millibit_step >> 32, b_low = millibit_step & 0xffffffffU;
    const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    const std::uint64_t carry = a_low * b_high + (middle & 0xffffffffU);
    const std::uint64_t high = a_high * b_high + (middle >> 32) + (carry >> 32);
    value = (high << 2) | ((carry & 0xffffffffU) >> 30);
  }
  return table;
}

constexpr auto log_table = make_log_table();
constexpr auto exp_table = make_exp_table();

}  // namespace

std::int64_t log2_millibits(std::uint64_t x) {
  if (x == 0) return 0;
  const int exponent = std::bit_width(x) - 1;
  const std::uint64_t mantissa = exponent <= 31 ? x << (31 - exponent) : x >> (exponent - 31);  // in [2^31, 2^32)
  const std::uint64_t fraction = mantissa - (std::uint64_t{1} << 31);
  const std::uint64_t index = fraction >> (31 - fraction_bits);
  const std::uint64_t rest = fraction & ((std::uint64_t{1} << (31 - fraction_bits)) - 1);
  const std::uint64_t low = log_table[index], high = log_table[index + 1];
  const std::uint64_t part = low + (((high - low) * rest) >> (31 - fraction_bits));
  return exponent * bit + static_cast<std::int64_t>((part * static_cast<std::uint64_t>(bit)) >> log_precision);
}

std::int64_t exp2_weight(std::int64_t millibits_below) {
  if (millibits_below <= 0) return weight_one;
  const std::int64_t bits = millibits_below / bit;
  if (bits > 30) return 0;
  return exp_table[static_cast<std::size_t>(millibits_below % bit)] >> bits;
}

std::int64_t entropy_millibits(std::span<const std::int64_t> weights) {
  std::int64_t total = 0;
  std::int64_t weighted = 0;  // ≤ 2^16 · 2^30 · 30,000 < 2^61
  for (const std::int64_t weight : weights) {
    if (weight <= 0) continue;
    total += weight;
    weighted += weight * log2_millibits(static_cast<std::uint64_t>(weight));
  }
  if (total == 0) return 0;
  const std::int64_t entropy = log2_millibits(static_cast<std::uint64_t>(total)) - weighted / total;
  return entropy > 0 ? entropy : 0;
}

}  // namespace turnstone::fixed_point
