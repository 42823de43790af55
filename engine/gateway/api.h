// The public HTTP API (docs/http-api.md) as a function from request to response, over a ConversationService.
//
// Thread safety: handle() may be called from any thread; `respond` is called from the service's thread, from the
// one that runs blocking reads, or from within handle(). No function throws. Nothing here keeps state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/gateway/http_message.h"
#include "engine/service.h"

namespace turnstone {

struct ApiOptions {
  // The names that a request's Host and Origin headers may have, lower case, without port; none: any. On a loopback
  // address this keeps web pages of other origins, also such whose own name was made to resolve to 127.0.0.1, from
  // talking to the engine.
  std::optional<std::vector<std::string>> hosts;
  // The text of GET /metrics; none: there is no such endpoint. Called on any thread; must not block.
  std::function<std::string()> metrics = {};
  bool allow_erasure = false;  // DELETE of sessions and profiles: whoever reaches the port can
};

class Api {
 public:
  // Runs a function that may block (ledger reads) away from the caller's thread.
  using RunBlocking = std::function<void(std::function<void()>)>;

  Api(ConversationService& service, RunBlocking run_blocking, ApiOptions options);

  // As HttpHandler says: answers through `respond`, and returns what to answer if that takes too long.
  HttpResponse handle(const HttpRequest& request, HttpRespond respond) const;

 private:
  struct Call;  // a request on its way through one endpoint
  bool known_sender(const Call& call) const;
  void route(Call& call) const;
  void create_session(Call& call) const;
  void erase(Call& call, ConversationService::ErasureWanted wanted) const;
  void take_turn(Call& call) const;
  void read_state(Call& call) const;
  void read_events(Call& call) const;
  void health(Call& call) const;
  void readiness(Call& call) const;
  void metrics(Call& call) const;

  ConversationService& service_;
  RunBlocking run_blocking_;
  ApiOptions options_;
};

inline constexpr std::size_t events_default = 100;  // of GET …/events, when no limit is given
inline constexpr std::size_t events_max = 1'000;    // its largest limit
inline constexpr std::size_t json_depth_max = 16;   // of a request body

}  // namespace turnstone
