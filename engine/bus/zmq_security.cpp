#include "engine/bus/zmq_security.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "engine/bus/limits.h"
#include "events/types.h"

namespace turnstone::bus {
namespace {

constexpr const char* zap_address = "inproc://zeromq.zap.01";  // fixed by RFC 27
constexpr std::size_t request_frames_max = 16;
constexpr int greeting_ms = 300;
constexpr int handshake_events =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

// All frames of one message; nothing when none is at hand (or, without ZMQ_DONTWAIT, comes within the socket's time).
std::optional<std::vector<std::string>> receive_frames(void* socket, int flags = ZMQ_DONTWAIT) {
  std::vector<std::string> frames;
  for (bool more = true; more;) {
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    if (zmq_msg_recv(&frame, socket, flags) < 0) {
      zmq_msg_close(&frame);
      return std::nullopt;
    }
    if (frames.size() < request_frames_max) frames.emplace_back(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
    more = zmq_msg_more(&frame) != 0;
    zmq_msg_close(&frame);
  }
  return frames;
}

void* open_socket(void* context, int type, int hwm) {
  void* socket = zmq_socket(context, type);
  if (socket == nullptr) throw zmq::error_t();
  const int linger = 0;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  zmq_setsockopt(socket, ZMQ_RCVHWM, &hwm, sizeof hwm);
  zmq_setsockopt(socket, ZMQ_SNDHWM, &hwm, sizeof hwm);
  return socket;
}

}  // namespace

ZapHandler::ZapHandler(void* context, std::function<bool(const CurvePublic&)> admits)
    : socket_(open_socket(context, ZMQ_REP, router_receive_hwm)), admits_(std::move(admits)) {
  if (zmq_bind(socket_, zap_address) != 0) {
    const zmq::error_t error;
    zmq_close(socket_);
    throw error;
  }
}

ZapHandler::~ZapHandler() { zmq_close(socket_); }

// Request: version, request id, domain, address, routing id, mechanism, credentials (for CURVE the client's public key).
bool ZapHandler::answer(std::optional<TurnedAway>& turned_away) {
  turned_away.reset();
  const auto request = receive_frames(socket_);
  if (!request) return false;
  CurvePublic key;
  const bool readable = request->size() == 7 && (*request)[5] == "CURVE" && (*request)[6].size() == key.value.size();
  if (readable) std::memcpy(key.value.data(), (*request)[6].data(), key.value.size());
  const bool admitted = readable && admits_(key);
  if (!admitted) {
    const std::string from = request->size() > 3 ? (*request)[3] : std::string("an unknown address");
    const std::string why = readable ? "its key " + to_hex(key.value).substr(0, 16) + "… is not among the workers' keys" : "it showed no key";
    turned_away = TurnedAway{from + " was refused: " + why};
  }
  const std::string id = request->size() > 1 ? (*request)[1] : std::string();
  const std::string_view replies[] = {"1.0", id, admitted ? "200" : "400", admitted ? "" : "this key is not among the workers' keys", "", ""};
  for (std::size_t i = 0; i < std::size(replies); ++i) {
    zmq_send(socket_, replies[i].data(), replies[i].size(), ZMQ_DONTWAIT | (i + 1 < std::size(replies) ? ZMQ_SNDMORE : 0));
  }
  return true;
}

// The I/O thread waits when the listener's queue is full, so the listener is connected before there are events, is drained
// by its owner in each round, and monitoring ends before it is closed.
HandshakeMonitor::HandshakeMonitor(void* context, void* socket) : monitored_(socket), listener_(open_socket(context, ZMQ_PAIR, monitor_hwm)) {
  const std::string address = "inproc://handshakes-" + std::to_string(reinterpret_cast<std::uintptr_t>(socket));
  if (zmq_socket_monitor(socket, address.c_str(), handshake_events) != 0 || zmq_connect(listener_, address.c_str()) != 0) {
    const zmq::error_t error;
    zmq_close(listener_);
    throw error;
  }
}

HandshakeMonitor::~HandshakeMonitor() {
  while (next()) continue;
  zmq_socket_monitor(monitored_, nullptr, 0);
  zmq_close(listener_);
}

std::optional<Handshake> HandshakeMonitor::next() {
  const auto frames = receive_frames(listener_);
  std::uint16_t event = 0;
  if (!frames || frames->empty() || frames->front().size() < sizeof event) return std::nullopt;
  std::memcpy(&event, frames->front().data(), sizeof event);  // in the host's byte order
  switch (event) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return Handshake{Handshake::End::succeeded};
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return Handshake{Handshake::End::denied};
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      return Handshake{Handshake::End::mismatched};
    default:
      return Handshake{Handshake::End::cut};
  }
}

// ZMTP 3 (RFC 23): a greeting begins with 0xff, and either side sends it without waiting for the other's.
bool hears_bus(void* context, const Endpoint& endpoint) {
  if (endpoint.scheme != Endpoint::Scheme::tcp) return true;
  void* socket = open_socket(context, ZMQ_STREAM, monitor_hwm);
  const int once = -1, ipv6 = endpoint.host.starts_with('[') ? 1 : 0;
  zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &once, sizeof once);
  zmq_setsockopt(socket, ZMQ_IPV6, &ipv6, sizeof ipv6);
  zmq_setsockopt(socket, ZMQ_RCVTIMEO, &greeting_ms, sizeof greeting_ms);
  bool greeted = false;
  if (zmq_connect(socket, endpoint.text().c_str()) == 0) {
    for (int connected = 0; connected < 2; ++connected) {  // an empty frame tells of a connection, and another one of its end
      const auto frames = receive_frames(socket, 0);
      if (!frames || frames->size() < 2) break;
      if ((*frames)[1].empty()) continue;
      greeted = (*frames)[1].starts_with('\xff');
      break;
    }
  }
  zmq_close(socket);
  return greeted;
}

}  // namespace turnstone::bus
