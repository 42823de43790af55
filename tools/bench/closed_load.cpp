#include "tools/bench/closed_load.h"

#include <algorithm>
#include <atomic>

namespace turnstone {
namespace {

std::atomic<std::uint64_t> turn_keys{0};  // of this process: loads that follow each other share sessions

}  // namespace

ClosedLoad::ClosedLoad(ConversationService& service, std::size_t sessions, std::size_t turns, std::string prefix)
    : service_(service), sessions_(sessions), turns_(turns), prefix_(std::move(prefix)) {}

void ClosedLoad::start() {
  for (std::size_t number = 0; number < sessions_; ++number) create(number);
  std::unique_lock lock(mutex_);
  created_changed_.wait(lock, [this] { return created_ == sessions_; });
  begun_ = ended_ = SteadyClock::now();
  lock.unlock();
  for (std::size_t number = 0; number < sessions_; ++number) ask(number);
}

void ClosedLoad::create(std::size_t number) {
  NewSession wanted;
  wanted.session = session(number);
  wanted.channel = "bench";
  service_.create_session(wanted, [self = shared_from_this()](const auto&) {
    const std::lock_guard lock(self->mutex_);
    ++self->created_;
    self->created_changed_.notify_all();
  });
}

void ClosedLoad::ask(std::size_t number) {
  {
    const std::lock_guard lock(mutex_);
    if (asked_ == turns_) return;
    ++asked_;
  }
  TurnRequest request;
  request.session = session(number);
  request.key = TurnKey{std::to_string(++turn_keys)};
  request.text = "something red for the summer";
  service_.take_turn(request, [self = shared_from_this(), number, begun = SteadyClock::now()](const Result<TurnReply>& reply) {
    self->answered(begun, reply.has_value());
    self->ask(number);
  });
}

void ClosedLoad::answered(SteadyClock::time_point begun, bool good) {
  const auto now = SteadyClock::now();
  const std::lock_guard lock(mutex_);
  taken_.turn_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(now - begun).count());
  taken_.failed += good ? 0 : 1;
  ended_ = std::max(ended_, now);
}

bool ClosedLoad::finished() const {
  const std::lock_guard lock(mutex_);
  return taken_.turn_us.size() == turns_;
}

ClosedLoad::Taken ClosedLoad::taken() const {
  const std::lock_guard lock(mutex_);
  Taken taken = taken_;
  taken.seconds = std::chrono::duration<double>(ended_ - begun_).count();
  return taken;
}

}  // namespace turnstone
