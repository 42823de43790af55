#include "workers/loop/worker_core.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/bus/codec.h"

namespace turnstone {
namespace {

template <class Values, class T>
bool contains(const Values& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Folds what follows the state out of `events`. False when there is a gap before the first one that is new.
Result<bool> fold_range(IntentState& state, const StreamId& stream, const std::vector<bus::WireEvent>& events) {
  for (const bus::WireEvent& wire : events) {
    if (wire.sequence <= state.sequence) continue;
    if (wire.sequence != next(state.sequence)) return false;
    auto body = bus::body_of(wire);
    if (!body) return tl::unexpected(body.error());
    Event event;
    event.stream = stream;
    event.sequence = wire.sequence;
    event.schema_version = wire.schema_version;
    event.time = wire.time;
    event.turn = wire.turn;
    event.body = std::move(*body);
    fold(state, event);
  }
  return true;
}

bool is_erasure(const bus::WireEvent& event) { return event.type == static_cast<std::uint16_t>(EventType::session_erased); }

}  // namespace

WorkerCore::WorkerCore(WorkerCoreOptions options, Served served) : options_(std::move(options)), served_(std::move(served)) {}

std::vector<WorkerCore::Action> WorkerCore::take_actions() { return std::exchange(actions_, {}); }

// --- joining -------------------------------------------------------------------------------------------

void WorkerCore::say_hello(std::int64_t now_us) {
  hello_at_ = now_us;
  bus::Hello hello;
  hello.worker = options_.id;
  hello.name = options_.name;
  hello.artefacts = served_.artefacts;
  for (const PolicyDocument& policy : served_.policies) hello.policies.push_back(policy.fingerprint);
  hello.decision_versions = served_.decision_versions;
  hello.credit = options_.credit;
  actions_.emplace_back(bus::Message{std::move(hello)});
}

void WorkerCore::welcome(const bus::Welcome& welcome) {
  if (run_ != welcome.run) {
    forget_engine();
    run_ = welcome.run;
    ++counters_.welcomes;
  }
  actions_.emplace_back(Follow{welcome.publisher});
}

// Another run of the engine may have lost what the former one had not synced yet: nothing is carried over.
void WorkerCore::forget_engine() {
  run_.reset();
  tasks_.clear();
  for (const auto& [id, session] : sessions_) actions_.emplace_back(Unsubscribe{bus::topic_of(stream_of(id))});
  sessions_.clear();
  recency_.clear();
  erased_.clear();
}

void WorkerCore::drain() {
  if (std::exchange(draining_, true)) return;
  actions_.emplace_back(bus::Message{bus::Drain{"the worker is stopping"}});
}

// --- what comes in -----------------------------------------------------------------------------------

void WorkerCore::on_message(const bus::Message& message, std::int64_t now_us) {
  heard_at_ = now_us;
  if (const auto* task = std::get_if<bus::Task>(&message)) {
    accept(*task, now_us);
  } else if (const auto* ping = std::get_if<bus::Ping>(&message)) {
    actions_.emplace_back(bus::Message{bus::Pong{ping->run, ping->number, static_cast<std::uint32_t>(tasks_.size())}});
    if (run_ && *run_ != ping->run) say_hello(now_us);
  } else if (const auto* events = std::get_if<bus::Events>(&message)) {
    fill(*events, now_us);
  } else if (const auto* welcomed = std::get_if<bus::Welcome>(&message)) {
    welcome(*welcomed);
  } else if (const auto* fetch = std::get_if<bus::FetchDocument>(&message)) {
    bus::Document answer{fetch->fingerprint, std::nullopt};
    for (const PolicyDocument& policy : served_.policies) {
      if (policy.fingerprint == fetch->fingerprint) answer.bytes = policy.bytes;
    }
    actions_.emplace_back(bus::Message{std::move(answer)});
  } else if (const auto* refusal = std::get_if<bus::Refusal>(&message)) {
    if (refusal->fault == bus::Fault::unknown_worker) {
      if (draining_) {
        tasks_.clear();  // the engine gave this worker up, and tries its tasks elsewhere
      } else {
        say_hello(now_us);
      }
    }
    if (refusal->fault == bus::Fault::unsupported_protocol)
      refused_ = Error{ErrorCode::unsupported, "the engine refuses this worker: " + refusal->detail};
  } else if (std::get_if<bus::Bye>(&message) != nullptr) {
    forget_engine();  // it will be back, or another will: HELLO goes on
  }
}

void WorkerCore::on_published(const bus::Publication& publication) {
  if (!run_ || publication.run != *run_) return;
  for (const bus::Range& range : publication.ranges) {
    if (range.type != bus::StreamType::session) continue;
    const auto found = sessions_.find(SessionId{range.stream});
    if (found == sessions_.end()) continue;
    if (std::any_of(range.events.begin(), range.events.end(), is_erasure)) {
      forget_erased(SessionId{range.stream});
      continue;
    }
    const auto folded = fold_range(found->second.state, stream_of(found->first), range.events);
    if (!folded || !*folded) ++counters_.gaps;  // the next task reads what is missing
    if (found->second.tentative && found->second.tentative->state.sequence <= found->second.state.sequence) found->second.tentative.reset();
  }
}

void WorkerCore::on_tick(std::int64_t now_us) {
  if (refused_) return;
  if (!run_) {
    if (!draining_ && (hello_at_ == 0 || now_us - hello_at_ >= options_.hello_ms * 1'000)) say_hello(now_us);
    return;
  }
  if (now_us - heard_at_ >= options_.silence_ms * 1'000 && now_us - hello_at_ >= options_.hello_ms * 1'000) say_hello(now_us);
  for (HeldTask& held : tasks_) {
    if (held.read_at != 0 && now_us - held.read_at >= options_.read_ms * 1'000) held.read_at = 0;  // prepare reads again
  }
}

void WorkerCore::accept(const bus::Task& task, std::int64_t now_us) {
  if (!run_ || task.run != *run_) return say_hello(now_us);  // of an engine that has not welcomed this worker
  ++counters_.tasks;
  const auto same = [&](const HeldTask& held) { return held.task.session == task.session; };
  if (const auto held = std::find_if(tasks_.begin(), tasks_.end(), same); held != tasks_.end()) {
    const auto order = [](const bus::Task& t) { return std::pair(t.turn, t.attempt); };
    if (order(held->task) >= order(task)) return;  // the same again, or one that came late
    tasks_.erase(held);                            // its attempt is over
  }
  if (was_erased(task.session)) return fail_task(task, "the session was erased");
  if (!serves(task.decider)) return fail_task(task, "this worker does not serve the artefact, policy or decision version of the task");
  if (tasks_.size() >= bus::credit_max) return fail_task(task, "this worker holds as many tasks as it can");
  tasks_.push_back({task, 0, false});
}

bool WorkerCore::serves(const bus::Decider& decider) const {
  return contains(served_.artefacts, decider.artefact) && contains(served_.decision_versions, decider.decision_version) &&
         std::any_of(served_.policies.begin(), served_.policies.end(),
                     [&](const PolicyDocument& policy) { return policy.fingerprint == decider.policy; });
}

void WorkerCore::fill(const bus::Events& events, std::int64_t) {
  if (!run_ || events.type != bus::StreamType::session) return;
  const auto found = sessions_.find(SessionId{events.stream});
  if (found == sessions_.end()) return;
  if (!events.snapshot.empty()) use_snapshot(found->second, found->first, events);
  const auto folded = fold_range(found->second.state, stream_of(found->first), events.events);
  for (auto held = tasks_.begin(); held != tasks_.end(); ++held) {
    if (held->task.session.value != events.stream) continue;
    if (events.head == Sequence{}) {
      fail_task(held->task, "there is no such session any more");
      tasks_.erase(held);
    } else if (folded) {
      held->read_at = 0;  // looked at again: ready, or the next range is read
    } else {
      fail_task(held->task, "an event of the session cannot be read: " + folded.error().detail);
      tasks_.erase(held);
    }
    return;
  }
}

// A snapshot counts only as the state that the first event behind it names; else the next read begins with the first event.
void WorkerCore::use_snapshot(Session& session, const SessionId& id, const bus::Events& events) {
  if (session.state.sequence >= events.from) return;  // what is known here goes further
  const auto body = events.events.empty() ? Result<EventBody>(fail(ErrorCode::corrupt, "no event follows the snapshot")) : bus::body_of(events.events.front());
  const auto* completed = body ? std::get_if<TurnCompleted>(&*body) : nullptr;
  auto state = completed != nullptr ? open_snapshot(events.snapshot, id, events.events.front().sequence, *completed)
                                    : Result<IntentState>(fail(ErrorCode::corrupt, "a snapshot stands before no turn's end"));
  if (!state) {
    ++counters_.snapshots_refused;
    session.snapshot_refused = true;
    return;
  }
  ++counters_.snapshots_used;
  session.state = std::move(*state);
  session.last_snapshot = session.state.sequence;
}

// --- the turn --------------------------------------------------------------------------------------------

bool WorkerCore::needed(const SessionId& session) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const HeldTask& task) { return task.task.session == session; });
}

// Its tasks go with it: whatever they propose is fenced.
void WorkerCore::forget_erased(const SessionId& id) {
  for (auto held = tasks_.begin(); held != tasks_.end();) {
    if (held->task.session != id) {
      ++held;
      continue;
    }
    fail_task(held->task, "the session was erased");
    held = tasks_.erase(held);
  }
  if (const auto found = sessions_.find(id); found != sessions_.end()) {
    actions_.emplace_back(Unsubscribe{bus::topic_of(stream_of(id))});
    recency_.erase(found->second.recency);
    sessions_.erase(found);
  }
  if (erased_.size() >= options_.sessions_max) erased_.pop_front();
  erased_.push_back(id);
}

bool WorkerCore::was_erased(const SessionId& id) const { return contains(erased_, id); }

WorkerCore::Session& WorkerCore::session_of(const SessionId& id) {
  auto found = sessions_.find(id);
  if (found != sessions_.end()) {
    recency_.splice(recency_.begin(), recency_, found->second.recency);
    return found->second;
  }
  for (auto oldest = recency_.end(); sessions_.size() >= options_.sessions_max && oldest != recency_.begin();) {
    --oldest;
    if (needed(*oldest)) continue;  // forgetting what a task waits for would read it forever
    actions_.emplace_back(Unsubscribe{bus::topic_of(stream_of(*oldest))});
    sessions_.erase(*oldest);
    oldest = recency_.erase(oldest);
  }
  recency_.push_front(id);
  Session& session = sessions_[id];
  session.recency = recency_.begin();
  session.state.session = id;
  actions_.emplace_back(Subscribe{bus::topic_of(stream_of(id))});
  return session;
}

WorkerCore::Ready WorkerCore::prepare(HeldTask& held, std::int64_t now_us) {
  const bus::Task& task = held.task;
  Session& session = session_of(task.session);
  if (session.state.sequence > task.expected) return Ready::never;
  const Sequence before{task.expected.value - 2};  // TurnReceived and AttemptStarted 1 follow
  if (session.tentative && task.attempt == Attempt{1} && session.tentative->turn == TurnNumber{task.turn.value - 1} &&
      session.tentative->attempt == task.previous_attempt && session.tentative->state.sequence == before && session.state.sequence < before) {
    session.state = std::move(session.tentative->state);  // the proposal made here is the one that was committed
    session.tentative.reset();
  }
  if (session.state.sequence == before && task.attempt == Attempt{1}) {
    auto received = bus::body_of(bus::ProposedEvent{static_cast<std::uint16_t>(EventType::turn_received), task.received_version, task.received});
    if (received) {
      fold(session.state, *received, task.turn);
      fold(session.state, AttemptStarted{task.turn, task.attempt, WorkerId{}}, task.turn);
    }
  }
  if (session.state.sequence == task.expected) return Ready::yes;
  if (held.read_at == 0) {
    held.read_at = now_us;
    held.was_cold = true;
    ++counters_.reads;
    const std::uint64_t missing = task.expected.value - session.state.sequence.value;
    const bool from_the_start = session.state.sequence == Sequence{};
    actions_.emplace_back(bus::Message{bus::Read{bus::StreamType::session, task.session.value, next(session.state.sequence),
                                              static_cast<std::uint32_t>(std::min<std::uint64_t>(missing, bus::range_events_max)),
                                              from_the_start && !session.snapshot_refused}});
  }
  return Ready::reading;
}

bool WorkerCore::work(std::int64_t now_us) {
  for (auto held = tasks_.begin(); held != tasks_.end();) {
    if (held->read_at != 0) {
      // A publication may have brought what was asked for.
      const auto found = sessions_.find(held->task.session);
      if (found != sessions_.end() && found->second.state.sequence < held->task.expected) {
        ++held;
        continue;
      }
      held->read_at = 0;
    }
    const Ready ready = prepare(*held, now_us);
    if (ready == Ready::reading) {
      ++held;
      continue;
    }
    const bus::Task task = std::move(held->task);
    const bool cold = held->was_cold;
    tasks_.erase(held);
    if (ready == Ready::never) {
      ++counters_.stale_tasks;
    } else {
      ++(cold ? counters_.cold : counters_.warm);
      propose(task, session_of(task.session));
    }
    return true;
  }
  return false;
}

void WorkerCore::propose(const bus::Task& task, Session& session) {
  auto received = bus::body_of(bus::ProposedEvent{static_cast<std::uint16_t>(EventType::turn_received), task.received_version, task.received});
  if (!received) return fail_task(task, "the task's message cannot be read: " + received.error().detail);
  Result<LoopProposal> proposal = fail(ErrorCode::internal, "");
  try {
    proposal = served_.turn(session.state, {std::get<TurnReceived>(*received), task.attempt, task.decider});
  } catch (const std::exception& error) {  // a worker outlives a fault of one turn; the engine parks the turn after three
    proposal = fail(ErrorCode::internal, std::string("the turn threw: ") + error.what());
  }
  if (!proposal) return fail_task(task, proposal.error().detail);
  bus::Proposed proposed;
  proposed.run = task.run;
  proposed.session = task.session;
  proposed.turn = task.turn;
  proposed.attempt = task.attempt;
  proposed.expected = task.expected;
  for (const EventBody& body : proposal->events) {
    auto wire = bus::to_wire(body);
    if (!wire) return fail_task(task, wire.error().detail);
    proposed.events.push_back(std::move(*wire));
  }
  proposed.flight_record = std::move(proposal->flight_record);
  proposed.reply = std::move(proposal->reply);
  Tentative tentative{task.turn, task.attempt, session.state};
  const bool snapshot_due = task.expected.value >= session.last_snapshot.value + options_.snapshot_interval;
  for (const EventBody& body : proposal->events) {
    if (snapshot_due && std::holds_alternative<TurnCompleted>(body)) {
      session.last_snapshot = tentative.state.sequence;
      proposed.snapshot = served_.snapshot(tentative.state).value_or(std::string());
    }
    fold(tentative.state, body, task.turn);
  }
  session.tentative = std::move(tentative);
  ++counters_.proposals;
  actions_.emplace_back(bus::Message{std::move(proposed)});
}

void WorkerCore::fail_task(const bus::Task& task, std::string reason) {
  ++counters_.failures;
  actions_.emplace_back(bus::Message{bus::Failed{task.run, task.session, task.turn, task.attempt, reason.substr(0, 500)}});
}

}  // namespace turnstone
