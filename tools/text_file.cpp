#include "tools/text_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace turnstone {

Result<std::string> read_text_file(const std::string& file, std::size_t bytes_max) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!in) {
    const int why = errno;
    return fail(why == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("{} cannot be opened ({}); check the path and its permissions", file, std::strerror(why)));
  }
  std::string text;
  char chunk[1 << 16];
  for (std::size_t read = 0; (read = std::fread(chunk, 1, sizeof chunk, in.get())) > 0;) {
    text.append(chunk, read);
    if (text.size() > bytes_max) return fail(ErrorCode::limit_exceeded, fmt::format("{} is larger than {} bytes; is it the right file?", file, bytes_max));
  }
  if (std::ferror(in.get()) != 0) return fail(ErrorCode::io, fmt::format("{} cannot be read to its end; is it a file?", file));
  return text;
}

Status write_text_file(const std::string& file, std::string_view text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"), &std::fclose);
  if (!out || std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() || std::fflush(out.get()) != 0) {
    const int why = errno;
    return fail(why == ENOSPC ? ErrorCode::no_space : ErrorCode::io,
                fmt::format("{} cannot be written ({}); check the path and the free space", file, std::strerror(why)));
  }
  return {};
}

}  // namespace turnstone
