#include "storage/catalogue/row_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>

#include "events/chain.h"
#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/html_text.h"
#include "storage/catalogue/literal_text.h"

namespace turnstone {
namespace {

namespace json = simdjson::ondemand;

constexpr std::size_t made_id_digits = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view cut_at_character(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// Digits with separators → digits and a decimal point. The last separator is the decimal one unless it groups
// three digits and nothing contradicts ("1,299" is 1299; "1.299,00" and "1,299.00" are both 1299.00).
std::string plain_decimal(std::string_view digits) {
  const std::size_t comma = digits.rfind(',');
  const std::size_t point = digits.rfind('.');
  std::size_t decimal = std::string_view::npos;
  if (comma != std::string_view::npos && point != std::string_view::npos) {
    decimal = std::max(comma, point);
  } else if (point != std::string_view::npos) {
    decimal = digits.find('.') == point ? point : std::string_view::npos;
  } else if (comma != std::string_view::npos && digits.find(',') == comma && digits.size() - comma - 1 != 3) {
    decimal = comma;
  }
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (is_digit(digits[i])) plain += digits[i];
    if (i == decimal) plain += '.';
  }
  return plain;
}

std::optional<Number> number_of_double(double value) {
  if (!std::isfinite(value) || std::fabs(value) > 9e10) return std::nullopt;
  return Number{std::llround(value * number_scale)};
}

// A scalar as the text that a person would write.
Result<std::string> scalar_text(json::value& value) {
  json::json_type type{};
  if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
  if (type == json::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text)) return fail(ErrorCode::invalid_argument, "broken string");
    return std::string(text);
  }
  const std::string_view token = simdjson::trim(value.raw_json_token());
  if (type == json::json_type::null) return std::string();
  if (type == json::json_type::boolean) return std::string(token.starts_with("true") ? "True" : "False");
  // 2.0 and 2e3 are written as whole numbers where they are.
  if (auto exact = parse_number(token)) return to_string(*exact);
  return std::string(token.substr(0, std::min<std::size_t>(token.size(), 40)));
}

// Any JSON value as text: lists joined by ", ", objects as "key: value".
Result<std::string> flat_text(json::value value, int depth) {
  if (depth > detail_depth_max) return fail(ErrorCode::invalid_argument, "values nested too deeply");
  json::json_type type{};
  if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
  std::string text;
  const auto join = [&text](std::string_view piece) {
    if (piece.empty()) return;
    if (!text.empty()) text += ", ";
    text += piece;
  };
  if (type == json::json_type::array) {
    json::array array;
    if (value.get_array().get(array)) return fail(ErrorCode::invalid_argument, "broken list");
    for (auto element : array) {
      json::value inner;
      if (element.get(inner)) return fail(ErrorCode::invalid_argument, "broken list");
      auto piece = flat_text(inner, depth + 1);
      if (!piece) return piece;
      join(*piece);
    }
    return text;
  }
  if (type == json::json_type::object) {
    json::object object;
    if (value.get_object().get(object)) return fail(ErrorCode::invalid_argument, "broken object");
    for (auto field : object) {
      std::string_view key;
      json::value inner;
      if (field.unescaped_key().get(key) || field.value().get(inner)) return fail(ErrorCode::invalid_argument, "broken object");
      const std::string name(key);
      auto piece = flat_text(inner, depth + 1);
      if (!piece) return piece;
      if (!piece->empty()) join(name + ": " + *piece);
    }
    return text;
  }
  return scalar_text(value);
}

void add_entry(std::string_view raw, std::size_t bytes_max, std::vector<std::string>& out) {
  std::string text = plain_text(raw, bytes_max);
  if (!text.empty() && out.size() < list_entries_max) out.push_back(std::move(text));
}

Status read_array(json::array array, std::size_t bytes_max, std::vector<std::string>& out) {
  for (auto element : array) {
    json::value inner;
    if (element.get(inner)) return fail(ErrorCode::invalid_argument, "broken list");
    json::json_type type{};
    if (inner.type().get(type)) return fail(ErrorCode::invalid_argument, "broken list");
    if (type == json::json_type::array) {  // category paths as a list of lists
      json::array nested;
      if (inner.get_array().get(nested)) return fail(ErrorCode::invalid_argument, "broken list");
      if (auto read = read_array(nested, bytes_max, out); !read) return read;
      continue;
    }
    auto text = flat_text(inner, 0);
    if (!text) return tl::unexpected(text.error());
    add_entry(*text, bytes_max, out);
  }
  return {};
}

