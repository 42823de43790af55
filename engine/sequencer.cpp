#include "engine/sequencer.h"

#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"

namespace turnstone {
namespace {

// What a proposal may hold: what a turn decides. The frame of the turn is the ledger's and the sequencer's to write.
bool proposable(const EventBody& body) {
  switch (type_of(body)) {
    case EventType::session_started:
    case EventType::turn_received:
    case EventType::attempt_started:
    case EventType::turn_parked:
    case EventType::engine_changed:
    case EventType::profile_updated:
    case EventType::session_erased:
      return false;
    default:
      return true;
  }
}

Result<std::vector<EventBody>> read_proposal(const bus::Proposed& proposal) {
  std::vector<EventBody> bodies;
  bodies.reserve(proposal.events.size());
  for (const bus::ProposedEvent& event : proposal.events) {
    auto body = bus::body_of(event);
    if (!body) return tl::unexpected(body.error());
    if (!proposable(*body)) return fail(ErrorCode::invalid_argument, std::string(name_of(type_of(*body))) + " is not a worker's to propose");
    bodies.push_back(std::move(*body));
  }
  const auto* completed = bodies.empty() ? nullptr : std::get_if<TurnCompleted>(&bodies.back());
  if (completed == nullptr || completed->turn != proposal.turn || completed->attempt != proposal.attempt) {
    return fail(ErrorCode::invalid_argument, "a proposal ends with the TurnCompleted of its turn and attempt");
  }
  return bodies;
}

bus::Decider decider_of(const TurnCompleted& completed) { return {completed.artefact, completed.policy, completed.decision_version}; }

}  // namespace

Sequencer::Sequencer(Ledger& ledger, SequencerOptions options) : ledger_(ledger), options_(std::move(options)), dispatch_(options_.dispatch) {
  durable_ = ledger_.position();
}

Status Sequencer::recover(Moment now) {
  const auto pending = ledger_.pending();
  if (!pending) return tl::unexpected(pending.error());
  for (const PendingTurn& turn : *pending) {
    Session& session = sessions_[turn.session];
    session.pending[turn.turn];
    ++pending_turns_;
    if (turn.attempt == Attempt{0}) continue;
    start_flight(turn.session, session, turn);
    session.flight->lost = true;  // a worker of the former run may still be at it
  }
  flush(now);
  return {};
}

// --- commit --------------------------------------------------------------------------------------------

void Sequencer::propose(const WorkerId& from, const bus::Proposed& proposal, Moment now) {
  if (proposal.run != options_.run) {
    ++counters_.stale;
    return;
  }
  const auto found = sessions_.find(proposal.session);
  const Flight* flight = found != sessions_.end() && found->second.flight ? &*found->second.flight : nullptr;
  const bool current = flight != nullptr && flight->turn == proposal.turn && flight->attempt == proposal.attempt;
  auto bodies = read_proposal(proposal);
  if (bodies && current && found->second.decider && decider_of(std::get<TurnCompleted>(bodies->back())) != *found->second.decider) {
    bodies = fail(ErrorCode::refused, "the proposal was decided by another artefact, policy or decision version than the task named");
  }
  if (!bodies) {
    ++counters_.rejected;
    send(from, bus::Refusal{bus::Fault::bad_message, bodies.error().detail});
    if (current && flight->phase == Phase::running) lose(proposal.session, "a worker's proposal broke a rule", now);
    return;
  }
  commit(proposal, std::move(*bodies), now);
}

void Sequencer::commit(const bus::Proposed& proposal, std::vector<EventBody> bodies, Moment now) {
  const SessionId id = proposal.session;
  Session& session = sessions_[id];
  const bool current = session.flight && session.flight->turn == proposal.turn && session.flight->attempt == proposal.attempt;
  // Turns that wait are started by this very write, so a change of what decides them must stand in it.
  const auto moved =
      current && session.pending.size() > 1 && session.decider && !dispatch_.served(*session.decider) ? dispatch_.current() : std::nullopt;
  if (moved) {
    bodies.push_back(EngineChanged{session.decider->artefact, moved->artefact, session.decider->policy, moved->policy,
                                   session.decider->decision_version, moved->decision_version});
  }
  CommitRequest request{id, proposal.turn, proposal.attempt, {}, proposal.flight_record, proposal.reply, now.wall, proposal.snapshot};
  request.appends.push_back({stream_of(id), proposal.expected, bodies});
  const auto outcome = ledger_.commit(request);
  if (!outcome) {
    if (current) {
      const ErrorCode code = outcome.error().code;
      if (code == ErrorCode::invalid_argument || code == ErrorCode::limit_exceeded) {
        ++counters_.rejected;
        return lose(id, "the ledger refused a worker's proposal", now);
      }
      session.flight->held_back = proposal;
      return stall(id, session, outcome.error(), now);
    }
    return forget_if_idle(id);
  }
  if (const auto* committed = std::get_if<Committed>(&*outcome)) {
    ++counters_.turns_committed;
    if (moved) {
      ++counters_.engine_changes;
      session.decider = *moved;
    }
    if (committed->next) {  // its TurnReceived bears the time when it was received
      publish_stored(stream_of(id), next(proposal.expected), committed->sequence, proposal.flight_record);
    } else {
      std::vector<WrittenEvent> written;
      for (EventBody& body : bodies) written.push_back({proposal.turn, std::move(body)});
      publish_written(stream_of(id), next(proposal.expected), written, proposal.flight_record, now);
    }
    session.last_turn = proposal.turn;
    session.last_attempt = proposal.attempt;
    return finish(id, session, {proposal.turn, proposal.reply, false, false}, committed->next, now);
  }
  if (std::holds_alternative<Fenced>(*outcome)) {
    ++counters_.fenced;
  } else {
    ++counters_.conflicts;
    if (current) lose(id, "the session's stream was not where the proposal expected it", now);
  }
  forget_if_idle(id);
}

void Sequencer::finish(const SessionId& id, Session& session, TurnReply answer, const std::optional<PendingTurn>& next_turn, Moment now) {
  dispatch_.release(id, now.instant);
  std::vector<TurnDone> waiters;
  if (const auto pending = session.pending.find(answer.turn); pending != session.pending.end()) {
    waiters = std::move(pending->second);
    session.pending.erase(pending);
    --pending_turns_;
  }
  session.flight.reset();
  --flights_;
  if (next_turn) {
    session.pending[next_turn->turn];
    start_flight(id, session, *next_turn);
  }
  sync_wanted_ = true;
  reply(std::move(waiters), std::move(answer), now);
  forget_if_idle(id);
}

// The ledger refused a write (no space, most likely). Whoever waits is told; the turn stays pending and is tried
// again, with the same proposal when there is one.
void Sequencer::stall(const SessionId& id, Session& session, const Error& error, Moment now) {
  ++counters_.stalled;
  dispatch_.release(id, now.instant);
  for (auto& [turn, waiters] : session.pending) {
    for (TurnDone& done : std::exchange(waiters, {})) {
      actions_.emplace_back(Answer{[done = std::move(done), error] { done(tl::unexpected(error)); }});
    }
  }
  if (error.code == ErrorCode::erased || error.code == ErrorCode::not_found) {  // there is nothing left to finish
    pending_turns_ -= session.pending.size();
    session.pending.clear();
    session.flight.reset();
    --flights_;
    return;
  }
  session.flight->phase = Phase::stalled;
  stalled_.push_back(id);
  retry_at_ = after_ms(now.instant, options_.retry_ms);
}

void Sequencer::retry_stalled(Moment now) {
  if (stalled_.empty() || now.instant < retry_at_) return;
  for (auto waiting = std::exchange(stalled_, {}); const SessionId& id : waiting) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || !found->second.flight || found->second.flight->phase != Phase::stalled) continue;
    Flight& flight = *found->second.flight;
    if (auto proposal = std::exchange(flight.held_back, std::nullopt)) {
      if (auto bodies = read_proposal(*proposal)) {
        flight.phase = Phase::running;
        commit(*proposal, std::move(*bodies), now);
        continue;
      }
    }
    flight.phase = Phase::queued;
    queue_.push_back(id);
  }
}

