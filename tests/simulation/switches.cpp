#include "tests/simulation/switches.h"

namespace turnstone::simulation {
namespace {

// How often a place that is on strikes, of a thousand times it is passed; and how many times at most.
struct Rate {
  Place place;
  std::string_view name;
  std::uint64_t permille;
  std::uint64_t times;
};

constexpr std::array<Rate, places> rates{{
    {Place::engine_dies_after_accept, "engine_dies_after_accept", 60, 3},
    {Place::engine_dies_after_commit, "engine_dies_after_commit", 60, 3},
    {Place::engine_dies_after_raise, "engine_dies_after_raise", 300, 3},
    {Place::engine_dies_after_sync, "engine_dies_after_sync", 30, 3},
    {Place::engine_dies_at_start, "engine_dies_at_start", 500, 2},
    {Place::engine_dies_at_leisure, "engine_dies_at_leisure", 60, 3},
    {Place::power_fails_with_the_engine, "power_fails_with_the_engine", 600, 100},
    {Place::power_fails_during_a_turn, "power_fails_during_a_turn", 60, 3},
    {Place::engine_pauses, "engine_pauses", 80, 3},
    {Place::engine_drains, "engine_drains", 60, 2},
    {Place::worker_dies_with_a_task, "worker_dies_with_a_task", 80, 5},
    {Place::worker_dies_in_its_turn, "worker_dies_in_its_turn", 80, 5},
    {Place::worker_dies_after_proposing, "worker_dies_after_proposing", 80, 5},
    {Place::worker_dies_at_leisure, "worker_dies_at_leisure", 100, 5},
    {Place::worker_hangs_in_its_turn, "worker_hangs_in_its_turn", 80, 5},
    {Place::worker_pauses, "worker_pauses", 100, 5},
    {Place::worker_drains, "worker_drains", 80, 3},
    {Place::worker_of_another_version_joins, "worker_of_another_version_joins", 100, 3},
    {Place::turn_is_given_back, "turn_is_given_back", 100, 10},
    {Place::turn_kills_its_workers, "turn_kills_its_workers", 30, 2},
    {Place::frame_lost, "frame_lost", 60, 60},
    {Place::frame_doubled, "frame_doubled", 120, 100},
    {Place::frame_late, "frame_late", 200, 200},
    {Place::publication_lost, "publication_lost", 300, 200},
    {Place::link_cut, "link_cut", 100, 4},
    {Place::request_lost, "request_lost", 100, 10},
    {Place::request_doubled, "request_doubled", 150, 20},
    {Place::response_lost, "response_lost", 150, 10},
    {Place::front_end_repeats_itself, "front_end_repeats_itself", 200, 20},
    {Place::front_end_hurries, "front_end_hurries", 600, 60},
    {Place::session_is_popular, "session_is_popular", 100, 3},
    {Place::session_is_erased, "session_is_erased", 20, 2},
    {Place::profile_is_erased, "profile_is_erased", 40, 1},
    {Place::disk_fills_up, "disk_fills_up", 80, 3},
    {Place::sync_fails, "sync_fails", 80, 5},
    {Place::sync_is_slow, "sync_is_slow", 200, 20},
    {Place::wall_clock_jumps, "wall_clock_jumps", 150, 5},
    {Place::subscriber_dies, "subscriber_dies", 40, 5},
    {Place::subscriber_sleeps, "subscriber_sleeps", 20, 5},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < places; ++i) {
    if (static_cast<std::size_t>(rates[i].place) != i) return false;
  }
  return true;
}
static_assert(in_order());

constexpr std::uint64_t on_permille = 350;  // of the places in one seed

}  // namespace

std::string_view name_of(Place place) { return rates[static_cast<std::size_t>(place)].name; }

Switches::Switches(Random random) : random_(random) {
  for (std::size_t i = 0; i < places; ++i) {
    if (random_.chance(on_permille)) settings_[i] = {rates[i].permille, rates[i].times};
  }
}

bool Switches::strikes(Place place) {
  Setting& setting = settings_[static_cast<std::size_t>(place)];
  if (quiet_ || setting.left == 0 || !random_.chance(setting.permille)) return false;
  --setting.left;
  ++strikes_[static_cast<std::size_t>(place)];
  return true;
}

std::string Switches::names() const {
  std::string all;
  for (std::size_t i = 0; i < places; ++i) {
    if (settings_[i].permille > 0) all += (all.empty() ? "" : " ") + std::string(rates[i].name);
  }
  return all;
}

}  // namespace turnstone::simulation
