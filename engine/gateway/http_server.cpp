#include <utility>  // before any Asio header: GCC 12's coroutines need it there

#include "engine/gateway/http_server.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <ctime>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "engine/gateway/problem.h"

namespace turnstone {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using std::chrono::milliseconds;

constexpr std::size_t refusals_max = 64;           // connections being told that the server is full, at one time
constexpr std::size_t linger_bytes_max = 1 << 20;  // read and dropped after an early refusal

auto into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
}

// A request at the handler's; lives in the coroutine that waits for it.
struct Exchange {
  explicit Exchange(asio::io_context& context) : answered(context) {}
  asio::steady_timer answered;  // cancelled when `response` is there
  std::optional<HttpResponse> response;
};

// One client. All members are used on the server's thread only.
struct Connection {
  Connection(tcp::socket accepted, asio::io_context& context) : socket(std::move(accepted)), deadline(context) {}

  tcp::socket socket;
  asio::steady_timer deadline;
  beast::flat_buffer buffer;
  Exchange* exchange = nullptr;  // while a request is at the handler's
  bool expired = false;          // the deadline cut the last operation off
  bool aborted = false;
  bool waiting = false;  // for a whole request: in Impl::waiting at `place`
  std::list<Connection*>::iterator place;
  bool began = false;  // bytes of the request it waits for have come

  // Cuts off what the socket is doing when `time` has passed; each arming replaces the one before.
  void arm(const std::shared_ptr<Connection>& self, milliseconds time) {
    expired = false;
    deadline.expires_after(time);
    deadline.async_wait([self](error_code error) {
      // A wait that was replaced while it was already on its way finds a later expiry.
      if (error || self->deadline.expiry() > std::chrono::steady_clock::now()) return;
      self->expired = true;
      error_code ignored;
      self->socket.cancel(ignored);
    });
  }

  void abort() {
    aborted = true;
    error_code ignored;
    socket.close(ignored);
    deadline.cancel();
    if (exchange) exchange->answered.cancel();
  }
};

// What reading a request came to: a request, a refusal to send before closing, or neither (close silently).
struct Reading {
  std::optional<HttpRequest> request;
  std::optional<HttpResponse> refusal;
  bool keep_alive = false;
  bool head = false;
};

using Parser = http::request_parser<http::string_body>;

HttpResponse refusal_of(error_code error, const HttpLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return problem(431, "header_too_large", fmt::format("the request line and headers have more than {} bytes", limits.header_bytes));
  }
  if (error == http::error::body_limit) {
    return problem(413, to_string(ErrorCode::limit_exceeded), fmt::format("the body has more than {} bytes", limits.body_bytes));
  }
  if (error == http::error::bad_version) return problem(505, "http_version", "this server speaks HTTP/1.1 and HTTP/1.0");
  return problem(400, to_string(ErrorCode::invalid_argument), "the request is not well-formed HTTP/1.1");
}

