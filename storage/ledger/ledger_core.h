// The ledger's rules, once, over any Store: which outcome a request has, and what one write holds.
//
// Every write is decided and written under one mutex, as one batch with its commit record; reads take no lock
// but pending(). Costs: a write is a handful of point reads and one batch, independent of the stream's length.
#pragma once

#include <memory>
#include <mutex>

#include "storage/ledger/group_sync.h"
#include "storage/ledger/ledger.h"
#include "storage/ledger/payload_codec.h"
#include "storage/ledger/records.h"
#include "storage/ledger/store.h"
#include "storage/ledger/stream_writer.h"

namespace turnstone {

class LedgerCore final : public Ledger {
 public:
  // Reads where the store stands. Errors: unsupported (a newer layout), corrupt.
  static Result<std::unique_ptr<Ledger>> open(std::shared_ptr<Store> store, std::shared_ptr<const PayloadCodec> codec);
  // The same with a codec that outlives the ledger.
  static Result<std::unique_ptr<Ledger>> open(std::shared_ptr<Store> store, const PayloadCodec& codec);
  // The layout that the store holds; nullopt in an empty one. Errors: unsupported, io.
  static Result<std::optional<std::uint8_t>> layout_of(const Store& store);
  ~LedgerCore() override;

  Result<bool> start_session(const SessionStarted& started, const std::optional<EngineChanged>& engine, Timestamp now) override;
  Result<AcceptOutcome> accept(const AcceptRequest& request) override;
  Result<CommitOutcome> commit(const CommitRequest& request) override;
  Result<RaisedAttempt> raise_attempt(const SessionId& session, TurnNumber turn, const WorkerId& worker, Timestamp now) override;
  Result<CommitOutcome> park(const SessionId& session, TurnNumber turn, const TurnParked& parked, const std::string& reply_text,
                             const std::string& reply, Timestamp now) override;
  Result<CommitOutcome> append(const std::vector<StreamAppend>& appends, Timestamp now) override;
  Result<bool> erase(const StreamId& stream, const std::string& by, Timestamp now) override;
  Status sync() override;
  Result<StreamId> named(const StreamId& stream) const override;

  Result<StreamHead> head(const StreamId& stream) const override;
  Result<std::vector<Event>> read(const StreamId& stream, Sequence from, std::size_t limit) const override;
  Result<std::optional<Snapshot>> snapshot(const SessionId& session) const override;
  Result<TurnRecord> turn(const SessionId& session, TurnNumber turn) const override;
  Result<Digest> turn_hash(const SessionId& session, TurnNumber turn) const override;
  Result<std::vector<PendingTurn>> pending() const override;
  Result<std::vector<StreamHead>> streams(StreamKind kind, std::optional<std::string> after, std::size_t limit) const override;
  Result<std::vector<CommitRecord>> commits(GlobalPosition from, std::size_t limit) const override;
  GlobalPosition position() const override { return mark().position; }
  Result<Fingerprint> put_document(std::string_view bytes) override;
  Result<std::string> document(const Fingerprint& fingerprint) const override;
  Result<StoredEvent> stored(const StreamId& stream, Sequence sequence) const override;
  Result<std::vector<StoredEvent>> stored_range(const StreamId& stream, Sequence from, std::size_t limit) const override;

 private:
  // What one write is made of.
  struct Draft {
    WriteBatch batch;
    CommitRecord record;
    void add(StreamWriter& writer) {
      if (auto range = writer.finish()) record.ranges.push_back(std::move(*range));
    }
  };
  // A pending turn as commit, raise and park find it.
  struct OpenTurn {
    StreamId stream;
    records::Head head;
    records::Turn turn;
    bool in_flight(TurnNumber number) const { return turn.state == TurnRecord::State::pending && head.in_flight == number; }
  };
  using VisitEvent = std::function<Status(Sequence, const records::StoredEvent&)>;

  LedgerCore(std::shared_ptr<Store> store, std::shared_ptr<const PayloadCodec> codec, LedgerMark mark, KeySlot next_key)
      : store_(std::move(store)), kept_codec_(std::move(codec)), codec_(*kept_codec_), next_key_(next_key), mark_(mark) {}
  LedgerMark mark() const;
  // The only way anything is written. Gives the position it was written at.
  Result<GlobalPosition> write(Draft& draft, Timestamp now);

  Result<std::optional<records::Head>> load_head(const StreamId& stream) const;
  // The same for a stream that must be there and not erased.
  Result<records::Head> load_live_head(const StreamId& stream) const;
  Result<bool> is_erased(const records::Head& head) const;
  // A head that begins a stream: with a key of its own.
  Result<records::Head> new_head(Draft& draft);
  Result<std::optional<records::Turn>> load_turn(const StreamId& stream, TurnNumber turn) const;
  Result<OpenTurn> load_open_turn(const SessionId& session, TurnNumber turn) const;
  Result<PendingTurn> load_waiting(const SessionId& session, KeySlot key, TurnNumber turn, Timestamp* received_at = nullptr) const;
  Status visit_events(const StreamId& stream, Sequence from, std::size_t limit, const VisitEvent& visit) const;
  Result<Event> decode(const StreamId& stream, KeySlot key, Sequence sequence, const records::StoredEvent& stored) const;

  Result<std::optional<AcceptOutcome>> answer_known_key(const StreamId& stream, KeySlot slot, const AcceptRequest& request) const;
  // `read` is a head that was read under this very lock, of the stream `of`: it is not read again.
  struct KnownHead { const StreamId& of; Sequence sequence; };
  Result<std::optional<Conflict>> find_conflict(const std::vector<StreamAppend>& appends, const std::optional<KnownHead>& read = std::nullopt) const;
  Status start_turn(Draft& draft, StreamWriter& writer, const TurnReceived& received, Timestamp received_at, Timestamp now);
  Status store_waiting(Draft& draft, StreamWriter& writer, const TurnReceived& received, Timestamp now);
  // Stores the turn's result, takes it off the pending ones and starts the next, if one waits.
  Result<std::optional<PendingTurn>> close_turn(Draft& draft, StreamWriter& writer, TurnNumber number, records::Turn turn, const SessionId& session,
                                                Timestamp now);

  std::shared_ptr<Store> store_;
  const std::shared_ptr<const PayloadCodec> kept_codec_;
  const PayloadCodec& codec_;
  KeySlot next_key_;                // the first that no stream uses; guarded by write_mutex_
  mutable std::mutex write_mutex_;  // one write at a time, from the first read of its decision on
  mutable std::mutex mark_mutex_;   // guards mark_; taken after write_mutex_ or alone
  LedgerMark mark_;
  GroupSync group_;
};

}  // namespace turnstone
