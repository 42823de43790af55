// The ledger: every session's events, its pending turns, turn keys and stored replies.
//
// A turn is two writes. `accept` records that it was received (TurnReceived, AttemptStarted 1) under its key;
// `commit` records what it decided, if the attempt is still the current one and nobody wrote in between.
// Their outcomes are closed; everything else (no space, closed, erased, corrupt …) is an Error.
//
// Durability: writes are visible at once and durable after sync() returned. sync() makes everything durable
// that was written before the call; concurrent callers share one disk sync (group commit). Callers sync
// before they tell anyone ("received", a reply) and before a re-dispatch.
// Invariants:
//   1. sequences of a stream are 1, 2, 3 … without gaps; each event's previous_hash is its predecessor's hash;
//   2. a commit is atomic over all its streams, its flight record, its reply and its turn's state;
//   3. of two commits for one turn at most one is `Committed`; the attempt is checked before the sequence.
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

// --- accept ------------------------------------------------------------------------------------------
struct AcceptRequest {
  SessionId session;
  TurnKey key;
  Digest body_mac{};      // of what the key stands for: the same key with another body is KeyReused
  TurnReceived received;  // `turn` and `key` are filled in by the ledger
  Timestamp now;
};
struct Accepted { TurnNumber turn; Attempt attempt; Sequence sequence; };  // sequence: the stream's head after it
struct InFlight { TurnNumber turn; };
struct Done { TurnNumber turn; std::string reply; };
struct KeyReused { TurnNumber turn; };
using AcceptOutcome = std::variant<Accepted, InFlight, Done, KeyReused>;

// --- commit ------------------------------------------------------------------------------------------
struct StreamAppend {
  StreamId stream;
  Sequence expected;  // head of the stream before this append; 0 = the stream does not exist yet
  std::vector<EventBody> events;
};
struct CommitRequest {
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  std::vector<StreamAppend> appends;
  std::string flight_record;  // encoded
  std::string reply;          // the reply document, as it will be served again for the same key
  Timestamp now;
};
struct Committed { Sequence sequence; GlobalPosition position; };
struct Fenced { Attempt current; };           // a later attempt, or the turn is done or parked
struct Conflict { Sequence actual; };
using CommitOutcome = std::variant<Committed, Fenced, Conflict>;

// --- reads -------------------------------------------------------------------------------------------
struct PendingTurn {
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  Sequence head;          // the stream's sequence when it was accepted or last attempted
  TurnReceived received;
};
struct StreamHead {
  StreamId stream;
  Sequence sequence;
  Digest hash{};
};
// One write of the ledger in global order.
struct CommitRecord {
  GlobalPosition position;
  Timestamp time;
  struct Range { StreamId stream; Sequence first; Sequence last; };
  std::vector<Range> ranges;
  std::optional<TurnNumber> turn;  // set when it completed or parked one
  Digest hash{};                   // chain over commit records
};
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

  virtual Result<AcceptOutcome> accept(const AcceptRequest& request) = 0;
  virtual Result<CommitOutcome> commit(const CommitRequest& request) = 0;

  // A new attempt at a pending turn (AttemptStarted is appended). Call sync() before dispatching it.
  struct RaisedAttempt { Attempt attempt; Sequence sequence; };
  virtual Result<RaisedAttempt> raise_attempt(const SessionId& session, TurnNumber turn, const WorkerId& worker, Timestamp now) = 0;
  // Gives a pending turn up: TurnParked and ReplySent are appended, `reply` is stored for the key.
  virtual Result<CommitOutcome> park(const SessionId& session, TurnNumber turn, const TurnParked& parked, const std::string& reply_text,
                                     const std::string& reply, Timestamp now) = 0;
  // Appends between turns (EngineChanged, SessionClosed, ProfileUpdated …). Conflict when expected is not the head;
  // a session with a turn in flight gives ErrorCode::busy.
  virtual Result<CommitOutcome> append(const std::vector<StreamAppend>& appends, Timestamp now) = 0;

  virtual Status sync() = 0;

  virtual Result<StreamHead> head(const StreamId& stream) const = 0;  // not_found when there is none
  // Events from `from` on, in order, at most `limit`. An empty vector past the end.
  virtual Result<std::vector<Event>> read(const StreamId& stream, Sequence from, std::size_t limit) const = 0;
  virtual Result<TurnRecord> turn(const SessionId& session, TurnNumber turn) const = 0;
  virtual Result<std::vector<PendingTurn>> pending() const = 0;  // by session, then turn
  virtual Result<std::vector<StreamHead>> streams(StreamKind kind, std::optional<std::string> after, std::size_t limit) const = 0;  // by name
  virtual Result<std::vector<CommitRecord>> commits(GlobalPosition from, std::size_t limit) const = 0;
  virtual GlobalPosition position() const = 0;  // of the last write

  // Small documents kept by their fingerprint (policies). Put is idempotent.
  virtual Result<Fingerprint> put_document(std::string_view bytes) = 0;
  virtual Result<std::string> document(const Fingerprint& fingerprint) const = 0;

  // The stored bytes of one event, for verification: exactly what the chain hash covers.
  struct StoredEvent { std::string envelope; std::string payload; Digest previous_hash{}; Digest hash{}; };
  virtual Result<StoredEvent> stored(const StreamId& stream, Sequence sequence) const = 0;
};

// The time, as everything outside the pure core reads it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;           // wall clock
  virtual std::int64_t monotonic_us() const = 0;
};
const Clock& system_clock();

std::unique_ptr<Ledger> make_memory_ledger();

enum class Durability : std::uint8_t { synced, fast };
enum class OpenMode : std::uint8_t { read_write, read_only };  // read_only works beside a live engine
struct LedgerOptions {
  Durability durability = Durability::synced;
  OpenMode mode = OpenMode::read_write;
  bool create_if_missing = true;
};
// Opens the RocksDB ledger in `directory`. Errors: locked (names the owner's pid), corrupt (names the first
// missing position and the way out), not_found (read_only and absent), io.
Result<std::unique_ptr<Ledger>> open_ledger(const std::string& directory, const LedgerOptions& options);

}  // namespace turnstone
