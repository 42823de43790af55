#include "engine/gateway/target.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>

#include "engine/turn_request.h"

namespace turnstone {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return fail(ErrorCode::invalid_argument, "the target holds a broken percent-escape; write % as %25");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!is_utf8(decoded)) return fail(ErrorCode::invalid_argument, "the target is not UTF-8 once its percent-escapes are decoded");
  return decoded;
}

Status decode_query(std::string_view query, Target& target) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name) return tl::unexpected(name.error());
    if (!value) return tl::unexpected(value.error());
    target.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  text = text.substr(0, text.find('#'));
  // The absolute form, as proxies send it: the host has been said in the Host header.
  if (text.starts_with("http://")) text = text.substr(std::min(text.size(), text.find('/', 7)));
  if (text.empty() || text.front() != '/') return fail(ErrorCode::invalid_argument, "the target must be a path that begins with a slash");
  const std::size_t question = text.find('?');
  std::string_view path = text.substr(1, question == std::string_view::npos ? question : question - 1);
  Target target;
  for (;;) {
    const std::size_t slash = path.find('/');
    auto segment = percent_decode(path.substr(0, slash), false);
    if (!segment) return tl::unexpected(segment.error());
    target.segments.push_back(std::move(*segment));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  if (question != std::string_view::npos) {
    if (Status status = decode_query(text.substr(question + 1), target); !status) return tl::unexpected(status.error());
  }
  return target;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(at, left, &point);
    if (used <= 0) return false;
    at += used;
    left -= used;
  }
  return true;
}

Status check_name(std::string_view what, std::string_view name, std::size_t bytes_max) {
  if (!is_utf8(name)) return fail(ErrorCode::invalid_argument, fmt::format("{} is not valid UTF-8", what));
  return validate_name(what, name, bytes_max);
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool unreserved =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace turnstone
