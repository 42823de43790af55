// What the network does: between the engine and its workers, and between front ends and the engine.
#include <utility>

#include "tests/simulation/world.h"

namespace turnstone::simulation {
namespace {

constexpr std::int64_t hop_us = 60;

}  // namespace

std::vector<std::int64_t> World::fate_of(const bus::FrameOnItsWay& frame) {
  site_.trace.add(static_cast<std::uint64_t>(site_.now_us) << 8U | static_cast<std::uint64_t>(frame.kind));
  site_.trace.add(frame.worker.value);
  site_.note([&] { return std::string(bus::name_of(frame.kind)) + (frame.to_engine ? " from " : " to ") + frame.worker.value; });
  const auto cut = cut_until_us_.find(frame.worker);
  if (cut != cut_until_us_.end() && cut->second > site_.now_us) return {};
  std::vector<std::int64_t> delays{hop_us};
  if (frame.kind == bus::Kind::publication && site_.switches.strikes(Place::publication_lost)) return {};
  if (singled_out_ && *singled_out_ != frame.kind) return delays;
  if (singled_out_ ? site_.switches.on(Place::frame_lost) && site_.network_chance.chance(250) : site_.switches.strikes(Place::frame_lost)) return {};
  if (site_.switches.strikes(Place::frame_late))
    delays[0] += site_.network_chance.between(1'000, site_.network_chance.chance(100) ? 2'000'000 : 60'000);
  if (site_.switches.strikes(Place::frame_doubled)) delays.push_back(site_.network_chance.between(0, 200'000));
  return delays;
}

void World::http(const HttpRequest& request, Answered answered) {
  const std::uint64_t connection = ++connected_;
  connections_.emplace(connection, std::move(answered));
  if (site_.switches.strikes(Place::request_lost)) return;
  site_.after(hop_us, [this, request, connection] { arrive(request, connection); });
  if (site_.switches.strikes(Place::request_doubled)) {
    site_.after(site_.random.between(hop_us, 60'000), [this, request, connection] { arrive(request, connection); });
  }
}

void World::arrive(const HttpRequest& request, std::uint64_t connection) {
  if (!engine_ || engine_->dead() || engine_->finished()) return answer(connection, std::nullopt);
  if (engine_->paused_until_us() > site_.now_us) {
    return site_.after(engine_->paused_until_us() - site_.now_us, [this, request, connection] { arrive(request, connection); });
  }
  engine_->request(request, [this, connection](HttpResponse response) { answer(connection, std::move(response)); });
}

void World::answer(std::uint64_t connection, std::optional<HttpResponse> response) {
  if (site_.switches.strikes(Place::response_lost)) return;
  site_.after(hop_us, [this, connection, response = std::move(response)] {
    const auto open = connections_.find(connection);
    if (open == connections_.end()) return;  // a doubled request is answered once
    const Answered answered = std::move(open->second);
    connections_.erase(open);
    answered(response);
  });
}

// Most clients of a dead engine notice, some only by their patience.
void World::break_connections() {
  for (auto open = connections_.begin(); open != connections_.end();) {
    if (site_.random.chance(700)) site_.after(hop_us, [answered = std::move(open->second)] { answered(std::nullopt); });
    open = connections_.erase(open);
  }
}

}  // namespace turnstone::simulation
