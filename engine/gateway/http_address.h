// Where the gateway listens: a numeric address and a port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

struct HttpAddress {
  std::string address = "127.0.0.1";  // numeric IPv4 or IPv6, without brackets
  std::uint16_t port = 0;             // 0: the system chooses a free one

  bool loopback() const;     // 127.0.0.0/8 or ::1
  std::string text() const;  // "127.0.0.1:8080", "[::1]:8080"
};

// Reads "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or ":8080" (both on the loopback address). Other names are
// refused: which of a name's addresses would be served is not for a resolver to decide.
Result<HttpAddress> parse_http_address(std::string_view text);

}  // namespace turnstone
