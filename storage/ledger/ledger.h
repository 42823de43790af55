// The ledger: every session's events, its pending turns, turn keys and stored replies.
//
// A turn is two writes. `accept` records that it was received (TurnReceived, AttemptStarted 1) under its key;
// `commit` records what it decided, if the attempt is still the current one and nobody wrote in between.
// Their outcomes are closed; everything else (no space, closed, erased, corrupt …) is an Error.
//
// One turn of a session is in flight; others wait in order. A turn accepted while another is pending is stored
// as *waiting*: it has its number and its key, attempt 0, and no event in the stream yet (Accepted{attempt 0,
// sequence 0}). The write that commits or parks the turn in flight also starts the next one: its TurnReceived
// and AttemptStarted 1 follow in the same batch, and Committed::next says what to dispatch. So between a turn's
// AttemptStarted and its TurnCompleted or TurnParked a stream holds no other turn's events, and a proposal made
// for the turn in flight always expects the stream's head.
//
// Durability: writes are visible at once and durable after sync() returned. sync() makes everything durable
// that was written before the call; concurrent callers share one disk sync (group commit). Callers sync
// before they tell anyone ("received", a reply) and before a re-dispatch.
// Invariants:
//   1. sequences of a stream are 1, 2, 3 … without gaps; each event's previous_hash is its predecessor's hash;
//   2. a commit is atomic over all its streams, its flight record, its reply and its turn's state;
//   3. of two commits for one turn at most one is `Committed`; the attempt is checked before the sequence;
//   4. the pending turns of a session have consecutive numbers, and only the lowest of them is in flight.
// Thread safety: all member functions may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

// Turns of one session that may wait behind the one in flight; one more is refused with ErrorCode::busy.
inline constexpr std::uint32_t waiting_turns_max = 64;

// --- accept ------------------------------------------------------------------------------------------
struct AcceptRequest {
  SessionId session;
  TurnKey key;
  Digest body_mac{};      // of what the key stands for: the same key with another body is KeyReused
  TurnReceived received;  // `turn` and `key` are filled in by the ledger
  Timestamp now;
};
// sequence: the stream's head after it. Attempt 0 and sequence 0: the turn waits; Committed::next will name it.
struct Accepted { TurnNumber turn; Attempt attempt; Sequence sequence; };
struct InFlight { TurnNumber turn; };  // pending: in flight or waiting
struct Done { TurnNumber turn; std::string reply; };  // completed or parked
struct KeyReused { TurnNumber turn; };
using AcceptOutcome = std::variant<Accepted, InFlight, Done, KeyReused>;

// A turn that has no result yet.
struct PendingTurn {
  SessionId session;
  TurnNumber turn;
  Attempt attempt;        // 0: it waits for the turn before it; neither dispatch, raise nor park it
  Sequence head;          // the stream's sequence when it was started or last attempted; 0 while it waits
  TurnReceived received;
};

// --- commit ------------------------------------------------------------------------------------------
struct StreamAppend {
  StreamId stream;
  Sequence expected;  // head of the stream before this append; 0 = the stream does not exist yet
  std::vector<EventBody> events;
};
// One append must be to the session's own stream. TurnReceived, AttemptStarted, TurnParked and SessionStarted
// are the ledger's to write; appends that hold one are refused with invalid_argument. The session's append holds exactly
// one TurnCompleted, of this turn and attempt; every other append is to a profile's stream.
struct CommitRequest {
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  std::vector<StreamAppend> appends;
  std::string flight_record;  // encoded
  std::string reply;          // the reply document, as it will be served again for the same key
  Timestamp now;
  std::string snapshot{};     // of the session before its TurnCompleted (events/snapshot.h), kept in place of the last; empty: none
};
struct Committed {
  Sequence sequence;                // head of the session's stream after the write (of the first stream for `append`)
  GlobalPosition position;
  std::optional<PendingTurn> next;  // the waiting turn that this write started: dispatch it (attempt 1)
};
struct Fenced { Attempt current; };           // a later attempt, or the turn is done, parked or still waiting
struct Conflict { Sequence actual; StreamId stream; };  // the head of that stream
using CommitOutcome = std::variant<Committed, Fenced, Conflict>;