// --- the sync that all share --------------------------------------------------------------------------

void Sequencer::flush(Moment now) {
  dispatch_queued(now);
  if (!sync_wanted_ || syncing_ != 0 || now.instant < sync_not_before_) return;
  syncing_ = ++tickets_;
  sync_wanted_ = false;
  dirty_ = false;
  in_sync_ = std::exchange(gated_, {});
  syncing_position_ = ledger_.position();
  ++counters_.syncs;
  actions_.emplace_back(Sync{syncing_});
}

void Sequencer::on_synced(std::uint64_t ticket, const Status& status, Moment now) {
  if (ticket != syncing_) return;
  syncing_ = 0;
  std::vector<Gated> waiting = std::exchange(in_sync_, {});
  if (status) {
    durable_ = syncing_position_;
    for (Gated& gated : waiting) gated.then(status, now);
    return;
  }
  ++counters_.sync_failures;
  std::vector<Gated> kept;
  for (Gated& gated : waiting) {
    if (gated.keep) {
      kept.push_back(std::move(gated));
    } else {
      gated.then(status, now);
    }
  }
  std::move(gated_.begin(), gated_.end(), std::back_inserter(kept));
  gated_ = std::move(kept);
  dirty_ = true;
  sync_wanted_ = true;
  sync_not_before_ = after_ms(now.instant, options_.retry_ms);
}