HttpRequest plain(Parser& parser) {
  auto message = parser.release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  request.body = std::move(message.body());
  return request;
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
  explicit Impl(const HttpLimits& bounds) : limits(bounds) { mailbox->impl = this; }

  // Where answers come in from other threads, also after the server's end.
  struct Mailbox {
    std::mutex mutex;
    Impl* impl = nullptr;  // none: the server has ended
    void deliver(std::uint64_t number, HttpResponse response) {
      const std::lock_guard lock(mutex);
      if (impl == nullptr) return;
      asio::post(impl->context, [to = impl, number, response = std::move(response)]() mutable { to->answered(number, std::move(response)); });
    }
  };

  const HttpLimits limits;
  HttpAddress address;
  HttpHandler handler;
  asio::io_context context;
  tcp::acceptor acceptor{context};
  asio::steady_timer drain_timer{context};
  asio::steady_timer accept_pause{context};
  asio::thread_pool blocking{1};
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  std::thread thread;
  std::mutex stopping;

  // On the server's thread only.
  std::list<std::shared_ptr<Connection>> connections;
  std::list<Connection*> waiting;                          // for a whole request, longest first
  std::unordered_map<std::uint64_t, Exchange*> exchanges;  // at the handler's, by number
  std::uint64_t exchanges_begun = 0;
  std::size_t refusals = 0;
  bool draining = false;

  struct {
    std::atomic<std::uint64_t> connections{0}, open{0}, requests{0}, evicted{0}, refused{0}, timed_out{0};
  } counts;

  // --- accepting ---------------------------------------------------------------------------------------
  asio::awaitable<void> accept() {
    while (!draining) {
      error_code error;
      tcp::socket socket = co_await acceptor.async_accept(into(error));
      if (draining) co_return;
      if (error) {  // out of file descriptors, or the client is gone already
        accept_pause.expires_after(milliseconds(error == asio::error::no_descriptors ? 100 : 1));
        co_await accept_pause.async_wait(into(error));
        continue;
      }
      ++counts.connections;
      admit(std::move(socket));
    }
  }

  void admit(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    bool full = connections.size() - refusals >= limits.connections;
    if (full && !waiting.empty()) {
      Connection* longest = waiting.front();
      leave_waiting(*longest);
      longest->abort();
      ++counts.evicted;
      full = false;
    }
    if (full) {
      ++counts.refused;
      if (refusals >= refusals_max) return;  // closes the socket
    }
    auto connection = std::make_shared<Connection>(std::move(socket), context);
    connections.push_back(connection);
    counts.open = connections.size();
    refusals += full ? 1 : 0;
    const auto place = std::prev(connections.end());
    asio::co_spawn(context, full ? refuse(connection) : serve(connection), [self = shared_from_this(), place, full](std::exception_ptr fault) {
      // A fault of one connection (out of memory) ends that connection only.
      if (fault) spdlog::warn("http: a connection ended by an unexpected fault");
      self->leave_waiting(**place);
      (*place)->abort();
      self->connections.erase(place);
      self->counts.open = self->connections.size();
      self->refusals -= full ? 1 : 0;
      if (self->draining && self->connections.empty()) self->drain_timer.cancel();
    });
  }

  void enter_waiting(Connection& connection) {
    connection.waiting = true;
    connection.began = connection.buffer.size() > 0;
    waiting.push_back(&connection);
    connection.place = std::prev(waiting.end());
  }
  void leave_waiting(Connection& connection) {
    if (connection.waiting) waiting.erase(connection.place);
    connection.waiting = false;
  }

  // --- one connection ------------------------------------------------------------------------------------
  asio::awaitable<void> serve(std::shared_ptr<Connection> connection) {
    for (bool first = true;; first = false) {
      if (draining && connection->buffer.size() == 0) co_return;
      enter_waiting(*connection);
      Reading reading = co_await read(connection, first);
      leave_waiting(*connection);
      if (connection->aborted) co_return;
      if (reading.refusal) {
        co_await write(connection, std::move(*reading.refusal), false, reading.head);
        co_return co_await linger(connection);
      }
      if (!reading.request) co_return;
      ++counts.requests;
      HttpResponse response = co_await answer(connection, std::move(*reading.request));
      if (connection->aborted) co_return;
      const bool keep_alive = reading.keep_alive && !draining;
      if (!co_await write(connection, std::move(response), keep_alive, reading.head)) co_return;
      if (!keep_alive) co_return co_await linger(connection);
    }
  }

  asio::awaitable<void> refuse(std::shared_ptr<Connection> connection) {
    HttpResponse response = problem(503, to_string(ErrorCode::busy), "every connection of this server has a request at work; try again");
    response.headers.emplace_back("Retry-After", "1");
    if (co_await write(connection, std::move(response), false, false)) co_await linger(connection);
  }

  asio::awaitable<Reading> read(std::shared_ptr<Connection> connection, bool first) {
    Reading reading;
    error_code error;
    if (connection->buffer.size() == 0) {
      connection->arm(connection, first ? limits.header : limits.idle);
      const std::size_t bytes = co_await connection->socket.async_read_some(connection->buffer.prepare(4096), into(error));
      connection->buffer.commit(bytes);
      if (error) {
        counts.timed_out += connection->expired ? 1 : 0;
        co_return reading;
      }
    }
    connection->began = true;
    Parser parser;
    parser.header_limit(limits.header_bytes);
    parser.body_limit(limits.body_bytes);
    connection->arm(connection, limits.header);
    co_await http::async_read_header(connection->socket, connection->buffer, parser, into(error));
    if (!error && expects_continue(parser)) error = co_await send_continue(connection);
    if (!error && !parser.is_done()) {
      connection->arm(connection, limits.body);
      co_await http::async_read(connection->socket, connection->buffer, parser, into(error));
    }
    connection->deadline.cancel();
    reading.head = parser.is_header_done() && parser.get().method() == http::verb::head;
    if (connection->expired) {
      ++counts.timed_out;
      reading.refusal = problem(408, "request_timeout", "the request did not arrive whole in time; send it again");
    } else if (error && error.category() == error_code(http::error::bad_method).category()) {
      const bool cut_off = error == http::error::end_of_stream || error == http::error::partial_message;
      if (!cut_off) reading.refusal = refusal_of(error, limits);
    } else if (!error && parser.get().version() == 11 && parser.get().count(http::field::host) == 0) {
      reading.refusal = problem(400, to_string(ErrorCode::invalid_argument), "an HTTP/1.1 request needs a Host header");
    } else if (!error) {
      reading.keep_alive = parser.get().keep_alive();
      reading.request = plain(parser);
    }
    co_return reading;
  }

  static bool expects_continue(const Parser& parser) {
    return parser.get().version() >= 11 && !parser.is_done() && equal_ignoring_case(std::string(parser.get()[http::field::expect]), "100-continue");
  }

  asio::awaitable<error_code> send_continue(std::shared_ptr<Connection> connection) {
    static constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code error;
    connection->arm(connection, limits.write);
    co_await asio::async_write(connection->socket, asio::buffer(text.data(), text.size()), into(error));
    co_return error;
  }

  asio::awaitable<HttpResponse> answer(std::shared_ptr<Connection> connection, HttpRequest request) {
    Exchange exchange(context);
    const std::uint64_t number = ++exchanges_begun;
    exchanges.emplace(number, &exchange);
    connection->exchange = &exchange;
    HttpResponse late = handler(std::move(request), [box = mailbox, number](HttpResponse response) { box->deliver(number, std::move(response)); });
    error_code ignored;
    exchange.answered.expires_after(limits.answer);
    if (!connection->aborted) co_await exchange.answered.async_wait(into(ignored));
    connection->exchange = nullptr;
    exchanges.erase(number);
    if (exchange.response) co_return std::move(*exchange.response);
    ++counts.timed_out;
    co_return late;
  }

  void answered(std::uint64_t number, HttpResponse response) {
    const auto found = exchanges.find(number);
    if (found == exchanges.end() || found->second->response) return;  // too late, or answered before
    found->second->response = std::move(response);
    found->second->answered.cancel();
  }

  // False when the client is gone or did not take it in time.
  asio::awaitable<bool> write(std::shared_ptr<Connection> connection, HttpResponse response, bool keep_alive, bool head) {
    http::response<http::string_body> message(static_cast<http::status>(response.status), 11);
    message.reason(std::string(reason_phrase(response.status)));
    message.set(http::field::date, http_date());
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.content_length(response.body.size());
    message.set(http::field::connection, keep_alive ? "keep-alive" : "close");
    if (!head) message.body() = std::move(response.body);

    error_code error;
    connection->arm(connection, limits.write);
    http::response_serializer<http::string_body> serializer(message);
    if (head) {
      co_await http::async_write_header(connection->socket, serializer, into(error));
    } else {
      co_await http::async_write(connection->socket, serializer, into(error));
    }
    connection->deadline.cancel();
    counts.timed_out += connection->expired ? 1 : 0;
    co_return !error && !connection->aborted;
  }

  // Closing while the client still sends would reset the connection and lose it the answer: says that no more will
  // be sent, and reads for a moment what still comes.
  asio::awaitable<void> linger(std::shared_ptr<Connection> connection) {
    error_code error;
    connection->socket.shutdown(tcp::socket::shutdown_send, error);
    connection->arm(connection, limits.linger);
    char dropped[4096];
    for (std::size_t total = 0; !error && total < linger_bytes_max;) {
      total += co_await connection->socket.async_read_some(asio::buffer(dropped), into(error));
    }
    connection->deadline.cancel();
  }

  // --- the end -------------------------------------------------------------------------------------------
  void drain(milliseconds time) {
    if (draining) return;
    draining = true;
    error_code ignored;
    acceptor.close(ignored);
    accept_pause.cancel();
    for (const auto& connection : connections) {
      if (connection->waiting && !connection->began) connection->abort();
    }
    if (connections.empty()) return;
    drain_timer.expires_after(time);
    drain_timer.async_wait([self = shared_from_this()](error_code) {
      for (const auto& connection : self->connections) connection->abort();
    });
  }
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpAddress& address, const HttpLimits& limits) {
  auto impl = std::make_shared<Impl>(limits);
  const auto refused = [&](error_code error) {
    const std::string why = error == asio::error::address_in_use
                                ? "another program listens there; stop it, or choose another port (0 takes any free one)"
                            : error == asio::error::access_denied ? "only root may use that port; choose one from 1024 on"
                            : error.value() == EADDRNOTAVAIL      ? "this machine does not have that address"
                                                                  : error.message();
    return fail(ErrorCode::io, fmt::format("cannot listen on {}: {}", address.text(), why));
  };
  error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(address.address, error), address.port);
  if (error) return refused(error);
  impl->acceptor.open(endpoint.protocol(), error);
  if (!error) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) impl->acceptor.bind(endpoint, error);
  if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refused(error);
  impl->address = {address.address, impl->acceptor.local_endpoint().port()};
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { stop(milliseconds(0)); }

void HttpServer::start(HttpHandler handler) {
  impl_->handler = std::move(handler);
  asio::co_spawn(impl_->context, impl_->accept(), asio::detached);
  impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

const HttpAddress& HttpServer::address() const { return impl_->address; }

void HttpServer::run_blocking(std::function<void()> work) { asio::post(impl_->blocking, std::move(work)); }

HttpCounters HttpServer::counters() const {
  const auto& counts = impl_->counts;
  return {counts.connections, counts.open, counts.requests, counts.evicted, counts.refused, counts.timed_out};
}

void HttpServer::stop(milliseconds drain) {
  const std::lock_guard lock(impl_->stopping);
  if (impl_->thread.joinable()) {
    asio::post(impl_->context, [impl = impl_, drain] { impl->drain(drain); });
    impl_->thread.join();
  }
  {
    const std::lock_guard closing(impl_->mailbox->mutex);
    impl_->mailbox->impl = nullptr;
  }
  impl_->blocking.stop();  // what still waits to be read has nobody left to be told to
  impl_->blocking.join();
}

}  // namespace turnstone
