// For tests: an engine over real sockets in a directory of its own, and workers on threads.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "engine/engine_process.h"
#include "engine/scripted_turn.h"
#include "events/testing/eventually.h"
#include "workers/loop/worker_loop.h"

namespace turnstone::testing {

class RunningWorker {
 public:
  explicit RunningWorker(WorkerOptions options)
      : loop_(std::move(options)), thread_([this](const std::stop_token& stop) {
          status_ = loop_.run(stop);
          ended_ = true;
        }) {}
  RunningWorker(const std::string& endpoint, Served served, const std::string& name = "w")
      : RunningWorker(WorkerOptions{.endpoint = endpoint, .name = name, .served = std::move(served)}) {}
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  WorkerCounters counters() const { return loop_.counters(); }
  bool ended() const { return ended_; }  // by itself
  // Joins it: how it ended.
  const Status& status() {
    stop();
    return status_;
  }

 private:
  WorkerLoop loop_;
  Status status_;
  std::atomic<bool> ended_{false};
  std::jthread thread_;
};

class EngineFixture : public ::testing::Test {
 protected:
  EngineFixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    options_.bus_endpoint = endpoint();
  }
  ~EngineFixture() override {
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }
  std::string endpoint() const { return "ipc://" + directory_ + "/bus"; }
  void start() {
    auto engine = Engine::start(options_, *ledger_);
    ASSERT_TRUE(engine) << engine.error().detail;
    engine_ = std::move(*engine);
  }
  void create(const std::string& session) {
    std::promise<Result<ConversationService::SessionCreated>> created;
    NewSession wanted;
    wanted.session = SessionId{session};
    engine_->create_session(wanted, [&](auto result) { created.set_value(std::move(result)); });
    ASSERT_TRUE(created.get_future().get());
  }
  std::future<Result<TurnReply>> take(const std::string& session, const std::string& key, const std::string& text) {
    auto promise = std::make_shared<std::promise<Result<TurnReply>>>();
    TurnRequest request;
    request.session = SessionId{session};
    request.key = TurnKey{key};
    request.text = text;
    engine_->take_turn(request, [promise](Result<TurnReply> reply) { promise->set_value(std::move(reply)); });
    return promise->get_future();
  }

  std::string directory_;
  EngineOptions options_;
  std::unique_ptr<Ledger> ledger_ = make_memory_ledger();
  std::unique_ptr<Engine> engine_;
};

}  // namespace turnstone::testing
