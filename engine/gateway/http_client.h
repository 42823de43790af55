// A client for one server over one kept connection, with a deadline on every request: what the terminal client, the
// load generator and the tests speak through.
//
// One request at a time, from one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "engine/gateway/http_address.h"
#include "engine/gateway/http_message.h"
#include "events/error.h"

namespace turnstone {

class HttpClient {
 public:
  explicit HttpClient(HttpAddress address, std::chrono::milliseconds deadline = std::chrono::seconds(40));
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Adds Host and, with a body, Content-Type: application/json. A kept connection that the server had closed meanwhile
  // is opened again and the request sent again, once: give turns an Idempotency-Key. Errors: io.
  Result<HttpResponse> send(const HttpRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace turnstone
