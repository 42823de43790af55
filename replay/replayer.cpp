#include "replay/replayer.h"

#include <algorithm>

#include "events/chain.h"
#include "events/codec.h"

namespace turnstone {
namespace {

Divergence record_difference(std::string field, std::string recorded, std::string replayed) {
  return {"record", std::move(field), std::move(recorded), std::move(replayed)};
}

std::string short_hex(const Fingerprint& fingerprint) { return to_hex(fingerprint.value).substr(0, 16); }

// Under a what-if, what decided differs by intention; what was decided is compared.
std::vector<EventBody> without_completion(std::vector<EventBody> events) {
  std::erase_if(events, [](const EventBody& body) { return std::holds_alternative<TurnCompleted>(body); });
  return events;
}

}  // namespace

std::string_view to_string(ReplayOutcome outcome) {
  switch (outcome) {
    case ReplayOutcome::identical:
      return "identical";
    case ReplayOutcome::diverged:
      return "diverged";
    case ReplayOutcome::incomplete:
      return "incomplete";
    case ReplayOutcome::refused:
      return "refused";
    case ReplayOutcome::parked:
      return "parked";
  }
  return "unknown";
}

SessionReplayer::SessionReplayer(SessionId session, ReplaySources sources, ReplayOptions options)
    : sources_(std::move(sources)), options_(std::move(options)) {
  result_.session = std::move(session);
}

bool SessionReplayer::feed(const Event& event) {
  ++result_.events;
  if (const auto* received = std::get_if<TurnReceived>(&event.body)) {
    fold(state_, event);
    open_ = OpenTurn{*received, Attempt{}, {}, {}};
    return true;
  }
  if (!open_) {
    fold(state_, event);
    return true;
  }
  if (const auto* started = std::get_if<AttemptStarted>(&event.body)) {
    fold(state_, event);
    open_->attempt = started->attempt;
    if (!options_.check_only) open_->before = state_;
    open_->produced.clear();
    return true;
  }
  if (const auto* completed = std::get_if<TurnCompleted>(&event.body)) {
    complete(*completed, event.sequence);
  } else if (const auto* parked = std::get_if<TurnParked>(&event.body)) {
    park(*parked, event.sequence);
  } else {
    open_->produced.push_back(event.body);
  }
  fold(state_, event);
  return !(options_.only_turn && !result_.turns.empty());
}

void SessionReplayer::complete(const TurnCompleted& completed, Sequence sequence) {
  if (wanted(open_->received.turn)) {
    TurnReplay replay = judge(*open_, completed);
    replay.turn = open_->received.turn;
    replay.after = sequence;
    result_.turns.push_back(std::move(replay));
  }
  open_.reset();
}

void SessionReplayer::park(const TurnParked& parked, Sequence sequence) {
  if (wanted(open_->received.turn)) {
    result_.turns.push_back({open_->received.turn, ReplayOutcome::parked, std::nullopt, sequence,
                             "given up after " + std::to_string(parked.attempts) + " attempts: " + parked.reason, false});
  }
  open_.reset();
}

TurnReplay SessionReplayer::judge(const OpenTurn& open, const TurnCompleted& completed) {
  TurnReplay replay;
  const auto diverged = [&](std::optional<Divergence> difference) {
    replay.outcome = difference ? ReplayOutcome::diverged : ReplayOutcome::identical;
    replay.divergence = std::move(difference);
    return replay;
  };
  const auto refused = [&](std::string reason) {
    replay.outcome = ReplayOutcome::refused;
    replay.reason = std::move(reason);
    replay.what_if = false;  // nothing was executed
    return replay;
  };
  const auto recorded = sources_.turn(open.received.turn);
  if (!recorded) return diverged(record_difference("flight_record", to_hex(completed.flight_digest), "unreadable: " + recorded.error().detail));
  if (auto difference = check_record(open, completed, *recorded)) return diverged(std::move(difference));
  if (completed.fold_version != fold_version && !options_.what_if) {
    return refused("recorded with fold version " + std::to_string(completed.fold_version) + ", this program has " + std::to_string(fold_version));
  }
  if (options_.check_only) return replay;

  auto artefact = sources_.artefact(completed.artefact);
  auto policy = sources_.policy(completed.policy);
  if (options_.what_if && options_.what_if->replaces(completed.policy)) policy = nullptr;
  replay.what_if = completed.decision_version != decision_version || !artefact || !policy;
  if (replay.what_if && !options_.what_if) {
    if (completed.decision_version != decision_version) {
      return refused("recorded with decision version " + std::to_string(completed.decision_version) + ", this program has " +
                     std::to_string(decision_version));
    }
    if (!artefact) return refused("recorded with index " + short_hex(completed.artefact) + "…, which was not given");
    return refused("recorded with policy " + short_hex(completed.policy) + "…, which was not given");
  }
  if (!artefact) artefact = options_.what_if->artefact;
  if (!policy) policy = options_.what_if->policy;
  return diverged(compare(open, completed, *recorded, *artefact, *policy, replay.what_if));
}

std::optional<Divergence> SessionReplayer::check_record(const OpenTurn& open, const TurnCompleted& completed, const RecordedTurn& recorded) const {
  if (completed.turn != open.received.turn) {
    return record_difference("turn", std::to_string(completed.turn.value), std::to_string(open.received.turn.value));
  }
  if (completed.attempt != open.attempt) {
    return record_difference("attempt", std::to_string(completed.attempt.value), std::to_string(open.attempt.value));
  }
  const Digest flight = blake2b(recorded.flight_record);
  if (flight != completed.flight_digest) return record_difference("flight_digest", to_hex(completed.flight_digest), to_hex(flight));
  if (completed.fold_version != fold_version) return std::nullopt;  // the digest of another fold says nothing here
  const Digest state = digest_of(state_);
  if (state != completed.state_digest) return record_difference("state_digest", to_hex(completed.state_digest), to_hex(state));
  return std::nullopt;
}

std::optional<Divergence> SessionReplayer::compare(const OpenTurn& open, const TurnCompleted& completed, const RecordedTurn& recorded,
                                                   const Artefact& artefact, const Policy& policy, bool what_if) const {
  const auto flight = decode_flight_record(recorded.flight_record);
  if (!flight) return record_difference("flight_record", "unreadable: " + flight.error().detail, std::string(absent));
  Proposal proposal;
  try {
    proposal = options_.execute(open.before, {open.received, open.attempt}, artefact, policy);
  } catch (const std::exception& error) {
    return record_difference("execution", "completed", std::string("failed: ") + error.what());
  }
  if (auto difference = first_difference(*flight, proposal.flight)) return difference;
  std::vector<EventBody> events = open.produced;
  if (what_if) {
    proposal.events = without_completion(std::move(proposal.events));
  } else {
    events.emplace_back(completed);
  }
  if (auto difference = first_difference(events, proposal.events)) return difference;
  if (!what_if && proposal.flight_bytes != recorded.flight_record) {
    return record_difference("flight_bytes", std::to_string(recorded.flight_record.size()) + " bytes",
                             std::to_string(proposal.flight_bytes.size()) + " bytes");
  }
  return recorded.reply.empty() ? std::nullopt : first_reply_difference(recorded.reply, proposal.reply);
}

SessionReplay SessionReplayer::finish() {
  if (open_ && wanted(open_->received.turn)) {
    const Sequence last = state_.sequence;
    result_.turns.push_back({open_->received.turn, ReplayOutcome::incomplete, std::nullopt, last,
                             "the record ends after event " + std::to_string(last.value) + ", before the turn did", false});
    open_.reset();
  }
  return std::move(result_);
}

SessionReplay SessionReplayer::abandon() {
  open_.reset();
  return std::move(result_);
}

SessionReplay replay_recording(const Recording& recording, const ArtefactLookup& artefact, const ReplayOptions& options) {
  ReplaySources sources;
  sources.artefact = artefact;
  std::map<Fingerprint, std::shared_ptr<const Policy>> parsed;
  sources.policy = [&](const Fingerprint& fingerprint) -> std::shared_ptr<const Policy> {
    if (const auto known = parsed.find(fingerprint); known != parsed.end()) return known->second;
    const auto source = recording.policies.find(fingerprint);
    if (source == recording.policies.end()) return nullptr;
    const auto policy = Policy::parse(source->second);
    return parsed[fingerprint] = policy ? *policy : nullptr;
  };
  sources.turn = [&](TurnNumber turn) -> Result<RecordedTurn> {
    const auto found = recording.turns.find(turn);
    if (found == recording.turns.end())
      return fail(ErrorCode::not_found, "the recording holds no flight record of turn " + std::to_string(turn.value));
    return found->second;
  };
  SessionReplayer replayer(recording.session, std::move(sources), options);
  for (const Event& event : recording.events) {
    if (!replayer.feed(event)) break;
  }
  return replayer.finish();
}

int replay_exit_code(const std::vector<SessionReplay>& sessions) {
  bool unreadable = false;
  bool refused = false;
  for (const SessionReplay& session : sessions) {
    if (session.error) {
      const bool gone = session.error->code == ErrorCode::erased || session.error->code == ErrorCode::unsupported;
      (gone ? refused : unreadable) = true;
    }
    for (const TurnReplay& turn : session.turns) {
      if (turn.outcome == ReplayOutcome::diverged) return 1;
      if (turn.outcome == ReplayOutcome::refused || turn.outcome == ReplayOutcome::incomplete) refused = true;
    }
  }
  if (unreadable) return 3;
  return refused ? 4 : 0;
}

}  // namespace turnstone
