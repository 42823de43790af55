#include "tools/text_file.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "storage/files/output_file.h"

namespace turnstone {

Result<std::string> read_text_file(const std::string& file, std::size_t bytes_max, const std::function<Status(unsigned mode)>& check) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!in) {
    const int why = errno;
    return fail(why == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("{} cannot be opened ({}); check the path and its permissions", file, std::strerror(why)));
  }
  struct stat info {};
  if (check && ::fstat(::fileno(in.get()), &info) != 0) return fail(ErrorCode::io, fmt::format("{} cannot be looked at: {}", file, std::strerror(errno)));
  if (const Status fit = check ? check(info.st_mode & 07777U) : Status{}; !fit) return tl::unexpected(fit.error());
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
  auto out = OutputFile::open(file);
  if (!out) return tl::unexpected(out.error());
  if (auto written = (*out)->write(text); !written) return written;
  return (*out)->finish();
}

std::optional<std::optional<std::string>> read_line(std::FILE* in, std::size_t bytes_max) {
  std::string line;
  bool any = false;
  bool too_long = false;
  for (int c = std::getc(in); c != EOF; c = std::getc(in)) {
    any = true;
    if (c == '\n') break;
    if (line.size() < bytes_max) {
      line.push_back(static_cast<char>(c));
    } else {
      too_long = true;
    }
  }
  if (!any) return std::nullopt;
  if (too_long) return std::optional<std::string>{};
  return std::optional<std::string>{std::move(line)};
}

}  // namespace turnstone
