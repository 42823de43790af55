// Lines of a file that is plain, gzip or zstd (told by its first bytes), read as a stream.
//
// Memory is bounded: one input block, one output block and one line. A line over line_bytes_max is skipped and
// reported as such. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

inline constexpr std::size_t line_bytes_max = 4u << 20;

class LineReader {
 public:
  // Errors: not_found, io.
  static Result<LineReader> open(const std::string& path);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  struct Line {
    std::string_view text;  // without the line ending; valid until the next call
    bool too_long = false;  // text is empty then
  };
  // false at the end. Errors: io, corrupt (compressed data damaged or cut off).
  Result<bool> next(Line& line);
  int permille() const;  // of the file's bytes consumed

 private:
  struct State;
  explicit LineReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace turnstone
