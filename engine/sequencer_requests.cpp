// From a request to the dispatch queue, and the gate that holds back what is not durable yet.
#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"
#include "engine/sequencer.h"
#include "engine/turn_request.h"

namespace turnstone {
namespace {

std::string hex(std::uint64_t number) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4U) text[i] = digits[number & 0xfU];
  return text;
}

EngineChanged change(const std::optional<bus::Decider>& from, const bus::Decider& to) {
  const bus::Decider before = from.value_or(bus::Decider{});
  return {before.artefact, to.artefact, before.policy, to.policy, before.decision_version, to.decision_version};
}

template <class T, class Callback>
Sequencer::Answer answer(Callback done, Result<T> result) {
  return Sequencer::Answer{[done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); }};
}

}  // namespace

void Sequencer::create_session(NewSession session, Created done, Moment now) {
  using Session_ = ConversationService::SessionCreated;
  const auto refuse = [&](Error error) { actions_.emplace_back(answer<Session_>(std::move(done), tl::unexpected(std::move(error)))); };
  if (auto good = validate_session(session); !good) return refuse(good.error());
  if (draining_) {
    ++counters_.refused_busy;
    return refuse({ErrorCode::busy, "the engine is shutting down; try again in a moment"});
  }
  if (!session.session) {
    session.session = SessionId{options_.session_prefix + hex(options_.run.value) + "-" + std::to_string(++named_sessions_)};
  }
  SessionStarted started;
  started.session = *session.session;
  started.channel = session.channel;
  started.policy_variant = session.policy_variant;
  started.profile = session.profile;
  started.preference_tags = session.preference_tags;
  if (session.profile && being_erased(*session.profile)) {
    ++counters_.refused_busy;
    return refuse({ErrorCode::busy, "the profile is being erased; try again when that is done"});
  }
  if (session.profile) {
    auto taste = taste_of(*session.profile);
    if (!taste) return refuse(taste.error());
    started.taste = std::move(*taste);
  }
  std::optional<EngineChanged> engine;
  if (const auto current = dispatch_.current()) engine = change(std::nullopt, *current);
  const auto created = ledger_.start_session(started, engine, now.wall);
  if (!created) return refuse(created.error());
  if (*created) publish_stored(stream_of(started.session), Sequence{1}, Sequence{engine ? 2U : 1U}, "");
  when_durable(
      [this, done = std::move(done), outcome = Session_{*session.session, *created}](const Status& status, Moment) mutable {
        Result<Session_> result = outcome;
        if (!status) result = tl::unexpected(status.error());
        actions_.emplace_back(answer<Session_>(std::move(done), std::move(result)));
      },
      now);
}

void Sequencer::take_turn(TurnRequest request, TurnDone done, Moment now) {
  const auto refuse = [&](Error error) {
    if (error.code == ErrorCode::busy) ++counters_.refused_busy;
    actions_.emplace_back(answer<TurnReply>(std::move(done), tl::unexpected(std::move(error))));
  };
  if (auto good = validate_turn(request); !good) return refuse(good.error());
  if (draining_) return refuse({ErrorCode::busy, "the engine is shutting down; try again in a moment"});
  if (pending_turns_ >= options_.turns_pending_max) {
    return refuse({ErrorCode::busy, std::to_string(pending_turns_) + " turns are waiting; try again in a second"});
  }
  begin_turn(std::move(request), std::move(done), now);
}

