// What the processes of one simulated run share: the time, the disk, the network, chance, and what was found wrong.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/bus/memory_bus.h"
#include "storage/ledger/sealing_codec.h"
#include "tests/simulation/model_disk.h"
#include "tests/simulation/model_keys.h"
#include "tests/simulation/switches.h"
#include "tests/simulation/trace.h"

namespace turnstone::simulation {

struct Site {
  Site(std::uint64_t seed, bool print)
      : random(seed), trace(print), switches(random.split()), network_chance(random.split()), disk(trace), keys(std::make_shared<ModelKeys>(seed, disk)),
        codec(make_sealing_codec(keys)), network(now_us) {}
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // --- time ---
  std::int64_t now_us = 1'000'000;
  std::int64_t wall_offset_us = 0;  // how far the wall clock is from where it should be
  void after(std::int64_t delay_us, std::function<void()> what) { timers.emplace(std::pair(now_us + delay_us, ++timers_set), std::move(what)); }
  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> timers;  // by time, then by number
  std::uint64_t timers_set = 0;

  // --- what was found wrong; the first finding counts ---
  void violated(std::string what) {
    if (!violation) violation = std::move(what);
  }
  std::optional<std::string> violation;

  template <class Describe>
  void note(const Describe& describe) {
    trace.note(now_us, describe);
  }

  bool power_fails = false;  // at the engine, as soon as this moment is over

  Random random;
  Trace trace;
  Switches switches;
  Random network_chance;
  ModelDisk disk;
  std::shared_ptr<ModelKeys> keys;            // they outlive every engine, as the disk does
  std::shared_ptr<const PayloadCodec> codec;  // under which every engine's ledger is sealed
  bus::MemoryNetwork network;
};

}  // namespace turnstone::simulation
