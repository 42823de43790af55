#include "storage/catalogue/row_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace turnstone {
namespace {

namespace json = simdjson::ondemand;

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

Status read_list(json::value value, std::size_t bytes_max, std::vector<std::string>& out) {
  json::json_type type{};
  if (value.type().get(type)) return fail(ErrorCode::invalid_argument, "broken JSON");
  const auto add = [&](const std::string& raw) {
    std::string text = collapse_space(raw, bytes_max);
    if (!text.empty() && out.size() < list_entries_max) out.push_back(std::move(text));
  };
  if (type != json::json_type::array) {
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    add(*text);
    return {};
  }
  json::array array;
  if (value.get_array().get(array)) return fail(ErrorCode::invalid_argument, "broken list");
  for (auto element : array) {
    json::value inner;
    if (element.get(inner)) return fail(ErrorCode::invalid_argument, "broken list");
    json::json_type inner_type{};
    if (inner.type().get(inner_type)) return fail(ErrorCode::invalid_argument, "broken list");
    if (inner_type == json::json_type::array) {  // category paths as a list of lists
      if (auto nested = read_list(inner, bytes_max, out); !nested) return nested;
      continue;
    }
    auto text = flat_text(inner, 0);
    if (!text) return tl::unexpected(text.error());
    add(*text);
  }
  return {};
}

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

struct RowParser::State {
  json::parser parser;
  json::parser nested_parser;  // for details given as JSON inside a string
  std::vector<char> buffer;
  std::vector<char> nested_buffer;

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
      std::string name = collapse_space(key, detail_key_bytes_max);
      auto text = flat_text(value, 0);
      if (!text) return fail(ErrorCode::invalid_argument, "details: " + text.error().detail);
      std::string flat = collapse_space(*text, detail_value_bytes_max);
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
    const std::string copy = collapse_space(text, line_text_bytes_max);
    if (copy.empty()) return {};
    json::document document;
    json::object object;
    if (nested_parser.iterate(padded(copy, nested_buffer)).get(document) || document.get_object().get(object)) {
      return fail(ErrorCode::invalid_argument, "details is text that holds no JSON object");
    }
    return add_details(object, row);
  }

  static constexpr std::size_t line_text_bytes_max = 4u << 20;

  Status read_text(json::value value, std::size_t bytes_max, std::string& out) {
    auto text = flat_text(value, 0);
    if (!text) return tl::unexpected(text.error());
    out = collapse_space(*text, bytes_max);
    return {};
  }

  Status read_field(std::string_view key, json::value value, ProductRow& row, std::string& fallback_id) {
    if (key == "parent_asin") return read_text(value, product_id_bytes_max + 1, row.id);
    if (key == "asin" || key == "id") return read_text(value, product_id_bytes_max + 1, fallback_id);
    if (key == "title") return read_text(value, title_bytes_max, row.title);
    if (key == "store") return read_text(value, store_bytes_max, row.store);
    if (key == "categories") return read_list(value, category_bytes_max, row.categories);
    if (key == "features") return read_list(value, feature_bytes_max, row.features);
    if (key == "description") return read_list(value, description_bytes_max, row.description);
    if (key == "details") return read_details(value, row);
    if (key != "price" && key != "average_rating" && key != "rating_number") return {};
    auto number = read_number(value);
    if (!number) return tl::unexpected(number.error());
    if (key == "price") row.price = *number;
    if (key == "average_rating") row.average_rating = *number;
    if (key == "rating_number" && *number) {
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
      const std::string key(raw_key.substr(0, 40));
      if (auto read = read_field(key, value, row, fallback_id); !read) {
        const bool named = read.error().detail.starts_with(key);
        return fail(ErrorCode::invalid_argument, named ? read.error().detail : key + ": " + read.error().detail);
      }
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return fail(ErrorCode::invalid_argument, "text behind the JSON object");
    if (row.id.empty()) row.id = std::move(fallback_id);
    if (row.id.empty()) return fail(ErrorCode::invalid_argument, "no parent_asin");
    if (row.id.size() > product_id_bytes_max) {
      return fail(ErrorCode::limit_exceeded, fmt::format("parent_asin is longer than {} bytes", product_id_bytes_max));
    }
    if (row.title.empty() && row.features.empty() && row.details.empty() && row.description.empty() && row.categories.empty()) {
      return fail(ErrorCode::invalid_argument, "nothing but an id");
    }
    return row;
  }
};

RowParser::RowParser() : state_(std::make_unique<State>()) {}
RowParser::~RowParser() = default;

Result<ProductRow> RowParser::parse(std::string_view line) { return state_->parse(line); }

}  // namespace turnstone