void Sequencer::begin_turn(TurnRequest request, TurnDone done, Moment now) {
  const SessionId id = request.session;
  Session& session = sessions_[id];
  const auto refuse = [&](Error error) {
    if (error.code == ErrorCode::busy) ++counters_.refused_busy;
    actions_.emplace_back(answer<TurnReply>(std::move(done), tl::unexpected(std::move(error))));
    forget_if_idle(id);
  };
  const auto settled = settle_decider(id, session, now);
  if (!settled) return refuse(settled.error());
  if (*settled == Settled::no_worker) {
    if (unstarted_.size() >= options_.unstarted_max)
      return refuse({ErrorCode::busy, "no worker has joined yet and too many turns wait; try again later"});
    unstarted_.push_back({std::move(request), std::move(done)});
    return forget_if_idle(id);
  }
  if (request.retry_of) {
    const auto tried = ledger_.turn(id, *request.retry_of);
    if (!tried && tried.error().code != ErrorCode::not_found) return refuse(tried.error());
    if (!tried || tried->state != TurnRecord::State::parked) {
      return refuse({ErrorCode::invalid_argument,
                     "turn " + std::to_string(request.retry_of->value) + " of this session is not parked; only a parked turn is tried again"});
    }
  }
  AcceptRequest accept;
  accept.session = id;
  accept.key = request.key;
  accept.body_mac = body_digest(request);
  accept.received.key = request.key;
  accept.received.text = std::move(request.text);
  accept.received.top_k = request.top_k;
  accept.received.front_end = std::move(request.front_end);
  accept.received.retry_of = request.retry_of;
  accept.now = now.wall;
  auto outcome = ledger_.accept(accept);
  if (!outcome) return refuse(outcome.error());

  if (const auto* accepted = std::get_if<Accepted>(&*outcome)) {
    ++counters_.turns_accepted;
    ++pending_turns_;
    session.pending[accepted->turn].push_back(std::move(done));
    accept.received.turn = accepted->turn;
    if (accepted->attempt == Attempt{0}) return publish_written(stream_of(id), Sequence{0}, {}, "", now);
    publish_written(stream_of(id), Sequence{accepted->sequence.value - 1},
                    {{accepted->turn, accept.received}, {accepted->turn, AttemptStarted{accepted->turn, accepted->attempt, WorkerId{}}}}, "", now);
    start_flight(id, session, {id, accepted->turn, accepted->attempt, accepted->sequence, std::move(accept.received)});
  } else if (const auto* in_flight = std::get_if<InFlight>(&*outcome)) {
    auto& waiters = session.pending[in_flight->turn];
    if (waiters.size() >= options_.waiters_max) return refuse({ErrorCode::busy, "this turn is asked for too often; wait for its reply"});
    waiters.push_back(std::move(done));
  } else if (auto* stored = std::get_if<Done>(&*outcome)) {
    ++counters_.turns_repeated;
    const auto record = ledger_.turn(id, stored->turn);
    std::vector<TurnDone> waiters;
    waiters.push_back(std::move(done));
    reply(std::move(waiters), {stored->turn, std::move(stored->reply), true, record && record->state == TurnRecord::State::parked}, now);
    forget_if_idle(id);
  } else {
    refuse({ErrorCode::key_reused, "this turn key stands for another message of turn " + std::to_string(std::get<KeyReused>(*outcome).turn.value) +
                                       "; make a new key for a new message"});
  }
}

// Before a session's turn is accepted its stream must say what decides. A session stays with what decided so far
// as long as some worker serves it, and moves to what is current between two turns otherwise.
Result<Sequencer::Settled> Sequencer::settle_decider(const SessionId& id, Session& session, Moment now) {
  if (session.flight) return Settled::yes;
  if (!session.decider_known) {
    auto decider = read_decider(id);
    if (!decider) return tl::unexpected(decider.error());
    session.decider = *decider;
    session.decider_known = true;
  }
  if (session.decider && dispatch_.served(*session.decider)) return Settled::yes;
  const auto current = dispatch_.current();
  if (!current) return session.decider ? Settled::yes : Settled::no_worker;
  const auto changed = change_engine(id, session, *current, now);
  if (changed) return Settled::yes;
  // A closed session answers keys that it knows; accept tells which.
  if (changed.error().code == ErrorCode::closed || changed.error().code == ErrorCode::erased) return Settled::yes;
  return tl::unexpected(changed.error());
}

Status Sequencer::change_engine(const SessionId& id, Session& session, const bus::Decider& to, Moment now) {
  const StreamId stream = stream_of(id);
  const auto head = ledger_.head(stream);
  if (!head) return tl::unexpected(head.error());
  const auto outcome = ledger_.append({{stream, head->sequence, {change(session.decider, to)}}}, now.wall);
  if (!outcome) return tl::unexpected(outcome.error());
  const auto* committed = std::get_if<Committed>(&*outcome);
  if (committed == nullptr) return fail(ErrorCode::internal, "the head of session's stream moved while its engine was changed; try again");
  if (session.decider) ++counters_.engine_changes;
  session.decider = to;
  publish_stored(stream, committed->sequence, committed->sequence, "");
  return {};
}

// As the profile's last event left it; nothing when there is no such profile yet. Error: erased, or what the ledger says.
Result<std::vector<std::int32_t>> Sequencer::taste_of(const ProfileId& profile) const {
  const auto head = ledger_.head(stream_of(profile));
  if (!head && head.error().code == ErrorCode::not_found) return std::vector<std::int32_t>{};
  const auto last = head ? ledger_.read(stream_of(profile), head->sequence, 1) : tl::unexpected(head.error());
  if (!last) return tl::unexpected(last.error());
  if (last->empty()) return std::vector<std::int32_t>{};
  const auto* updated = std::get_if<ProfileUpdated>(&last->front().body);
  return updated == nullptr ? std::vector<std::int32_t>{} : updated->taste;
}

