#include "engine/sequencer.h"

#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"
#include "engine/session_views.h"

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

// --- dispatch ----------------------------------------------------------------------------------------

void Sequencer::dispatch_queued(Moment now) {
  if (queue_.empty() || (dispatch_.current() && !dispatch_.has_room())) return;
  std::deque<SessionId> unplaced;
  for (auto waiting = std::exchange(queue_, {}); const SessionId& id : waiting) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || !found->second.flight || found->second.flight->phase != Phase::queued) continue;
    if (!dispatch_one(id, found->second, now)) unplaced.push_back(id);
  }
  // Parking a turn may have queued the next one meanwhile.
  queue_.insert(queue_.begin(), unplaced.begin(), unplaced.end());
}

bool Sequencer::dispatch_one(const SessionId& id, Session& session, Moment now) {
  Flight& flight = *session.flight;
  if (!session.decider_known) {
    auto decider = read_decider(id);
    if (!decider) {
      stall(id, session, decider.error(), now);
      return true;
    }
    session.decider = *decider;
    session.decider_known = true;
  }
  if (!session.decider) session.decider = dispatch_.current();  // a stream of old that names none: its TurnCompleted will
  if (!session.decider) return false;
  if (flight.lost && flight.tries >= options_.dispatch.attempts_max) {
    park(id, session, now);
    return true;
  }
  const auto worker = dispatch_.choose(id, *session.decider);
  if (!worker) {
    if (dispatch_.served(*session.decider) || !dispatch_.current()) {
      session.unserved_since.reset();
    } else if (!session.unserved_since) {
      session.unserved_since = now.instant;
    } else if (after_ms(*session.unserved_since, options_.dispatch.unserved_ms_max) <= now.instant) {
      flight.last_loss = "no live worker serves the artefact and policy that it was received under";
      park(id, session, now);
      return true;
    }
    return false;
  }
  session.unserved_since.reset();
  if (flight.lost) {
    raise(id, session, *worker, now);
    return true;
  }
  dispatch_.assign(id, *worker, now.instant);
  flight.phase = Phase::running;
  send_task(id, session, *worker);
  return true;
}

void Sequencer::raise(const SessionId& id, Session& session, const WorkerId& worker, Moment now) {
  Flight& flight = *session.flight;
  const auto raised = ledger_.raise_attempt(id, flight.turn, worker, now.wall);
  if (!raised) return stall(id, session, raised.error(), now);
  flight.attempt = raised->attempt;
  flight.expected = raised->sequence;
  flight.phase = Phase::raising;
  flight.lost = false;
  ++counters_.redispatched;
  dispatch_.assign(id, worker, now.instant);
  publish_stored(stream_of(id), raised->sequence, raised->sequence, "");
  sync_wanted_ = true;
  gated_.push_back({[this, id, turn = flight.turn, attempt = flight.attempt](const Status&, Moment at) {
                      const auto found = sessions_.find(id);
                      if (found == sessions_.end() || !found->second.flight) return;
                      Flight& raised_flight = *found->second.flight;
                      if (raised_flight.turn != turn || raised_flight.attempt != attempt || raised_flight.phase != Phase::raising) return;
                      if (const auto holder = dispatch_.holder(id)) {
                        raised_flight.phase = Phase::running;
                        dispatch_.restart_clock(id, at.instant);
                        send_task(id, found->second, *holder);
                      } else {  // its worker went meanwhile; the attempt was sent to nobody
                        raised_flight.phase = Phase::queued;
                        queue_.push_front(id);
                      }
                    },
                    true});
}

void Sequencer::send_task(const SessionId& id, const Session& session, const WorkerId& worker) {
  const Flight& flight = *session.flight;
  bus::Task task;
  task.run = options_.run;
  task.session = id;
  task.turn = flight.turn;
  task.attempt = flight.attempt;
  task.expected = flight.expected;
  if (session.last_turn.value + 1 == flight.turn.value) task.previous_attempt = session.last_attempt;
  task.decider = *session.decider;
  if (auto received = bus::to_wire(EventBody{flight.received})) {
    task.received_version = received->schema_version;
    task.received = std::move(received->payload);
  }
  ++counters_.dispatched;
  send(worker, std::move(task));
}

