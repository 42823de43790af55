// One JSON object on one line, written in the order of the calls. For producing millions of rows; documents of
// the API are made by nlohmann-json.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace turnstone {

class JsonLine {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_list() { open('['); }
  void end_list() { close(']'); }
  JsonLine& key(std::string_view name) {
    separate();
    quoted(name);
    text_ += ": ";
    first_ = true;  // the value that follows takes no comma
    return *this;
  }
  void text(std::string_view value) {
    separate();
    quoted(value);
  }
  // A number, true, false or null, as it stands.
  void raw(std::string_view value) {
    separate();
    text_ += value;
  }
  std::string take() { return std::move(text_); }

 private:
  void open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    first_ = false;
  }
  void separate() {
    if (!first_) text_ += ", ";
    first_ = false;
  }
  void quoted(std::string_view value) {
    text_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace turnstone
