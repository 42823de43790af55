#include "tests/simulation/checker.h"

#include <map>
#include <set>
#include <utility>

#include "engine/bus/codec.h"
#include "events/state.h"
#include "replay/verify.h"
#include "storage/ledger/keys.h"
#include "storage/ledger/records.h"
#include "tests/simulation/simulated_turn.h"

namespace turnstone::simulation {
namespace {

using Finding = std::optional<std::string>;

constexpr std::size_t all = 1'000'000;

// One session's stream, walked once: the frame of its turns, and each turn decided again.
class SessionWalk {
 public:
  SessionWalk(const Ledger& ledger, SessionId session) : ledger_(ledger), session_(std::move(session)) {}

  Finding walk() {
    const auto events = ledger_.read(stream_of(session_), Sequence{1}, all);
    if (!events) return session_.value + " cannot be read: " + events.error().detail;
    for (const Event& event : *events) {
      if (auto wrong = look_at(event)) return session_.value + ": " + *wrong;
      fold(state_, event);
    }
    if (received_ != finished_) return session_.value + ": a turn has no end";
    return std::nullopt;
  }
  const std::map<std::string, TurnNumber>& turn_of_key() const { return turns_; }

 private:
  Finding look_at(const Event& event) {
    if (event.sequence.value != ++sequence_) return "the sequence has a gap at " + std::to_string(sequence_);
    if (const auto* received = std::get_if<TurnReceived>(&event.body)) return begin(*received);
    if (std::holds_alternative<AttemptStarted>(event.body)) {
      attempt_ = std::get<AttemptStarted>(event.body);
    } else if (const auto* parked = std::get_if<TurnParked>(&event.body)) {
      decided_.clear();
      return parked->turn.value == ++finished_ ? std::nullopt : Finding("a turn was parked out of turn");
    } else if (event.turn.value > 0 && received_ > finished_) {
      return decided(event);
    }
    return std::nullopt;
  }
  Finding begin(const TurnReceived& received) {
    if (received.turn.value != ++received_) return "turn " + std::to_string(received_) + " was received out of turn";
    if (finished_ + 1 != received_) return "turn " + std::to_string(received_) + " began before the one before it ended";
    if (!turns_.emplace(received.key.value, received.turn).second) return "key " + received.key.value + " was received twice";
    message_ = received;
    decided_.clear();
    return std::nullopt;
  }
  // Events that a turn decided: collected up to its end, then compared with its decision from the state before them.
  Finding decided(const Event& event) {
    if (decided_.empty()) before_ = state_;
    decided_.push_back(event.body);
    const auto* completed = std::get_if<TurnCompleted>(&event.body);
    if (completed == nullptr) return std::nullopt;
    if (completed->turn.value != ++finished_) return "turn " + std::to_string(finished_) + " was completed out of turn";
    if (completed->attempt != attempt_.attempt) return "turn " + std::to_string(finished_) + " was completed by another attempt than its last";
    const bus::Decider decider{completed->artefact, completed->policy, completed->decision_version};
    const auto again = simulated_turn(before_, {message_, completed->attempt, decider});
    if (again->events != decided_) return "turn " + std::to_string(finished_) + " executed again decides otherwise than is stored";
    const auto stored = ledger_.turn(session_, completed->turn);
    if (!stored || stored->reply != again->reply) return "turn " + std::to_string(finished_) + " executed again replies otherwise than is stored";
    decided_.clear();
    return std::nullopt;
  }

