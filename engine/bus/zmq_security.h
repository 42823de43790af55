// Who may connect: the ZAP handler (RFC 27) that admits workers by their keys, and a monitor that tells how handshakes end.
//
// Both stand beside sockets of one context, in the thread that owns the bus: poll their handles, then call answer() and
// next(). Handles are ZeroMQ's own (void*). Errors of construction: zmq::error_t, as of the sockets themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/bus/endpoint.h"
#include "engine/bus/keys.h"

namespace turnstone::bus {

// A peer that was not let in, as a sentence for the engine's log.
struct TurnedAway {
  std::string who_and_why;
};

class ZapHandler {
 public:
  // Must stand before any socket of the context is bound.
  ZapHandler(void* context, std::function<bool(const CurvePublic&)> admits);
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

  void* handle() const { return socket_; }
  // Answers one request that is at hand: false when there is none. Who is turned away is told.
  bool answer(std::optional<TurnedAway>& turned_away);

 private:
  void* socket_;
  std::function<bool(const CurvePublic&)> admits_;
};

struct Handshake {
  enum class End : std::uint8_t {
    succeeded,
    denied,      // by the other side's ZAP handler (on the side that denies: by ours)
    mismatched,  // one side has keys and the other none, the wrong key of the engine, or no bus at all
    cut,         // the other side hung up
  } end = End::cut;
};

class HandshakeMonitor {
 public:
  // Must stand before the socket binds or connects, and go before it.
  HandshakeMonitor(void* context, void* socket);
  ~HandshakeMonitor();
  HandshakeMonitor(const HandshakeMonitor&) = delete;
  HandshakeMonitor& operator=(const HandshakeMonitor&) = delete;

  void* handle() const { return listener_; }
  std::optional<Handshake> next();

 private:
  void* monitored_;
  void* listener_;
};

// Whether a bus greets whoever connects there, as it does before any key is shown. Waits for some 300 ms at most; an endpoint of ipc, before which
// nothing stands, is taken for one.
bool hears_bus(void* context, const Endpoint& endpoint);

}  // namespace turnstone::bus
