#include "engine/bus/zmq_bus.h"

#include <unistd.h>

#include <chrono>
#include <deque>
#include <random>
#include <set>
#include <utility>
#include <zmq.hpp>

#include "engine/bus/codec.h"
#include "engine/bus/zmq_security.h"

namespace turnstone::bus {
namespace {

constexpr int handshake_ms = 2'000;
constexpr int unacknowledged_ms = 5'000;
constexpr int keepalive_s = 2;
constexpr int keepalive_tries = 3;
constexpr int reconnect_ms = 20;
constexpr int reconnect_ms_max = 500;
constexpr std::size_t cuts_of_a_stranger = 3;  // handshakes cut so often, so fast, are no accident: an engine that stalls takes handshake_ms each
constexpr std::size_t cuts_of_a_greeted = 2;   // more, after an engine was heard there: one may be left from whoever was there before
constexpr std::chrono::milliseconds cuts_within{1'500};
constexpr int events_a_round = 256;  // dropped frames, subscriptions, handshakes: whoever sends nothing else keeps nobody from other work
constexpr int keys_a_round = 32;     // asked for by newcomers: each costs a look into the list
constexpr const char* zap_domain = "turnstone";

void set_limits(zmq::socket_t& socket, int send_hwm, int receive_hwm) {
  socket.set(zmq::sockopt::sndhwm, send_hwm);
  socket.set(zmq::sockopt::rcvhwm, receive_hwm);
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(frame_bytes_max));
  socket.set(zmq::sockopt::handshake_ivl, handshake_ms);
  // A host that vanished says nothing: what it does not acknowledge, or a connection gone silent, is closed and made anew.
  socket.set(zmq::sockopt::tcp_maxrt, unacknowledged_ms);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, keepalive_s);
  socket.set(zmq::sockopt::tcp_keepalive_intvl, keepalive_s);
  socket.set(zmq::sockopt::tcp_keepalive_cnt, keepalive_tries);
}

// A name in brackets is an address of IPv6, which ZeroMQ takes only when told so.
void set_addresses(zmq::socket_t& socket, const Endpoint& endpoint) { socket.set(zmq::sockopt::ipv6, endpoint.host.starts_with('[') ? 1 : 0); }

zmq::const_buffer bytes_of(const std::array<std::uint8_t, 32>& key) { return zmq::buffer(key.data(), key.size()); }

void set_keys(zmq::socket_t& socket, const EngineKeys& keys) {
  socket.set(zmq::sockopt::curve_server, 1);
  socket.set(zmq::sockopt::curve_secretkey, bytes_of(keys.secret.value));
  socket.set(zmq::sockopt::zap_domain, zap_domain);
}

void set_keys(zmq::socket_t& socket, const WorkerKeys& keys) {
  socket.set(zmq::sockopt::curve_serverkey, bytes_of(keys.engine.value));
  socket.set(zmq::sockopt::curve_publickey, bytes_of(keys.open.value));
  socket.set(zmq::sockopt::curve_secretkey, bytes_of(keys.secret.value));
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
  std::optional<EngineKeys> keys;
  int dropped_this_round = 0;
  std::uint64_t turned_away = 0;
  std::optional<std::string> last_turned_away;
  std::optional<ZapHandler> zap;  // these go before the sockets
  std::optional<HandshakeMonitor> handshakes;

  void bind(const Endpoint& at) {
    context.set(zmq::ctxopt::blocky, 0);
    if (keys) {
      zap.emplace(context.handle(), keys->admits);
      set_keys(router, *keys);
      set_keys(publisher, *keys);
    }
    handshakes.emplace(context.handle(), router.handle());
    set_addresses(router, at);
    set_addresses(publisher, at);
    set_limits(router, router_send_hwm, router_receive_hwm);
    router.set(zmq::sockopt::router_mandatory, 1);
    router.set(zmq::sockopt::router_handover, 1);
    router.bind(at.text());
    set_limits(publisher, publisher_send_hwm, subscriber_receive_hwm);
    publisher.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(subscription_bytes_max));
    publisher.bind(at.publisher());
    endpoint = router.get(zmq::sockopt::last_endpoint);
    publisher_endpoint = publisher.get(zmq::sockopt::last_endpoint);
  }

  void turn_away(std::string why) {
    ++turned_away;
    last_turned_away = std::move(why);
  }

