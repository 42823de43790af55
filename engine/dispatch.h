// Which worker takes a turn, and which workers still live.
//
// A pure state machine: calls carry the time, results say what to do. It knows workers and which session's turn
// each holds, never what a turn says. Invariants:
//   1. a session's turn is held by at most one worker;
//   2. a worker that is hung or lacks a stored policy is never chosen; one that drains, only for a turn in flight
//      that no other worker serves (its session moves to another artefact or policy right after it);
//   3. the same live workers give a session the same worker (rendezvous hash), unless it holds more than its share.
// Thread safety: none; the sequencer owns it. Cost: linear in the number of workers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/bus/protocol.h"
#include "engine/counters.h"

namespace turnstone {

// Monotonic time, microseconds.
using Instant = Named<struct InstantTag, std::int64_t>;
constexpr Instant after_ms(Instant start, std::int64_t ms) { return Instant{start.value + ms * 1'000}; }

struct DispatchOptions {
  std::int64_t ping_busy_ms = 50;  // workers that hold a task
  std::int64_t ping_idle_ms = 250;
  std::int64_t task_ms_max = 700;         // a busy worker that finishes nothing for so long is hung: its tasks move on; raise it for slow turns
  std::int64_t silence_ms_max = 700;      // an idle worker that answers no ping for so long is hung: it gets no tasks until it is heard
  std::int64_t forget_ms = 5'000;         // a hung worker not heard for so long is struck off the list
  std::int64_t unserved_ms_max = 10'000;  // a turn whose artefact or policy no live worker serves is parked
  std::uint32_t attempts_max = 3;         // then the turn is parked
};

class Dispatch {
 public:
  explicit Dispatch(DispatchOptions options) : options_(options) {}

  // --- what workers say ---
  enum class Joined : std::uint8_t { fresh, again, full };
  Joined hello(const bus::Hello& hello, Instant now);
  bool known(const WorkerId& worker) const { return workers_.contains(worker); }
  void heard(const WorkerId& worker, Instant now);  // any message
  void credit(const WorkerId& worker, std::uint32_t window);
  void drain(const WorkerId& worker);
  // Policies that must be stored before the worker gets tasks.
  void await_document(const WorkerId& worker, const Fingerprint& fingerprint);
  void document_stored(const Fingerprint& fingerprint);
  std::vector<Fingerprint> awaited_from(const WorkerId& worker) const;
  // The worker is gone (said so, unreachable). Returns the sessions whose turns it held.
  std::vector<SessionId> remove(const WorkerId& worker);
  // Live workers of the same name: pinged at once, so that the ghosts among them are found.
  std::vector<WorkerId> namesakes(const WorkerId& worker) const;

  // --- turns ---
  // `avoid` gave the turn back: it gets it again only when no other can take it.
  std::optional<WorkerId> choose(const SessionId& session, const bus::Decider& decider, const std::optional<WorkerId>& avoid = std::nullopt) const;
  bool has_room() const;  // some worker can take a task
  // Each try before this one doubles what the turn may take, so that a slow machine does not park turns that only need time.
  void assign(const SessionId& session, const WorkerId& worker, Instant now, std::uint32_t tries = 0);
  void restart_clock(const SessionId& session, Instant now);  // the task leaves only now (it waited for a sync)
  void release(const SessionId& session, Instant now);        // finished or given up
  // Its worker reads the session from here: a long session takes several reads, and each further one is progress.
  void reading(const SessionId& session, const WorkerId& worker, Sequence from, Instant now);
  std::optional<WorkerId> holder(const SessionId& session) const;

  // --- what workers serve ---
  bool served(const bus::Decider& decider) const;  // by a worker that may be chosen
  // What new sessions begin with: what the worker that joined last prefers. nullopt: no worker yet.
  std::optional<bus::Decider> current() const;

  // --- time ---
  struct Due {
    std::vector<WorkerId> ping;
    std::vector<SessionId> lost;      // turns to be tried elsewhere
    std::vector<WorkerId> hung;       // newly
    std::vector<WorkerId> forgotten;  // struck off
  };
  Due due(Instant now);
  Instant next_due() const;  // no sooner is due() worth a call; far in the future when there is no worker

  std::uint32_t live() const;
  std::vector<WorkerStatus> status() const;

 private:
  struct Held {
    Instant since;
    std::int64_t allowed_ms = 0;
    Sequence read_from;  // of the furthest read for it
  };
  struct Worker {
    std::string name;
    std::set<Fingerprint> artefacts, policies;
    std::set<std::uint32_t> decision_versions;
    bus::Decider preferred;
    std::uint64_t joined = 0;  // order of joining
    std::uint32_t window = 0;
    bool reader = false;
    bool draining = false;
    bool hung = false;
    std::set<Fingerprint> awaited;
    Instant heard, pinged, progressed;
    std::map<SessionId, Held> held;
    bool serves(const bus::Decider& decider) const;
    bool able() const { return !reader && !hung && awaited.empty(); }
    bool eligible() const { return able() && !draining; }
  };
  Instant ping_due(const Worker& worker) const;
  Instant patience(const Worker& worker) const;  // when the worker counts as hung; a hung one, as forgotten

  DispatchOptions options_;
  std::map<WorkerId, Worker> workers_;
  std::map<SessionId, WorkerId> holders_;
  std::uint64_t joins_ = 0;
};

}  // namespace turnstone
