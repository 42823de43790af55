// The HTTP gateway: the public API over a ConversationService, served on one address.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/gateway/http_server.h"
#include "engine/metrics.h"
#include "engine/service.h"

namespace turnstone {

struct GatewayOptions {
  HttpAddress address;
  // Needed for an address that other machines can reach: the API has no log-in, so whoever reaches it may read and
  // continue every session.
  bool allow_remote = false;
  // Further Host names to answer under on a loopback address (a reverse proxy on this machine that keeps the
  // client's Host header); "localhost" and loopback addresses are always known.
  std::vector<std::string> hosts;
  bool allow_erasure = false;
  HttpLimits limits;
  // What the service counts, for GET /metrics; the gateway adds what it counts itself. Called on any thread; must not block.
  std::function<std::vector<Metric>()> metrics = [] { return std::vector<Metric>(); };
};

class Gateway {
 public:
  // Serves until stop(). `service` must outlive the gateway. Errors: invalid_argument (remote address not allowed), io.
  static Result<std::unique_ptr<Gateway>> start(const GatewayOptions& options, ConversationService& service);
  ~Gateway();

  const HttpAddress& address() const;  // with the port that was chosen
  HttpCounters counters() const;
  // Accepts no more and lets requests at work be answered for at most `drain`. May be repeated.
  void stop(std::chrono::milliseconds drain);

 private:
  struct Parts;
  explicit Gateway(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace turnstone
