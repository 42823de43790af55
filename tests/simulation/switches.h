// Rare paths made likely: a named place each where a fault can strike.
//
// A seed turns some places on and leaves the others quiet (swarm testing: a run in which everything happens hides what
// only a few faults together bring about). A place that is on strikes with its own chance, a few times at most.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "events/testing/random.h"

namespace turnstone::simulation {

using testing::Random;

enum class Place : std::uint8_t {
  engine_dies_after_accept,
  engine_dies_after_commit,
  engine_dies_after_raise,
  engine_dies_after_sync,
  engine_dies_at_start,
  engine_dies_at_leisure,
  power_fails_with_the_engine,
  power_fails_during_a_turn,
  engine_pauses,
  engine_drains,
  worker_dies_with_a_task,
  worker_dies_in_its_turn,
  worker_dies_after_proposing,
  worker_dies_at_leisure,
  worker_hangs_in_its_turn,
  worker_pauses,
  worker_drains,
  worker_of_another_version_joins,
  turn_is_given_back,
  turn_kills_its_workers,
  frame_lost,
  frame_doubled,
  frame_late,
  publication_lost,
  link_cut,
  request_lost,
  request_doubled,
  response_lost,
  front_end_repeats_itself,
  front_end_hurries,
  session_is_popular,
  session_is_erased,
  profile_is_erased,
  disk_fills_up,
  sync_fails,
  sync_is_slow,
  wall_clock_jumps,
  subscriber_dies,
  subscriber_sleeps,
  count,
};
inline constexpr std::size_t places = static_cast<std::size_t>(Place::count);
std::string_view name_of(Place place);

class Switches {
 public:
  explicit Switches(Random random);
  bool strikes(Place place);
  bool on(Place place) const { return !quiet_ && settings_[static_cast<std::size_t>(place)].permille > 0; }
  void all_off() { quiet_ = true; }
  std::string names() const;  // of the places that are on
  const std::array<std::uint64_t, places>& strikes_so_far() const { return strikes_; }

 private:
  struct Setting {
    std::uint64_t permille = 0;
    std::uint64_t left = 0;
  };
  Random random_;
  bool quiet_ = false;
  std::array<Setting, places> settings_;
  std::array<std::uint64_t, places> strikes_{};
};

}  // namespace turnstone::simulation
