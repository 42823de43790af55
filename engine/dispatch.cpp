#include "engine/dispatch.h"

#include <algorithm>
#include <limits>

namespace turnstone {
namespace {

// FNV-1a with a final mix: the weight of (session, worker) in the rendezvous. Not a promise to anybody; stable so
// that simulations repeat.
std::uint64_t weight(const SessionId& session, const WorkerId& worker) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&hash](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    hash = (hash ^ 0xffU) * 1099511628211ULL;
  };
  add(session.value);
  add(worker.value);
  hash ^= hash >> 33U;  // finaliser of MurmurHash3
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33U;
  hash *= 0xc4ceb9fe1a85ec53ULL;
  return hash ^ (hash >> 33U);
}

constexpr Instant never{std::numeric_limits<std::int64_t>::max()};

}  // namespace

bool Dispatch::Worker::serves(const bus::Decider& decider) const {
  return artefacts.contains(decider.artefact) && policies.contains(decider.policy) && decision_versions.contains(decider.decision_version);
}

Dispatch::Joined Dispatch::hello(const bus::Hello& hello, Instant now) {
  const auto known = workers_.find(hello.worker);
  if (known == workers_.end() && workers_.size() >= bus::workers_max) return Joined::full;
  const bool fresh = known == workers_.end();
  Worker& worker = fresh ? workers_[hello.worker] : known->second;
  worker.name = hello.name;
  worker.artefacts = {hello.artefacts.begin(), hello.artefacts.end()};
  worker.policies = {hello.policies.begin(), hello.policies.end()};
  worker.decision_versions = {hello.decision_versions.begin(), hello.decision_versions.end()};
  worker.window = hello.credit;
  worker.reader = hello.artefacts.empty() || hello.policies.empty() || hello.decision_versions.empty();
  if (!worker.reader) worker.preferred = {hello.artefacts.front(), hello.policies.front(), hello.decision_versions.front()};
  worker.heard = now;
  worker.hung = false;
  if (fresh) {
    worker.joined = ++joins_;
    worker.pinged = now;
    worker.progressed = now;
  }
  return fresh ? Joined::fresh : Joined::again;
}

void Dispatch::heard(const WorkerId& id, Instant now) {
  const auto found = workers_.find(id);
  if (found == workers_.end()) return;
  found->second.heard = now;
  found->second.hung = false;
}

void Dispatch::credit(const WorkerId& id, std::uint32_t window) {
  if (const auto found = workers_.find(id); found != workers_.end()) found->second.window = window;
}

void Dispatch::drain(const WorkerId& id) {
  if (const auto found = workers_.find(id); found != workers_.end()) found->second.draining = true;
}

void Dispatch::await_document(const WorkerId& id, const Fingerprint& fingerprint) {
  if (const auto found = workers_.find(id); found != workers_.end()) found->second.awaited.insert(fingerprint);
}

void Dispatch::document_stored(const Fingerprint& fingerprint) {
  for (auto& [id, worker] : workers_) worker.awaited.erase(fingerprint);
}

std::vector<Fingerprint> Dispatch::awaited_from(const WorkerId& id) const {
  const auto found = workers_.find(id);
  if (found == workers_.end()) return {};
  return {found->second.awaited.begin(), found->second.awaited.end()};
}

std::vector<SessionId> Dispatch::remove(const WorkerId& id) {
  std::vector<SessionId> lost;
  const auto found = workers_.find(id);
  if (found == workers_.end()) return lost;
  for (const auto& [session, held] : found->second.held) {
    lost.push_back(session);
    holders_.erase(session);
  }
  workers_.erase(found);
  return lost;
}

std::vector<WorkerId> Dispatch::namesakes(const WorkerId& id) const {
  std::vector<WorkerId> others;
  const auto found = workers_.find(id);
  if (found == workers_.end()) return others;
  for (const auto& [other, worker] : workers_) {
    if (other != id && worker.name == found->second.name) others.push_back(other);
  }
  return others;
}

std::optional<WorkerId> Dispatch::choose(const SessionId& session, const bus::Decider& decider, const std::optional<WorkerId>& avoid) const {
  const bool last_resort = !served(decider) && current().has_value();  // with no worker at all, one is waited for
  std::vector<std::pair<WorkerId, std::size_t>> able;
  std::size_t held = 0;
  for (const auto& [id, worker] : workers_) {
    if (!(last_resort ? worker.able() : worker.eligible()) || !worker.serves(decider) || worker.held.size() >= worker.window) continue;
    able.emplace_back(id, worker.held.size());
    held += worker.held.size();
  }
  if (able.size() > 1 && avoid) {
    std::erase_if(able, [&](const auto& entry) { return entry.first == *avoid; });
    held = 0;
    for (const auto& [id, tasks] : able) held += tasks;
  }
  if (able.empty()) return std::nullopt;
  const std::size_t share = held / able.size() + 1;  // of those with room: one task more spread evenly, rounded up
  std::optional<WorkerId> best;
  std::uint64_t best_weight = 0;
  for (const auto& [id, tasks] : able) {
    if (tasks >= share) continue;
    const std::uint64_t mine = weight(session, id);
    if (!best || mine > best_weight) {
      best = id;
      best_weight = mine;
    }
  }
  return best;
}