// The last EngineChanged or TurnCompleted of the stream, looked for from its end.
Result<std::optional<bus::Decider>> Sequencer::read_decider(const SessionId& id) const {
  const StreamId stream = stream_of(id);
  const auto head = ledger_.head(stream);
  if (!head) {
    if (head.error().code != ErrorCode::not_found) return tl::unexpected(head.error());
    return fail(ErrorCode::not_found, "there is no session of this name; create it with POST /v1/sessions first");
  }
  std::uint64_t end = head->sequence.value;  // of what was not looked at yet
  for (std::uint64_t window = 64; end > 0; window *= 4) {
    const std::uint64_t first = end > window ? end - window + 1 : 1;
    const auto events = ledger_.read(stream, Sequence{first}, end - first + 1);
    if (!events) return tl::unexpected(events.error());
    for (auto event = events->rbegin(); event != events->rend(); ++event) {
      if (const auto* changed = std::get_if<EngineChanged>(&event->body)) {
        return bus::Decider{changed->artefact_to, changed->policy_to, changed->decision_to};
      }
      if (const auto* completed = std::get_if<TurnCompleted>(&event->body)) {
        return bus::Decider{completed->artefact, completed->policy, completed->decision_version};
      }
    }
    end = first - 1;
  }
  return std::nullopt;
}

void Sequencer::start_flight(const SessionId& id, Session& session, const PendingTurn& pending) {
  session.flight = Flight{};
  ++flights_;
  session.flight->turn = pending.turn;
  session.flight->attempt = pending.attempt;
  session.flight->expected = pending.head;
  session.flight->received = pending.received;
  queue_.push_back(id);
}

void Sequencer::start_unstarted(Moment now) {
  if (unstarted_.empty() || !dispatch_.current()) return;
  for (auto waiting = std::exchange(unstarted_, {}); Unstarted & turn : waiting) begin_turn(std::move(turn.request), std::move(turn.done), now);
}

void Sequencer::reply(std::vector<TurnDone> waiters, TurnReply reply, Moment now) {
  if (waiters.empty()) return;
  open_replies_ += waiters.size();
  when_durable(
      [this, waiters = std::move(waiters), reply = std::move(reply)](const Status& status, Moment) mutable {
        open_replies_ -= waiters.size();
        for (TurnDone& done : waiters) {
          Result<TurnReply> result = reply;
          if (!status) result = tl::unexpected(status.error());
          actions_.emplace_back(answer<TurnReply>(std::move(done), std::move(result)));
          reply.repeated = true;  // whoever asked again while it was in flight gets the same turn
        }
      },
      now);
}

void Sequencer::forget_if_idle(const SessionId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.flight || !found->second.pending.empty()) return;
  // What is kept of an idle session saves a look into its stream; beyond a bound it is looked up again.
  if (sessions_.size() > options_.turns_pending_max || !found->second.decider_known) sessions_.erase(found);
}

void Sequencer::when_durable(std::function<void(const Status&, Moment)> then, Moment now) {
  if (dirty_) {
    sync_wanted_ = true;
    gated_.push_back({std::move(then), false});
  } else if (syncing_ != 0) {
    in_sync_.push_back({std::move(then), false});
  } else {
    then(Status{}, now);
  }
}

void Sequencer::publish_written(const StreamId& stream, Sequence first, const std::vector<WrittenEvent>& events, std::string flight_record,
                                Moment now) {
  dirty_ = true;
  bus::Range range{bus::type_of(stream.kind), stream.name, {}};
  Sequence sequence = first;
  for (const WrittenEvent& event : events) {
    auto wire = bus::to_wire(event.body);
    if (!wire) return;  // cannot be: the ledger has stored these very bytes; subscribers fill the gap by a read
    range.events.push_back({sequence, now.wall, event.turn, wire->type, wire->schema_version, std::move(wire->payload)});
    sequence = next(sequence);
  }
  bus::Publication publication{options_.run, ledger_.position(), {}, std::move(flight_record)};
  if (!range.events.empty()) publication.ranges.push_back(std::move(range));
  publish_when_durable(std::move(publication), bus::topic_of(stream));
}

void Sequencer::publish_stored(const StreamId& stream, Sequence first, Sequence last, std::string flight_record) {
  dirty_ = true;
  bus::Publication publication{options_.run, ledger_.position(), {{bus::type_of(stream.kind), stream.name, {}}}, std::move(flight_record)};
  const auto events = ledger_.read(stream, first, last.value - first.value + 1);
  if (!events) return;  // a hint not given: subscribers fill the gap by a read
  for (const Event& event : *events) {
    auto wire = bus::to_wire(event);
    if (!wire) return;
    publication.ranges.front().events.push_back(std::move(*wire));
  }
  publish_when_durable(std::move(publication), bus::topic_of(stream));
}

void Sequencer::publish_when_durable(bus::Publication publication, std::string topic) {
  dirty_ = true;
  gated_.push_back({[this, publication = std::move(publication), topic = std::move(topic)](const Status&, Moment) mutable {
                      ++counters_.publications;
                      actions_.emplace_back(Publish{std::move(topic), std::move(publication)});
                    },
                    true});
}

}  // namespace turnstone
