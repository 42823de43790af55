// The messages of the bus, as plain structs. docs/bus-protocol.md has the grammar, the states and worked bytes.
//
// Between the sequencer (ROUTER) and a worker or reader (DEALER) a message is one frame; a publication is two,
// topic and body. A frame is "TS", the protocol version, the message kind, and the struct's fields as a msgpack
// array (engine/bus/codec.h). Payloads of events stand in their stored form and are decoded only by who needs
// them. Kinds and fields are appended, never reordered or reused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/bus/limits.h"
#include "events/event.h"
#include "events/fields.h"
#include "events/types.h"

namespace turnstone::bus {

// One start of the engine. What was dispatched under another run is void: its turn may since have become
// another one (an accept that a power cut took back).
using RunId = Named<struct RunIdTag, std::uint64_t>;

enum class StreamType : std::uint8_t { session = 0, profile = 1 };
constexpr StreamType type_of(StreamKind kind) { return kind == StreamKind::profile ? StreamType::profile : StreamType::session; }
constexpr StreamKind kind_of(StreamType type) { return type == StreamType::profile ? StreamKind::profile : StreamKind::session; }

// What decides a turn.
struct Decider {
  Fingerprint artefact;
  Fingerprint policy;
  std::uint32_t decision_version = 0;
  static constexpr auto fields() {
    return std::tuple{field("artefact", &Decider::artefact), field("policy", &Decider::policy),
                      field("decision_version", &Decider::decision_version)};
  }
  friend bool operator==(const Decider&, const Decider&) = default;
  friend auto operator<=>(const Decider&, const Decider&) = default;
};

// An event on its way: the stream is told by the message around it, hashes stay in the ledger.
struct WireEvent {
  Sequence sequence;
  Timestamp time;
  TurnNumber turn;
  std::uint16_t type = 0;
  std::uint16_t schema_version = 0;
  std::string payload;
  static constexpr auto fields() {
    return std::tuple{field("sequence", &WireEvent::sequence),
                      field("time", &WireEvent::time),
                      field("turn", &WireEvent::turn),
                      field("type", &WireEvent::type),
                      field("schema_version", &WireEvent::schema_version),
                      field("payload", &WireEvent::payload)};
  }
  friend bool operator==(const WireEvent&, const WireEvent&) = default;
};

// --- joining and leaving -----------------------------------------------------------------------------
// Worker → engine, until WELCOME comes. A reader (no credit, no artefacts) gets no tasks but may read.
struct Hello {
  std::uint32_t protocol = protocol_version;
  WorkerId worker;  // must be the socket's routing id; fresh at each start
  std::string name;
  std::vector<Fingerprint> artefacts;  // what it serves; the first of each is what it prefers
  std::vector<Fingerprint> policies;
  std::vector<std::uint32_t> decision_versions;
  std::uint32_t credit = 0;  // tasks it may hold at a time
  static constexpr auto fields() {
    return std::tuple{field("protocol", &Hello::protocol), field("worker", &Hello::worker),
                      field("name", &Hello::name),         field("artefacts", &Hello::artefacts),
                      field("policies", &Hello::policies), field("decision_versions", &Hello::decision_versions),
                      field("credit", &Hello::credit)};
  }
  friend bool operator==(const Hello&, const Hello&) = default;
};
struct Welcome {
  std::uint32_t protocol = protocol_version;
  RunId run;
  std::string publisher;    // endpoint of the publications
  GlobalPosition position;  // of the ledger's last durable write
  static constexpr auto fields() {
    return std::tuple{field("protocol", &Welcome::protocol), field("run", &Welcome::run), field("publisher", &Welcome::publisher),
                      field("position", &Welcome::position)};
  }
  friend bool operator==(const Welcome&, const Welcome&) = default;
};
// Worker → engine: tasks it may hold from now on.
struct Credit {
  std::uint32_t window = 0;
  static constexpr auto fields() { return std::tuple{field("window", &Credit::window)}; }
  friend bool operator==(const Credit&, const Credit&) = default;
};
// Worker → engine: no more tasks, please; what is held will be finished.
struct Drain {
  std::string reason;
  static constexpr auto fields() { return std::tuple{field("reason", &Drain::reason)}; }
  friend bool operator==(const Drain&, const Drain&) = default;
};
// Either direction: the sender goes; whatever it held is lost.
struct Bye {
  std::string reason;
  static constexpr auto fields() { return std::tuple{field("reason", &Bye::reason)}; }
  friend bool operator==(const Bye&, const Bye&) = default;
};

// --- turns ---------------------------------------------------------------------------------------------
// Engine → worker. Its size does not depend on the session's length.
struct Task {
  RunId run;
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  Sequence expected;         // head of the stream: AttemptStarted of this attempt
  Attempt previous_attempt;  // that committed the turn before; 0 = not known. Lets its worker go on from its own proposal
  Decider decider;
  std::uint16_t received_version = 0;
  std::string received;  // payload of TurnReceived
  static constexpr auto fields() {
    return std::tuple{field("run", &Task::run),           field("session", &Task::session),
                      field("turn", &Task::turn),         field("attempt", &Task::attempt),
                      field("expected", &Task::expected), field("previous_attempt", &Task::previous_attempt),
                      field("decider", &Task::decider),   field("received_version", &Task::received_version),
                      field("received", &Task::received)};
  }
  friend bool operator==(const Task&, const Task&) = default;
};
struct ProposedEvent {
  std::uint16_t type = 0;
  std::uint16_t schema_version = 0;
  std::string payload;
  static constexpr auto fields() {
    return std::tuple{field("type", &ProposedEvent::type), field("schema_version", &ProposedEvent::schema_version),
                      field("payload", &ProposedEvent::payload)};
  }
  friend bool operator==(const ProposedEvent&, const ProposedEvent&) = default;
};
// Worker → engine.
struct Proposed {
  RunId run;
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  Sequence expected;
  std::vector<ProposedEvent> events;
  std::string flight_record;  // encoded
  std::string reply;          // document
  std::string snapshot{};     // of the session before its TurnCompleted (events/snapshot.h); empty: none is due
  static constexpr auto fields() {
    return std::tuple{field("run", &Proposed::run),
                      field("session", &Proposed::session),
                      field("turn", &Proposed::turn),
                      field("attempt", &Proposed::attempt),
                      field("expected", &Proposed::expected),
                      field("events", &Proposed::events),
                      field("flight_record", &Proposed::flight_record),
                      field("reply", &Proposed::reply),
                      field("snapshot", &Proposed::snapshot)};
  }
  friend bool operator==(const Proposed&, const Proposed&) = default;
};
// Worker → engine: no proposal will come of this task.
struct Failed {
  RunId run;
  SessionId session;
  TurnNumber turn;
  Attempt attempt;
  std::string reason;
  static constexpr auto fields() {
    return std::tuple{field("run", &Failed::run), field("session", &Failed::session), field("turn", &Failed::turn),
                      field("attempt", &Failed::attempt), field("reason", &Failed::reason)};
  }
  friend bool operator==(const Failed&, const Failed&) = default;
};

// --- reads -----------------------------------------------------------------------------------------------
struct Read {
  StreamType type = StreamType::session;
  std::string stream;
  Sequence from;
  std::uint32_t limit = 0;  // at most range_events_max are sent
  bool snapshot = false;    // a snapshot of the session may stand for its first events; with from = 1
  static constexpr auto fields() {
    return std::tuple{field("type", &Read::type), field("stream", &Read::stream), field("from", &Read::from), field("limit", &Read::limit),
                      field("snapshot", &Read::snapshot)};
  }
  friend bool operator==(const Read&, const Read&) = default;
};
struct Events {
  StreamType type = StreamType::session;
  std::string stream;
  Sequence from;
  Sequence head;  // of the stream; 0 = there is no such stream
  std::vector<WireEvent> events;
  std::string snapshot{};  // of the session's state before `from`, whose event is then the first; empty: none
  static constexpr auto fields() {
    return std::tuple{field("type", &Events::type), field("stream", &Events::stream), field("from", &Events::from), field("head", &Events::head),
                      field("events", &Events::events), field("snapshot", &Events::snapshot)};
  }
  friend bool operator==(const Events&, const Events&) = default;
};
struct Range {
  StreamType type = StreamType::session;
  std::string stream;
  std::vector<WireEvent> events;
  static constexpr auto fields() { return std::tuple{field("type", &Range::type), field("stream", &Range::stream), field("events", &Range::events)}; }
  friend bool operator==(const Range&, const Range&) = default;
};
// One durable write of the ledger: a publication, and an item of a COMMITS answer.
struct Publication {
  RunId run;
  GlobalPosition position;
  std::vector<Range> ranges;
  std::string flight_record;  // of the turn it completed; else empty
  static constexpr auto fields() {
    return std::tuple{field("run", &Publication::run), field("position", &Publication::position), field("ranges", &Publication::ranges),
                      field("flight_record", &Publication::flight_record)};
  }
  friend bool operator==(const Publication&, const Publication&) = default;
};
struct ReadCommits {
  GlobalPosition from;
  std::uint32_t limit = 0;
  static constexpr auto fields() { return std::tuple{field("from", &ReadCommits::from), field("limit", &ReadCommits::limit)}; }
  friend bool operator==(const ReadCommits&, const ReadCommits&) = default;
};
struct Commits {
  GlobalPosition from;
  GlobalPosition position;  // of the last durable write: later ones are not sent yet
  std::vector<Publication> commits;
  static constexpr auto fields() {
    return std::tuple{field("from", &Commits::from), field("position", &Commits::position), field("commits", &Commits::commits)};
  }
  friend bool operator==(const Commits&, const Commits&) = default;
};
// Either direction: the engine asks for a policy that it does not hold yet, a worker for one that it lacks.
struct FetchDocument {
  Fingerprint fingerprint;
  static constexpr auto fields() { return std::tuple{field("fingerprint", &FetchDocument::fingerprint)}; }
  friend bool operator==(const FetchDocument&, const FetchDocument&) = default;
};
struct Document {
  Fingerprint fingerprint;
  std::optional<std::string> bytes;  // none: not held
  static constexpr auto fields() { return std::tuple{field("fingerprint", &Document::fingerprint), field("bytes", &Document::bytes)}; }
  friend bool operator==(const Document&, const Document&) = default;
};

// --- heartbeats --------------------------------------------------------------------------------------------
struct Ping {
  RunId run;
  std::uint64_t number = 0;
  static constexpr auto fields() { return std::tuple{field("run", &Ping::run), field("number", &Ping::number)}; }
  friend bool operator==(const Ping&, const Ping&) = default;
};
// From the loop that takes the turns, so that it says more than that the process exists.
struct Pong {
  RunId run;
  std::uint64_t number = 0;
  std::uint32_t held = 0;  // tasks
  static constexpr auto fields() { return std::tuple{field("run", &Pong::run), field("number", &Pong::number), field("held", &Pong::held)}; }
  friend bool operator==(const Pong&, const Pong&) = default;
};

enum class Fault : std::uint8_t {
  unknown_worker = 0,        // say HELLO first (the engine has restarted or had given the worker up)
  unsupported_protocol = 1,  // the detail names both versions
  bad_message = 2,           // could not be read or breaks a limit
  full = 3,                  // no room for another worker
};
struct Refusal {
  Fault fault = Fault::bad_message;
  std::string detail;
  static constexpr auto fields() { return std::tuple{field("fault", &Refusal::fault), field("detail", &Refusal::detail)}; }
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// The index of an alternative is not the kind on the wire: see Kind.
using Message = std::variant<Hello, Welcome, Credit, Drain, Bye, Task, Proposed, Failed, Read, Events, ReadCommits, Commits, FetchDocument, Document,
                             Ping, Pong, Refusal, Publication>;

enum class Kind : std::uint8_t {
  hello = 1,
  welcome = 2,
  credit = 3,
  drain = 4,
  bye = 5,
  task = 6,
  proposed = 7,
  failed = 8,
  read = 9,
  events = 10,
  read_commits = 11,
  commits = 12,
  fetch_document = 13,
  document = 14,
  ping = 15,
  pong = 16,
  refusal = 17,
  publication = 18,
};
Kind kind_of(const Message& message);
std::string_view name_of(Kind kind);  // "HELLO" …; "UNKNOWN"

// Topic of a stream's publications: s or p, its name, a zero byte, so that s1 is no prefix of s10.
std::string topic_of(const StreamId& stream);

}  // namespace turnstone::bus
