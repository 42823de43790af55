#include "storage/catalogue/value_shape.h"

#include <algorithm>
#include <cctype>

namespace turnstone {
namespace {

constexpr std::size_t measure_tokens_max = 4;
constexpr std::size_t code_bytes_min = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_address(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.") || text.find("://") != std::string_view::npos;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

// "May 28, 2018", "28.05.2018", "2018-05-28": a day, a month and a year in any order, and nothing else.
bool is_date(std::string_view folded) {
  int years = 0;
  int small = 0;
  int words = 0;
  for (std::size_t i = 0; i < folded.size();) {
    const std::size_t begin = i;
    const bool digits = is_digit(folded[i]);
    if (!digits && !is_letter(folded[i])) {
      ++i;
      continue;
    }
    while (i < folded.size() && (digits ? is_digit(folded[i]) : is_letter(folded[i]))) ++i;
    const std::string_view run = folded.substr(begin, i - begin);
    if (!digits)
      ++words;
    else if (run.size() == 4 && (run.starts_with("19") || run.starts_with("20")))
      ++years;
    else if (run.size() <= 2 && run != "0" && run != "00" && (run.size() < 2 || run <= "31"))
      ++small;
    else
      return false;
  }
  return years == 1 && ((words == 1 && small == 1) || (words == 0 && small == 2));
}

bool is_code(std::string_view text) {
  if (text.size() < code_bytes_min || text.find(' ') != std::string_view::npos) return false;
  const auto digits = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_digit));
  return digits >= code_bytes_min || (digits >= 2 && digits < text.size());
}

// "32", "32GB", "27 inch", "8 ounces", "200 g (per shoe)", "$5": one number, at most one unit behind or a sign before it.
std::optional<Measure> read_measure(std::string_view text, const std::vector<Token>& whole, const Language& language) {
  if (whole.empty() || !whole[0].is_number) return std::nullopt;
  const std::size_t bracket = text.find('(');
  if (bracket != std::string_view::npos && bracket > 0) text = text.substr(0, bracket);
  if (text.find_first_of(";:/") != std::string_view::npos) return std::nullopt;
  std::vector<Token> tokens(whole.begin(), std::find_if(whole.begin(), whole.end(), [text](const Token& t) { return t.end > text.size(); }));
  if (tokens.empty() || tokens.size() > measure_tokens_max) return std::nullopt;
  const auto number = parse_number(tokens[0].term);
  if (!number) return std::nullopt;
  Measure measure{.number = *number, .unit = {}};
  const std::size_t sign = text.find_first_not_of(' ');
  if (sign != std::string_view::npos && text[sign] == '-' && sign < tokens[0].begin) measure.number.value = -measure.number.value;
  if (tokens.size() == 1) {
    if (tokens[0].end < text.size() && text.substr(tokens[0].end).starts_with("%")) measure.unit = "%";
    return measure;
  }
  // The unit is all the rest: "fl oz" is one, "x 4" is none.
  std::string rest(text.substr(tokens[1].begin, tokens.back().end - tokens[1].begin));
  const Unit* unit = language.unit(fold_text(rest));
  if (unit == nullptr && tokens.size() == 2) unit = language.unit(tokens[1].surface);
  if (unit == nullptr && tokens.size() == 2) unit = language.unit(tokens[1].term);
  if (unit != nullptr) {
    measure.unit = unit->name;
    measure.unit_known = true;
    return measure;
  }
  if (tokens.size() != 2 || tokens[1].is_number || tokens[1].term == "x") return std::nullopt;
  measure.unit = tokens[1].surface;
  return measure;
}

}  // namespace

Cell read_cell(std::string_view text, const Language& language) {
  Cell cell;
  const std::string folded = fold_text(text);
  const std::vector<Token> tokens = tokenise(text, language);
  for (const Token& token : tokens) {
    if (!cell.key.empty()) cell.key += ' ';
    cell.key += token.term;
  }
  cell.term_count = static_cast<std::uint32_t>(tokens.size());
  cell.code = is_code(text);
  if (is_address(text)) {
    cell.shape = CellShape::address;
  } else if (tokens.empty() || language.in_list("missing_value", folded)) {
    cell.shape = CellShape::missing;
  } else if (language.in_list("yes", folded)) {
    cell.shape = CellShape::yes;
  } else if (language.in_list("no", folded)) {
    cell.shape = CellShape::no;
  } else if (is_date(folded)) {
    cell.shape = CellShape::date;
  } else if (auto measure = read_measure(text, tokens, language)) {
    cell.shape = CellShape::number;
    cell.measure = std::move(measure);
  }
  return cell;
}

std::optional<Number> convert(Number number, const Unit& from, const Unit& to) {
  if (from.kind != to.kind || to.factor.value == 0) return std::nullopt;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(number.value) * from.factor.value;
  const Wide half = to.factor.value / 2;
  const Wide rounded = product >= 0 ? (product + half) / to.factor.value : (product - half) / to.factor.value;
  constexpr Wide limit = 900'000'000'000'000;
  if (rounded > limit || rounded < -limit) return std::nullopt;
  return Number{static_cast<std::int64_t>(rounded)};
}

}  // namespace turnstone
