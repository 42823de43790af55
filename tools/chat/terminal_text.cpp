#include "tools/chat/terminal_text.h"

#include <utf8proc.h>

#include <algorithm>

namespace turnstone {

namespace {

struct Character {
  utf8proc_int32_t point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Character character_at(std::string_view text, std::size_t at) {
  Character out;
  const auto read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &out.point);
  if (read > 0) {
    out.bytes = static_cast<std::size_t>(read);
    out.valid = true;
  }
  return out;
}

constexpr std::string_view replacement = "\xEF\xBF\xBD";

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Character c = character_at(bytes, at);
    out += c.valid ? bytes.substr(at, c.bytes) : replacement;
    at += c.bytes;
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    const auto category = c.valid ? utf8proc_category(c.point) : UTF8PROC_CATEGORY_CN;
    if (!c.valid) {
      out += replacement;
    } else if (category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_ZL ||
               category == UTF8PROC_CATEGORY_ZP) {
      out += ' ';
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

std::size_t display_columns(std::string_view utf8) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Character c = character_at(utf8, at);
    columns += c.valid ? static_cast<std::size_t>(std::max(0, utf8proc_charwidth(c.point))) : 1;
    at += c.bytes;
  }
  return columns;
}

std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t begin = utf8.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(utf8.find(' ', begin), utf8.size());
    const std::string_view word = utf8.substr(begin, end - begin);
    const std::size_t width = display_columns(word);
    if (used > 0 && used + 1 + width > columns) {
      out += '\n';
      out.append(indent, ' ');
      used = indent;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    at = end;
  }
  return out;
}

std::string Style::paint(const char* code, std::string_view text) const {
  if (!colours_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace turnstone