void Sequencer::lose(const SessionId& id, const std::string& why, Moment now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || !found->second.flight) return;
  Flight& flight = *found->second.flight;
  dispatch_.release(id, now.instant);
  if (flight.phase != Phase::running) return;  // a raised attempt looks for its holder after the sync
  flight.lost = true;
  flight.last_loss = why;
  ++flight.tries;
  flight.phase = Phase::queued;
  if (flight.tries >= options_.dispatch.attempts_max) return park(id, found->second, now);
  queue_.push_front(id);
}

void Sequencer::park(const SessionId& id, Session& session, Moment now) {
  Flight& flight = *session.flight;
  const TurnParked parked{flight.turn, flight.last_loss.substr(0, 200), flight.attempt.value};
  const ParkedReply answer = parked_reply(ledger_, id, flight.turn);
  const auto outcome = ledger_.park(id, flight.turn, parked, answer.text, answer.document, now.wall);
  if (!outcome) return stall(id, session, outcome.error(), now);
  const auto* committed = std::get_if<Committed>(&*outcome);
  if (committed == nullptr) return stall(id, session, {ErrorCode::internal, "the turn to park is no longer pending"}, now);
  ++counters_.turns_parked;
  note("a turn was parked after attempt " + std::to_string(flight.attempt.value) + ": " + flight.last_loss);
  publish_stored(stream_of(id), next(flight.expected), committed->sequence, "");
  finish(id, session, {flight.turn, answer.document, false, true}, committed->next, now);
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
  const auto moved = current && session.pending.size() > 1 && session.decider && !dispatch_.served(*session.decider) ? dispatch_.current() : std::nullopt;
  if (moved) {
    bodies.push_back(EngineChanged{session.decider->artefact, moved->artefact, session.decider->policy, moved->policy,
                                   session.decider->decision_version, moved->decision_version});
  }
  CommitRequest request{id, proposal.turn, proposal.attempt, {}, proposal.flight_record, proposal.reply, now.wall};
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
  dispatch_.release(id, now.instant);
  for (auto& [turn, waiters] : session.pending) {
    for (TurnDone& done : std::exchange(waiters, {})) {
      actions_.push_back(Answer{[done = std::move(done), error] { done(tl::unexpected(error)); }});
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

// --- workers and time --------------------------------------------------------------------------------

void Sequencer::remove_worker(const WorkerId& worker, const std::string& why, Moment now) {
  if (!dispatch_.known(worker)) return;
  ++counters_.workers_gone;
  note("worker " + printable(worker.value) + " is gone: " + why);
  for (const SessionId& session : dispatch_.remove(worker)) lose(session, "its worker went: " + why, now);
}

void Sequencer::on_unreachable(const WorkerId& worker, Moment now) { remove_worker(worker, "it cannot be reached", now); }

void Sequencer::on_tick(Moment now) {
  const Dispatch::Due due = dispatch_.due(now.instant);
  for (const WorkerId& worker : due.ping) send(worker, bus::Ping{options_.run, ++pings_});
  counters_.workers_hung += due.hung.size();
  for (const WorkerId& worker : due.hung) note("worker " + printable(worker.value) + " does not answer; its turns are tried elsewhere");
  for (const WorkerId& worker : due.forgotten) note("worker " + printable(worker.value) + " has not answered for long and is struck off");
  counters_.workers_gone += due.forgotten.size();
  for (const SessionId& session : due.lost) lose(session, "its worker did not answer in time", now);
  retry_stalled(now);
}

void Sequencer::flush(Moment now) {
  dispatch_queued(now);
  if (!sync_wanted_ || syncing_ != 0 || now.instant < sync_not_before_) return;
  syncing_ = ++tickets_;
  sync_wanted_ = false;
  dirty_ = false;
  in_sync_ = std::exchange(gated_, {});
  syncing_position_ = ledger_.position();
  ++counters_.syncs;
  actions_.push_back(Sync{syncing_});
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
  if (sync_wanted_ && syncing_ == 0) next = std::min(next, sync_not_before_);
  return next;
}

std::size_t Sequencer::unfinished() const { return pending_turns_ + open_replies_ + unstarted_.size(); }

void Sequencer::abandon(const std::string& why) {
  const Error error{ErrorCode::busy, why};
  const auto give_up = [&](TurnDone& done) { actions_.push_back(Answer{[done = std::move(done), error] { done(tl::unexpected(error)); }}); };
  for (auto& [id, session] : sessions_) {
    for (auto& [turn, waiters] : session.pending) {
      for (TurnDone& done : std::exchange(waiters, {})) give_up(done);
    }
  }
  for (auto waiting = std::exchange(unstarted_, {}); Unstarted & turn : waiting) give_up(turn.done);
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
