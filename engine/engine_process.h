// The engine as a running thing: one thread owns the sockets and the sequencer, one syncs the ledger.
//
//     auto engine = Engine::start({.bus_endpoint = "ipc:///run/turnstone/bus"}, *ledger);
//     (*engine)->take_turn(…);      // from any thread; the callback runs on the engine's thread
//     (*engine)->drain();           // on SIGTERM
//
// Thread safety: every public function may be called from any thread; drain and stop once each, or again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bus/keys.h"
#include "engine/counters.h"
#include "engine/dispatch.h"
#include "engine/service.h"
#include "storage/ledger/ledger.h"

namespace turnstone {

struct EngineOptions {
  std::string bus_endpoint;                                // ipc:///DIRECTORY/NAME (the directory is made private, 0700) or tcp://HOST:PORT
  std::optional<bus::EngineKeys> bus_keys = std::nullopt;  // a must where other hosts reach the bus
  DispatchOptions dispatch = {};
  std::int64_t drain_ms_max = 4'000;
};

class Engine final : public ConversationService {
 public:
  // Binds the bus, dispatches what the ledger holds pending and returns. `ledger` and `clock` outlive the engine.
  // Errors: invalid_argument (endpoint), refused (an endpoint open to other hosts without keys), locked (another engine owns it), io.
  static Result<std::unique_ptr<Engine>> start(const EngineOptions& options, Ledger& ledger, const Clock& clock = system_clock());
  ~Engine() override;  // stops

  // Refuses new turns with `busy`, waits for those in flight (at most drain_ms_max), says goodbye to the workers
  // and stops. Turns that were not finished stay pending in the ledger. Error: busy (names how many were left).
  Status drain();
  // Stops at once: callbacks still open get ErrorCode::busy.
  void stop();

  const std::string& bus_endpoint() const;  // as bound: a wildcard port is resolved
  EngineCounters counters() const;
  std::vector<WorkerStatus> workers() const;
  std::uint64_t turned_away() const;  // connections to the bus that were not let in: a wrong key or none, another protocol or version

  void create_session(NewSession session, Callback<SessionCreated> done) override;
  void take_turn(TurnRequest request, Callback<TurnReply> done) override;
  void erase(ErasureWanted wanted, Callback<ErasureDone> done) override;
  Result<std::string> state_document(const SessionId& session, std::optional<TurnNumber> at) const override;
  Result<std::vector<Event>> events(const SessionId& session, Sequence from, std::size_t limit) const override;
  Readiness readiness() const override;

 private:
  class Shell;
  explicit Engine(std::unique_ptr<Shell> shell);
  std::unique_ptr<Shell> shell_;
};

}  // namespace turnstone
