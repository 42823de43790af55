// The worker without sockets: a state machine over messages, publications and time.
//
// It keeps the states of its sessions warm from publications, reads what it lacks, and turns each TASK into one
// PROPOSED. Publications are hints: a gap is filled by a read when a task needs the state. Invariants:
//   1. a turn is only taken from the state at exactly the task's expected sequence;
//   2. nothing learnt under one run of the engine is used under another;
//   3. memory is bounded: credit tasks, sessions_max states and those that the tasks need;
//   4. nothing is kept of a session that was told erased, whatever of it still arrives late.
// Thread safety: none; the loop owns it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/bus/protocol.h"
#include "events/error.h"
#include "events/snapshot.h"
#include "events/state.h"

namespace turnstone {

// What a turn function is given, and what it gives back, as the bus sees it.
struct LoopInput {
  TurnReceived received;
  Attempt attempt;
  bus::Decider decider;
};
struct LoopProposal {
  std::vector<EventBody> events;
  std::string flight_record;  // encoded
  std::string reply;
};
using TurnFunction = std::function<Result<LoopProposal>(const IntentState& state, const LoopInput& input)>;

// What a worker serves. take_turn over artefacts and policies: served_turn.h; tests give their own.
struct PolicyDocument {
  Fingerprint fingerprint;
  std::string bytes;
};
struct Served {
  std::vector<Fingerprint> artefacts;
  std::vector<PolicyDocument> policies;
  std::vector<std::uint32_t> decision_versions;
  TurnFunction turn;
  std::function<Result<std::string>(const IntentState&)> snapshot = [](const IntentState& state) { return encode_snapshot(state); };
};

struct WorkerCoreOptions {
  WorkerId id;  // fresh at each start
  std::string name;
  std::uint32_t credit = 8;
  std::size_t sessions_max = 1'024;
  std::int64_t hello_ms = 200;    // between HELLOs until WELCOME
  std::int64_t silence_ms = 600;  // an engine not heard for so long is asked again
  std::int64_t read_ms = 100;     // a read unanswered for so long is sent again
  std::uint64_t snapshot_interval = snapshot_interval_events;
};

struct WorkerCounters {
  std::uint64_t tasks = 0;
  std::uint64_t proposals = 0;
  std::uint64_t failures = 0;
  std::uint64_t stale_tasks = 0;  // the stream had moved on
  std::uint64_t reads = 0;
  std::uint64_t cold = 0;  // tasks that had to read
  std::uint64_t warm = 0;
  std::uint64_t gaps = 0;  // publications that did not follow
  std::uint64_t welcomes = 0;
  std::uint64_t snapshots_used = 0;
  std::uint64_t snapshots_refused = 0;
};

class WorkerCore {
 public:
  struct Subscribe {
    std::string topic;
  };
  struct Unsubscribe {
    std::string topic;
  };
  struct Follow {
    std::string publisher;
  };
  using Action = std::variant<bus::Message, Subscribe, Unsubscribe, Follow>;  // in order

  WorkerCore(WorkerCoreOptions options, Served served);

  void on_message(const bus::Message& message, std::int64_t now_us);
  void on_published(const bus::Publication& publication);
  void on_tick(std::int64_t now_us);  // timers: HELLO, reads
  bool work(std::int64_t now_us);     // takes one turn that is ready; false: none is
  void drain();                       // no more tasks
  bool drained() const { return tasks_.empty(); }
  bool welcomed() const { return run_.has_value(); }
  bool holds(const SessionId& session) const { return sessions_.contains(session); }  // anything of its content
  // An engine that refuses this worker for good (protocol version); the loop ends with it.
  const std::optional<Error>& refused() const { return refused_; }
  std::vector<Action> take_actions();
  const WorkerCounters& counters() const { return counters_; }

 private:
  // The state after a proposal of ours that may or may not have been committed.
  struct Tentative {
    TurnNumber turn;
    Attempt attempt;
    IntentState state;
  };
  struct Session {
    IntentState state;
    std::optional<Tentative> tentative;
    Sequence last_snapshot;         // where the stream's snapshot stands, as far as known here
    bool snapshot_refused = false;  // it did not hold: folded from the first event
    std::list<SessionId>::iterator recency;
  };
  struct HeldTask {
    bus::Task task;
    std::int64_t read_at = 0;  // when the last read was sent; 0 = none
    bool was_cold = false;
  };

  void welcome(const bus::Welcome& welcome);
  void forget_engine();
  void accept(const bus::Task& task, std::int64_t now_us);
  void fill(const bus::Events& events, std::int64_t now_us);
  enum class Ready : std::uint8_t { yes, reading, never };
  Ready prepare(HeldTask& held, std::int64_t now_us);
  void propose(const bus::Task& task, Session& session);
  void use_snapshot(Session& session, const SessionId& id, const bus::Events& events);
  void forget_erased(const SessionId& id);
  bool was_erased(const SessionId& id) const;
  Session& session_of(const SessionId& id);
  bool needed(const SessionId& session) const;  // by a task
  bool serves(const bus::Decider& decider) const;
  void say_hello(std::int64_t now_us);
  void fail_task(const bus::Task& task, std::string reason);

  WorkerCoreOptions options_;
  Served served_;
  std::optional<bus::RunId> run_;
  std::optional<Error> refused_;
  bool draining_ = false;
  std::int64_t hello_at_ = 0;
  std::int64_t heard_at_ = 0;
  std::deque<HeldTask> tasks_;
  std::unordered_map<SessionId, Session> sessions_;
  std::list<SessionId> recency_;  // most recent first
  std::deque<SessionId> erased_;  // the last sessions_max that were: tasks and events of them may still be on their way
  std::vector<Action> actions_;
  WorkerCounters counters_;
};

}  // namespace turnstone
