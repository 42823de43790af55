// Keys of a bus that other hosts may reach: CURVE (X25519), a pair for the engine and one for each worker.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "events/named_type.h"

namespace turnstone::bus {

using CurvePublic = Named<struct CurvePublicTag, std::array<std::uint8_t, 32>>;
using CurveSecret = Named<struct CurveSecretTag, std::array<std::uint8_t, 32>>;

struct EngineKeys {
  CurveSecret secret;
  // Whether the worker with this key may join; asked at each connection, on the thread that owns the bus.
  std::function<bool(const CurvePublic& worker)> admits;
};

struct WorkerKeys {
  CurveSecret secret;
  CurvePublic open;    // its public half
  CurvePublic engine;  // of the engine it means to join: another one gets nothing of it
};

}  // namespace turnstone::bus
