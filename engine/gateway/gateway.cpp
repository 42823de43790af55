#include "engine/gateway/gateway.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "engine/gateway/api.h"

namespace turnstone {
namespace {

ApiOptions api_options(const GatewayOptions& options) {
  ApiOptions api;
  api.allow_erasure = options.allow_erasure;
  if (!options.address.loopback()) return api;
  api.hosts = options.hosts;
  api.hosts->insert(api.hosts->end(), {"localhost", "127.0.0.1", "[::1]", options.address.address});
  return api;
}

std::vector<Metric> metrics_of(const HttpCounters& http) {
  return {
      {Metric::Kind::counter, "http_connections_total", "Connections accepted.", {}, {{"", http.connections}}},
      {Metric::Kind::counter, "http_requests_total", "Requests read whole.", {}, {{"", http.requests}}},
      {Metric::Kind::counter,
       "http_dropped_total",
       "Connections closed to make room, refused because all were at work, or closed at a deadline.",
       "reason",
       {{"evicted", http.evicted}, {"refused", http.refused}, {"timed_out", http.timed_out}}},
      {Metric::Kind::gauge, "http_connections_open", "Connections open now.", {}, {{"", http.open}}},
  };
}

}  // namespace

struct Gateway::Parts {
  Parts(std::unique_ptr<HttpServer> bound, ConversationService& service, const GatewayOptions& options)
      : server(std::move(bound)),
        service_metrics(options.metrics),
        api(
            service, [this](std::function<void()> work) { server->run_blocking(std::move(work)); }, with_metrics(api_options(options))) {}
  ApiOptions with_metrics(ApiOptions options) const {
    options.metrics = [this] {
      std::vector<Metric> all = service_metrics();
      for (Metric& metric : metrics_of(server->counters())) all.push_back(std::move(metric));
      return exposition(all);
    };
    return options;
  }
  ~Parts() { server->stop(std::chrono::milliseconds(0)); }  // before the API that it calls goes

  std::unique_ptr<HttpServer> server;
  std::function<std::vector<Metric>()> service_metrics;
  Api api;
};

Result<std::unique_ptr<Gateway>> Gateway::start(const GatewayOptions& options, ConversationService& service) {
  if (!options.address.loopback()) {
    if (!options.allow_remote) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("{} can be reached from other machines, and the API has no log-in: listen on 127.0.0.1, or add --allow-remote if a proxy "
                      "or firewall guards it",
                      options.address.text()));
    }
    spdlog::warn("http: {} can be reached from other machines and the API has no log-in; guard it with a proxy or firewall", options.address.text());
  }
  auto server = HttpServer::listen(options.address, options.limits);
  if (!server) return tl::unexpected(server.error());
  auto parts = std::make_unique<Parts>(std::move(*server), service, options);
  parts->server->start([api = &parts->api](HttpRequest request, HttpRespond respond) { return api->handle(request, std::move(respond)); });
  return std::unique_ptr<Gateway>(new Gateway(std::move(parts)));
}

Gateway::Gateway(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Gateway::~Gateway() = default;

const HttpAddress& Gateway::address() const { return parts_->server->address(); }

HttpCounters Gateway::counters() const { return parts_->server->counters(); }

void Gateway::stop(std::chrono::milliseconds drain) { parts_->server->stop(drain); }

}  // namespace turnstone