  const Ledger& ledger_;
  const SessionId session_;
  IntentState state_;
  IntentState before_;
  std::uint64_t sequence_ = 0;
  std::uint32_t received_ = 0;
  std::uint32_t finished_ = 0;
  TurnReceived message_;
  AttemptStarted attempt_;
  std::vector<EventBody> decided_;
  std::map<std::string, TurnNumber> turns_;
};

Finding check_asks(const Ledger& ledger, const FrontEnd& front_end, const std::map<std::string, TurnNumber>& turns) {
  const SessionId session{front_end.session()};
  if (turns.size() != front_end.asks().size()) {
    return front_end.session() + " holds " + std::to_string(turns.size()) + " turns, " + std::to_string(front_end.asks().size()) + " were asked for";
  }
  for (const Ask& ask : front_end.asks()) {
    const auto turn = turns.find(ask.key);
    if (turn == turns.end()) return "the acknowledged turn of " + ask.key + " is not stored";
    const auto stored = ledger.turn(session, turn->second);
    if (!stored || stored->reply != ask.reply) return "the reply acknowledged for " + ask.key + " is not the one that is stored";
  }
  for (const Ask& first : front_end.asks()) {
    for (const Ask& second : front_end.asks()) {
      if (first.answered_us < second.asked_us && turns.at(first.key) > turns.at(second.key)) {
        return second.key + " was asked after the answer to " + first.key + " and stands before it";
      }
    }
  }
  return std::nullopt;
}

Finding check_subscriber(const Ledger& ledger, const SubscriberStore& store) {
  std::uint64_t position = 0;
  std::map<std::string, std::vector<bus::WireEvent>> streams;
  for (const bus::Publication& publication : store.received) {
    if (publication.position.value != ++position)
      return "a subscriber was given position " + std::to_string(publication.position.value) + " in place of " + std::to_string(position);
    for (const bus::Range& range : publication.ranges) {
      auto& stream = streams[range.stream];
      stream.insert(stream.end(), range.events.begin(), range.events.end());
    }
  }
  if (position != ledger.position().value)
    return "a subscriber was given " + std::to_string(position) + " writes of " + std::to_string(ledger.position().value);
  for (const auto& [name, events] : streams) {
    const auto stored = ledger.read(stream_of(SessionId{name}), Sequence{1}, all);
    if (!stored && stored.error().code == ErrorCode::erased) continue;
    if (!stored || stored->size() != events.size()) return "a subscriber was given another number of events of " + name + " than are stored";
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i] != bus::to_wire((*stored)[i]).value())
        return "a subscriber was given another event " + std::to_string(i + 1) + " of " + name + " than is stored";
    }
  }
  return std::nullopt;
}

// Erasing a session must take no other one with it.
Finding check_keys(const ModelDisk& disk, const ModelKeys& keys) {
  std::map<KeySlot, std::string_view> owners;
  for (auto entry = disk.entries().lower_bound("H"); entry != disk.entries().end() && entry->first.front() == 'H'; ++entry) {
    const auto stream = keys::stream_of_head(entry->first);
    const auto head = records::decode_head(entry->second);
    if (!stream || !head) return "a head is damaged";
    if (head->key == KeySlot{}) return "a stream has no key of its own";
    if (!owners.emplace(head->key, entry->first).second) return "two streams share key " + std::to_string(head->key.value);
    if (head->erased && !keys.erased(head->key).value_or(false)) return "an erased stream's key is still there";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check(World& world) {
  const auto ledger = world.ledger_after_power_cut();
  if (!ledger) return "the ledger does not open: " + ledger.error().detail;
  if (auto wrong = check_keys(world.site().disk, *world.site().keys)) return wrong;
  // A late proposal is fenced by its attempt before anybody looks at its place.
  if (world.totals().conflicts > 0) return "a proposal met a conflict; only its attempt may be out of date";
  const auto report = verify_ledger(**ledger);
  if (!report) return "the ledger cannot be verified: " + report.error().detail;
  if (!report->sound()) return "verify: " + describe(report->damages.front());
  for (const auto& front_end : world.front_ends()) {
    if (front_end->erased()) {
      const auto read = (*ledger)->read(stream_of(SessionId{front_end->session()}), Sequence{1}, 1);
      if (read || read.error().code != ErrorCode::erased) return front_end->session() + " was erased and can be read";
      continue;
    }
    SessionWalk walk(**ledger, SessionId{front_end->session()});
    if (auto wrong = walk.walk()) return wrong;
    if (auto wrong = check_asks(**ledger, *front_end, walk.turn_of_key())) return wrong;
  }
  for (const SubscriberStore& store : world.subscriber_stores()) {
    if (auto wrong = check_subscriber(**ledger, store)) return wrong;
  }
  return std::nullopt;
}

}  // namespace turnstone::simulation
