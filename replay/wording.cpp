#include "replay/wording.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "events/documents.h"

namespace turnstone {
namespace {

std::string amount(Number number, const std::string& unit) {
  const std::string digits = to_string(number);
  if (unit.empty()) return digits;
  // A sign of one symbol stands before the number ("$40"), a unit after it ("32 gb").
  const bool is_word = (static_cast<unsigned char>(unit[0]) | 0x20) >= 'a' && (static_cast<unsigned char>(unit[0]) | 0x20) <= 'z';
  return is_word || unit[0] == '"' ? digits + ' ' + one_line(unit) : one_line(unit) + digits;
}

std::string values_of(const ConstraintSet& set) {
  if (set.value.number && set.value.upper) return fmt::format("{} and {}", amount(*set.value.number, set.unit), amount(*set.value.upper, set.unit));
  if (set.value.number && set.value.any_of.empty()) return amount(*set.value.number, set.unit);
  std::string text;
  for (std::size_t i = 0; i < set.value.any_of.size(); ++i) {
    if (i > 0) text += i + 1 == set.value.any_of.size() ? " or " : ", ";
    text += one_line(set.value.any_of[i]);
  }
  if (set.value.number && !set.unit.empty()) text += ' ' + one_line(set.unit);
  return text.empty() ? "(nothing)" : text;
}

std::tm utc(Timestamp time) { return fmt::gmtime(static_cast<std::time_t>(time.value / 1'000'000)); }

}  // namespace

std::string words_of(const ConstraintSet& set) { return fmt::format("{} {} {}", spaced(set.facet), spaced(to_string(set.op)), values_of(set)); }

std::string words_of(Permille share) { return fmt::format("{:.2f}", share.value / 1000.0); }

std::string words_of(Millibits information) { return fmt::format("{:.2f} bits", static_cast<double>(information.value) / 1000.0); }

std::string clock_of(Timestamp time) { return fmt::format("{:%H:%M:%S}", utc(time)); }

std::string moment_of(Timestamp time) { return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", utc(time)); }

std::string in_quotes(std::string_view text) { return "“" + one_line(text) + "”"; }

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != 0x7f) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string spaced(std::string_view name) {
  std::string text = one_line(name);
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

}  // namespace turnstone
