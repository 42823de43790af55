// The seam between the engine, its workers and the network.
//
// Two bodies each: ZeroMQ (zmq_bus.h) and one process under virtual time (memory_bus.h), which tests and
// simulation drive. Frames that cannot be read are dropped by the body and counted; what reaches the caller is
// a decoded message. Thread safety: one thread owns a bus.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/bus/protocol.h"
#include "events/types.h"

namespace turnstone::bus {

struct TrafficCounters {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t dropped_frames = 0;  // unreadable: wrong frame count, too large, damaged
  std::uint64_t unreachable = 0;     // sends to a peer that is gone
  std::uint64_t refused_sends = 0;   // a full queue or a message over the limits
  std::uint64_t published = 0;
};

struct FromPeer {
  WorkerId peer;
  Message message;
};

enum class Sent : std::uint8_t { yes, unreachable, full };

class EngineBus {
 public:
  virtual ~EngineBus() = default;
  virtual Sent send(const WorkerId& peer, const Message& message) = 0;  // never blocks
  virtual void publish(std::string_view topic, const Publication& publication) = 0;
  virtual std::optional<FromPeer> receive() = 0;  // never blocks
  virtual const std::string& publisher_endpoint() const = 0;
  virtual const TrafficCounters& traffic() const = 0;
};

class WorkerBus {
 public:
  virtual ~WorkerBus() = default;
  virtual Sent send(const Message& message) = 0;  // never blocks; unreachable: not connected now
  virtual std::optional<Message> receive() = 0;   // never blocks
  virtual std::optional<Publication> receive_published() = 0;
  virtual void follow(const std::string& publisher_endpoint) = 0;  // where publications come from; replaces the last
  virtual void subscribe(std::string_view topic) = 0;
  virtual void unsubscribe(std::string_view topic) = 0;
  virtual const TrafficCounters& traffic() const = 0;
};

}  // namespace turnstone::bus
