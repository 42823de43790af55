// The sequencer: accepts turns into the ledger, hands them to workers, commits what they propose, releases replies.
//
// A state machine over (request | message | time) with the ledger under it; it owns no socket, thread or clock.
// What has to happen outside comes out as actions; the shell (engine_process.cpp) and simulations carry them out.
//
// One sync a turn: writes go to the ledger without sync; flush() asks for one sync for everything written since
// the last, and only on_synced() releases what others may see: replies, publications, and tasks of a raised
// attempt. First attempts leave at once. Invariants:
//   1. a reply leaves only after everything it rests on is durable;
//   2. publications leave in the order of their global position, each once, and only when durable;
//   3. a proposal is judged by the ledger alone: attempt before sequence;
//   4. at most one sync is asked for at a time.
// Thread safety: none; one thread drives it. Memory: bounded by turns_pending_max and the ledger's own bounds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/counters.h"
#include "engine/dispatch.h"
#include "engine/service.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

struct SequencerOptions {
  DispatchOptions dispatch;
  bus::RunId run;                           // fresh at each start of the engine
  std::string publisher;                    // endpoint of the publications, told to workers
  std::string session_prefix = "s";         // of sessions that the engine names: prefix, run, number
  std::size_t turns_pending_max = 10'000;   // in flight and waiting; one more is `busy`
  std::size_t unstarted_max = 1'000;        // turns of new sessions while no worker has joined yet
  std::int64_t retry_ms = 250;              // after the ledger refused a write (no space) or a sync
};

struct Moment {
  Timestamp wall;
  Instant instant;
};

class Sequencer {
 public:
  // --- actions, in order ---
  struct Send { WorkerId worker; bus::Message message; };
  struct Publish { std::string topic; bus::Publication publication; };
  struct Sync { std::uint64_t ticket; };       // run Ledger::sync() (on any thread), then on_synced(ticket, …)
  struct Answer { std::function<void()> run; };  // a callback with its result
  using Action = std::variant<Send, Publish, Sync, Answer>;

  Sequencer(Ledger& ledger, SequencerOptions options);

  // Takes up the turns that the ledger holds pending: each gets a new attempt.
  Status recover(Moment now);

  void create_session(NewSession session, ConversationService::Callback<ConversationService::SessionCreated> done, Moment now);
  void take_turn(TurnRequest request, ConversationService::Callback<TurnReply> done, Moment now);
  void on_message(const WorkerId& from, const bus::Message& message, Moment now);
  void on_unreachable(const WorkerId& worker, Moment now);
  void on_tick(Moment now);
  void on_synced(std::uint64_t ticket, const Status& status, Moment now);
  // After a batch of calls: dispatches what can be, and asks for a sync when something waits for one.
  void flush(Moment now);

  void refuse_new() { draining_ = true; }
  std::size_t unfinished() const;              // turns in flight or waiting, and replies not released
  void abandon(const std::string& why);        // answers every open callback with `busy`
  std::vector<bus::Message> goodbye() const;

  std::vector<Action> take_actions();
  Instant next_due() const;
  EngineCounters counters() const;
  Readiness readiness() const;
  const Dispatch& dispatch() const { return dispatch_; }

 private:
  using TurnDone = ConversationService::Callback<TurnReply>;
  using Created = ConversationService::Callback<ConversationService::SessionCreated>;

  // A pending turn. Only the first of a session is in flight.
  struct PendingState {
    std::vector<TurnDone> waiters;
  };
  enum class Phase : std::uint8_t {
    queued,    // wants a worker
    raising,   // attempt raised, waits for its sync
    running,   // a worker has it
    stalled,   // the ledger refused a write; tried again later
  };
  struct Flight {
    TurnNumber turn;
    Attempt attempt;
    Sequence expected;
    TurnReceived received;
    Phase phase = Phase::queued;
    bool lost = false;               // the attempt was dispatched and given up: raise before the next dispatch
    Instant unserved_since{-1};
    std::optional<bus::Proposed> held_back;  // a good proposal that the disk had no room for
  };
  struct Session {
    std::optional<Flight> flight;
    std::map<TurnNumber, PendingState> pending;
    std::optional<bus::Decider> decider;  // what its stream says decides; nullopt: not looked up or none yet
    bool decider_known = false;
    Attempt last_attempt;                 // that committed last_turn, in this run
    TurnNumber last_turn;
  };
  struct Unstarted { TurnRequest request; TurnDone done; };

