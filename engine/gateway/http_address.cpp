#include "engine/gateway/http_address.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>

#include <charconv>

namespace turnstone {

bool HttpAddress::loopback() const { return address.starts_with("127.") || address == "::1"; }

std::string HttpAddress::text() const {
  return address.find(':') == std::string::npos ? fmt::format("{}:{}", address, port) : fmt::format("[{}]:{}", address, port);
}

Result<HttpAddress> parse_http_address(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no address to listen on: {}; write ADDRESS:PORT, for example 127.0.0.1:8080", text, why));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad("the port is missing");
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);

  HttpAddress parsed;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
  if (error != std::errc() || end != port.data() + port.size()) return bad("the port is a number from 0 (any free one) to 65535");
  if (host.empty() || host == "localhost") return parsed;

  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  parsed.address = std::string(host);
  in_addr four{};
  in6_addr six{};
  const bool numeric = bracketed ? inet_pton(AF_INET6, parsed.address.c_str(), &six) == 1 : inet_pton(AF_INET, parsed.address.c_str(), &four) == 1;
  if (!numeric) return bad("the address must be numeric (an IPv6 address in brackets)");
  return parsed;
}

}  // namespace turnstone