// "Home > Chairs", "Home | Chairs", lines and bullets; anything else is one entry.
void split_text(std::string_view text, std::size_t bytes_max, const std::vector<std::string_view>& separators, std::vector<std::string>& out) {
  for (const std::string_view separator : separators) {
    if (text.find(separator) == std::string_view::npos) continue;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(separator, at), text.size());
      add_entry(text.substr(at, end - at), bytes_max, out);
      at = end + separator.size();
    }
    return;
  }
  add_entry(text, bytes_max, out);
}

const std::vector<std::string_view> path_separators = {">>", ">", "›", "»", " / ", "|", "\n", ";"};
const std::vector<std::string_view> bullet_separators = {"\n", "•", " | "};
const std::vector<std::string_view> no_separators;

Result<std::optional<Number>> read_number(json::value value) {
  json::json_type type{};
  if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
  if (type == json::json_type::number) {
    const std::string_view token = simdjson::trim(value.raw_json_token());
    if (auto exact = parse_number(token)) return exact->value < 0 ? std::nullopt : exact;
    double approximate = 0;
    if (value.get_double().get(approximate)) return fail(ErrorCode::invalid_argument, "a number that cannot be read");
    return approximate < 0 ? std::nullopt : number_of_double(approximate);
  }
  auto text = flat_text(value, 0);
  if (!text) return tl::unexpected(text.error());
  return read_amount(*text);
}

}  // namespace

std::optional<Number> read_amount(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && !is_digit(text[begin])) ++begin;
  if (begin == text.size()) return std::nullopt;
  // "-5" is no amount, "from-5" and "10 - 15" are.
  if (begin > 0 && text[begin - 1] == '-' && (begin == 1 || text[begin - 2] == ' ')) return std::nullopt;
  const bool leading_point = begin > 0 && text[begin - 1] == '.' && (begin == 1 || text[begin - 2] == ' ' || text[begin - 2] == '$');
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || ((text[end] == '.' || text[end] == ',') && end + 1 < text.size() && is_digit(text[end + 1]))))
    ++end;
  std::string plain = plain_decimal(text.substr(begin, end - begin));
  if (leading_point) plain = "0." + plain;
  return parse_number(plain);
}

std::string collapse_space(std::string_view text, std::size_t bytes_max) {
  std::string out;
  out.reserve(std::min(text.size(), bytes_max));
  bool gap = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool no_break_space = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xA0;
    if (c <= ' ' || c == 0x7F || no_break_space) {
      gap = true;
      i += no_break_space;
      continue;
    }
    if (gap && !out.empty()) out += ' ';
    gap = false;
    out += static_cast<char>(c);
  }
  if (out.size() > bytes_max) {
    out.resize(cut_at_character(out, bytes_max).size());
    while (out.ends_with(' ')) out.pop_back();
  }
  return out;
}

std::string plain_text(std::string_view raw, std::size_t bytes_max) {
  return raw.find('&') == std::string_view::npos ? collapse_space(raw, bytes_max) : collapse_space(without_references(raw), bytes_max);
}

struct RowParser::State {
  json::parser parser;
  json::parser nested_parser;  // for lists and details given as text
  std::vector<char> buffer;
  std::vector<char> nested_buffer;
  std::unordered_map<std::string, ColumnUse> uses;
  std::unordered_map<std::string, std::vector<std::string_view>> feature_separators;  // of columns that have their own
  std::deque<std::string> separators_held;
  ColumnUse others = ColumnUse::left_out;
  bool made_ids = false;
  std::vector<std::string> hundredths;
  std::string id_column = "parent_asin";

