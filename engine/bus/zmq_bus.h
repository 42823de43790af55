// The ZeroMQ bodies of the bus: ROUTER and XPUB on the engine's side, DEALER and SUB on the worker's.
//
// Every high-water mark, the maximum message size and the handshake time-out are set (engine/bus/limits.h). The
// ROUTER is mandatory (a send to a peer that is gone says so) and hands an identity over to its newest connection.
// Thread safety: one thread owns a bus, but for interrupt-free waiting on a file descriptor of the caller's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/bus/bus.h"
#include "engine/bus/endpoint.h"
#include "engine/bus/keys.h"
#include "events/error.h"

namespace turnstone::bus {

class ZmqEngineBus final : public EngineBus {
 public:
  // Errors: locked, refused (open to other hosts without keys), io (the endpoint cannot be bound; names it).
  static Result<std::unique_ptr<ZmqEngineBus>> bind(const Endpoint& endpoint, std::optional<EngineKeys> keys = std::nullopt);
  ~ZmqEngineBus() override;  // lingers at most goodbye_ms for what was sent last

  Sent send(const WorkerId& peer, const Message& message) override;
  void publish(std::string_view topic, const Publication& publication) override;
  std::optional<FromPeer> receive() override;
  const std::string& publisher_endpoint() const override;
  const TrafficCounters& traffic() const override;

  const std::string& endpoint() const;  // as bound
  // Connections that were not let in: a wrong key or none, another protocol or version. How many, ever; and the last
  // since this was last asked, as a sentence for the log.
  std::uint64_t turned_away() const;
  std::optional<std::string> last_turned_away();
  // Until a message has come, `fd` is readable (then it is drained as an eventfd), or the time is over. Begins a round: newcomers are let in and
  // subscriptions taken note of here, so many at most, and receive() drops as many frames at most until the next.
  void wait(int fd, std::int64_t timeout_ms);

 private:
  struct Sockets;
  explicit ZmqEngineBus(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

class ZmqWorkerBus final : public WorkerBus {
 public:
  // Connects in the background: an engine that is not there yet is no error. Errors: refused (another host without keys), io.
  static Result<std::unique_ptr<ZmqWorkerBus>> connect(const Endpoint& endpoint, const WorkerId& id, std::optional<WorkerKeys> keys = std::nullopt);
  ~ZmqWorkerBus() override;

  Sent send(const Message& message) override;
  std::optional<Message> receive() override;
  std::optional<Publication> receive_published() override;
  void follow(const std::string& publisher_endpoint) override;
  void subscribe(std::string_view topic) override;
  void unsubscribe(std::string_view topic) override;
  const TrafficCounters& traffic() const override;

  void wait(int fd, std::int64_t timeout_ms);  // as above; -1: no descriptor
  // Why the engine does not let this worker in; trying again is in vain.
  std::optional<Error> refused();

 private:
  struct Sockets;
  explicit ZmqWorkerBus(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

inline constexpr int goodbye_ms = 200;

// An id that no other start of a worker has: the name, cut to fit, and 64 random bits.
WorkerId fresh_worker_id(std::string_view name);
std::uint64_t random_number();

}  // namespace turnstone::bus
