// What happens in a run: shoppers ask, things break, things are mended, everything comes to rest.
#include <algorithm>
#include <utility>

#include "tests/simulation/world.h"

namespace turnstone::simulation {
namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::size_t workers_max = 4;
constexpr std::size_t front_ends_max = 5;
constexpr int burst = 15;
const std::string profile = "p";  // of some of the sessions

}  // namespace

void World::play() {
  shop();
  end_faults();
  come_to_rest();
  if (!site_.violation) check_rest();
  if (engine_) {
    const Result<std::vector<PendingTurn>> pending = engine_->ledger().pending();
    if (!site_.violation && (!pending || !pending->empty())) site_.violated("the ledger holds pending turns after everything was answered");
  }
}

void World::open_shop() {
  const bool of_profile = profile_erasure_ != ProfileErasure::acknowledged && site_.random.chance(500);
  front_ends_.push_back(std::make_unique<FrontEnd>(site_, "s" + std::to_string(front_ends_.size() + 1), of_profile ? profile : "",
                                                   [this](const HttpRequest& request, Answered answered) { http(request, std::move(answered)); }));
  if (of_profile && profile_erasure_ == ProfileErasure::asked_for) front_ends_.back()->profile_is_being_erased();
}

// Asked for again until it is acknowledged; 404: nothing names it any more. A session of it may be started just then.
void World::erase_profile() {
  if (profile_erasure_ == ProfileErasure::none) {
    profile_erasure_ = ProfileErasure::asked_for;
    if (site_.random.chance(700)) site_.after(site_.random.between(0, 4), [this] { open_shop(); });
  }
  for (const auto& front_end : front_ends_) {
    if (front_end->profile() == profile) front_end->profile_is_being_erased();
  }
  HttpRequest request;
  request.method = "DELETE";
  request.target = "/v1/profiles/" + profile + "?by=desk";
  http(request, [this](const std::optional<HttpResponse>& response) {
    if (!response || response->status >= 500 || profile_erasure_ == ProfileErasure::acknowledged) return;
    if (response->status != 200 && response->status != 404) return site_.violated("a profile cannot be erased: " + response->body);
    site_.note([] { return "erased profile " + profile; });
    profile_erasure_ = ProfileErasure::acknowledged;
    for (const auto& front_end : front_ends_) {
      if (front_end->profile() == profile) front_end->profile_was_erased();
    }
  });
  site_.after(site_.random.between(300'000, 900'000), [this] {
    if (profile_erasure_ == ProfileErasure::asked_for) erase_profile();
  });
}

