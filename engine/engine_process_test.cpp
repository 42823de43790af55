// The engine and its workers over real sockets: ipc in a directory of the test's own.
#include "engine/engine_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <future>
#include <thread>

#include "engine/scripted_turn.h"
#include "workers/loop/worker_loop.h"

namespace turnstone {
namespace {

using testing::scripted;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string endpoint() const { return "ipc://" + path_ + "/bus"; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class RunningWorker {
 public:
  RunningWorker(const std::string& endpoint, Served served, const std::string& name = "w")
      : loop_({.endpoint = endpoint, .name = name, .served = std::move(served)}),
        thread_([this](const std::stop_token& stop) { status_ = loop_.run(stop); }) {}
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  WorkerCounters counters() const { return loop_.counters(); }
  const Status& status() const { return status_; }

 private:
  WorkerLoop loop_;
  Status status_;
  std::jthread thread_;
};

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ledger_ = make_memory_ledger();
    start();
  }
  void start() {
    EngineOptions options;
    options.bus_endpoint = directory_.endpoint();
    auto engine = Engine::start(options, *ledger_);
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
  // Waits for a condition that another thread brings about.
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 2'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return condition();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, AnswersTurnsOfASessionInOrder) {
  RunningWorker worker(directory_.endpoint(), scripted());
  create("s1");
  for (int turn = 1; turn <= 20; ++turn) {
    auto reply = take("s1", "k" + std::to_string(turn), "red").get();
    ASSERT_TRUE(reply) << reply.error().detail;
    EXPECT_EQ(reply->turn, TurnNumber{static_cast<std::uint32_t>(turn)});
    EXPECT_THAT(reply->document, ::testing::HasSubstr("with " + std::to_string(turn - 1) + " before"));
  }
  EXPECT_TRUE(eventually([&] { return engine_->counters().turns_committed == 20; }));
  EXPECT_LE(worker.counters().cold, 1U);  // the state is kept, not read again each turn
}

}  // namespace
}  // namespace turnstone
