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
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/counters.h"
#include "engine/dispatch.h"
#include "engine/service.h"
#include "storage/ledger/erasure.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

struct SequencerOptions {
  DispatchOptions dispatch;
  bus::RunId run;                          // fresh at each start of the engine
  std::string publisher;                   // endpoint of the publications, told to workers
  std::string session_prefix = "s";        // of sessions that the engine names: prefix, run, number
  std::size_t turns_pending_max = 10'000;  // in flight and waiting; one more is `busy`
  std::size_t unstarted_max = 1'000;       // turns of new sessions while no worker has joined yet
  std::size_t waiters_max = 100;           // callbacks of one turn: a front end that repeats itself
  std::size_t erasures_max = 16;           // asked for and not done; one more is `busy`
  std::size_t erasure_page = 64;           // sessions looked at in one tick: a read each, about a millisecond together
  std::int64_t retry_ms = 250;             // after the ledger refused a write (no space) or a sync
};

struct Moment {
  Timestamp wall;
  Instant instant;
};

class Sequencer {
 public:
  // --- actions, in order ---
  struct Send {
    WorkerId worker;
    bus::Message message;
  };
  struct Publish {
    std::string topic;
    bus::Publication publication;
  };
  struct Sync {
    std::uint64_t ticket;
  };  // run Ledger::sync() (on any thread), then on_synced(ticket, …)
  struct Answer {
    std::function<void()> run;
  };  // a callback with its result
  struct Note {
    std::string text;
  };  // for the operator's log; never holds shopper text
  using Action = std::variant<Send, Publish, Sync, Answer, Note>;

  Sequencer(Ledger& ledger, SequencerOptions options);

  // Takes up the turns that the ledger holds pending: each gets a new attempt.
  Status recover(Moment now);

  void create_session(NewSession session, ConversationService::Callback<ConversationService::SessionCreated> done, Moment now);
  void take_turn(TurnRequest request, ConversationService::Callback<TurnReply> done, Moment now);
  // Looks for what is in scope, erasure_page sessions a tick, and erases it, one stream a tick, since each waits for the disk. Until it is done no session
  // is started that names a profile in scope.
  void erase(ErasureScope scope, std::string by, ConversationService::Callback<ConversationService::ErasureDone> done);
  void on_message(const WorkerId& from, const bus::Message& message, Moment now);
  void on_unreachable(const WorkerId& worker, Moment now);
  void on_tick(Moment now);
  void on_synced(std::uint64_t ticket, const Status& status, Moment now);
  // After a batch of calls: dispatches what can be, and asks for a sync when something waits for one.
  void flush(Moment now);

  void refuse_new() { draining_ = true; }
  std::size_t unfinished() const;        // turns in flight or waiting, and replies not released
  void abandon(const std::string& why);  // answers every open callback with `busy`, says BYE to the workers

  std::vector<Action> take_actions();
  Instant next_due() const;
  EngineCounters counters() const;
  Readiness readiness() const;
  const Dispatch& dispatch() const { return dispatch_; }

 private:
  using TurnDone = ConversationService::Callback<TurnReply>;
  using Created = ConversationService::Callback<ConversationService::SessionCreated>;

  enum class Phase : std::uint8_t {
    queued,   // wants a worker
    raising,  // attempt raised, waits for its sync
    running,  // a worker has it
    stalled,  // the ledger refused a write; tried again later
  };
  // The turn of a session that is in flight. Those behind it wait in the ledger.
  struct Flight {
    TurnNumber turn;
    Attempt attempt;
    Sequence expected;
    TurnReceived received;
    Phase phase = Phase::queued;
    bool lost = false;                       // the attempt may be with a worker that was given up: raise it before the next dispatch
    std::uint32_t tries = 0;                 // attempts given up in this run
    std::string last_loss;                   // why the last one was
    std::optional<WorkerId> avoid;           // gave it back
    std::optional<bus::Proposed> held_back;  // a good proposal that the disk had no room for
  };
  struct Session {
    std::optional<Flight> flight;
    std::map<TurnNumber, std::vector<TurnDone>> pending;  // the waiters of every turn without a result
    std::optional<bus::Decider> decider;                  // what its stream says decides
    bool decider_known = false;                           // looked up
    std::optional<Instant> unserved_since;
    TurnNumber last_turn;  // committed in this run, by last_attempt
    Attempt last_attempt;
  };
  struct Unstarted {
    TurnRequest request;
    TurnDone done;
  };

