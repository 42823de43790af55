// The engine as a process of a simulated run: the real sequencer over the real ledger rules, on the model disk.
//
// It does what the engine's shell does (engine/engine_process.cpp) without its threads: reads messages, syncs, carries
// actions out. Where a switch strikes it dies at that very place. Watches while it runs: publications leave in order
// and only when durable, a raised attempt is durable before its task leaves and goes to one worker, queues are bounded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "engine/gateway/api.h"
#include "engine/sequencer.h"
#include "storage/ledger/ledger.h"
#include "tests/simulation/site.h"

namespace turnstone::simulation {

class EngineProcess final : public ConversationService {
 public:
  EngineProcess(Site& site, SequencerOptions options);
  ~EngineProcess() override;

  Status start();  // opens the ledger and takes up what is pending; refused while the disk does not work
  void request(const HttpRequest& request, HttpRespond respond);
  void step();
  void pause_for(std::int64_t us) { paused_until_us_ = site_.now_us + us; }
  void go_on() { paused_until_us_ = 0; }
  std::int64_t paused_until_us() const { return paused_until_us_; }
  void drain();  // as on SIGTERM
  std::optional<std::int64_t> next_us() const;

  bool dead() const { return dead_; }          // killed by a switch
  bool finished() const { return finished_; }  // drained
  Sequencer& sequencer() { return *sequencer_; }
  Ledger& ledger() { return *ledger_; }

  void create_session(NewSession session, Callback<SessionCreated> done) override;
  void take_turn(TurnRequest request, Callback<TurnReply> done) override;
  void erase(ErasureWanted wanted, Callback<ErasureDone> done) override;
  Result<std::string> state_document(const SessionId& session, std::optional<TurnNumber> at) const override;
  Result<std::vector<Event>> events(const SessionId& session, Sequence from, std::size_t limit) const override;
  Readiness readiness() const override;

 private:
  struct SyncUnderWay {
    std::uint64_t ticket;
    std::int64_t due_us;
    Status status;
  };

  Moment now() const;
  bool dies_at(Place place);
  void settle();
  void end_sync();
  void carry_out(Sequencer::Send& send);
  void carry_out(Sequencer::Publish& publish);
  void carry_out(Sequencer::Sync& sync);
  void carry_out(Sequencer::Answer& answer) { answer.run(); }
  void carry_out(Sequencer::Note& note);
  void watch_task(const WorkerId& worker, const bus::Task& task);
  void watch_bounds();

  Site& site_;
  SequencerOptions options_;
  std::shared_ptr<OpenDisk> files_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<bus::EngineBus> bus_;
  std::optional<Sequencer> sequencer_;
  std::optional<Api> api_;
  std::optional<SyncUnderWay> sync_;
  std::int64_t paused_until_us_ = 0;
  std::int64_t drain_until_us_ = 0;  // 0 = it does not drain
  bool touched_ = true;              // something happened since the last step
  bool dead_ = false;
  bool finished_ = false;
  std::uint64_t raised_ = 0;  // attempts, as counted when last looked at
  std::uint64_t steps_ = 0;
  GlobalPosition published_;
  std::map<std::tuple<SessionId, TurnNumber, Attempt>, WorkerId> tasks_;  // sent in this run
};

}  // namespace turnstone::simulation
