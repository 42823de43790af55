// Who gets onto the bus: keys, other hosts, other protocol versions. Each refusal is an error on both sides within two seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <zmq.hpp>

#include "engine/bus/codec.h"
#include "engine/engine_fixture.h"

namespace turnstone {
namespace {

using testing::eventually;

using ::testing::HasSubstr;
using testing::RunningWorker;
using testing::scripted;

constexpr std::chrono::seconds told_within{2};

struct Pair {
  bus::CurveSecret secret;
  bus::CurvePublic open;
};

Pair make_pair() {
  Pair pair;
  char open[41], secret[41];
  EXPECT_EQ(zmq_curve_keypair(open, secret), 0);
  zmq_z85_decode(pair.secret.value.data(), secret);
  zmq_z85_decode(pair.open.value.data(), open);
  return pair;
}

// Takes connections and hangs up at once, as a forwarder does while there is no engine behind it.
class EmptyForwarder {
 public:
  EmptyForwarder() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int reuse = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        pollfd ready{listener_, POLLIN, 0};
        if (::poll(&ready, 1, 10) <= 0) continue;
        ::close(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
        ++hung_up_;
      }
    });
  }
  ~EmptyForwarder() {
    thread_ = {};
    ::close(listener_);
  }
  const std::string& endpoint() const { return endpoint_; }
  int hung_up() const { return hung_up_; }

 private:
  int listener_;
  std::string endpoint_;
  std::atomic<int> hung_up_{0};
  std::jthread thread_;
};

class SecureBus : public testing::EngineFixture {
 protected:
  SecureBus() {
    admitted_.insert(worker_.open);
    options_.bus_endpoint = "tcp://127.0.0.1:*";
  }
  void start_with_keys() {
    options_.bus_keys = bus::EngineKeys{mine_.secret, [this](const bus::CurvePublic& key) {
                                          const std::lock_guard lock(mutex_);
                                          return admitted_.contains(key);
                                        }};
    start();
  }
  WorkerOptions options_with(std::optional<bus::WorkerKeys> keys) const {
    return {.endpoint = engine_->bus_endpoint(), .name = "w", .served = scripted(), .keys = keys};
  }
  bus::WorkerKeys keys_of(const Pair& pair) const { return {pair.secret, pair.open, mine_.open}; }

