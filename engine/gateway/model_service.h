// A ConversationService for the gateway's tests: sessions in memory, every turn answered by its own text, and turns
// that can be held back until the test lets them go.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/service.h"

namespace turnstone {

class ModelService : public ConversationService {
 public:
  // Every later turn waits for release(); its callback then runs on the releasing thread.
  void hold() {
    const std::lock_guard lock(mutex_);
    holding_ = true;
  }
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  void release() {
    std::vector<std::pair<Callback<TurnReply>, TurnReply>> going;
    {
      const std::lock_guard lock(mutex_);
      holding_ = false;
      going.swap(held_);
    }
    for (auto& [done, reply] : going) done(std::move(reply));
  }
  // The outcome of every later turn, instead of a reply.
  void fail_turns_with(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(error);
  }
  void set_workers(std::uint32_t workers) {
    const std::lock_guard lock(mutex_);
    workers_ = workers;
  }
  std::vector<TurnRequest> turns() const {
    const std::lock_guard lock(mutex_);
    return turns_;
  }
  std::vector<NewSession> sessions() const {
    const std::lock_guard lock(mutex_);
    return sessions_;
  }

  void create_session(NewSession session, Callback<SessionCreated> done) override {
    SessionCreated created;
    {
      const std::lock_guard lock(mutex_);
      const std::string name = session.session ? session.session->value : "s" + std::to_string(sessions_.size() + 1);
      created = {SessionId{name}, streams_.emplace(name, std::map<std::string, TurnReply>()).second};
      sessions_.push_back(std::move(session));
    }
    done(created);
  }

  void take_turn(TurnRequest request, Callback<TurnReply> done) override {
    TurnReply reply;
    {
      const std::lock_guard lock(mutex_);
      turns_.push_back(request);
      if (failure_) return done(tl::unexpected(*failure_));
      const auto stream = streams_.find(request.session.value);
      if (stream == streams_.end()) return done(fail(ErrorCode::not_found, "there is no such session"));
      auto& replies = stream->second;
      const auto number = static_cast<std::uint32_t>(replies.size() + 1);
      const auto [entry, fresh] = replies.emplace(request.key.value, TurnReply{TurnNumber{number}, {}, false, false});
      if (fresh) entry->second.document = "{\"turn\":" + std::to_string(number) + ",\"message\":\"" + request.text + "\"}";
      reply = entry->second;
      reply.repeated = !fresh;
      if (holding_) return held_.emplace_back(std::move(done), std::move(reply)), void();
    }
    done(std::move(reply));
  }

  void erase(ErasureWanted wanted, Callback<ErasureDone> done) override {
    ErasureDone outcome;
    bool known = false;
    {
      const std::lock_guard lock(mutex_);
      erasures_.push_back(wanted);
      known = wanted.session && streams_.erase(wanted.session->value) > 0;
      if (known) outcome.erased.push_back(stream_of(*wanted.session));
    }
    if (!known) return done(fail(ErrorCode::not_found, "there is nothing of that name"));
    done(std::move(outcome));
  }
  std::vector<ErasureWanted> erasures() const {
    const std::lock_guard lock(mutex_);
    return erasures_;
  }

  Result<std::string> state_document(const SessionId& session, std::optional<TurnNumber> at) const override {
    const std::lock_guard lock(mutex_);
    if (!streams_.contains(session.value)) return fail(ErrorCode::not_found, "there is no such session");
    return "{\"at\":" + (at ? std::to_string(at->value) : std::string("null")) + "}";
  }

  // Ten events a session: what every turn's text was is of no matter here.
  Result<std::vector<Event>> events(const SessionId& session, Sequence from, std::size_t limit) const override {
    const std::lock_guard lock(mutex_);
    if (!streams_.contains(session.value)) return fail(ErrorCode::not_found, "there is no such session");
    std::vector<Event> events;
    for (std::uint64_t sequence = from.value; sequence <= 10 && events.size() < limit; ++sequence) {
      Event event;
      event.stream = stream_of(session);
      event.sequence = Sequence{sequence};
      event.body = ReplySent{"reply " + std::to_string(sequence)};
      events.push_back(std::move(event));
    }
    return events;
  }

  Readiness readiness() const override {
    const std::lock_guard lock(mutex_);
    Readiness readiness;
    readiness.ready = workers_ > 0;
    readiness.workers = workers_;
    if (!readiness.ready) readiness.reason = "no worker has joined";
    return readiness;
  }

 private:
  mutable std::mutex mutex_;
  bool holding_ = false;
  std::uint32_t workers_ = 1;
  std::optional<Error> failure_;
  std::vector<std::pair<Callback<TurnReply>, TurnReply>> held_;
  std::map<std::string, std::map<std::string, TurnReply>> streams_;  // replies by key
  std::vector<TurnRequest> turns_;
  std::vector<NewSession> sessions_;
  std::vector<ErasureWanted> erasures_;
};

}  // namespace turnstone