// --- for the shell -----------------------------------------------------------------------------------

std::vector<Sequencer::Action> Sequencer::take_actions() { return std::exchange(actions_, {}); }

Instant Sequencer::next_due() const {
  Instant next = dispatch_.next_due();
  if (!stalled_.empty()) next = std::min(next, retry_at_);
  if (!erasing_.empty()) next = Instant{0};
  if (sync_wanted_ && syncing_ == 0) next = std::min(next, sync_not_before_);
  return next;
}

std::size_t Sequencer::unfinished() const { return pending_turns_ + open_replies_ + unstarted_.size(); }

void Sequencer::abandon(const std::string& why) {
  const Error error{ErrorCode::busy, why};
  const auto give_up = [&](TurnDone& done) { actions_.emplace_back(Answer{[done = std::move(done), error] { done(tl::unexpected(error)); }}); };
  for (auto& [id, session] : sessions_) {
    for (auto& [turn, waiters] : session.pending) {
      for (TurnDone& done : std::exchange(waiters, {})) give_up(done);
    }
  }
  for (auto waiting = std::exchange(unstarted_, {}); Unstarted & turn : waiting) give_up(turn.done);
  for (auto waiting = std::exchange(erasing_, {}); Erasing & erasing : waiting) {
    actions_.emplace_back(Answer{[done = std::move(erasing.done), error] { done(tl::unexpected(error)); }});
  }
  for (auto* gate : {&in_sync_, &gated_}) {
    for (auto waiting = std::exchange(*gate, {}); Gated & gated : waiting) {
      if (!gated.keep) gated.then(tl::unexpected(error), Moment{});
    }
  }
  for (const WorkerStatus& worker : dispatch_.status()) send(worker.id, bus::Bye{why});
}

EngineCounters Sequencer::counters() const {
  EngineCounters counters = counters_;
  counters.in_flight = static_cast<std::uint32_t>(flights_);
  counters.waiting = static_cast<std::uint32_t>(pending_turns_ - flights_ + unstarted_.size());
  counters.workers = dispatch_.live();
  return counters;
}

Readiness Sequencer::readiness() const {
  const EngineCounters now = counters();
  Readiness readiness{false, "", now.workers, now.in_flight, now.waiting};
  if (draining_) {
    readiness.reason = "the engine is shutting down";
  } else if (!dispatch_.current()) {
    readiness.reason = "no worker has joined yet; start one with `turnstone worker --index DIR --bus ENDPOINT`";
  } else {
    readiness.ready = true;
  }
  return readiness;
}

}  // namespace turnstone
