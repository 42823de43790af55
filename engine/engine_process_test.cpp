// The engine and its workers over real sockets: ipc in a directory of the test's own.
#include "engine/engine_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.hpp>

#include "engine/bus/codec.h"
#include "engine/engine_fixture.h"

namespace turnstone {
namespace {

using testing::eventually;

using testing::RunningWorker;
using testing::scripted;

class EngineTest : public testing::EngineFixture {
 protected:
  void SetUp() override { start(); }
  // A worker of its own process, whose turns take ten seconds. fork alone would share the engine's threads' locks, so
  // the program starts itself anew (see main).
  void create_worker_process(const std::string& name) {
    const std::string at = endpoint();
    child_ = ::fork();
    if (child_ == 0) {
      ::execl("/proc/self/exe", "engine_process_test", "--slow-worker", at.c_str(), name.c_str(), nullptr);
      ::_exit(127);
    }
  }
  void kill_worker_process() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  void TearDown() override {
    if (child_ > 0) kill_worker_process();
  }
  pid_t child_ = -1;
};

TEST_F(EngineTest, AnswersTurnsOfASessionInOrder) {
  RunningWorker worker(endpoint(), scripted());
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

TEST_F(EngineTest, AWorkerKilledInItsTurnLosesNothing) {
  create_worker_process("slow");  // dies by SIGKILL in the middle of its turn
  ASSERT_TRUE(eventually([&] { return engine_->readiness().ready; }));
  create("s1");
  auto reply = take("s1", "k1", "red");
  ASSERT_TRUE(eventually([&] { return engine_->counters().dispatched == 1; }));
  RunningWorker other(endpoint(), scripted());
  ASSERT_TRUE(eventually([&] { return engine_->counters().workers == 2; }));
  kill_worker_process();
  const auto killed = std::chrono::steady_clock::now();
  ASSERT_EQ(reply.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  const auto result = reply.get();
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_EQ(result->turn, TurnNumber{1});
  EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(5));  // 250 ms on a machine at rest; see sequencer_test
  EXPECT_EQ(engine_->counters().redispatched, 1U);
}

TEST_F(EngineTest, WorkersJoinAgainAfterTheEngineRestarts) {
  RunningWorker worker(endpoint(), scripted());
  create("s1");
  ASSERT_TRUE(take("s1", "k1", "red").get());
  engine_.reset();
  start();
  ASSERT_TRUE(eventually([&] { return engine_->readiness().ready; }));
  const auto repeated = take("s1", "k1", "red").get();
  ASSERT_TRUE(repeated);
  EXPECT_TRUE(repeated->repeated);
  const auto next = take("s1", "k2", "blue").get();
  ASSERT_TRUE(next) << next.error().detail;
  EXPECT_EQ(next->turn, TurnNumber{2});
}

TEST_F(EngineTest, TheSecondEngineIsToldWhoOwnsTheBus) {
  EngineOptions options;
  options.bus_endpoint = endpoint();
  const auto ledger = make_memory_ledger();
  const auto second = Engine::start(options, *ledger);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::locked);
  EXPECT_THAT(second.error().detail, ::testing::HasSubstr(std::to_string(::getpid())));
}

TEST_F(EngineTest, StopsInTimeWithAPeerThatReadsNothing) {
  zmq::context_t context;
  zmq::socket_t deaf(context, zmq::socket_type::dealer);
  deaf.set(zmq::sockopt::routing_id, "deaf");
  deaf.set(zmq::sockopt::rcvhwm, 1);
  deaf.set(zmq::sockopt::linger, 0);
  deaf.connect(endpoint());
  bus::Hello hello;
  hello.worker = WorkerId{"deaf"};
  hello.artefacts = {testing::fingerprint_of("artefact one")};
  hello.policies = {testing::fingerprint_of("policy one")};
  hello.decision_versions = {decision_version};
  hello.credit = 8;
  const auto frame = bus::encode(hello);
  for (int i = 0; i < 2'000; ++i) deaf.send(zmq::buffer(*frame), zmq::send_flags::none);
  ASSERT_TRUE(eventually([&] { return engine_->counters().traffic.received >= 1'000; }));
  const auto begin = std::chrono::steady_clock::now();
  engine_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST_F(EngineTest, DrainFinishesWhatIsInFlightAndRefusesTheRest) {
  std::promise<void> let_go;
  RunningWorker worker(endpoint(), scripted("one", [free = let_go.get_future().share()](const LoopInput&) { free.wait(); }));
  create("s1");
  auto held = take("s1", "k1", "red");
  ASSERT_TRUE(eventually([&] { return engine_->counters().dispatched == 1; }));
  auto drained = std::async(std::launch::async, [&] { return engine_->drain(); });
  ASSERT_TRUE(eventually([&] { return !engine_->readiness().ready; }));  // it drains: now the worker may go on
  let_go.set_value();
  EXPECT_TRUE(drained.get());
  ASSERT_EQ(held.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(held.get());
  EXPECT_EQ(take("s1", "k2", "red").get().error().code, ErrorCode::busy);
}

TEST_F(EngineTest, StoppingAnswersWhoeverWaits) {
  create("s1");  // no worker: the turn waits
  auto reply = take("s1", "k1", "red");
  engine_->stop();
  ASSERT_EQ(reply.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(reply.get().error().code, ErrorCode::busy);
}

TEST_F(EngineTest, TwoHundredTurnsAtOnceOverTwoWorkers) {
  RunningWorker first(endpoint(), scripted());
  RunningWorker second(endpoint(), scripted(), "v");
  for (int s = 0; s < 20; ++s) create("s" + std::to_string(s));
  std::vector<std::future<Result<TurnReply>>> replies;
  for (int t = 0; t < 10; ++t) {
    for (int s = 0; s < 20; ++s) replies.push_back(take("s" + std::to_string(s), "k" + std::to_string(t), "red"));
  }
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const auto reply = replies[i].get();
    ASSERT_TRUE(reply) << reply.error().detail;
    EXPECT_EQ(reply->turn.value, i / 20 + 1);  // order of acceptance within each session
  }
  EXPECT_EQ(engine_->counters().redispatched, 0U);
}

TEST(WorkerLoop, SaysWhatIsWrongWithItsEndpoint) {
  WorkerLoop loop({.endpoint = "tcp://10.1.2.3:5555", .name = "w", .served = scripted()});
  const Status status = loop.run(std::stop_token{});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::refused);
}

}  // namespace
}  // namespace turnstone

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--slow-worker") {
    turnstone::WorkerLoop loop({.endpoint = argv[2], .name = argv[3], .served = turnstone::testing::scripted("one", [](const turnstone::LoopInput&) {
                                                                        std::this_thread::sleep_for(std::chrono::seconds(10));
                                                                      })});
    return loop.run(std::stop_token{}) ? 0 : 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