// --- reads -------------------------------------------------------------------------------------------
struct StreamHead {
  StreamId stream;
  Sequence sequence;
  Digest hash{};
};
// One write of the ledger in global order. A write without events (a waiting turn, a document) has no ranges.
struct CommitRecord {
  GlobalPosition position;
  Timestamp time;
  struct Range { StreamId stream; Sequence first; Sequence last; Digest head{}; };  // head: hash of event `last`
  std::vector<Range> ranges;
  std::optional<TurnNumber> turn;  // set when it completed or parked one; its session is the first range's stream
  Digest turn_hash{};              // of the stored turn record (reply, flight record); zero without `turn`
  Digest hash{};                   // chain over commit records: commit_hash(previous record's hash, this)
};
// BLAKE2b-256 over the previous record's hash and everything in `record` but `hash`.
Digest commit_hash(const Digest& previous, const CommitRecord& record);

struct TurnRecord {
  TurnNumber turn;
  enum class State : std::uint8_t { pending, done, parked } state = State::pending;
  Attempt attempt;
  std::string reply;
  std::string flight_record;
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  // Creates the session's stream with SessionStarted (and EngineChanged, when given) as first events.
  // Returns false when it exists already (nothing is written).
  virtual Result<bool> start_session(const SessionStarted& started, const std::optional<EngineChanged>& engine, Timestamp now) = 0;

  // A key seen before answers InFlight, Done or KeyReused, also after the session was closed. Errors: not_found (no such
  // session), closed, erased, busy (waiting_turns_max turns wait), invalid_argument (bad id or key), limit_exceeded.
  virtual Result<AcceptOutcome> accept(const AcceptRequest& request) = 0;
  // Errors: not_found (no such session or turn), invalid_argument (an append that a commit may not hold), erased.
  virtual Result<CommitOutcome> commit(const CommitRequest& request) = 0;

  // A new attempt at the turn in flight (AttemptStarted is appended). Call sync() before dispatching it.
  // Errors: not_found; invalid_argument when the turn waits, is done or parked.
  struct RaisedAttempt { Attempt attempt; Sequence sequence; };
  virtual Result<RaisedAttempt> raise_attempt(const SessionId& session, TurnNumber turn, const WorkerId& worker, Timestamp now) = 0;
  // Gives the turn in flight up: TurnParked and ReplySent are appended, `reply` is stored for the key, the next turn starts.
  // Fenced when it is done or parked already.
  virtual Result<CommitOutcome> park(const SessionId& session, TurnNumber turn, const TurnParked& parked, const std::string& reply_text,
                                     const std::string& reply, Timestamp now) = 0;
  // Appends between turns (EngineChanged, SessionClosed, ProfileUpdated …). Conflict when expected is not the head;
  // a session with a turn in flight gives ErrorCode::busy. A session's stream begins with start_session; a profile's
  // with its first append (expected 0). After SessionClosed nothing follows (ErrorCode::closed); SessionErased is erase()'s.
  virtual Result<CommitOutcome> append(const std::vector<StreamAppend>& appends, Timestamp now) = 0;

  // Destroys the stream's key, so that nobody can read its content again, here or in any older copy of these files; then SessionErased is
  // appended and its pending turns are dropped. Both are durable when it returns. From then on every call about the stream answers erased,
  // late commits are Fenced, and the chains still verify over what stays encrypted. False: it was erased before.
  // Errors: not_found, unsupported (a ledger without encryption), no_space, io: call it again, what is destroyed stays destroyed.
  virtual Result<bool> erase(const StreamId& stream, const std::string& by, Timestamp now) = 0;

  virtual Status sync() = 0;