  // Lets in who waits at the door, and notes who did not get in. A key that was denied is told by the handler.
  void keep_door() {
    std::optional<TurnedAway> denied;
    for (int i = 0; zap && i < keys_a_round && zap->answer(denied); ++i) {
      if (denied) turn_away(std::move(denied->who_and_why));
    }
    for (int i = 0; i < events_a_round; ++i) {
      const auto handshake = handshakes->next();
      if (!handshake) return;
      // Whichever side notices first that they do not fit hangs up, and the other sees no more than that.
      if (handshake->end != Handshake::End::mismatched && handshake->end != Handshake::End::cut) continue;
      turn_away(keys ? "somebody was refused, or hung up, who does not have this engine's public key, or shows no key at all"
                     : "somebody was refused, or hung up, who speaks with keys, or another protocol: this engine was started without --bus-key");
    }
  }

  // XPUB hands subscriptions up; nobody needs them, and unread they would fill its queue.
  void skip_subscriptions() {
    zmq::message_t message;
    for (int i = 0; i < events_a_round && publisher.recv(message, zmq::recv_flags::dontwait); ++i) skip_rest(publisher, message);
  }
};

ZmqEngineBus::ZmqEngineBus(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}

ZmqEngineBus::~ZmqEngineBus() { sockets_->router.set(zmq::sockopt::linger, goodbye_ms); }

