#include "storage/catalogue/html_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace turnstone {
namespace {

constexpr std::size_t reference_bytes_max = 10;
constexpr int times_escaped_max = 2;

// By name, in byte order.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 138> named{{
    {"AElig", 0xC6}, {"Aacute", 0xC1}, {"Acirc", 0xC2}, {"Agrave", 0xC0}, {"Aring", 0xC5}, {"Atilde", 0xC3}, {"Auml", 0xC4}, {"Ccedil", 0xC7},
    {"ETH", 0xD0}, {"Eacute", 0xC9}, {"Ecirc", 0xCA}, {"Egrave", 0xC8}, {"Euml", 0xCB}, {"Iacute", 0xCD}, {"Icirc", 0xCE}, {"Igrave", 0xCC},
    {"Iuml", 0xCF}, {"Ntilde", 0xD1}, {"OElig", 0x152}, {"Oacute", 0xD3}, {"Ocirc", 0xD4}, {"Ograve", 0xD2}, {"Oslash", 0xD8}, {"Otilde", 0xD5},
    {"Ouml", 0xD6}, {"Prime", 0x2033}, {"Scaron", 0x160}, {"THORN", 0xDE}, {"Uacute", 0xDA}, {"Ucirc", 0xDB}, {"Ugrave", 0xD9}, {"Uuml", 0xDC},
    {"Yacute", 0xDD}, {"aacute", 0xE1}, {"acirc", 0xE2}, {"acute", 0xB4}, {"aelig", 0xE6}, {"agrave", 0xE0}, {"amp", 0x26}, {"apos", 0x27},
    {"aring", 0xE5}, {"asymp", 0x2248}, {"atilde", 0xE3}, {"auml", 0xE4}, {"bdquo", 0x201E}, {"brvbar", 0xA6}, {"bull", 0x2022}, {"ccedil", 0xE7},
    {"cedil", 0xB8}, {"cent", 0xA2}, {"copy", 0xA9}, {"curren", 0xA4}, {"dagger", 0x2020}, {"deg", 0xB0}, {"divide", 0xF7}, {"eacute", 0xE9},
    {"ecirc", 0xEA}, {"egrave", 0xE8}, {"emsp", 0x2003}, {"ensp", 0x2002}, {"eth", 0xF0}, {"euml", 0xEB}, {"euro", 0x20AC}, {"fnof", 0x192},
    {"frac12", 0xBD}, {"frac14", 0xBC}, {"frac34", 0xBE}, {"frasl", 0x2044}, {"ge", 0x2265}, {"gt", 0x3E}, {"hellip", 0x2026}, {"iacute", 0xED},
    {"icirc", 0xEE}, {"iexcl", 0xA1}, {"igrave", 0xEC}, {"infin", 0x221E}, {"iquest", 0xBF}, {"iuml", 0xEF}, {"laquo", 0xAB}, {"larr", 0x2190},
    {"ldquo", 0x201C}, {"le", 0x2264}, {"lsaquo", 0x2039}, {"lsquo", 0x2018}, {"lt", 0x3C}, {"macr", 0xAF}, {"mdash", 0x2014}, {"micro", 0xB5},
    {"middot", 0xB7}, {"minus", 0x2212}, {"nbsp", 0xA0}, {"ndash", 0x2013}, {"ne", 0x2260}, {"not", 0xAC}, {"ntilde", 0xF1}, {"oacute", 0xF3},
    {"ocirc", 0xF4}, {"oelig", 0x153}, {"ograve", 0xF2}, {"ordf", 0xAA}, {"ordm", 0xBA}, {"oslash", 0xF8}, {"otilde", 0xF5}, {"ouml", 0xF6},
    {"para", 0xB6}, {"permil", 0x2030}, {"plusmn", 0xB1}, {"pound", 0xA3}, {"prime", 0x2032}, {"quot", 0x22}, {"raquo", 0xBB}, {"rarr", 0x2192},
    {"rdquo", 0x201D}, {"reg", 0xAE}, {"rsaquo", 0x203A}, {"rsquo", 0x2019}, {"sbquo", 0x201A}, {"scaron", 0x161}, {"sect", 0xA7}, {"shy", 0xAD},
    {"sup1", 0xB9}, {"sup2", 0xB2}, {"sup3", 0xB3}, {"szlig", 0xDF}, {"thinsp", 0x2009}, {"thorn", 0xFE}, {"times", 0xD7}, {"trade", 0x2122},
    {"uacute", 0xFA}, {"ucirc", 0xFB}, {"ugrave", 0xF9}, {"uml", 0xA8}, {"uuml", 0xFC}, {"yacute", 0xFD}, {"yen", 0xA5}, {"yuml", 0xFF},
    {"zwj", 0x200D}, {"zwnj", 0x200C},
}};

std::optional<std::uint32_t> numbered(std::string_view digits) {
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  if (digits.empty()) return std::nullopt;
  std::uint32_t code = 0;
  for (const char c : digits) {
    const bool decimal = c >= '0' && c <= '9';
    const char small = static_cast<char>(c | 0x20);
    if (!decimal && !(hex && small >= 'a' && small <= 'f')) return std::nullopt;
    code = code * (hex ? 16 : 10) + static_cast<std::uint32_t>(decimal ? c - '0' : small - 'a' + 10);
  }
  const bool none = code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF);
  return none ? std::nullopt : std::optional(code);
}

std::optional<std::uint32_t> code_of(std::string_view reference) {
  if (reference.starts_with('#')) return numbered(reference.substr(1));
  const auto* found = std::lower_bound(named.begin(), named.end(), reference, [](const auto& entry, std::string_view name) { return entry.first < name; });
  return found != named.end() && found->first == reference ? std::optional(found->second) : std::nullopt;
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

std::string read_once(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('&'), text.size());
    out += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, reference_bytes_max).find(';');
    const auto code = end == std::string_view::npos ? std::nullopt : code_of(text.substr(1, end - 1));
    if (code) {
      append_utf8(*code, out);
    } else {
      out += '&';
    }
    text.remove_prefix(code ? end + 1 : 1);
  }
  return out;
}

}  // namespace

std::string without_references(std::string_view text) {
  std::string read(text);
  for (int times = 0; times < times_escaped_max && read.find('&') != std::string::npos && read.find(';') != std::string::npos; ++times) read = read_once(read);
  return read;
}

}  // namespace turnstone
