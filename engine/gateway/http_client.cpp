#include "engine/gateway/http_client.h"

#include <fmt/core.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <optional>

namespace turnstone {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::uint64_t response_bytes_max = 64 << 20;

}  // namespace

struct HttpClient::Impl {
  HttpAddress address;
  std::chrono::milliseconds deadline;
  asio::io_context context;
  std::optional<beast::tcp_stream> stream;
  beast::flat_buffer buffer;

  // Runs what was started until it ends or the stream's deadline cuts it off.
  void run() {
    context.restart();
    context.run();
  }

  error_code connect() {
    error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address.address, error), address.port);
    if (error) return error;
    buffer.clear();
    stream.emplace(context);
    stream->expires_after(deadline);
    stream->async_connect(endpoint, [&error](error_code result) { error = result; });
    run();
    if (!error) stream->socket().set_option(tcp::no_delay(true), error);
    return error;
  }

  error_code exchange(const http::request<http::string_body>& message, http::response_parser<http::string_body>& parser) {
    error_code error;
    stream->expires_after(deadline);
    http::async_write(*stream, message, [&error](error_code result, std::size_t) { error = result; });
    run();
    if (error) return error;
    stream->expires_after(deadline);
    http::async_read(*stream, buffer, parser, [&error](error_code result, std::size_t) { error = result; });
    run();
    return error;
  }
};

HttpClient::HttpClient(HttpAddress address, std::chrono::milliseconds deadline) : impl_(std::make_unique<Impl>()) {
  impl_->address = std::move(address);
  impl_->deadline = deadline;
}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpResponse> HttpClient::send(const HttpRequest& request) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.target);
  message.set(http::field::host, impl_->address.text());
  if (!request.body.empty()) message.set(http::field::content_type, "application/json");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  message.prepare_payload();

  for (;;) {
    const bool kept = impl_->stream.has_value();
    if (!kept) {
      if (const error_code error = impl_->connect()) {
        impl_->stream.reset();
        return fail(ErrorCode::io,
                    fmt::format("cannot reach http://{}: {}; is the engine in service there?", impl_->address.text(), error.message()));
      }
    }
    http::response_parser<http::string_body> parser;
    parser.body_limit(response_bytes_max);
    if (request.method == "HEAD") parser.skip(true);
    if (const error_code error = impl_->exchange(message, parser)) {
      impl_->stream.reset();
      const bool timed_out = error == beast::error::timeout;
      if (kept && !timed_out && !parser.got_some()) continue;
      return fail(ErrorCode::io,
                  fmt::format("no answer from http://{}: {}", impl_->address.text(), timed_out ? "its deadline has passed" : error.message()));
    }
    auto response = parser.release();
    if (!response.keep_alive()) impl_->stream.reset();
    HttpResponse plain;
    plain.status = response.result_int();
    plain.content_type = std::string(response[http::field::content_type]);
    for (const auto& field : response) plain.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    plain.body = std::move(response.body());
    return plain;
  }
}

}  // namespace turnstone
