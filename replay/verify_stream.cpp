#include "replay/verify_stream.h"

#include "events/chain.h"

namespace turnstone {
namespace {

constexpr std::size_t events_per_page = 1024;

class StreamVerifier {
 public:
  StreamVerifier(const Ledger& ledger, const StreamHead& head, const CommittedHashes& committed)
      : ledger_(ledger), head_(head), committed_(committed) {}

  Result<std::optional<Damage>> run(std::uint64_t& events, const VerifyProgress& progress) {
    while (expected_ <= head_.sequence) {
      auto page = ledger_.stored_range(head_.stream, expected_, events_per_page);
      // The storage found damage somewhere in the page: find out where and what, one event at a time.
      if (!page) return one_by_one(events);
      if (page->empty()) return damage(DamageKind::cut_tail, expected_, "the head names " + std::to_string(head_.sequence.value) + " events");
      for (const Ledger::StoredEvent& event : *page) {
        if (auto found = check(event)) return found;
        ++events;
      }
      if (progress) progress(events);
    }
    return at_end();
  }

 private:
  Result<std::optional<Damage>> one_by_one(std::uint64_t& events) {
    while (expected_ <= head_.sequence) {
      const auto event = ledger_.stored(head_.stream, expected_);
      if (!event) return std::optional(missing(event.error()));
      if (auto found = check(*event)) return found;
      ++events;
    }
    return at_end();
  }

  std::optional<Damage> at_end() const {
    if (previous_ != head_.hash) return damage(DamageKind::edited, head_.sequence, "the head names another hash than the last event has");
    return std::nullopt;
  }

  // The next event in order; advances when it is sound.
  std::optional<Damage> check(const Ledger::StoredEvent& event) {
    const Digest hash = chain_hash(event.previous_hash, event.envelope, event.payload);
    const bool linked = event.previous_hash == previous_;
    if (hash != event.hash && linked) return damage(DamageKind::edited, expected_, "its content does not fit its hash");
    if (!linked) return broken_link(event, hash == event.hash);
    if (const auto named = committed_.find(expected_); named != committed_.end() && named->second != hash) {
      return damage(DamageKind::edited, expected_, "the commit chain names another hash for it: it was written anew, or something before it was");
    }
    previous_ = hash;
    expected_ = next(expected_);
    return std::nullopt;
  }

  // `event` stands at expected_ but does not build on its predecessor.
  std::optional<Damage> broken_link(const Ledger::StoredEvent& event, bool fits_here) const {
    // Made for this place, on another predecessor: the one before it was replaced by one with a hash of its own.
    if (fits_here && expected_.value > 1)
      return damage(DamageKind::edited, Sequence{expected_.value - 1}, "its successor was built on another event");
    const bool belongs_elsewhere = place_of(event).has_value();
    if (successor_stands_later()) {
      return belongs_elsewhere ? damage(DamageKind::reordered, expected_, "the event of another position stands here")
                               : damage(DamageKind::inserted, expected_, "its neighbours know nothing of it");
    }
    if (belongs_elsewhere) return damage(DamageKind::deleted, expected_, "a later event stands in its place");
    return damage(DamageKind::edited, expected_, "neither its content nor its predecessor fits its hash");
  }

  // The position whose envelope makes the stored hash true; nullopt when there is none in this stream.
  std::optional<Sequence> place_of(const Ledger::StoredEvent& event) const {
    auto envelope = decode_envelope(event.envelope);
    if (!envelope) return std::nullopt;
    for (std::uint64_t at = 1; at <= head_.sequence.value + 1; ++at) {
      envelope->sequence = Sequence{at};
      if (chain_hash(event.previous_hash, *envelope, event.payload) == event.hash) return Sequence{at};
    }
    return std::nullopt;
  }

  // Whether an event that builds on what was verified so far stands further back.
  bool successor_stands_later() const {
    for (Sequence at = next(expected_); at <= head_.sequence; at = next(at)) {
      const auto event = ledger_.stored(head_.stream, at);
      if (event && event->previous_hash == previous_) return true;
    }
    return false;
  }

  Damage missing(const Error& error) const {
    if (error.code != ErrorCode::corrupt && error.code != ErrorCode::not_found) return damage(DamageKind::unreadable, expected_, error.detail);
    for (Sequence at = next(expected_); at <= head_.sequence; at = next(at)) {
      if (ledger_.stored(head_.stream, at)) return damage(DamageKind::deleted, expected_, "it is gone or no longer readable, and later events stand");
    }
    return damage(DamageKind::cut_tail, expected_, "the head names " + std::to_string(head_.sequence.value) + " events");
  }

  Damage damage(DamageKind kind, Sequence sequence, std::string detail) const {
    return {kind, head_.stream, sequence, std::nullopt, std::move(detail)};
  }

  const Ledger& ledger_;
  const StreamHead& head_;
  const CommittedHashes& committed_;
  Sequence expected_{1};
  Digest previous_ = chain_origin;
};

}  // namespace

Result<std::optional<Damage>> verify_stream(const Ledger& ledger, const StreamHead& head, const CommittedHashes& committed, std::uint64_t& events,
                                            const VerifyProgress& progress) {
  return StreamVerifier(ledger, head, committed).run(events, progress);
}

}  // namespace turnstone