void Dispatch::assign(const SessionId& session, const WorkerId& id, Instant now, std::uint32_t tries) {
  release(session, now);
  Worker& worker = workers_.at(id);
  if (worker.held.empty()) worker.progressed = now;
  worker.held[session] = Held{now, options_.task_ms_max << std::min(tries, 4U), Sequence{0}};
  holders_[session] = id;
}

void Dispatch::restart_clock(const SessionId& session, Instant now) {
  const auto holder = holders_.find(session);
  if (holder == holders_.end()) return;
  Worker& worker = workers_.at(holder->second);
  worker.held[session].since = now;
  if (worker.held.size() == 1) worker.progressed = now;
}

void Dispatch::release(const SessionId& session, Instant now) {
  const auto holder = holders_.find(session);
  if (holder == holders_.end()) return;
  Worker& worker = workers_.at(holder->second);
  worker.held.erase(session);
  worker.progressed = now;
  if (worker.held.empty()) worker.heard = std::max(worker.heard, now);  // idle from here on: its answers count again
  holders_.erase(holder);
}

void Dispatch::reading(const SessionId& session, const WorkerId& id, Sequence from, Instant now) {
  const auto found = workers_.find(id);
  if (found == workers_.end()) return;
  const auto held = found->second.held.find(session);
  if (held == found->second.held.end() || from <= held->second.read_from) return;
  held->second.read_from = from;
  found->second.progressed = now;
}

std::optional<WorkerId> Dispatch::holder(const SessionId& session) const {
  const auto holder = holders_.find(session);
  return holder == holders_.end() ? std::nullopt : std::optional(holder->second);
}

bool Dispatch::has_room() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& entry) { return entry.second.able() && entry.second.held.size() < entry.second.window; });
}

bool Dispatch::served(const bus::Decider& decider) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& entry) { return entry.second.eligible() && entry.second.serves(decider); });
}

std::optional<bus::Decider> Dispatch::current() const {
  const Worker* last = nullptr;
  for (const auto& [id, worker] : workers_) {
    if (worker.eligible() && (last == nullptr || worker.joined > last->joined)) last = &worker;
  }
  return last == nullptr ? std::nullopt : std::optional(last->preferred);
}

Instant Dispatch::ping_due(const Worker& worker) const {
  return after_ms(worker.pinged, worker.held.empty() ? options_.ping_idle_ms : options_.ping_busy_ms);
}

// A worker takes its tasks one after the other, so the one it is at began when it last finished one, or when it was
// given this one, if it was idle. Answered pings prove that the process runs; only finishing proves that it works,
// and at work it cannot answer pings. So a busy worker is judged by what it finishes, an idle one by its answers.
Instant Dispatch::patience(const Worker& worker) const {
  if (worker.held.empty()) return after_ms(worker.heard, worker.hung ? options_.forget_ms : options_.silence_ms_max);
  Instant oldest = never;
  std::int64_t allowed_ms = 0;
  for (const auto& [session, held] : worker.held) {
    oldest = std::min(oldest, held.since);
    allowed_ms = std::max(allowed_ms, held.allowed_ms);
  }
  return after_ms(std::max(oldest, worker.progressed), allowed_ms);
}

Dispatch::Due Dispatch::due(Instant now) {
  Due due;
  for (auto& [id, worker] : workers_) {
    if (patience(worker) <= now) {
      if (worker.hung && worker.held.empty()) {
        due.forgotten.push_back(id);
        continue;
      }
      worker.hung = true;
      due.hung.push_back(id);
      for (const auto& [session, held] : worker.held) {
        due.lost.push_back(session);
        holders_.erase(session);
      }
      worker.held.clear();
    }
    if (ping_due(worker) <= now) {
      worker.pinged = now;
      due.ping.push_back(id);
    }
  }
  for (const WorkerId& id : due.forgotten) workers_.erase(id);
  return due;
}

Instant Dispatch::next_due() const {
  Instant next = never;
  for (const auto& [id, worker] : workers_) next = std::min({next, ping_due(worker), patience(worker)});
  return next;
}

std::uint32_t Dispatch::live() const {
  return static_cast<std::uint32_t>(
      std::count_if(workers_.begin(), workers_.end(), [](const auto& entry) { return !entry.second.reader && !entry.second.hung; }));
}

std::vector<WorkerStatus> Dispatch::status() const {
  std::vector<WorkerStatus> all;
  for (const auto& [id, worker] : workers_) {
    WorkerStatus status{id, worker.name, static_cast<std::uint32_t>(worker.held.size()), worker.window, worker.eligible(), ""};
    if (worker.reader) status.reason = "reads only";
    if (worker.draining) status.reason = "drains";
    if (worker.hung) status.reason = "does not answer";
    if (!worker.awaited.empty()) status.reason = "its policy is not stored yet";
    all.push_back(std::move(status));
  }
  return all;
}

}  // namespace turnstone