  static simdjson::padded_string_view padded(std::string_view text, std::vector<char>& buffer) {
    if (buffer.size() < text.size() + simdjson::SIMDJSON_PADDING) buffer.resize(2 * (text.size() + simdjson::SIMDJSON_PADDING));
    std::memcpy(buffer.data(), text.data(), text.size());
    std::memset(buffer.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
    return simdjson::padded_string_view(buffer.data(), text.size(), buffer.size());
  }

  static Status add_details(json::object object, ProductRow& row) {
    for (auto field : object) {
      std::string_view key;
      json::value value;
      if (field.unescaped_key().get(key) || field.value().get(value)) return fail(ErrorCode::invalid_argument, "details: broken object");
      std::string name = plain_text(key, detail_key_bytes_max);
      auto text = flat_text(value, 0);
      if (!text) return fail(ErrorCode::invalid_argument, "details: " + text.error().detail);
      std::string flat = plain_text(*text, detail_value_bytes_max);
      if (!name.empty() && !flat.empty() && row.details.size() < details_max) row.details.emplace_back(std::move(name), std::move(flat));
    }
    return {};
  }

  Status read_details(json::value value, ProductRow& row) {
    json::json_type type{};
    if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "details: broken JSON");
    if (type == json::json_type::object) {
      json::object object;
      if (value.get_object().get(object)) return fail(ErrorCode::invalid_argument, "details: broken object");
      return add_details(object, row);
    }
    if (type != json::json_type::string) {
      return type == json::json_type::null || type == json::json_type::array ? Status{} : fail(ErrorCode::invalid_argument, "details is no object");
    }
    std::string_view text;
    if (value.get_string().get(text)) return fail(ErrorCode::invalid_argument, "details: broken string");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
    const auto literal = json_of_literal(text);
    json::document document;
    json::object object;
    if (!literal || nested_parser.iterate(padded(*literal, nested_buffer)).get(document) || document.get_object().get(object)) {
      return fail(ErrorCode::invalid_argument, "details is text that holds no JSON object");
    }
    return add_details(object, row);
  }

  // A list, or one text that may be a list written out, or divided by `separators`.
  Status read_list(json::value value, std::size_t bytes_max, const std::vector<std::string_view>& separators, std::vector<std::string>& out) {
    json::json_type type{};
    if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
    json::array array;
    if (type == json::json_type::array) {
      if (value.get_array().get(array)) return fail(ErrorCode::invalid_argument, "broken list");
      return read_array(array, bytes_max, out);
    }
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    const auto literal = type == json::json_type::string ? json_of_literal(*text) : std::nullopt;
    json::document document;
    if (literal && literal->starts_with('[') && !nested_parser.iterate(padded(*literal, nested_buffer)).get(document) && !document.get_array().get(array)) {
      return read_array(array, bytes_max, out);
    }
    split_text(without_references(*text), bytes_max, separators, out);
    return {};
  }

  Status read_text(json::value value, std::size_t bytes_max, std::string& out) {
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    out = plain_text(*text, bytes_max);
    return {};
  }
  // An id is passed on as it stands.
  Status read_id(json::value value, std::string& out) {
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    out = collapse_space(*text, product_id_bytes_max + 1);
    return {};
  }

  ColumnUse use_of(const std::string& key) const {
    const auto found = uses.find(key);
    return found == uses.end() ? others : found->second;
  }

  Status read_attribute(std::string_view key, json::value value, ProductRow& row) {
    std::string name = plain_text(key, detail_key_bytes_max);
    std::string text;
    if (auto read = read_text(value, detail_value_bytes_max, text); !read) return read;
    if (!name.empty() && !text.empty() && row.details.size() < details_max) row.details.emplace_back(std::move(name), std::move(text));
    return {};
  }

  // "80p" beside "£1.20".
  bool is_hundredths(std::string_view text) const {
    static constexpr std::string_view digits = "0123456789";
    const std::size_t first = text.find_first_of(digits);
    if (hundredths.empty() || first == std::string_view::npos || text.substr(0, first).find_first_not_of(' ') != std::string_view::npos) return false;
    const std::string unit = fold_text(text.substr(text.find_last_of(digits) + 1));
    const std::size_t begin = std::min(unit.find_first_not_of(' '), unit.size());
    return std::find(hundredths.begin(), hundredths.end(), unit.substr(begin)) != hundredths.end();
  }

  Result<std::optional<Number>> read_price(json::value value) const {
    json::json_type type{};
    if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
    if (type != json::json_type::string) return read_number(value);
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    auto amount = read_amount(*text);
    if (amount && is_hundredths(*text)) amount->value /= 100;
    return amount;
  }

