#include "engine/bus/zmq_bus.h"

#include <unistd.h>

#include <random>
#include <set>
#include <utility>
#include <zmq.hpp>

#include "engine/bus/codec.h"

namespace turnstone::bus {
namespace {

constexpr int handshake_ms = 2'000;
constexpr int reconnect_ms = 20;
constexpr int reconnect_ms_max = 500;

void set_limits(zmq::socket_t& socket, int send_hwm, int receive_hwm) {
  socket.set(zmq::sockopt::sndhwm, send_hwm);
  socket.set(zmq::sockopt::rcvhwm, receive_hwm);
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(frame_bytes_max));
  socket.set(zmq::sockopt::handshake_ivl, handshake_ms);
}

void set_reconnect(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::reconnect_ivl, reconnect_ms);
  socket.set(zmq::sockopt::reconnect_ivl_max, reconnect_ms_max);
}

// Reads the rest of a multipart message so that the next receive begins with a new one.
void skip_rest(zmq::socket_t& socket, const zmq::message_t& last) {
  bool more = last.more();
  while (more) {
    zmq::message_t part;
    if (!socket.recv(part, zmq::recv_flags::dontwait)) return;
    more = part.more();
  }
}

void wait_for(std::vector<zmq::pollitem_t> items, int fd, std::int64_t timeout_ms) {
  if (fd >= 0) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  try {
    zmq::poll(items, std::chrono::milliseconds(timeout_ms));
  } catch (const zmq::error_t&) {  // interrupted by a signal: the caller's loop looks around
  }
  if (fd >= 0 && (items.back().revents & ZMQ_POLLIN) != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(fd, &count, sizeof count);
  }
}

Sent send_frame(zmq::socket_t& socket, const Message& message, const WorkerId* peer, TrafficCounters& traffic) {
  const auto frame = encode(message);
  if (!frame) {
    ++traffic.refused_sends;
    return Sent::full;
  }
  try {
    if (peer != nullptr && !socket.send(zmq::buffer(peer->value), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) {
      ++traffic.refused_sends;
      return Sent::full;
    }
    if (!socket.send(zmq::buffer(*frame), zmq::send_flags::dontwait)) {
      ++(peer == nullptr ? traffic.unreachable : traffic.refused_sends);
      return peer == nullptr ? Sent::unreachable : Sent::full;
    }
  } catch (const zmq::error_t& error) {
    ++traffic.unreachable;
    return Sent::unreachable;
  }
  ++traffic.sent;
  return Sent::yes;
}

}  // namespace

// --- engine --------------------------------------------------------------------------------------------

struct ZmqEngineBus::Sockets {
  EndpointClaim claimed;
  zmq::context_t context{1};
  zmq::socket_t router{context, zmq::socket_type::router};
  zmq::socket_t publisher{context, zmq::socket_type::xpub};
  std::string endpoint;
  std::string publisher_endpoint;
  TrafficCounters traffic;

  void bind(const Endpoint& at) {
    context.set(zmq::ctxopt::blocky, 0);
    set_limits(router, router_send_hwm, router_receive_hwm);
    router.set(zmq::sockopt::router_mandatory, 1);
    router.set(zmq::sockopt::router_handover, 1);
    router.bind(at.text());
    set_limits(publisher, publisher_send_hwm, subscriber_receive_hwm);
    publisher.bind(at.publisher());
    endpoint = router.get(zmq::sockopt::last_endpoint);
    publisher_endpoint = publisher.get(zmq::sockopt::last_endpoint);
  }

  // XPUB hands subscriptions up; nobody needs them, and unread they would fill its queue.
  void skip_subscriptions() {
    zmq::message_t message;
    while (publisher.recv(message, zmq::recv_flags::dontwait)) skip_rest(publisher, message);
  }
};

ZmqEngineBus::ZmqEngineBus(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}

ZmqEngineBus::~ZmqEngineBus() { sockets_->router.set(zmq::sockopt::linger, goodbye_ms); }

