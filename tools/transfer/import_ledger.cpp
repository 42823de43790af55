#include "tools/transfer/import_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/turn_request.h"

namespace turnstone {
namespace {

constexpr std::size_t writes_per_sync = 256;

std::string describe_stream(const StreamId& stream) { return fmt::format("{} {}", stream.kind == StreamKind::session ? "session" : "profile", stream.name); }

tl::unexpected<Error> refused(const StreamId& stream, Sequence sequence, std::string_view why) {
  return fail(ErrorCode::refused, fmt::format("event {} of {} {}; import into a ledger of its own", sequence.value, describe_stream(stream), why));
}

bool same(const Event& a, const Event& b) { return a.sequence == b.sequence && a.time == b.time && a.turn == b.turn && a.body == b.body; }

// The events that a turn's end appended, and the turn that it started behind them.
struct TurnEnd {
  std::vector<EventBody> events;
  const Event* received = nullptr;
  Timestamp now;
};
TurnEnd turn_end_of(const ExportedStream& session) {
  TurnEnd end;
  end.now = session.events.front().time;
  for (const Event& event : session.events) {
    if (std::holds_alternative<TurnReceived>(event.body)) {
      end.received = &event;
      break;
    }
    end.events.push_back(event.body);
  }
  return end;
}

template <class T>
const T* first(const ExportedStream& stream) {
  return std::get_if<T>(&stream.events.front().body);
}

Status expect_committed(const Result<CommitOutcome>& outcome, const StreamId& stream, Sequence sequence) {
  if (!outcome) return tl::unexpected(outcome.error());
  return std::holds_alternative<Committed>(*outcome) ? Status{} : refused(stream, sequence, "does not follow on what the ledger holds");
}

}  // namespace

Status LedgerImport::take(const ExportLine& line) {
  if (!begun_ && !std::holds_alternative<ExportHead>(line)) return fail(ErrorCode::corrupt, "it comes before the line that begins an export");
  begun_ = true;
  if (const auto* counts = std::get_if<ExportCounts>(&line)) {
    end_ = *counts;
    return {};
  }
  if (end_) return fail(ErrorCode::corrupt, "it comes after the export's end");
  count(line, summary_.read);
  if (const auto* document = std::get_if<ExportedDocument>(&line)) {
    const auto put = ledger_.put_document(document->text);
    if (!put) return tl::unexpected(put.error());
    return *put == document->fingerprint ? Status{} : fail(ErrorCode::corrupt, "a document's text is not what its fingerprint says");
  }
  if (const auto* waiting = std::get_if<ExportedWaiting>(&line)) {
    const auto left_out = is_left_out(stream_of(waiting->session));
    if (!left_out) return tl::unexpected(left_out.error());
    return *left_out ? Status{} : accept(waiting->session, waiting->received, system_clock().now());
  }
  if (const auto* write = std::get_if<ExportedWrite>(&line)) return take_write(*write);
  return {};
}

Result<bool> LedgerImport::is_left_out(const StreamId& stream) {
  if (erased_.contains(stream)) return true;
  const auto read = ledger_.read(stream, Sequence{1}, 1);
  const bool erased = !read && read.error().code == ErrorCode::erased;
  if (erased) erased_.insert(stream);
  if (!read && !erased && read.error().code != ErrorCode::not_found) return tl::unexpected(read.error());
  return erased;
}

Result<bool> LedgerImport::has(const ExportedStream& stream) const {
  const auto head = ledger_.head(stream.stream);
  if (!head && head.error().code != ErrorCode::not_found) return tl::unexpected(head.error());
  const Sequence at = head ? head->sequence : Sequence{};
  const Sequence from = stream.events.front().sequence, last = stream.events.back().sequence;
  if (at.value + 1 == from.value) return false;
  if (at < from) return refused(stream.stream, from, "comes before others that are missing");
  if (at < last) return refused(stream.stream, next(at), "is missing in the middle of what was written at once");
  if (auto compared = compare(stream); !compared) return tl::unexpected(compared.error());
  return true;
}

Status LedgerImport::compare(const ExportedStream& stream) const {
  const auto events = ledger_.read(stream.stream, stream.events.front().sequence, stream.events.size());
  if (!events) return tl::unexpected(events.error());
  for (std::size_t at = 0; at < stream.events.size(); ++at) {
    if (at >= events->size() || !same((*events)[at], stream.events[at])) return refused(stream.stream, stream.events[at].sequence, "is another one in this ledger");
  }
  return {};
}

Status LedgerImport::compare_turn(const ExportedWrite& write) const {
  const StreamId& session = write.streams.front().stream;
  if (!write.turn || session.kind != StreamKind::session) return {};
  const auto turn = ledger_.turn(SessionId{session.name}, write.turn->turn);
  if (!turn) return tl::unexpected(turn.error());
  const bool equal = turn->state == write.turn->state && turn->reply == write.turn->reply && turn->flight_record == write.turn->flight_record;
  return equal ? Status{} : refused(session, write.streams.front().events.front().sequence, "belongs to a turn with another reply in this ledger");
}

Status LedgerImport::take_write(const ExportedWrite& write) {
  ExportedWrite wanted;
  std::size_t had = 0;
  for (const ExportedStream& stream : write.streams) {
    const auto left_out = is_left_out(stream.stream);
    if (!left_out) return tl::unexpected(left_out.error());
    if (*left_out) continue;
    const auto known = has(stream);
    if (!known) return tl::unexpected(known.error());
    had += *known;
    wanted.streams.push_back(stream);
  }
  if (wanted.streams.empty()) return {};
  wanted.turn = write.turn;
  if (had > 0) {
    ++summary_.had;
    return had == wanted.streams.size() ? compare_turn(wanted) : refused(write.streams.front().stream, write.streams.front().events.front().sequence, "was written only in part");
  }
  if (auto applied = apply(wanted); !applied) return applied;
  for (const ExportedStream& stream : wanted.streams) {
    if (auto compared = compare(stream); !compared) return compared;
  }
  if (auto compared = compare_turn(wanted); !compared) return compared;
  if (++summary_.written % writes_per_sync == 0) return ledger_.sync();
  return {};
}

Status LedgerImport::accept(const SessionId& session, const TurnReceived& received, Timestamp received_at) {
  TurnRequest request;
  request.session = session;
  request.key = received.key;
  request.text = received.text;
  request.top_k = received.top_k;
  request.front_end = received.front_end;
  request.retry_of = received.retry_of;
  const auto accepted = ledger_.accept({session, received.key, body_digest(request), received, received_at});
  if (!accepted) return tl::unexpected(accepted.error());
  const bool sound = std::visit([&](const auto& outcome) { return outcome.turn == received.turn; }, *accepted) && !std::holds_alternative<KeyReused>(*accepted);
  return sound ? Status{} : fail(ErrorCode::refused, fmt::format("turn {} of session {} is another one in this ledger; import into a ledger of its own", received.turn.value, session.value));
}

Status LedgerImport::apply(const ExportedWrite& write) {
  const ExportedStream& lead = write.streams.front();
  const SessionId session{lead.stream.name};
  const Event& event = lead.events.front();
  if (const auto* started = first<SessionStarted>(lead)) {
    std::optional<EngineChanged> engine;
    if (lead.events.size() > 1) {
      const auto* changed = std::get_if<EngineChanged>(&lead.events[1].body);
      if (changed == nullptr) return refused(lead.stream, lead.events[1].sequence, "cannot stand behind the session's start");
      engine = *changed;
    }
    const auto begun = ledger_.start_session(*started, engine, event.time);
    return begun ? Status{} : tl::unexpected(begun.error());
  }
  if (const auto* received = first<TurnReceived>(lead)) return accept(session, *received, event.time);
  if (const auto* attempt = first<AttemptStarted>(lead)) {
    const auto raised = ledger_.raise_attempt(session, attempt->turn, attempt->worker, event.time);
    return raised ? Status{} : tl::unexpected(raised.error());
  }
  std::vector<StreamAppend> appends;
  for (const ExportedStream& stream : write.streams) {
    appends.push_back({stream.stream, Sequence{stream.events.front().sequence.value - 1}, {}});
    for (const Event& each : stream.events) appends.back().events.push_back(each.body);
  }
  if (write.turn && lead.stream.kind == StreamKind::session) return apply_turn(write, appends);
  return expect_committed(ledger_.append(appends, event.time), lead.stream, event.sequence);
}

Status LedgerImport::apply_turn(const ExportedWrite& write, const std::vector<StreamAppend>& appends) {
  const ExportedStream& lead = write.streams.front();
  const SessionId session{lead.stream.name};
  TurnEnd end = turn_end_of(lead);
  if (end.received != nullptr) {  // it waited, and this write starts it
    if (auto waits = accept(session, std::get<TurnReceived>(end.received->body), end.received->time); !waits) return waits;
  }
  if (const auto* parked = first<TurnParked>(lead)) {
    const auto* reply = end.events.size() > 1 ? std::get_if<ReplySent>(&end.events[1]) : nullptr;
    if (reply == nullptr) return refused(lead.stream, lead.events.front().sequence, "parks a turn without a reply");
    return expect_committed(ledger_.park(session, write.turn->turn, *parked, reply->text, write.turn->reply, end.now), lead.stream, lead.events.front().sequence);
  }
  CommitRequest request;
  request.session = session;
  request.turn = write.turn->turn;
  request.appends = appends;
  request.appends.front().events = std::move(end.events);
  request.flight_record = write.turn->flight_record;
  request.reply = write.turn->reply;
  request.now = end.now;
  for (const EventBody& body : request.appends.front().events) {
    if (const auto* completed = std::get_if<TurnCompleted>(&body)) request.attempt = completed->attempt;
  }
  return expect_committed(ledger_.commit(request), lead.stream, lead.events.front().sequence);
}

Result<ImportSummary> LedgerImport::finish() {
  if (auto synced = ledger_.sync(); !synced) return tl::unexpected(synced.error());
  if (!end_) return fail(ErrorCode::corrupt, "the file ends before the export does; what it holds was imported: give the whole file and run it again");
  if (*end_ != summary_.read) return fail(ErrorCode::corrupt, "the file does not hold as much as its last line says: lines are missing");
  summary_.left_erased = erased_.size();
  return summary_;
}

}  // namespace turnstone