  Status read_field(const std::string& key, json::value value, ProductRow& row, std::string& fallback_id) {
    const ColumnUse use = use_of(key);
    switch (use) {
      case ColumnUse::id: return read_id(value, row.id);
      case ColumnUse::title: return read_text(value, title_bytes_max, row.title);
      case ColumnUse::store: return read_text(value, store_bytes_max, row.store);
      case ColumnUse::categories: return read_list(value, category_bytes_max, path_separators, row.categories);
      case ColumnUse::features: {
        const auto own = feature_separators.find(key);
        return read_list(value, feature_bytes_max, own == feature_separators.end() ? bullet_separators : own->second, row.features);
      }
      case ColumnUse::description: return read_list(value, description_bytes_max, no_separators, row.description);
      case ColumnUse::details: return read_details(value, row);
      case ColumnUse::attribute: return read_attribute(key, value, row);
      case ColumnUse::left_out: return key == "asin" || key == "id" ? read_id(value, fallback_id) : Status{};
      case ColumnUse::price:
      case ColumnUse::average_rating:
      case ColumnUse::rating_number: break;
    }
    auto number = use == ColumnUse::price ? read_price(value) : read_number(value);
    if (!number) return tl::unexpected(number.error());
    if (use == ColumnUse::price) row.price = *number;
    if (use == ColumnUse::average_rating) row.average_rating = *number;
    if (use == ColumnUse::rating_number && *number) {
      row.rating_number = static_cast<std::uint32_t>(std::min<std::int64_t>((*number)->value / number_scale, 0xFFFFFFFE));
    }
    return {};
  }

  Result<ProductRow> parse(std::string_view line) {
    json::document document;
    json::object object;
    if (const auto error = parser.iterate(padded(line, buffer)).get(document)) {
      return fail(ErrorCode::invalid_argument, error == simdjson::UTF8_ERROR ? "no valid UTF-8" : "no JSON");
    }
    if (document.get_object().get(object)) return fail(ErrorCode::invalid_argument, "no JSON object");
    ProductRow row;
    std::string fallback_id;
    for (auto field : object) {
      std::string_view raw_key;
      json::value value;
      if (field.unescaped_key().get(raw_key) || field.value().get(value)) return fail(ErrorCode::invalid_argument, "broken JSON");
      const std::string key(raw_key);
      if (auto read = read_field(key, value, row, fallback_id); !read) {
        const bool named = read.error().detail.starts_with(key);
        return fail(ErrorCode::invalid_argument, named ? read.error().detail : collapse_space(key, detail_key_bytes_max) + ": " + read.error().detail);
      }
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return fail(ErrorCode::invalid_argument, "text behind the JSON object");
    if (row.id.empty()) row.id = std::move(fallback_id);
    if (row.id.empty() && made_ids) row.id = "p-" + to_hex(blake2b(line)).substr(0, made_id_digits);
    if (row.id.empty()) return fail(ErrorCode::invalid_argument, "no " + id_column);
    if (row.id.size() > product_id_bytes_max) {
      return fail(ErrorCode::limit_exceeded, fmt::format("{} is longer than {} bytes", id_column, product_id_bytes_max));
    }
    if (row.title.empty() && row.features.empty() && row.details.empty() && row.description.empty() && row.categories.empty()) {
      return fail(ErrorCode::invalid_argument, "nothing but an id");
    }
    return row;
  }
};

RowParser::RowParser() : RowParser(documented_roles()) {}

RowParser::RowParser(const ColumnRoles& roles) : state_(std::make_unique<State>()) {
  for (const ColumnRole& column : roles.columns) {
    state_->uses[column.column] = column.use;
    if (column.use == ColumnUse::id) state_->id_column = column.column;
    if (column.list_separator.empty()) continue;
    auto& separators = state_->feature_separators[column.column];
    separators = bullet_separators;
    separators.push_back(state_->separators_held.emplace_back(column.list_separator));
  }
  state_->others = roles.others;
  state_->made_ids = roles.made_ids;
  state_->hundredths = roles.hundredths;
}

RowParser::~RowParser() = default;

Result<ProductRow> RowParser::parse(std::string_view line) { return state_->parse(line); }

}  // namespace turnstone