Result<std::unique_ptr<ZmqEngineBus>> ZmqEngineBus::bind(const Endpoint& endpoint) {
  auto claimed = claim(endpoint);
  if (!claimed) return tl::unexpected(claimed.error());
  try {
    auto sockets = std::make_unique<Sockets>();
    sockets->claimed = std::move(*claimed);
    sockets->bind(endpoint);
    return std::unique_ptr<ZmqEngineBus>(new ZmqEngineBus(std::move(sockets)));
  } catch (const zmq::error_t& error) {
    return fail(error.num() == EADDRINUSE ? ErrorCode::locked : ErrorCode::io,
                "cannot listen on " + endpoint.text() + ": " + error.what() + "; is another engine running there?");
  }
}

Sent ZmqEngineBus::send(const WorkerId& peer, const Message& message) { return send_frame(sockets_->router, message, &peer, sockets_->traffic); }

void ZmqEngineBus::publish(std::string_view topic, const Publication& publication) {
  const auto frame = encode(publication);
  if (!frame) {
    ++sockets_->traffic.refused_sends;
    return;
  }
  try {
    sockets_->publisher.send(zmq::buffer(topic), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
    sockets_->publisher.send(zmq::buffer(*frame), zmq::send_flags::dontwait);
    ++sockets_->traffic.published;
  } catch (const zmq::error_t&) {
    ++sockets_->traffic.refused_sends;
  }
}

std::optional<FromPeer> ZmqEngineBus::receive() {
  sockets_->skip_subscriptions();
  zmq::socket_t& router = sockets_->router;
  try {
    for (zmq::message_t peer; router.recv(peer, zmq::recv_flags::dontwait);) {
      zmq::message_t frame;
      const bool has_frame = peer.more() && router.recv(frame, zmq::recv_flags::dontwait);
      if (!has_frame || frame.more()) {
        skip_rest(router, has_frame ? frame : peer);
        ++sockets_->traffic.dropped_frames;
        continue;
      }
      auto message = decode(frame.to_string_view());
      WorkerId from{peer.to_string()};
      if (message) {
        ++sockets_->traffic.received;
        return FromPeer{std::move(from), std::move(*message)};
      }
      ++sockets_->traffic.dropped_frames;
      if (message.error().code == ErrorCode::unsupported) send(from, Refusal{Fault::unsupported_protocol, message.error().detail});
    }
  } catch (const zmq::error_t&) {
    ++sockets_->traffic.dropped_frames;
  }
  return std::nullopt;
}

const std::string& ZmqEngineBus::publisher_endpoint() const { return sockets_->publisher_endpoint; }
const std::string& ZmqEngineBus::endpoint() const { return sockets_->endpoint; }
const TrafficCounters& ZmqEngineBus::traffic() const { return sockets_->traffic; }

void ZmqEngineBus::wait(int fd, std::int64_t timeout_ms) {
  wait_for({{sockets_->router.handle(), 0, ZMQ_POLLIN, 0}, {sockets_->publisher.handle(), 0, ZMQ_POLLIN, 0}}, fd, timeout_ms);
}

// --- worker --------------------------------------------------------------------------------------------

struct ZmqWorkerBus::Sockets {
  zmq::context_t context{1};
  zmq::socket_t dealer{context, zmq::socket_type::dealer};
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
  std::string followed;
  std::set<std::string, std::less<>> topics;
  TrafficCounters traffic;

  void connect(const Endpoint& to, const WorkerId& id) {
    context.set(zmq::ctxopt::blocky, 0);
    set_limits(dealer, dealer_send_hwm, dealer_receive_hwm);
    set_reconnect(dealer);
    dealer.set(zmq::sockopt::immediate, 1);  // nothing is queued for an engine that is not there
    dealer.set(zmq::sockopt::routing_id, id.value);
    dealer.connect(to.text());
    open_subscriber();
  }

  void open_subscriber() {
    subscriber = zmq::socket_t(context, zmq::socket_type::sub);
    set_limits(subscriber, dealer_send_hwm, subscriber_receive_hwm);
    set_reconnect(subscriber);
    for (const std::string& topic : topics) subscriber.set(zmq::sockopt::subscribe, topic);
  }
};

ZmqWorkerBus::ZmqWorkerBus(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}

ZmqWorkerBus::~ZmqWorkerBus() { sockets_->dealer.set(zmq::sockopt::linger, goodbye_ms); }

Result<std::unique_ptr<ZmqWorkerBus>> ZmqWorkerBus::connect(const Endpoint& endpoint, const WorkerId& id) {
  try {
    auto sockets = std::make_unique<Sockets>();
    sockets->connect(endpoint, id);
    return std::unique_ptr<ZmqWorkerBus>(new ZmqWorkerBus(std::move(sockets)));
  } catch (const zmq::error_t& error) {
    return fail(ErrorCode::io, "cannot connect to " + endpoint.text() + ": " + error.what());
  }
}

Sent ZmqWorkerBus::send(const Message& message) { return send_frame(sockets_->dealer, message, nullptr, sockets_->traffic); }

std::optional<Message> ZmqWorkerBus::receive() {
  zmq::socket_t& dealer = sockets_->dealer;
  try {
    for (zmq::message_t frame; dealer.recv(frame, zmq::recv_flags::dontwait);) {
      if (frame.more()) {
        skip_rest(dealer, frame);
        ++sockets_->traffic.dropped_frames;
        continue;
      }
      auto message = decode(frame.to_string_view());
      if (message) {
        ++sockets_->traffic.received;
        return std::move(*message);
      }
      ++sockets_->traffic.dropped_frames;
      if (message.error().code == ErrorCode::unsupported) return Refusal{Fault::unsupported_protocol, message.error().detail};
    }
  } catch (const zmq::error_t&) {
    ++sockets_->traffic.dropped_frames;
  }
  return std::nullopt;
}

std::optional<Publication> ZmqWorkerBus::receive_published() {
  zmq::socket_t& subscriber = sockets_->subscriber;
  try {
    for (zmq::message_t topic; subscriber.recv(topic, zmq::recv_flags::dontwait);) {
      zmq::message_t frame;
      const bool has_frame = topic.more() && subscriber.recv(frame, zmq::recv_flags::dontwait);
      if (!has_frame || frame.more()) {
        skip_rest(subscriber, has_frame ? frame : topic);
        ++sockets_->traffic.dropped_frames;
        continue;
      }
      auto message = decode(frame.to_string_view());
      if (auto* publication = message ? std::get_if<Publication>(&*message) : nullptr) {
        ++sockets_->traffic.received;
        return std::move(*publication);
      }
      ++sockets_->traffic.dropped_frames;
    }
  } catch (const zmq::error_t&) {
    ++sockets_->traffic.dropped_frames;
  }
  return std::nullopt;
}

void ZmqWorkerBus::follow(const std::string& publisher_endpoint) {
  if (publisher_endpoint == sockets_->followed || !parse_endpoint(publisher_endpoint)) return;
  try {
    if (!sockets_->followed.empty()) sockets_->open_subscriber();
    sockets_->subscriber.connect(publisher_endpoint);
    sockets_->followed = publisher_endpoint;
  } catch (const zmq::error_t&) {  // publications are hints: without them every task reads
    ++sockets_->traffic.unreachable;
  }
}

void ZmqWorkerBus::subscribe(std::string_view topic) {
  if (sockets_->topics.emplace(topic).second) sockets_->subscriber.set(zmq::sockopt::subscribe, topic);
}

void ZmqWorkerBus::unsubscribe(std::string_view topic) {
  const auto found = sockets_->topics.find(topic);
  if (found == sockets_->topics.end()) return;
  sockets_->topics.erase(found);
  sockets_->subscriber.set(zmq::sockopt::unsubscribe, topic);
}

const TrafficCounters& ZmqWorkerBus::traffic() const { return sockets_->traffic; }

void ZmqWorkerBus::wait(int fd, std::int64_t timeout_ms) {
  wait_for({{sockets_->dealer.handle(), 0, ZMQ_POLLIN, 0}, {sockets_->subscriber.handle(), 0, ZMQ_POLLIN, 0}}, fd, timeout_ms);
}

// --- identity ------------------------------------------------------------------------------------------

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

WorkerId fresh_worker_id(std::string_view name) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string id(name.empty() ? std::string_view("worker") : name.substr(0, worker_id_bytes_max / 2));
  id += '-';
  for (std::uint64_t number = random_number(), i = 0; i < 16; ++i, number >>= 4U) id += digits[number & 0xfU];
  return WorkerId{std::move(id)};
}

}  // namespace turnstone::bus
