#include "events/number.h"

namespace turnstone {
namespace {

constexpr std::int64_t magnitude_max = 900'000'000'000'000 * number_scale;  // 9e14 in units of 1/10,000

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits with or without commas between groups of three ("1,299"). nullopt for anything else.
std::optional<std::int64_t> parse_whole_part(std::string_view text) {
  const bool grouped = text.find(',') != std::string_view::npos;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t from_right = text.size() - i;  // 4, 8, 12 … at a comma of a grouped number
    if (grouped && from_right % 4 == 0) {
      if (text[i] != ',' || i == 0) return std::nullopt;
      continue;
    }
    if (!is_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
    if (value > magnitude_max / number_scale) return std::nullopt;
  }
  return value;
}

// The first four decimals in units of 1/10,000; the rest is cut off but must be digits.
std::optional<std::int64_t> parse_decimals(std::string_view text) {
  std::int64_t value = 0;
  std::int64_t unit = number_scale / 10;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value += (c - '0') * unit;
    unit /= 10;
  }
  return value;
}

}  // namespace

std::optional<Number> parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() && decimals.empty()) return std::nullopt;
  if (point != std::string_view::npos && decimals.empty()) return std::nullopt;  // "5." is the end of a sentence
  const auto whole_value = parse_whole_part(whole);
  const auto decimal_value = parse_decimals(decimals);
  if (!whole_value || !decimal_value) return std::nullopt;
  const std::int64_t value = *whole_value * number_scale + *decimal_value;
  if (value > magnitude_max) return std::nullopt;
  return Number{negative ? -value : value};
}

std::string to_string(Number number) {
  const bool negative = number.value < 0;
  // Unsigned, because the magnitude of the smallest int64 is no int64.
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(number.value) : static_cast<std::uint64_t>(number.value);
  constexpr auto scale = static_cast<std::uint64_t>(number_scale);
  std::string text = negative ? "-" : "";
  text += std::to_string(magnitude / scale);
  const std::uint64_t fraction = magnitude % scale;
  if (fraction == 0) return text;
  std::string decimals = std::to_string(scale + fraction).substr(1);  // with leading zeros
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + '.' + decimals;
}

}  // namespace turnstone