void World::shop() {
  for (std::int64_t i = site_.random.between(2, 4); i > 0; --i) open_shop();
  for (std::int64_t rounds = site_.random.between(50, 150); rounds > 0 && !site_.violation; --rounds) {
    if (front_ends_.size() < front_ends_max && site_.random.chance(20)) open_shop();
    ask_something();
    meddle();
    run_for(site_.random.between(0, 40'000));
  }
}

void World::ask_something() {
  FrontEnd& front_end = *front_ends_[site_.random.below(front_ends_.size())];
  if (!front_end.created()) return;
  if (!front_end.erasing() && site_.switches.strikes(Place::session_is_erased)) front_end.erase();
  if (profile_erasure_ == ProfileErasure::none && front_end.profile() == profile && site_.switches.strikes(Place::profile_is_erased)) erase_profile();
  const auto& asks = front_end.asks();
  if (!asks.empty() && site_.switches.strikes(Place::front_end_repeats_itself)) return front_end.repeat(site_.random.below(asks.size()));
  if (front_end.open() > 0 && !site_.switches.strikes(Place::front_end_hurries)) return;
  const int times = site_.switches.strikes(Place::session_is_popular) ? burst : 1;
  for (int i = 0; i < times; ++i) {
    const bool kills = site_.switches.strikes(Place::turn_kills_its_workers);
    front_end.ask((kills ? std::string(deadly) : "message") + " " + std::to_string(asks.size()));
  }
}

void World::meddle() {
  if (site_.switches.strikes(Place::wall_clock_jumps)) site_.wall_offset_us = site_.random.between(-3'600, 3'600) * second_us;
  if (site_.switches.strikes(Place::disk_fills_up)) {
    site_.note([] { return "switch disk_fills_up"; });
    site_.disk.full = true;
    site_.after(site_.random.between(50'000, second_us), [this] { site_.disk.full = false; });
  }
  meddle_with_workers();
  meddle_with_links();
  if (engine_) meddle_with_the_engine();
}

void World::meddle_with_workers() {
  const auto some_worker = [this]() -> WorkerProcess& { return *workers_[site_.random.below(workers_.size())]; };
  if (!workers_.empty()) {
    if (site_.switches.strikes(Place::worker_pauses)) some_worker().pause_for(site_.random.between(50'000, 3 * second_us));
    if (site_.switches.strikes(Place::worker_drains)) some_worker().drain();
    if (site_.switches.strikes(Place::worker_dies_at_leisure)) {
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(site_.random.below(workers_.size())));
    }
  }
  if (workers_.size() >= workers_max) return;
  if (site_.switches.strikes(Place::worker_of_another_version_joins)) {
    start_worker("two");
  } else if (site_.random.chance(100)) {
    start_worker("one");
  }
}

void World::meddle_with_links() {
  if (!site_.switches.strikes(Place::link_cut) || workers_.empty()) return;
  const WorkerId& id = workers_[site_.random.below(workers_.size())]->id();
  cut_until_us_[id] = site_.now_us + site_.random.between(50'000, 2 * second_us);
  site_.note([&] { return "switch link_cut: " + id.value; });
}

void World::meddle_with_the_engine() {
  if (site_.switches.strikes(Place::engine_pauses)) engine_->pause_for(site_.random.between(20'000, 1'500'000));
  if (site_.switches.strikes(Place::engine_drains)) engine_->drain();
  if (site_.switches.strikes(Place::engine_dies_at_leisure)) engine_died(site_.switches.strikes(Place::power_fails_with_the_engine));
}

void World::end_faults() {
  site_.note([] { return std::string("the faults end"); });
  site_.switches.all_off();
  site_.disk.full = false;
  site_.disk.sync_fails = false;
  cut_until_us_.clear();
  if (engine_) engine_->go_on();
  for (const auto& worker : workers_) worker->go_on();
  for (const auto& subscriber : subscribers_) subscriber->go_on();
}

void World::come_to_rest() {
  const auto answered = [this] {
    return std::all_of(front_ends_.begin(), front_ends_.end(), [](const auto& front_end) {
      return front_end->created() && front_end->open() == 0 && !front_end->waits_for_erasure();
    });
  };
  if (run_until(answered, 40 * second_us)) return run_for(2 * second_us);
  for (const auto& front_end : front_ends_) {
    if (!front_end->created()) site_.violated("stuck: session " + front_end->session() + " cannot be created");
    if (front_end->waits_for_erasure()) site_.violated("stuck: session " + front_end->session() + " cannot be erased");
    for (const Ask& ask : front_end->asks()) {
      if (!ask.reply && !ask.gone) site_.violated("stuck: " + ask.key + " has no reply 40 seconds after the faults ended");
    }
  }
}

// Without faults every session is served at once, and the first time it is asked for.
void World::check_rest() {
  for (const auto& front_end : front_ends_) front_end->ask("finally");
  const auto answered = [this] {
    return std::all_of(front_ends_.begin(), front_ends_.end(), [](const auto& front_end) { return front_end->open() == 0; });
  };
  if (!run_until(answered, 5 * second_us)) return site_.violated("a session does not answer any more, though nothing is broken");
  for (const auto& front_end : front_ends_) {
    const Ask& last = front_end->asks().back();
    if (last.gone != front_end->erased()) site_.violated(last.key + (last.gone ? " finds its session erased" : " is answered from an erased session"));
    if (last.gone) continue;
    if (last.times > 1) site_.violated(last.key + " was answered only when it was asked for again, though nothing was broken");
    if (last.reply->find("\"parked\":true") != std::string::npos) site_.violated(last.key + " was parked, though nothing was broken");
  }
  const auto informed = [this] {
    return engine_ &&
           std::all_of(stores_.begin(), stores_.end(), [this](const auto& store) { return store.position == engine_->ledger().position(); });
  };
  if (!run_until(informed, 5 * second_us)) return site_.violated("a subscriber never got what was written last");
  const EngineCounters now = engine_->sequencer().counters();
  if (now.in_flight + now.waiting > 0) site_.violated("turns are in flight or waiting after everything was answered");
}

}  // namespace turnstone::simulation
