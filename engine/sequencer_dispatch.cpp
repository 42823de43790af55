// Dispatch: which turn goes to which worker, what happens when it comes back without a result, when it is given up.
#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"
#include "engine/sequencer.h"
#include "engine/session_views.h"

namespace turnstone {

// --- dispatch ----------------------------------------------------------------------------------------

void Sequencer::dispatch_queued(Moment now) {
  if (queue_.empty() || !dispatch_.has_room()) return;  // so that a long queue costs nothing while all are busy
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
  const auto worker = dispatch_.choose(id, *session.decider, flight.avoid);
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
  dispatch_.assign(id, *worker, now.instant, flight.tries);
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
  dispatch_.assign(id, worker, now.instant, flight.tries);
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
  if (const auto holder = dispatch_.holder(id)) flight.avoid = holder;
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
  const TurnParked parked{flight.turn, printable(flight.last_loss).substr(0, 200), flight.attempt.value};
  const ParkedReply answer = parked_reply(ledger_, id, flight.turn);
  const auto outcome = ledger_.park(id, flight.turn, parked, answer.text, answer.document, now.wall);
  if (!outcome) return stall(id, session, outcome.error(), now);
  const auto* committed = std::get_if<Committed>(&*outcome);
  if (committed == nullptr) return stall(id, session, {ErrorCode::internal, "the turn to park is no longer pending"}, now);
  ++counters_.turns_parked;
  note("a turn was parked after attempt " + std::to_string(flight.attempt.value) + "; `turnstone audit` shows why");
  publish_stored(stream_of(id), next(flight.expected), committed->sequence, "");
  finish(id, session, {flight.turn, answer.document, false, true}, committed->next, now);
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
  for (const WorkerId& worker : due.ping) {
    send(worker, bus::Ping{options_.run, ++pings_});
    // The answer was lost, or the disk had no room for it.
    for (const Fingerprint& document : dispatch_.awaited_from(worker)) send(worker, bus::FetchDocument{document});
  }
  counters_.workers_hung += due.hung.size();
  for (const WorkerId& worker : due.hung) note("worker " + printable(worker.value) + " does not answer; its turns are tried elsewhere");
  for (const WorkerId& worker : due.forgotten) note("worker " + printable(worker.value) + " has not answered for long and is struck off");
  counters_.workers_gone += due.forgotten.size();
  for (const SessionId& session : due.lost) lose(session, "its worker did not answer in time", now);
  retry_stalled(now);
  erase_next(now);
}

}  // namespace turnstone
