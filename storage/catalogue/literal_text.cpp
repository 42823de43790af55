#include "storage/catalogue/literal_text.h"

#include <nlohmann/json.hpp>

namespace turnstone {
namespace {

using Json = nlohmann::json;

// The character of a backslash sequence that JSON writes otherwise or not at all; advances `at` behind it.
void append_escaped(std::string_view text, std::size_t& at, std::string& out) {
  const char c = text[at++];
  switch (c) {
    case 'n': out += '\n'; return;
    case 't': out += '\t'; return;
    case 'r': out += '\r'; return;
    case 'x':
      if (at + 2 <= text.size()) {  // a character below 256
        const unsigned value = static_cast<unsigned>(std::strtoul(std::string(text.substr(at, 2)).c_str(), nullptr, 16));
        at += 2;
        if (value >= 0x80) out += static_cast<char>(0xC0 | (value >> 6));
        out += static_cast<char>(value >= 0x80 ? 0x80 | (value & 0x3F) : value);
      }
      return;
    default: out += c;
  }
}

// A quoted text from its opening quote on; false when it does not end.
bool append_string(std::string_view text, std::size_t& at, std::string& json) {
  const char quote = text[at++];
  std::string value;
  while (at < text.size() && text[at] != quote) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      append_escaped(text, at, value);
    } else {
      value += text[at++];
    }
  }
  if (at == text.size()) return false;
  ++at;
  json += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  return true;
}

// None, True, False, nan; false for any other word.
bool append_word(std::string_view text, std::size_t& at, std::string& json) {
  struct Word {
    std::string_view python, json;
  };
  static constexpr Word words[] = {{"None", "null"}, {"True", "true"}, {"False", "false"}, {"nan", "null"}};
  for (const Word& word : words) {
    if (!text.substr(at).starts_with(word.python)) continue;
    at += word.python.size();
    json += word.json;
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> json_of_literal(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, last - first + 1);
  if (!(text.starts_with('[') && text.ends_with(']')) && !(text.starts_with('{') && text.ends_with('}'))) return std::nullopt;
  if (Json::accept(text)) return std::string(text);
  std::string json;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      if (!append_string(text, at, json)) return std::nullopt;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (!append_word(text, at, json)) return std::nullopt;
    } else {
      json += c == '(' ? '[' : c == ')' ? ']' : c;
      ++at;
    }
  }
  return Json::accept(json) ? std::optional(json) : std::nullopt;
}

}  // namespace turnstone