  // sequencer_requests.cpp: from accept to the queue, and the gate of durability
  void begin_turn(TurnRequest request, TurnDone done, Moment now);
  enum class Settled : std::uint8_t { yes, no_worker };
  Result<Settled> settle_decider(const SessionId& id, Session& session, Moment now);
  Result<std::vector<std::int32_t>> taste_of(const ProfileId& profile) const;
  Result<std::optional<bus::Decider>> read_decider(const SessionId& id) const;
  Status change_engine(const SessionId& id, Session& session, const bus::Decider& to, Moment now);
  void start_flight(const SessionId& id, Session& session, const PendingTurn& pending);
  void start_unstarted(Moment now);
  void reply(std::vector<TurnDone> waiters, TurnReply reply, Moment now);
  void forget_if_idle(const SessionId& id);
  void when_durable(std::function<void(const Status&, Moment)> then, Moment now);
  struct WrittenEvent {
    TurnNumber turn;
    EventBody body;
  };
  void publish_written(const StreamId& stream, Sequence first, const std::vector<WrittenEvent>& events, std::string flight_record, Moment now);
  void publish_stored(const StreamId& stream, Sequence first, Sequence last, std::string flight_record);
  void publish_when_durable(bus::Publication publication, std::string topic);

  // sequencer_dispatch.cpp: to a worker, and what becomes of it there
  void dispatch_queued(Moment now);
  bool dispatch_one(const SessionId& id, Session& session, Moment now);
  void raise(const SessionId& id, Session& session, const WorkerId& worker, Moment now);
  void send_task(const SessionId& id, const Session& session, const WorkerId& worker);
  void lose(const SessionId& id, const std::string& why, Moment now);
  void park(const SessionId& id, Session& session, Moment now);
  void remove_worker(const WorkerId& worker, const std::string& why, Moment now);

  // sequencer.cpp: commit and sync
  void propose(const WorkerId& from, const bus::Proposed& proposal, Moment now);
  void commit(const bus::Proposed& proposal, std::vector<EventBody> bodies, Moment now);
  void finish(const SessionId& id, Session& session, TurnReply answer, const std::optional<PendingTurn>& next, Moment now);
  void stall(const SessionId& id, Session& session, const Error& error, Moment now);
  void retry_stalled(Moment now);

  // sequencer_erasure.cpp
  struct Erasing {
    ErasureSearch search;
    std::string by;
    ConversationService::Callback<ConversationService::ErasureDone> done;
    ConversationService::ErasureDone so_far = {};
    bool searched = false;
    std::vector<StreamId> targets = {};
    std::size_t at = 0;
  };
  void erase_next(Moment now);
  Status erase_one(Erasing& erasing, const StreamId& stream, Moment now);
  bool being_erased(const ProfileId& profile) const;
  void publish_erasure(const StreamId& stream, const std::string& by, Moment now);
  void forget_erased(const SessionId& id, Moment now);

  // sequencer_messages.cpp: joining, reads, documents
  void hello(const WorkerId& from, const bus::Hello& hello, Moment now);
  void failed(const WorkerId& from, const bus::Failed& failed, Moment now);
  void read(const WorkerId& from, const bus::Read& read, Moment now);
  void read_commits(const WorkerId& from, const bus::ReadCommits& read);
  Result<bus::Publication> publication_of(const CommitRecord& record) const;
  void store_document(const bus::Document& document);
  void send_document(const WorkerId& from, const bus::FetchDocument& fetch);
  void note(std::string text) { actions_.emplace_back(Note{std::move(text)}); }
  static std::string printable(std::string_view id);  // peers choose their ids
  void send(const WorkerId& worker, bus::Message message) { actions_.emplace_back(Send{worker, std::move(message)}); }

  Ledger& ledger_;
  SequencerOptions options_;
  Dispatch dispatch_;
  bool draining_ = false;
  std::unordered_map<SessionId, Session> sessions_;
  std::size_t pending_turns_ = 0;  // in flight and waiting
  std::size_t flights_ = 0;
  std::size_t open_replies_ = 0;  // decided, not yet released
  std::deque<SessionId> queue_;   // sessions whose turn wants a worker, in order
  std::deque<SessionId> stalled_;
  std::deque<Erasing> erasing_;
  std::deque<Unstarted> unstarted_;
  std::set<Fingerprint> documents_;  // known to be stored
  std::vector<Action> actions_;
  std::uint64_t named_sessions_ = 0;
  std::uint64_t pings_ = 0;

  struct Gated {
    std::function<void(const Status&, Moment)> then;  // a failure answers those who wait
    bool keep = false;                                // on a failure: tried again with the next sync
  };
  bool dirty_ = false;         // written since the last sync was asked for
  bool sync_wanted_ = false;   // by something that others wait for
  std::uint64_t syncing_ = 0;  // ticket of the sync under way; 0 = none
  std::uint64_t tickets_ = 0;
  Instant sync_not_before_{0};
  std::vector<Gated> gated_;    // wait for the next sync
  std::vector<Gated> in_sync_;  // wait for the sync under way
  GlobalPosition durable_;      // last position known durable
  GlobalPosition syncing_position_;
  Instant retry_at_{0};

  EngineCounters counters_;
};

}  // namespace turnstone
