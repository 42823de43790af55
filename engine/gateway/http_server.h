// A small HTTP/1.1 server: bounded in connections, sizes and time at every step, so that no client, slow, silent or
// hostile, keeps others from being served. It knows nothing of the API; requests go to an HttpHandler.
//
// Threads: one of its own for all sockets, one for blocking work. Public functions may be called from any thread.
// Order: pipelined requests are answered in order; the next one is read when the answer before it was written.
// Memory: a connection holds at most one request (header_bytes + body_bytes) and one response.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/gateway/http_address.h"
#include "engine/gateway/http_message.h"
#include "events/error.h"

namespace turnstone {

struct HttpLimits {
  std::uint32_t header_bytes = 16 * 1024;    // request line and headers; beyond: 431
  std::uint64_t body_bytes = 256 * 1024;     // beyond: 413
  std::size_t connections = 2'000;           // beyond: the connection that has waited longest for a whole request makes room
  std::chrono::milliseconds header{10'000};  // from the first byte of a request (or the accept) to the end of its headers: 408
  std::chrono::milliseconds body{15'000};    // from there to the end of the body: 408
  std::chrono::milliseconds idle{75'000};    // between two requests of a connection: closed
  std::chrono::milliseconds answer{30'000};  // for the handler: what it returned is sent
  std::chrono::milliseconds write{15'000};   // for the client to take the response: closed
  std::chrono::milliseconds linger{1'000};   // for the client to stop sending after an early refusal
};

struct HttpCounters {
  std::uint64_t connections = 0;  // accepted so far
  std::uint64_t open = 0;         // now
  std::uint64_t requests = 0;     // read whole
  std::uint64_t evicted = 0;      // closed to make room
  std::uint64_t refused = 0;      // answered 503 because every connection had a request at work
  std::uint64_t timed_out = 0;    // closed or answered at a deadline
};

class HttpServer {
 public:
  // Binds and listens; no connection is accepted before start(). Errors: io (port in use, address not of this host).
  static Result<std::unique_ptr<HttpServer>> listen(const HttpAddress& address, const HttpLimits& limits);
  ~HttpServer();  // stop() without waiting

  void start(HttpHandler handler);
  // The address served, with the port that the system chose.
  const HttpAddress& address() const;
  // Runs `work` on the thread for blocking work, in order; dropped when the server has stopped.
  void run_blocking(std::function<void()> work);
  HttpCounters counters() const;

  // Accepts no more, lets requests at work be answered for at most `drain`, then closes everything and joins. May be repeated.
  void stop(std::chrono::milliseconds drain);

 private:
  struct Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace turnstone