  // sequencer_turns.cpp: requests
  void begin_turn(TurnRequest request, TurnDone done, Moment now);
  Status settle_decider(const SessionId& id, Session& session, Moment now);
  Result<std::optional<bus::Decider>> read_decider(const SessionId& id) const;
  void start_flight(const SessionId& id, Session& session, const PendingTurn& pending, bool lost);
  void start_unstarted(Moment now);
  void answer_done(const SessionId& session, const Done& outcome, TurnDone done);

  // sequencer.cpp: dispatch and commit
  void dispatch_queued(Moment now);
  bool dispatch_one(const SessionId& id, Session& session, Moment now);
  void send_task(const SessionId& id, Session& session, const WorkerId& worker);
  void lose(const SessionId& id, Moment now);
  void park(const SessionId& id, Session& session, const std::string& reason, Moment now);
  void propose(const WorkerId& from, const bus::Proposed& proposal, Moment now);
  void commit(const SessionId& id, Session& session, const WorkerId& from, const bus::Proposed& proposal, std::vector<EventBody> bodies, Moment now);
  void finish(const SessionId& id, Session& session, TurnReply reply, const Committed& committed, Moment now);
  void stall(const SessionId& id, Session& session, const Error& error, Moment now);
  void retry_stalled(Moment now);
  void forget_if_idle(const SessionId& id);
  void remove_worker(const WorkerId& worker, Moment now);

  // sequencer_messages.cpp: joining, reads, documents
  void hello(const WorkerId& from, const bus::Hello& hello, Moment now);
  void failed(const WorkerId& from, const bus::Failed& failed, Moment now);
  void read(const WorkerId& from, const bus::Read& read);
  void read_commits(const WorkerId& from, const bus::ReadCommits& read);
  void store_document(const WorkerId& from, const bus::Document& document);
  void send_document(const WorkerId& from, const bus::FetchDocument& fetch);

  // publications: everything that was written, in order of position
  void publish_write(GlobalPosition position, const StreamId& stream, Sequence first, const std::vector<EventBody>& bodies, TurnNumber turn,
                     std::string flight_record, Moment now);
  void send(const WorkerId& worker, bus::Message message) { actions_.push_back(Send{worker, std::move(message)}); }
  // Runs when everything written so far is durable; at once when it already is.
  void when_durable(std::function<void(const Status&, Moment)> then);

  Ledger& ledger_;
  SequencerOptions options_;
  Dispatch dispatch_;
  bool draining_ = false;
  std::unordered_map<SessionId, Session> sessions_;
  std::deque<SessionId> queue_;       // sessions whose turn wants a worker, in order
  std::deque<SessionId> stalled_;
  std::deque<Unstarted> unstarted_;
  std::vector<Action> actions_;
  std::uint64_t named_sessions_ = 0;
  std::uint64_t pings_ = 0;

  struct Gated { std::function<void(const Status&, Moment)> then; };
  bool dirty_ = false;                 // written since the last sync was asked for
  std::uint64_t syncing_ = 0;          // ticket of the sync under way; 0 = none
  std::uint64_t tickets_ = 0;
  Instant sync_not_before_{0};
  std::vector<Gated> gated_;           // wait for the next sync
  std::vector<Gated> in_sync_;         // wait for the sync under way
  GlobalPosition durable_;             // last position known durable
  GlobalPosition syncing_position_;
  Instant retry_at_{0};

  mutable EngineCounters counters_;
};

}  // namespace turnstone