Result<std::unique_ptr<ZmqEngineBus>> ZmqEngineBus::bind(const Endpoint& endpoint, std::optional<EngineKeys> keys) {
  if (auto checked = check_keys(endpoint, keys.has_value()); !checked) return tl::unexpected(checked.error());
  auto claimed = claim(endpoint);
  if (!claimed) return tl::unexpected(claimed.error());
  try {
    auto sockets = std::make_unique<Sockets>();
    sockets->claimed = std::move(*claimed);
    sockets->keys = std::move(keys);
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
  zmq::socket_t& router = sockets_->router;
  try {
    zmq::message_t peer;
    for (int& dropped = sockets_->dropped_this_round; dropped < events_a_round && router.recv(peer, zmq::recv_flags::dontwait); ++dropped) {
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
      if (message.error().code == ErrorCode::unsupported) {
        sockets_->turn_away("a worker was refused: " + message.error().detail);
        send(from, Refusal{Fault::unsupported_protocol, message.error().detail});
      }
    }
  } catch (const zmq::error_t&) {
    ++sockets_->traffic.dropped_frames;
  }
  return std::nullopt;
}

const std::string& ZmqEngineBus::publisher_endpoint() const { return sockets_->publisher_endpoint; }
const std::string& ZmqEngineBus::endpoint() const { return sockets_->endpoint; }
const TrafficCounters& ZmqEngineBus::traffic() const { return sockets_->traffic; }

std::uint64_t ZmqEngineBus::turned_away() const { return sockets_->turned_away; }

std::optional<std::string> ZmqEngineBus::last_turned_away() { return std::exchange(sockets_->last_turned_away, std::nullopt); }

void ZmqEngineBus::wait(int fd, std::int64_t timeout_ms) {
  std::vector<zmq::pollitem_t> items = {{sockets_->router.handle(), 0, ZMQ_POLLIN, 0},
                                        {sockets_->publisher.handle(), 0, ZMQ_POLLIN, 0},
                                        {sockets_->handshakes->handle(), 0, ZMQ_POLLIN, 0}};
  if (sockets_->zap) items.push_back({sockets_->zap->handle(), 0, ZMQ_POLLIN, 0});
  wait_for(std::move(items), fd, timeout_ms);
  sockets_->skip_subscriptions();
  sockets_->keep_door();
  sockets_->dropped_this_round = 0;
}

// --- worker --------------------------------------------------------------------------------------------

struct ZmqWorkerBus::Sockets {
  zmq::context_t context{1};
  zmq::socket_t dealer{context, zmq::socket_type::dealer};
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
  Endpoint engine;
  std::string followed;
  std::set<std::string, std::less<>> topics;
  TrafficCounters traffic;
  std::optional<WorkerKeys> keys;
  std::deque<std::chrono::steady_clock::time_point> cuts;  // handshakes that were cut since one succeeded
  std::optional<std::chrono::steady_clock::time_point> greeted;                // an engine was heard at the address that cuts them
  std::optional<Error> refused;
  std::optional<HandshakeMonitor> handshakes;  // goes before the sockets

  void connect(const Endpoint& to, const WorkerId& id) {
    engine = to;
    context.set(zmq::ctxopt::blocky, 0);
    handshakes.emplace(context.handle(), dealer.handle());
    if (keys) set_keys(dealer, *keys);
    set_addresses(dealer, to);
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
    if (keys) set_keys(subscriber, *keys);
    set_addresses(subscriber, engine);
    for (const std::string& topic : topics) subscriber.set(zmq::sockopt::subscribe, topic);
  }

  void look_at_handshakes() {
    for (int i = 0; i < events_a_round; ++i) {
      const auto handshake = handshakes->next();
      if (!handshake) return;
      switch (handshake->end) {
        case Handshake::End::succeeded:
          cuts.clear();
          greeted.reset();
          break;
        case Handshake::End::denied:
          refused = Error{ErrorCode::refused,
                          "the engine at " + engine.text() + " does not know this worker's key; add its NAME.pub to the engine's --worker-keys"};
          break;
        case Handshake::End::mismatched:
          refuse_stranger();
          break;
        case Handshake::End::cut:
          on_cut();
          break;
      }
    }
  }

  // An engine hangs up on whoever does not have its public key, or has keys where it has none: most often that is all its
  // worker sees. An engine that ends hangs up as well, but not again and again; a forwarder without an engine behind it does, and greets nobody.
  void on_cut() {
    const auto now = std::chrono::steady_clock::now();
    cuts.push_back(now);
    if (cuts.size() > cuts_of_a_stranger) cuts.pop_front();
    if (greeted && now - *greeted > cuts_within) greeted.reset();
    if (cuts.size() < (greeted ? cuts_of_a_greeted : cuts_of_a_stranger) || now - cuts.front() > cuts_within) return;
    if (greeted) return refuse_stranger();
    cuts.clear();  // they may all be a forwarder's: those after an engine's greeting are not
    if (hears_bus(context.handle(), engine)) greeted = std::chrono::steady_clock::now();
  }

  void refuse_stranger() {
    const std::string why = keys ? ": --engine-key is not its public key, or it was started without --bus-key"
                                 : ": it wants keys; give this worker --bus-key and --engine-key";
    refused = Error{ErrorCode::refused, "the engine at " + engine.text() + " hangs up on this worker" + why};
  }
};

ZmqWorkerBus::ZmqWorkerBus(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}

ZmqWorkerBus::~ZmqWorkerBus() { sockets_->dealer.set(zmq::sockopt::linger, goodbye_ms); }

Result<std::unique_ptr<ZmqWorkerBus>> ZmqWorkerBus::connect(const Endpoint& endpoint, const WorkerId& id, std::optional<WorkerKeys> keys) {
  if (auto checked = check_keys(endpoint, keys.has_value()); !checked) return tl::unexpected(checked.error());
  try {
    auto sockets = std::make_unique<Sockets>();
    sockets->keys = keys;
    sockets->connect(endpoint, id);
    return std::unique_ptr<ZmqWorkerBus>(new ZmqWorkerBus(std::move(sockets)));
  } catch (const zmq::error_t& error) {
    return fail(ErrorCode::io, "cannot connect to " + endpoint.text() + ": " + error.what());
  }
}

Sent ZmqWorkerBus::send(const Message& message) { return send_frame(sockets_->dealer, message, nullptr, sockets_->traffic); }

std::optional<Message> ZmqWorkerBus::receive() {
  sockets_->look_at_handshakes();
  zmq::socket_t& dealer = sockets_->dealer;
  try {
    zmq::message_t frame;
    for (int dropped = 0; dropped < events_a_round && dealer.recv(frame, zmq::recv_flags::dontwait); ++dropped) {
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
    zmq::message_t topic;
    for (int dropped = 0; dropped < events_a_round && subscriber.recv(topic, zmq::recv_flags::dontwait); ++dropped) {
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

// An engine that listens on every address cannot know the one by which it is reached; the worker does.
void ZmqWorkerBus::follow(const std::string& publisher_endpoint) {
  auto publisher = parse_endpoint(publisher_endpoint);
  if (publisher_endpoint == sockets_->followed || !publisher || publisher->scheme != sockets_->engine.scheme) return;
  if (publisher->scheme == Endpoint::Scheme::tcp) publisher->host = sockets_->engine.host;
  try {
    if (!sockets_->followed.empty()) sockets_->open_subscriber();
    sockets_->subscriber.connect(publisher->text());
    sockets_->followed = publisher_endpoint;
  } catch (const zmq::error_t&) {  // publications are hints: without them every task reads
    ++sockets_->traffic.unreachable;
  }
}

std::optional<Error> ZmqWorkerBus::refused() {
  sockets_->look_at_handshakes();
  return sockets_->refused;
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
  wait_for({{sockets_->dealer.handle(), 0, ZMQ_POLLIN, 0},
            {sockets_->subscriber.handle(), 0, ZMQ_POLLIN, 0},
            {sockets_->handshakes->handle(), 0, ZMQ_POLLIN, 0}},
           fd, timeout_ms);
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