  // Streams are kept under stored names, from which no id can be told (payload_codec.h). streams() and commits() give stored names; every call
  // takes both. named() gives the stream's own: erased when nobody can tell it any more.
  virtual Result<StreamId> named(const StreamId& stream) const = 0;
  virtual Result<StreamHead> head(const StreamId& stream) const = 0;  // not_found when there is none
  // Events from `from` on, in order, at most `limit`. An empty vector past the end; not_found when there is no such stream.
  virtual Result<std::vector<Event>> read(const StreamId& stream, Sequence from, std::size_t limit) const = 0;
  // The last snapshot that a commit of the session carried, and the sequence of the TurnCompleted it stands before. A shortcut that no chain covers:
  // whoever uses it holds it against that event.
  struct Snapshot { Sequence before; std::string bytes; };
  virtual Result<std::optional<Snapshot>> snapshot(const SessionId& session) const = 0;
  virtual Result<TurnRecord> turn(const SessionId& session, TurnNumber turn) const = 0;
  virtual Result<Digest> turn_hash(const SessionId& session, TurnNumber turn) const = 0;  // of the record as it is stored
  virtual Result<std::vector<PendingTurn>> pending() const = 0;  // by session, then turn; waiting turns have attempt 0
  virtual Result<std::vector<StreamHead>> streams(StreamKind kind, std::optional<std::string> after, std::size_t limit) const = 0;  // by stored name
  virtual Result<std::vector<CommitRecord>> commits(GlobalPosition from, std::size_t limit) const = 0;
  virtual GlobalPosition position() const = 0;  // of the last write

  // Small documents kept by their fingerprint (policies). Put is idempotent.
  virtual Result<Fingerprint> put_document(std::string_view bytes) = 0;
  virtual Result<std::string> document(const Fingerprint& fingerprint) const = 0;

  // The stored bytes of one event, for verification: exactly what the chain hash covers.
  struct StoredEvent { std::string envelope; std::string payload; Digest previous_hash{}; Digest hash{}; };
  virtual Result<StoredEvent> stored(const StreamId& stream, Sequence sequence) const = 0;
  // The same for a range, in one pass: from `from` on, at most `limit`; as read() for missing events and past the end.
  virtual Result<std::vector<StoredEvent>> stored_range(const StreamId& stream, Sequence from, std::size_t limit) const = 0;
};

// The time, as everything outside the pure core reads it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;           // wall clock
  virtual std::int64_t monotonic_us() const = 0;
};
const Clock& system_clock();

std::unique_ptr<Ledger> make_memory_ledger();  // encrypted by keys that live as long as it

// synced: sync() returns when the disk has it. fast: sync() returns at once; what was written survives a killed
// process, and a power cut may take about the last second.
enum class Durability : std::uint8_t { synced, fast };
// read_only works beside a live engine: a consistent view of everything written before it was opened, which does
// not move on; open it again for a later one. Writes through it are refused.
enum class OpenMode : std::uint8_t { read_write, read_only };
struct LedgerOptions {
  Durability durability = Durability::synced;
  OpenMode mode = OpenMode::read_write;
  bool create_if_missing = true;
  // Opens a ledger that is refused (corrupt) otherwise, keeping what can be read: the anchor is set to what is there, the
  // files as they were stay in quarantine-kept-N. For a person who has decided to go on without the rest; never a default.
  bool accept_loss = false;
  std::string master_key{};   // file of the master key; empty: DIR/MASTER. Made at the first opening where there is none
  bool keys_optional = false;  // read_only: opens without keys what was encrypted, for verification and copies
};
// Opens the RocksDB ledger in `directory`. Errors: locked (names the owner's pid), corrupt (names the first
// missing position and the way out), not_found (read_only and absent), io.
Result<std::unique_ptr<Ledger>> open_ledger(const std::string& directory, const LedgerOptions& options);

// Wraps the keys of the ledger in `directory` by a new master key (file as in LedgerOptions), which replaces the old one. No engine may
// have it open. Errors: locked, not_found, refused, corrupt, no_space, io; an interrupted one is finished or undone at the next opening.
Status rotate_ledger_master_key(const std::string& directory, const std::string& master_key);

}  // namespace turnstone
