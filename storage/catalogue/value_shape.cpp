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

// "12k" of "12k miles"; "4K" alone is a name.
std::optional<Number> thousands(const std::vector<Token>& tokens, const Language& language) {
  const std::string& word = tokens[0].surface;
  if (tokens.size() < 2 || word.size() < 2 || word.back() != 'k' || language.unit(tokens[1].surface) == nullptr) return std::nullopt;
  const auto number = parse_number(std::string_view(word).substr(0, word.size() - 1));
  constexpr std::int64_t limit = 900'000'000'000;
  if (!number || number->value > limit) return std::nullopt;
  return Number{number->value * 1000};
}

// "32", "32GB", "27 inch", "8 ounces", "200 g (per shoe)", "$5": one number, at most one unit behind or a sign before it.
std::optional<Measure> read_measure(std::string_view text, const std::vector<Token>& whole, const Language& language) {
  if (whole.empty()) return std::nullopt;
  const auto thousand = thousands(whole, language);
  if (!whole[0].is_number && !thousand) return std::nullopt;
  const std::size_t bracket = text.find('(');
  if (bracket != std::string_view::npos && bracket > 0) text = text.substr(0, bracket);
  if (text.find_first_of(";:/") != std::string_view::npos) return std::nullopt;
  std::vector<Token> tokens(whole.begin(), std::find_if(whole.begin(), whole.end(), [text](const Token& t) { return t.end > text.size(); }));
  if (tokens.empty() || tokens.size() > measure_tokens_max) return std::nullopt;
  const auto number = thousand ? thousand : parse_number(tokens[0].term);
  if (!number) return std::nullopt;
  Measure measure{.number = *number, .unit = {}};
  const std::size_t sign = text.find_first_not_of(' ');
  if (sign != std::string_view::npos && text[sign] == '-' && sign < tokens[0].begin) measure.number.value = -measure.number.value;
  if (tokens.size() == 1) {
    if (tokens[0].end < text.size() && text.substr(tokens[0].end).starts_with("%")) measure.unit = "%";
    return measure;
  }
  // "100% Cotton" says what it is made of.
  const std::size_t sign_behind = text.find_first_not_of(' ', tokens[0].end);
  if (sign_behind != std::string_view::npos && text[sign_behind] == '%') return std::nullopt;
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

std::optional<WordedMeasure> read_worded_measure(std::string_view text, const Language& language) {
  constexpr std::size_t words_max = 2;  // before the number, and behind its unit
  if (text.find_first_of(";:/(") != std::string_view::npos) return std::nullopt;
  const std::vector<Token> tokens = tokenise(text, language);
  const auto number = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return is_digit(token.surface[0]); });
  if (tokens.end() - number < 2 || static_cast<std::size_t>(number - tokens.begin()) > words_max) return std::nullopt;
  const std::vector<Token> rest(number, tokens.end());
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (is_digit(rest[i].surface[0])) return std::nullopt;
  }
  for (std::size_t size = std::min(rest.size(), measure_tokens_max); size >= 2; --size) {
    if (rest.size() - size > words_max) break;
    const std::vector<Token> part(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    auto measure = read_measure(text.substr(0, part.back().end), part, language);
    if (!measure || !measure->unit_known) continue;
    const std::size_t behind = size < rest.size() ? rest[size].begin : text.size();
    return WordedMeasure{std::move(*measure), text.substr(behind)};
  }
  return std::nullopt;
}

namespace {

// The digits, points and commas of the first number.
std::string_view number_part(std::string_view text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return {};
  std::size_t end = text.find_first_not_of("0123456789.,", begin);
  if (end == std::string_view::npos) end = text.size();
  while (end > begin && !is_digit(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

}  // namespace

DecimalSign decimal_sign(std::string_view text) {
  const std::string_view number = number_part(text);
  const std::size_t sign = number.find_last_of(".,");
  if (sign == std::string_view::npos) return DecimalSign::either;
  const char last = number[sign];
  const bool once = number.find(last) == sign;
  const bool other = number.find(last == ',' ? '.' : ',') != std::string_view::npos;
  const bool groups = number.size() - sign - 1 == 3 && sign <= 3 && !other;  // 1,299 or 1.299
  if (!once || groups) return DecimalSign::either;
  return last == ',' ? DecimalSign::comma : DecimalSign::point;
}

std::string with_decimal_point(std::string_view text) {
  const std::string_view number = number_part(text);
  if (number.empty()) return std::string(text);
  std::string plain(text.substr(0, static_cast<std::size_t>(number.data() - text.data())));
  for (const char c : number) {
    if (c != '.') plain += c == ',' ? '.' : c;
  }
  return plain + std::string(text.substr(static_cast<std::size_t>(number.data() - text.data()) + number.size()));
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