  // The worker ends with an error that says so, and the engine counts it.
  void expect_turned_away(std::optional<bus::WorkerKeys> keys, const std::string& words) {
    const std::uint64_t before = engine_->turned_away();
    const auto begin = std::chrono::steady_clock::now();
    RunningWorker worker(options_with(keys));
    EXPECT_TRUE(eventually([&] { return worker.ended(); }));
    EXPECT_TRUE(eventually([&] { return engine_->turned_away() > before; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, told_within);
    ASSERT_FALSE(worker.status());
    EXPECT_EQ(worker.status().error().code, ErrorCode::refused);
    EXPECT_THAT(worker.status().error().detail, HasSubstr(words));
    EXPECT_EQ(engine_->counters().workers, 0U);
  }

  const Pair mine_ = make_pair(), worker_ = make_pair();
  std::mutex mutex_;
  std::set<bus::CurvePublic> admitted_;
};

TEST_F(SecureBus, AWorkerWithItsKeyTakesTurnsAndHearsOfThem) {
  start_with_keys();
  RunningWorker worker(options_with(keys_of(worker_)));
  create("s1");
  for (int turn = 1; turn <= 20; ++turn) {
    const auto reply = take("s1", "k" + std::to_string(turn), "red").get();
    ASSERT_TRUE(reply) << reply.error().detail;
  }
  EXPECT_LE(worker.counters().cold, 2U);  // publications come over the second socket, encrypted like the first
  EXPECT_EQ(engine_->turned_away(), 0U);
}

TEST_F(SecureBus, AKeyThatIsNotOnTheListIsRefused) {
  start_with_keys();
  expect_turned_away(keys_of(make_pair()), "--worker-keys");
}

TEST_F(SecureBus, TheKeyOfAnotherEngineIsRefused) {
  start_with_keys();
  expect_turned_away(bus::WorkerKeys{worker_.secret, worker_.open, make_pair().open}, "--engine-key is not its public key");
}

TEST_F(SecureBus, AWorkerWithoutKeysIsRefusedByAnEngineWithThem) {
  start_with_keys();
  expect_turned_away(std::nullopt, "it wants keys");
}

TEST_F(SecureBus, AWorkerWithKeysIsRefusedByAnEngineWithoutThem) {
  start();
  expect_turned_away(keys_of(worker_), "started without --bus-key");
}

TEST_F(SecureBus, AKeyThatIsTakenOffTheListLetsNobodyInAgain) {
  start_with_keys();
  {
    RunningWorker worker(options_with(keys_of(worker_)));
    ASSERT_TRUE(eventually([&] { return engine_->counters().workers == 1; }));
  }
  ASSERT_TRUE(eventually([&] { return engine_->counters().workers == 0; }));
  {
    const std::lock_guard lock(mutex_);
    admitted_.clear();
  }
  expect_turned_away(keys_of(worker_), "--worker-keys");
}

TEST_F(SecureBus, AForwarderWhoseEngineIsNotThereYetIsWaitedFor) {
  auto forwarder = std::make_unique<EmptyForwarder>();
  options_.bus_endpoint = forwarder->endpoint();
  RunningWorker worker({.endpoint = forwarder->endpoint(), .name = "w", .served = scripted(), .keys = keys_of(worker_)});
  EXPECT_TRUE(eventually([&] { return forwarder->hung_up() >= 8; }));
  EXPECT_FALSE(worker.ended());
  forwarder.reset();
  start_with_keys();
  create("s1");
  auto reply = take("s1", "k1", "red");
  ASSERT_EQ(reply.wait_for(std::chrono::seconds(20)), std::future_status::ready) << "the worker gave up";
  EXPECT_TRUE(reply.get());
  EXPECT_FALSE(worker.ended());
}

TEST_F(SecureBus, ManyStrangersKeepNobodyOut) {
  start_with_keys();
  std::vector<std::unique_ptr<RunningWorker>> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(std::make_unique<RunningWorker>(options_with(keys_of(make_pair()))));
  RunningWorker worker(options_with(keys_of(worker_)));
  create("s1");
  EXPECT_TRUE(take("s1", "k1", "red").get());
  EXPECT_TRUE(eventually([&] { return engine_->turned_away() >= 20; }));
}

TEST_F(SecureBus, OtherHostsNeedKeys) {
  options_.bus_endpoint = "tcp://0.0.0.0:1";
  const auto refused = Engine::start(options_, *ledger_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("turnstone keys"));
  WorkerLoop loop({.endpoint = "tcp://10.1.2.3:5555", .name = "w", .served = scripted()});
  const Status status = loop.run(std::stop_token{});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::refused);
}

std::string of_another_version(std::string frame) {
  frame[2] = static_cast<char>(frame[2] + 1);
  return frame;
}

TEST_F(SecureBus, AWorkerOfAnotherProtocolVersionIsToldAndCounted) {
  start();
  zmq::context_t context;
  zmq::socket_t worker(context, zmq::socket_type::dealer);
  worker.set(zmq::sockopt::linger, 0);
  worker.set(zmq::sockopt::rcvtimeo, 2'000);
  worker.connect(engine_->bus_endpoint());
  bus::Hello hello;
  hello.worker = WorkerId{"w"};
  worker.send(zmq::buffer(of_another_version(*bus::encode(hello))), zmq::send_flags::none);
  zmq::message_t answer;
  ASSERT_TRUE(worker.recv(answer));
  const auto message = bus::decode(answer.to_string_view());
  ASSERT_TRUE(message && std::holds_alternative<bus::Refusal>(*message));
  EXPECT_EQ(std::get<bus::Refusal>(*message).fault, bus::Fault::unsupported_protocol);
  EXPECT_TRUE(eventually([&] { return engine_->turned_away() == 1; }));
}

// The answer of an engine of another version bears that version: the worker need not be able to read more of it.
TEST_F(SecureBus, AnEngineOfAnotherProtocolVersionEndsTheWorker) {
  zmq::context_t context;
  zmq::socket_t engine(context, zmq::socket_type::router);
  engine.set(zmq::sockopt::linger, 0);
  engine.set(zmq::sockopt::rcvtimeo, 2'000);
  engine.bind("tcp://127.0.0.1:*");
  const auto begin = std::chrono::steady_clock::now();
  RunningWorker worker(engine.get(zmq::sockopt::last_endpoint), scripted());
  zmq::message_t peer, hello;
  ASSERT_TRUE(engine.recv(peer));
  ASSERT_TRUE(engine.recv(hello));
  engine.send(peer, zmq::send_flags::sndmore);
  engine.send(zmq::buffer(of_another_version(*bus::encode(bus::Refusal{bus::Fault::unsupported_protocol, "?"}))), zmq::send_flags::none);
  EXPECT_TRUE(eventually([&] { return worker.ended(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, told_within);
  ASSERT_FALSE(worker.status());
  EXPECT_EQ(worker.status().error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace turnstone
