#include "tools/transfer/export_ledger.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace turnstone {
namespace {

constexpr std::size_t writes_per_read = 512;

class Exporter {
 public:
  Exporter(const Ledger& ledger, const PutLine& put) : ledger_(ledger), put_(put) {}

  Status put_writes(const std::function<void(int permille)>& progress) {
    if (auto done = put(ExportHead{}); !done) return done;
    const GlobalPosition last = ledger_.position();
    for (GlobalPosition from{1}; from <= last;) {
      auto records = ledger_.commits(from, writes_per_read);
      if (!records) return tl::unexpected(records.error());
      if (records->empty()) break;
      for (const CommitRecord& record : *records) {
        if (auto done = put_write(record); !done) return done;
      }
      from = next(records->back().position);
      if (progress) progress(static_cast<int>((from.value - 1) * 1000 / last.value));
    }
    return {};
  }

  Status put_waiting() {
    const auto pending = ledger_.pending();
    if (!pending) return tl::unexpected(pending.error());
    for (const PendingTurn& turn : *pending) {
      if (turn.attempt.value != 0) continue;  // in flight: its events say so
      if (auto done = put(ExportedWaiting{turn.session, turn.received}); !done) return done;
    }
    return {};
  }

  Result<ExportSummary> end() {
    for (const auto& [stored, name] : names_) {
      if (const auto head = name ? ledger_.head(*name) : Result<StreamHead>{}; !head) return tl::unexpected(head.error());
    }
    const ExportCounts counts = summary_.counts;
    if (auto done = put(counts); !done) return tl::unexpected(done.error());
    for (const auto& [stored, name] : names_) summary_.erased += !name.has_value();
    return summary_;
  }

 private:
  Status put(const ExportLine& line) {
    auto text = write_export_line(line);
    if (!text) return tl::unexpected(text.error());
    if (auto done = put_(*text); !done) return done;
    count(line, summary_.counts);
    return {};
  }

  // The stream's own name; nothing when it was erased.
  Result<std::optional<StreamId>> name_of_stream(const StreamId& stored) {
    if (const auto known = names_.find(stored); known != names_.end()) return known->second;
    auto name = ledger_.named(stored);
    if (name && is_erased(*name)) name = fail(ErrorCode::erased, "erased");
    if (!name && name.error().code != ErrorCode::erased) return tl::unexpected(name.error());
    return names_[stored] = name ? std::optional(*name) : std::nullopt;
  }
  // A ledger of the layout without keys keeps the names of what was erased.
  bool is_erased(const StreamId& stream) const {
    const auto read = ledger_.read(stream, Sequence{1}, 1);
    return !read && read.error().code == ErrorCode::erased;
  }

  Status put_write(const CommitRecord& record) {
    ExportedWrite write;
    for (std::size_t at = 0; at < record.ranges.size(); ++at) {
      const CommitRecord::Range& range = record.ranges[at];
      const auto name = name_of_stream(range.stream);
      if (!name) return tl::unexpected(name.error());
      if (!*name) continue;
      auto events = ledger_.read(**name, range.first, range.last.value - range.first.value + 1);
      if (!events) return tl::unexpected(events.error());
      if (record.turn && at == 0) {  // the turn's session comes first
        auto turn = ledger_.turn(SessionId{(*name)->name}, *record.turn);
        if (!turn) return tl::unexpected(turn.error());
        write.turn = *std::move(turn);
      }
      for (const Event& event : *events) {
        if (auto done = put_policies(event.body); !done) return done;
      }
      write.streams.push_back({**name, *std::move(events)});
    }
    return write.streams.empty() ? Status{} : put(std::move(write));
  }

  Status put_policies(const EventBody& body) {
    if (const auto* completed = std::get_if<TurnCompleted>(&body)) return put_document(completed->policy);
    if (const auto* changed = std::get_if<EngineChanged>(&body)) return put_document(changed->policy_to);
    return {};
  }
  Status put_document(const Fingerprint& fingerprint) {
    if (!documents_.insert(fingerprint).second) return {};
    auto text = ledger_.document(fingerprint);
    if (!text) return text.error().code == ErrorCode::not_found ? Status{} : tl::unexpected(text.error());
    return put(ExportedDocument{fingerprint, *std::move(text)});
  }

  const Ledger& ledger_;
  const PutLine& put_;
  ExportSummary summary_;
  std::map<StreamId, std::optional<StreamId>> names_;  // by stored name
  std::set<Fingerprint> documents_;                    // named so far
};

}  // namespace

namespace {

Result<ExportSummary> export_once(const Ledger& ledger, const PutLine& put, const std::function<void(int permille)>& progress) {
  Exporter exporter(ledger, put);
  if (auto done = exporter.put_writes(progress); !done) return tl::unexpected(done.error());
  if (auto done = exporter.put_waiting(); !done) return tl::unexpected(done.error());
  return exporter.end();
}

}  // namespace

Result<ExportSummary> export_ledger(const Ledger& ledger, const PutLine& put, const StartOver& start_over,
                                    const std::function<void(int permille)>& progress) {
  constexpr int passes_max = 20;
  for (int pass = 0; pass < passes_max; ++pass) {
    auto summary = export_once(ledger, put, progress);
    if (summary || summary.error().code != ErrorCode::erased) return summary;
    if (auto again = start_over(); !again) return tl::unexpected(again.error());
  }
  return fail(ErrorCode::busy, "sessions are erased faster than they are written out; export again when that is done");
}

}  // namespace turnstone
