// Text for people at a terminal: made safe, wrapped and, where wanted, coloured.
//
// Catalogue and shopper texts come from outside and may hold anything. printable() is the border: nothing that
// passed it can move the cursor or change the terminal. Pure; thread safe; linear.
#pragma once

#include <string>
#include <string_view>

namespace turnstone {

// Valid UTF-8: every byte that is no part of a well-formed character becomes U+FFFD.
std::string valid_utf8(std::string_view bytes);
// Valid UTF-8 without control, format and line-breaking characters (each becomes a space).
std::string printable(std::string_view text);
// Columns on a terminal (wide characters take two).
std::size_t display_columns(std::string_view utf8);
// Broken at spaces into lines of at most `columns`; every line after the first begins with `indent` spaces.
std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent);

// Terminal styles; every member gives the text as it is when colours are off.
class Style {
 public:
  explicit Style(bool colours) : colours_(colours) {}
  std::string strong(std::string_view text) const { return paint("1", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }
  std::string accent(std::string_view text) const { return paint("36", text); }
  std::string money(std::string_view text) const { return paint("32", text); }
  std::string warning(std::string_view text) const { return paint("33", text); }

 private:
  std::string paint(const char* code, std::string_view text) const;
  bool colours_;
};

}  // namespace turnstone
