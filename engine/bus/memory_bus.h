// The bus within one process and one thread, under a clock of the caller's: for tests and simulation.
//
// Frames are encoded and decoded as on a socket. A plan decides for every frame when it arrives: not at all, once,
// several times, late; without one it arrives at once. Frames to a peer that was disconnected are lost, and so is
// what was on its way to and from it. Order is by arrival time, then by sending. Deterministic.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/bus/bus.h"

namespace turnstone::bus {

struct FrameOnItsWay {
  Kind kind;
  WorkerId worker;  // the peer that is not the engine; empty for publications before they are addressed
  bool to_engine = false;
};

class MemoryNetwork {
 public:
  // Delays in microseconds, one an arrival; none: the frame is lost.
  using Plan = std::function<std::vector<std::int64_t>(const FrameOnItsWay&)>;

  explicit MemoryNetwork(const std::int64_t& now_us) : now_us_(now_us) {}
  void set_plan(Plan plan) { plan_ = std::move(plan); }

  // One engine at a time; a new one takes the place of the last, and what was on its way to that one is lost.
  std::unique_ptr<EngineBus> engine();
  std::unique_ptr<WorkerBus> connect(const WorkerId& id);
  void disconnect(const WorkerId& id);
  void stop_engine();
  // Bytes as they are, from a peer that need not be connected.
  void inject(const WorkerId& from, std::string frame);
  // Of publications that a peer has not taken yet, as XPUB's high-water mark: further ones are lost to it.
  void bound_publications(std::size_t messages_max) { publications_max_ = messages_max; }

  // When the next frame arrives, for callers that let the time jump.
  std::optional<std::int64_t> next_for_engine() const;
  std::optional<std::int64_t> next_for(const WorkerId& id) const;
  std::size_t waiting_for(const WorkerId& id) const;  // frames but publications, arrived or on their way

 private:
  friend class MemoryEngineBus;
  friend class MemoryWorkerBus;
  struct Arrival {
    WorkerId from;
    std::string frame;
  };
  // By time, then by number.
  using Queue = std::map<std::pair<std::int64_t, std::uint64_t>, Arrival>;
  struct Peer {
    Queue inbox;
    Queue publications;
    std::set<std::string, std::less<>> topics;
    bool follows = false;
  };

  void deliver(Queue& queue, const FrameOnItsWay& about, const WorkerId& from, const std::string& frame);
  std::optional<Arrival> arrived(Queue& queue);

  const std::int64_t& now_us_;
  Plan plan_;
  bool engine_running_ = false;
  Queue to_engine_;
  std::map<WorkerId, Peer> peers_;
  std::uint64_t frames_ = 0;
  std::size_t publications_max_ = publisher_send_hwm;
};

}  // namespace turnstone::bus
