// ASCII letters in small, whatever the locale; every other byte stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace turnstone {

constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string ascii_lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = ascii_lower(c);
  return small;
}

}  // namespace turnstone
