// HTTP requests and responses as plain values: what the API is written against, and tested with, without sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstone {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Case-insensitive comparison of ASCII names, as header names and tokens need it.
bool equal_ignoring_case(std::string_view a, std::string_view b);
// All values of `name`, in order.
std::vector<std::string_view> values_of(const HttpHeaders& headers, std::string_view name);

struct HttpRequest {
  std::string method;   // "GET", "POST" …, as sent
  std::string target;   // path and query, as sent (still percent-encoded)
  HttpHeaders headers;  // as sent
  std::string body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  HttpHeaders headers;
  std::string body;
};

// Takes the one response of a request; may be called from any thread, and later than the request's deadline (it is
// dropped then). Only the first call counts.
using HttpRespond = std::function<void(HttpResponse)>;
// Called on the server's thread; must not block. Returns the response to send if `respond` is not called in time.
using HttpHandler = std::function<HttpResponse(HttpRequest request, HttpRespond respond)>;

std::string_view reason_phrase(unsigned status);

}  // namespace turnstone
