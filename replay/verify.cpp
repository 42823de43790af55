#include "replay/verify.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "events/chain.h"
#include "replay/verify_stream.h"
#include "storage/ledger/describe.h"
#include "storage/ledger/sealing_codec.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

constexpr std::size_t records_per_page = 1024;

// What the commit chain says about one stream.
struct Committed {
  Sequence last;  // the ranges so far cover 1..last
  CommittedHashes hashes;
};

class LedgerVerifier {
 public:
  LedgerVerifier(const Ledger& ledger, const VerifyProgress& progress) : ledger_(ledger), progress_(progress) {}

  Result<VerifyReport> run() {
    const auto begin = std::chrono::steady_clock::now();
    walk_commits();
    for (const StreamKind kind : {StreamKind::session, StreamKind::profile}) {
      if (auto walked = walk_streams(kind); !walked) return tl::unexpected(std::move(walked.error()));
    }
    for (const auto& [stream, committed] : committed_) {
      add({DamageKind::deleted, stream, Sequence{1}, std::nullopt,
           "the commit chain names " + std::to_string(committed.last.value) + " events of a stream that is gone"});
    }
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(report_);
  }

 private:
  // Stops at the first damage: behind a broken link nothing is proven.
  void walk_commits() {
    const GlobalPosition last = ledger_.position();
    GlobalPosition expected{1};
    while (expected <= last) {
      const auto page = ledger_.commits(expected, records_per_page);
      if (!page) return commits_one_by_one(expected, last);
      if (page->empty()) return add_commit(DamageKind::cut_tail, expected, fmt::format("the ledger stands at position {}", last.value));
      for (const CommitRecord& record : *page) {
        if (!check_commit(record, expected)) return;
        expected = next(expected);
      }
    }
  }

  void commits_one_by_one(GlobalPosition expected, GlobalPosition last) {
    for (; expected <= last; expected = next(expected)) {
      const auto record = ledger_.commits(expected, 1);
      if (!record || record->empty()) return add_commit(DamageKind::deleted, expected, record ? "it is gone" : record.error().detail);
      if (!check_commit(record->front(), expected)) return;
    }
  }

  bool check_commit(const CommitRecord& record, GlobalPosition expected) {
    if (record.position != expected) return add_commit(DamageKind::deleted, expected, "it is gone"), false;
    if (commit_hash(report_.commit_hash, record) != record.hash) {
      return add_commit(DamageKind::edited, expected, "its content or a record before it does not fit its hash"), false;
    }
    for (const CommitRecord::Range& range : record.ranges) {
      Committed& committed = committed_[range.stream];
      if (range.first != next(committed.last)) {
        return add_commit(DamageKind::edited, expected, "its range of " + describe(range.stream) + " does not follow the one before"), false;
      }
      committed.last = range.last;
      committed.hashes.emplace(range.last, range.head);
    }
    report_.commit_hash = record.hash;
    report_.position = record.position;
    ++report_.commits;
    check_turn(record);
    return true;
  }

  // The stored reply and flight record of the turn that this commit ended.
  void check_turn(const CommitRecord& record) {
    if (!record.turn || record.ranges.empty()) return;
    const StreamId& stream = record.ranges.front().stream;
    const auto hash = ledger_.turn_hash(SessionId{stream.name}, *record.turn);
    ++report_.turns;
    if (hash && *hash == record.turn_hash) return;
    add({hash ? DamageKind::edited : DamageKind::deleted, stream, record.ranges.front().last, record.position,
         fmt::format("the stored reply and flight record of turn {} {}", record.turn->value,
                     hash ? "are not those that were committed" : "are gone")});
  }

  Status walk_streams(StreamKind kind) {
    std::optional<std::string> after;
    for (;;) {
      const auto page = ledger_.streams(kind, after, records_per_page);
      if (!page) return tl::unexpected(page.error());
      if (page->empty()) return {};
      for (const StreamHead& head : *page) {
        if (auto walked = walk_stream(head); !walked) return walked;
      }
      after = page->back().stream.name;
    }
  }

  Status walk_stream(const StreamHead& head) {
    ++report_.streams;
    static const Committed none;
    const auto found = committed_.find(head.stream);
    const Committed committed = found == committed_.end() ? none : std::move(found->second);
    if (found != committed_.end()) committed_.erase(found);
    auto damage = verify_stream(ledger_, head, committed.hashes, report_.events, progress_);
    if (!damage) return tl::unexpected(std::move(damage.error()));
    if (*damage) {
      add(std::move(**damage));
    } else if (head.sequence < committed.last) {
      add({DamageKind::cut_tail, head.stream, next(head.sequence), std::nullopt,
           fmt::format("the commit chain names {} events", committed.last.value)});
    } else if (head.sequence > committed.last && commits_sound()) {
      add({DamageKind::inserted, head.stream, next(committed.last), std::nullopt, "no commit record knows of it"});
    }
    return {};
  }

  bool commits_sound() const { return report_.position == ledger_.position(); }
  // By the id that people know, where it can still be told.
  void add(Damage damage) {
    if (damage.stream) {
      if (auto named = ledger_.named(*damage.stream)) damage.stream = std::move(*named);
      if (is_stored_name(damage.stream->name)) damage.stream->name.erase(0, 1);
    }
    report_.damages.push_back(std::move(damage));
  }
  void add_commit(DamageKind kind, GlobalPosition position, std::string detail) { add({kind, std::nullopt, {}, position, std::move(detail)}); }

  const Ledger& ledger_;
  const VerifyProgress& progress_;
  VerifyReport report_;
  std::map<StreamId, Committed> committed_;
};

}  // namespace

std::string_view to_string(DamageKind kind) {
  switch (kind) {
    case DamageKind::edited:
      return "edited";
    case DamageKind::deleted:
      return "deleted";
    case DamageKind::inserted:
      return "inserted";
    case DamageKind::reordered:
      return "reordered";
    case DamageKind::cut_tail:
      return "cut_tail";
    case DamageKind::unreadable:
      return "unreadable";
  }
  return "unknown";
}

Result<VerifyReport> verify_ledger(const Ledger& ledger, const VerifyProgress& progress) { return LedgerVerifier(ledger, progress).run(); }

std::string describe(const Damage& damage) {
  const std::string where = damage.stream ? fmt::format("{} {}, event {}", damage.stream->kind == StreamKind::session ? "session" : "profile",
                                                        damage.stream->name, damage.sequence.value)
                                          : fmt::format("commit record {}", damage.position ? damage.position->value : 0);
  return fmt::format("{}: {}: {}", where, to_string(damage.kind), damage.detail);
}

nlohmann::json to_json(const VerifyReport& report) {
  Json damages = Json::array();
  for (const Damage& damage : report.damages) {
    Json json{{"kind", to_string(damage.kind)}, {"detail", damage.detail}};
    if (damage.stream) {
      json["stream"] = damage.stream->name;
      json["stream_kind"] = damage.stream->kind == StreamKind::session ? "session" : "profile";
      json["sequence"] = damage.sequence.value;
    }
    if (damage.position) json["position"] = damage.position->value;
    damages.push_back(std::move(json));
  }
  return Json{{"sound", report.sound()},
              {"streams", report.streams},
              {"events", report.events},
              {"commits", report.commits},
              {"turns", report.turns},
              {"damages", std::move(damages)},
              {"position", report.position.value},
              {"commit_hash", to_hex(report.commit_hash)},
              {"seconds", report.seconds},
              {"events_per_second", report.seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(report.events) / report.seconds) : 0},
              {"meaning", verification_meaning}};
}

}  // namespace turnstone
