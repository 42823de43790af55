#include "tools/policy_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace turnstone {

namespace {
constexpr std::size_t policy_bytes_max = 4 << 20;
}

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

Result<std::shared_ptr<const Policy>> load_policy(const std::string& file) {
  if (file.empty()) return Policy::standard();
  const auto text = read_text_file(file, policy_bytes_max);
  if (!text) return tl::unexpected(text.error());
  auto policy = Policy::parse(*text);
  if (!policy) return fail(policy.error().code, file + ": " + policy.error().detail);
  return policy;
}

}  // namespace turnstone
