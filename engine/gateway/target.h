// A request's target taken apart: path segments and query parameters, percent-decoded, valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/error.h"

namespace turnstone {

struct Target {
  std::vector<std::string> segments;                            // "/v1/sessions/a%2Fb/turns": v1, sessions, a/b, turns
  std::vector<std::pair<std::string, std::string>> parameters;  // of the query, in order
};

// Splits first and decodes then, so that an encoded slash stays within its segment; "." and ".." are plain names.
// invalid_argument: no path, a broken percent-escape, or bytes that are not UTF-8.
Result<Target> parse_target(std::string_view text);

bool is_utf8(std::string_view text);
// A name that did not come in JSON (session in the path, turn key in a header): validate_name, and valid UTF-8.
Status check_name(std::string_view what, std::string_view name, std::size_t bytes_max);
// The inverse of the decoding: everything but unreserved characters is escaped.
std::string percent_encode(std::string_view text);

}  // namespace turnstone
