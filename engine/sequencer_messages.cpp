// What workers say besides proposals: joining, leaving, reads and documents.
#include <algorithm>

#include "engine/bus/codec.h"
#include "engine/sequencer.h"
#include "events/chain.h"

namespace turnstone {

void Sequencer::on_message(const WorkerId& from, const bus::Message& message, Moment now) {
  if (const auto* joining = std::get_if<bus::Hello>(&message)) return hello(from, *joining, now);
  const bool known = dispatch_.known(from);
  dispatch_.heard(from, now.instant);
  if (const auto* proposal = std::get_if<bus::Proposed>(&message)) {
    propose(from, *proposal, now);
  } else if (std::get_if<bus::Bye>(&message) != nullptr) {
    return remove_worker(from, "it said goodbye", now);
  }
  if (!known) return send(from, bus::Refusal{bus::Fault::unknown_worker, "say HELLO first"});

  if (const auto* given_back = std::get_if<bus::Failed>(&message)) {
    failed(from, *given_back, now);
  } else if (const auto* range = std::get_if<bus::Read>(&message)) {
    read(from, *range, now);
  } else if (const auto* commits = std::get_if<bus::ReadCommits>(&message)) {
    read_commits(from, *commits);
  } else if (const auto* credit = std::get_if<bus::Credit>(&message)) {
    dispatch_.credit(from, credit->window);
  } else if (std::get_if<bus::Drain>(&message) != nullptr) {
    dispatch_.drain(from);
  } else if (const auto* fetch = std::get_if<bus::FetchDocument>(&message)) {
    send_document(from, *fetch);
  } else if (const auto* document = std::get_if<bus::Document>(&message)) {
    store_document(*document);
    start_unstarted(now);
  }
}

std::string Sequencer::printable(std::string_view id) {
  std::string text;
  for (const char c : id) text += c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

void Sequencer::hello(const WorkerId& from, const bus::Hello& hello, Moment now) {
  if (hello.worker != from) {
    return send(from, bus::Refusal{bus::Fault::bad_message, "the worker's id is not the routing id of its socket"});
  }
  if (hello.protocol != bus::protocol_version) {
    note("worker " + printable(from.value) + " was refused: it speaks version " + std::to_string(hello.protocol) + " of the bus protocol");
    return send(from, bus::Refusal{bus::Fault::unsupported_protocol, "the engine speaks version " + std::to_string(bus::protocol_version) +
                                                                         " of the bus protocol, the worker version " +
                                                                         std::to_string(hello.protocol) + "; run the same release on both sides"});
  }
  const auto joined = dispatch_.hello(hello, now.instant);
  if (joined == Dispatch::Joined::full) {
    return send(from, bus::Refusal{bus::Fault::full, std::to_string(bus::workers_max) + " workers have joined; no more can"});
  }
  if (joined == Dispatch::Joined::fresh) {
    ++counters_.workers_joined;
    note("worker " + printable(from.value) + " joined");
  }
  send(from, bus::Welcome{bus::protocol_version, options_.run, options_.publisher, durable_});
  for (const Fingerprint& policy : hello.policies) {
    if (documents_.contains(policy)) continue;
    if (ledger_.document(policy)) {
      documents_.insert(policy);
    } else {
      dispatch_.await_document(from, policy);
      send(from, bus::FetchDocument{policy});
    }
  }
  // A worker that came back under its name leaves a ghost behind; asking finds it.
  for (const WorkerId& other : dispatch_.namesakes(from)) send(other, bus::Ping{options_.run, ++pings_});
  start_unstarted(now);
}

void Sequencer::failed(const WorkerId& from, const bus::Failed& failed, Moment now) {
  ++counters_.failed;
  const auto found = sessions_.find(failed.session);
  if (failed.run != options_.run || found == sessions_.end() || !found->second.flight) return;
  const Flight& flight = *found->second.flight;
  if (flight.turn == failed.turn && flight.attempt == failed.attempt && flight.phase == Phase::running && dispatch_.holder(failed.session) == from) {
    lose(failed.session, failed.reason, now);
  }
}

void Sequencer::read(const WorkerId& from, const bus::Read& read, Moment now) {
  if (read.type == bus::StreamType::session) dispatch_.reading(SessionId{read.stream}, from, read.from, now.instant);
  const StreamId stream{bus::kind_of(read.type), read.stream};
  bus::Events answer{read.type, read.stream, read.from, Sequence{0}, {}};
  if (const auto head = ledger_.head(stream)) answer.head = head->sequence;
  const std::size_t limit = std::min<std::size_t>(read.limit, bus::range_events_max);
  if (read.snapshot && read.from == Sequence{1} && read.type == bus::StreamType::session) {
    auto kept = ledger_.snapshot(SessionId{read.stream});
    if (kept && *kept) {
      answer.from = (*kept)->before;
      answer.snapshot = std::move((*kept)->bytes);
    }
  }
  if (answer.head >= answer.from && answer.from.value > 0 && limit > 0) {
    const auto events = ledger_.read(stream, answer.from, limit);
    std::size_t bytes = 0;
    for (std::size_t i = 0; events && i < events->size() && bytes < bus::range_bytes_max; ++i) {
      auto wire = bus::to_wire((*events)[i]);
      if (!wire) break;
      bytes += wire->payload.size();
      answer.events.push_back(std::move(*wire));
    }
  }
  send(from, std::move(answer));
}

// Only what is durable: a subscriber must not see what a power cut could take back.
void Sequencer::read_commits(const WorkerId& from, const bus::ReadCommits& read) {
  bus::Commits answer{read.from, durable_, {}};
  const std::size_t limit = std::min<std::size_t>(read.limit, bus::range_events_max);
  const auto records = ledger_.commits(read.from, limit);
  std::size_t bytes = 0;
  std::size_t events = 0;
  for (std::size_t i = 0; records && i < records->size(); ++i) {
    if ((*records)[i].position > durable_ || bytes >= bus::range_bytes_max || events >= bus::range_events_max) break;
    auto publication = publication_of((*records)[i]);
    if (!publication) break;  // the reader asks again and is told no more: damage is for `turnstone verify` to name
    for (const bus::Range& range : publication->ranges) {
      events += range.events.size();
      for (const bus::WireEvent& event : range.events) bytes += event.payload.size();
    }
    bytes += publication->flight_record.size();
    answer.commits.push_back(std::move(*publication));
  }
  send(from, std::move(answer));
}

Result<bus::Publication> Sequencer::publication_of(const CommitRecord& record) const {
  bus::Publication publication{options_.run, record.position, {}, ""};
  for (const CommitRecord::Range& range : record.ranges) {
    const auto named = ledger_.named(range.stream);
    if (!named && named.error().code == ErrorCode::erased) return publication;  // nobody may see it any more; the position stays
    if (!named) return tl::unexpected(named.error());
    bus::Range sent{bus::type_of(range.stream.kind), named->name, {}};
    const auto events = ledger_.read(range.stream, range.first, range.last.value - range.first.value + 1);
    if (!events) return tl::unexpected(events.error());
    for (const Event& event : *events) {
      auto wire = bus::to_wire(event);
      if (!wire) return tl::unexpected(wire.error());
      sent.events.push_back(std::move(*wire));
    }
    publication.ranges.push_back(std::move(sent));
  }
  if (record.turn && !record.ranges.empty()) {
    auto turn = ledger_.turn(SessionId{record.ranges.front().stream.name}, *record.turn);
    if (!turn) return tl::unexpected(turn.error());
    publication.flight_record = std::move(turn->flight_record);
  }
  return publication;
}

void Sequencer::store_document(const bus::Document& document) {
  if (!document.bytes || Fingerprint{blake2b(*document.bytes)} != document.fingerprint) {
    ++counters_.rejected;
    return;
  }
  const GlobalPosition before = ledger_.position();
  const auto stored = ledger_.put_document(*document.bytes);
  if (!stored || *stored != document.fingerprint) return;  // the worker stays without tasks; with its next PING it is asked again
  dirty_ = true;
  if (ledger_.position() != before) publish_when_durable({options_.run, ledger_.position(), {}, ""}, std::string());
  documents_.insert(document.fingerprint);
  dispatch_.document_stored(document.fingerprint);
}

void Sequencer::send_document(const WorkerId& from, const bus::FetchDocument& fetch) {
  bus::Document answer{fetch.fingerprint, std::nullopt};
  if (auto bytes = ledger_.document(fetch.fingerprint)) answer.bytes = std::move(*bytes);
  send(from, std::move(answer));
}

}  // namespace turnstone
