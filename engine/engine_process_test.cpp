// The engine and its workers over real sockets: ipc in a directory of the test's own.
#include "engine/engine_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>
#include <zmq.hpp>

#include "engine/bus/codec.h"
#include "engine/bus/commit_follower.h"
#include "engine/bus/zmq_bus.h"
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
  // A worker of its own process, whose turns take ten seconds. fork alone would share the engine's threads' locks, so
  // the program starts itself anew (see main).
  void create_worker_process(const std::string& name) {
    const std::string endpoint = directory_.endpoint();
    child_ = ::fork();
    if (child_ == 0) {
      ::execl("/proc/self/exe", "engine_process_test", "--slow-worker", endpoint.c_str(), name.c_str(), nullptr);
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
  static int raw_connection(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
    return fd;
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
  pid_t child_ = -1;
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

TEST_F(EngineTest, AWorkerKilledInItsTurnLosesNothing) {
  create_worker_process("slow");  // dies by SIGKILL in the middle of its turn
  ASSERT_TRUE(eventually([&] { return engine_->readiness().ready; }));
  create("s1");
  auto reply = take("s1", "k1", "red");
  ASSERT_TRUE(eventually([&] { return engine_->counters().dispatched == 1; }));
  RunningWorker other(directory_.endpoint(), scripted());
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
  RunningWorker worker(directory_.endpoint(), scripted());
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
  options.bus_endpoint = directory_.endpoint();
  const auto ledger = make_memory_ledger();
  const auto second = Engine::start(options, *ledger);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::locked);
  EXPECT_THAT(second.error().detail, ::testing::HasSubstr(std::to_string(::getpid())));
}

TEST_F(EngineTest, GarbageOnTheSocketsIsDroppedAndCounted) {
  RunningWorker worker(directory_.endpoint(), scripted());
  create("s1");
  zmq::context_t context;
  zmq::socket_t stranger(context, zmq::socket_type::dealer);
  stranger.set(zmq::sockopt::linger, 1'000);
  stranger.connect(directory_.endpoint());
  stranger.send(zmq::str_buffer(""), zmq::send_flags::none);
  stranger.send(zmq::str_buffer("no frame of ours"), zmq::send_flags::none);
  for (int part = 0; part < 1'000; ++part) stranger.send(zmq::str_buffer("x"), part < 999 ? zmq::send_flags::sndmore : zmq::send_flags::none);
  const std::string random_bytes(100'000, '\xdd');
  stranger.send(zmq::buffer(random_bytes), zmq::send_flags::none);
  EXPECT_TRUE(eventually([&] { return engine_->counters().traffic.dropped_frames >= 4; }));
  const std::string huge(bus::frame_bytes_max + 1, 'x');  // libzmq cuts the connection
  stranger.send(zmq::buffer(huge), zmq::send_flags::none);
  for (const char* socket : {"/bus", "/bus.events"}) {
    const int raw = raw_connection(directory_.path() + socket);
    const std::string bytes(4'096, '\xff');
    EXPECT_GT(::send(raw, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
    ::close(raw);
  }
  const auto reply = take("s1", "k1", "red").get();
  EXPECT_TRUE(reply);
  EXPECT_EQ(engine_->counters().workers, 1U);
}

TEST_F(EngineTest, ASleepingSubscriberEndsWithEveryCommit) {
  RunningWorker worker(directory_.endpoint(), scripted());
  ASSERT_TRUE(eventually([&] { return engine_->readiness().ready; }));
  const WorkerId id = bus::fresh_worker_id("viewer");
  auto viewer = bus::ZmqWorkerBus::connect(*bus::parse_endpoint(directory_.endpoint()), id);
  ASSERT_TRUE(viewer);
  bus::Hello hello;
  hello.worker = id;
  std::optional<bus::Message> welcome;
  ASSERT_TRUE(eventually([&] {
    (*viewer)->send(hello);
    for (auto message = (*viewer)->receive(); message; message = (*viewer)->receive()) {
      if (std::holds_alternative<bus::Welcome>(*message)) welcome = message;
    }
    return welcome.has_value();
  }));
  (*viewer)->subscribe("");
  (*viewer)->follow(std::get<bus::Welcome>(*welcome).publisher);
  create("s1");
  for (int i = 1; i <= 60; ++i) ASSERT_TRUE(take("s1", "k" + std::to_string(i), "red").get());
  bus::CommitFollower follower(GlobalPosition{0});
  std::uint64_t seen = 0;
  std::uint64_t flights = 0;
  int published = 0;
  const auto look = [&] {
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
    while (auto publication = (*viewer)->receive_published()) {
      if (++published % 3 != 0) follower.on_published(std::move(*publication));  // the others were lost on the way
    }
    while (auto message = (*viewer)->receive()) {
      if (const auto* ping = std::get_if<bus::Ping>(&*message)) (*viewer)->send(bus::Pong{ping->run, ping->number, 0});
      if (const auto* commits = std::get_if<bus::Commits>(&*message)) follower.on_commits(*commits);
    }
    if (const auto read = follower.wanted(now)) (*viewer)->send(*read);
    for (const auto& publication : follower.take()) {
      EXPECT_EQ(publication.position.value, ++seen);
      flights += publication.flight_record.empty() ? 0 : 1;
    }
    return seen >= ledger_->position().value;
  };
  ASSERT_TRUE(eventually(look));
  EXPECT_EQ(flights, 60U);
}

TEST_F(EngineTest, StopsInTimeWithAPeerThatReadsNothing) {
  zmq::context_t context;
  zmq::socket_t deaf(context, zmq::socket_type::dealer);
  deaf.set(zmq::sockopt::routing_id, "deaf");
  deaf.set(zmq::sockopt::rcvhwm, 1);
  deaf.set(zmq::sockopt::linger, 0);
  deaf.connect(directory_.endpoint());
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
  RunningWorker worker(directory_.endpoint(), scripted("one", [](const LoopInput&) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }));
  create("s1");
  auto held = take("s1", "k1", "red");
  ASSERT_TRUE(eventually([&] { return engine_->counters().dispatched == 1; }));
  EXPECT_TRUE(engine_->drain());
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
  RunningWorker first(directory_.endpoint(), scripted());
  RunningWorker second(directory_.endpoint(), scripted(), "v");
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
