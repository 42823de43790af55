// What strangers can do to the sockets of engine and worker: nothing but be dropped and counted, while memory stays flat.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <zmq.hpp>

#include "engine/bus/codec.h"
#include "engine/bus/zmq_bus.h"
#include "engine/engine_fixture.h"

namespace turnstone {
namespace {

using testing::eventually;

using testing::RunningWorker;
using testing::scripted;

constexpr unsigned seed = 20'264;
constexpr std::size_t mebibyte = 1 << 20;

std::size_t resident_bytes() {
  std::size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Sanitizers keep what is freed, and shadows of it: memory says nothing there.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool memory_tells = false;
#else
constexpr bool memory_tells = true;
#endif

class FlatMemory {
 public:
  explicit FlatMemory(std::size_t growth_max) : before_(resident_bytes()), growth_max_(growth_max) {}
  ~FlatMemory() {
    if (memory_tells) {
      EXPECT_LT(resident_bytes(), before_ + growth_max_);
    }
  }

 private:
  std::size_t before_, growth_max_;
};

// A stranger who speaks ZMTP 3.0 by hand.
class RawPeer {
 public:
  explicit RawPeer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  }
  ~RawPeer() { ::close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Greeting and READY of a socket of this type.
  void greet(const std::string& type) const {
    std::string greeting("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL", 16);
    greeting.resize(64, '\0');
    send(greeting);
    std::string ready("\x05READY\x0bSocket-Type\0\0\0", 21);
    ready += static_cast<char>(type.size());
    ready += type;
    send(std::string{'\x04', static_cast<char>(ready.size())} + ready);
  }
  // The head of a frame that claims this size.
  static std::string long_frame(std::uint64_t size) {
    std::string head = "\x02";
    for (int shift = 56; shift >= 0; shift -= 8) head += static_cast<char>(size >> static_cast<unsigned>(shift));
    return head;
  }

 private:
  int socket_;
};

class HostileSockets : public testing::EngineFixture {
 protected:
  void SetUp() override {
    start();
    worker_ = std::make_unique<RunningWorker>(endpoint(), scripted());
    create("s1");
    expect_served();
  }
  void TearDown() override {
    expect_served();
    EXPECT_EQ(engine_->counters().workers, 1U);
  }
  void expect_served() {
    const auto reply = take("s1", "k" + std::to_string(++turns_), "red").get();
    EXPECT_TRUE(reply);
  }
  std::uint64_t dropped() const { return engine_->counters().traffic.dropped_frames; }
  std::vector<std::string> sockets() const { return {directory_ + "/bus", directory_ + "/bus.events"}; }

  zmq::context_t context_;
  zmq::socket_t stranger() {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 1'000);
    socket.set(zmq::sockopt::sndhwm, 1'000);
    socket.connect(endpoint());
    return socket;
  }

 private:
  std::unique_ptr<RunningWorker> worker_;
  int turns_ = 0;
};

TEST_F(HostileSockets, AFrameOfAGibibyteIsCutOffAtItsHead) {
  const FlatMemory flat(48 * mebibyte);
  for (const std::string& path : sockets()) {
    const RawPeer peer(path);
    peer.greet(path.ends_with(".events") ? "SUB" : "DEALER");
    peer.send(RawPeer::long_frame(1ULL << 30U));
    const std::string piece(mebibyte, 'x');
    int sent = 0;
    while (sent < 1'024 && peer.send(piece)) ++sent;
    EXPECT_LT(sent, 64) << path << ": it went on reading";
  }
}

TEST_F(HostileSockets, SubscribingWithoutEndKeepsNobodyFromTurns) {
  const FlatMemory flat(48 * mebibyte);
  std::string topics;  // each subscribed and let go, so that no list of them grows
  for (int i = 0; i < 1'000; ++i) topics += std::string("\0\x03\x01s1\0\x03\0s1", 10);
  std::atomic<bool> over = false;
  std::vector<std::thread> peers;
  for (int i = 0; i < 3; ++i) {
    peers.emplace_back([&] {
      const RawPeer peer(directory_ + "/bus.events");
      peer.greet("SUB");
      while (!over && peer.send(topics)) continue;
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) expect_served();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  over = true;
  for (std::thread& peer : peers) peer.join();
}

TEST_F(HostileSockets, AFrameJustOverTheLimitIsCutOff) {
  auto peer = stranger();
  peer.send(zmq::buffer(std::string(bus::frame_bytes_max + 1, 'x')), zmq::send_flags::none);
  expect_served();
}

TEST_F(HostileSockets, AHundredThousandTinyFramesAreCountedAndGone) {
  const FlatMemory flat(48 * mebibyte);
  const std::uint64_t before = dropped();
  auto peer = stranger();
  for (int i = 0; i < 100'000; ++i) peer.send(zmq::str_buffer("x"), zmq::send_flags::none);
  EXPECT_TRUE(eventually([&] { return dropped() >= before + 100'000; }));
}

TEST_F(HostileSockets, WrongFrameCountsAreOneDroppedMessageEach) {
  const FlatMemory flat(48 * mebibyte);
  const std::uint64_t before = dropped();
  auto peer = stranger();
  for (const int parts : {2, 3, 1'000, 100'000}) {
    for (int part = 1; part <= parts; ++part) peer.send(zmq::str_buffer("x"), part < parts ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  peer.send(zmq::str_buffer(""), zmq::send_flags::none);
  EXPECT_TRUE(eventually([&] { return dropped() == before + 5; })) << dropped() - before;
}

TEST_F(HostileSockets, RandomBytesBeforeAndAfterTheGreeting) {
  SCOPED_TRACE(seed);
  const FlatMemory flat(48 * mebibyte);
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    const std::string path = sockets()[random() % 2];
    const RawPeer peer(path);
    if (random() % 2 == 0) peer.greet(path.ends_with(".events") ? "SUB" : "DEALER");
    std::string bytes(1 + random() % 4'096, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    peer.send(bytes);
  }
}

// A subscription is a topic's name; the publisher keeps it in a tree of a node a byte.
TEST_F(HostileSockets, AHugeSubscriptionIsCutOff) {
  const FlatMemory flat(48 * mebibyte);
  const RawPeer peer(sockets()[1]);
  peer.greet("SUB");
  peer.send(RawPeer::long_frame(4 * mebibyte - 1) + "\x01" + std::string(4 * mebibyte - 2, 's'));
}

// The other side: an engine that is none. Both sockets of the worker get what no engine sends.
TEST(HostileEngine, WorkersDropAndCountWhatIsNoMessage) {
  const FlatMemory flat(48 * mebibyte);
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router), publisher(context, zmq::socket_type::xpub);
  for (zmq::socket_t* socket : {&router, &publisher}) {
    socket->set(zmq::sockopt::linger, 0);
    socket->set(zmq::sockopt::rcvtimeo, 5'000);
    socket->bind("tcp://127.0.0.1:*");
  }
  const WorkerId id = bus::fresh_worker_id("w");
  auto worker = bus::ZmqWorkerBus::connect(*bus::parse_endpoint(router.get(zmq::sockopt::last_endpoint)), id);
  ASSERT_TRUE(worker);
  (*worker)->follow(publisher.get(zmq::sockopt::last_endpoint));
  (*worker)->subscribe("");
  zmq::message_t message;
  ASSERT_TRUE(publisher.recv(message));  // the subscription has arrived
  bus::Hello hello;
  hello.worker = id;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while ((*worker)->send(hello) != bus::Sent::yes && std::chrono::steady_clock::now() < end) (*worker)->wait(-1, 5);
  ASSERT_TRUE(router.recv(message));

  const auto say = [](zmq::socket_t& socket, std::string_view head, int parts, std::string_view bytes) {
    socket.send(zmq::buffer(head), parts > 0 ? zmq::send_flags::sndmore : zmq::send_flags::none);
    for (int part = 1; part <= parts; ++part) socket.send(zmq::buffer(bytes), part < parts ? zmq::send_flags::sndmore : zmq::send_flags::none);
  };
  std::uint64_t sent = 0;
  for (zmq::socket_t* socket : {&router, &publisher}) {
    const std::string head = socket == &router ? id.value : std::string("s\0", 2);
    for (const int parts : {1, 2, 1'000}) {
      for (const std::string& bytes :
           {std::string(), std::string("TS"), std::string(10'000, '\xdd'), std::string("TS\x01\x0a\xdd\xff\xff\xff\xff", 9)}) {
        say(*socket, head, parts, bytes);
        ++sent;
      }
    }
  }
  say(publisher, "topic alone", 0, {});
  ++sent;
  say(router, id.value, 1, *bus::encode(bus::Ping{bus::RunId{7}, 3}));  // and after all that, a message
  std::optional<bus::Message> ping;
  while ((!ping || (*worker)->traffic().dropped_frames < sent) && std::chrono::steady_clock::now() < end) {
    (*worker)->wait(-1, 5);
    EXPECT_FALSE((*worker)->receive_published());
    if (auto received = (*worker)->receive()) ping = std::move(received);
  }
  EXPECT_TRUE(ping && std::holds_alternative<bus::Ping>(*ping));
  EXPECT_EQ((*worker)->traffic().dropped_frames, sent);
}

}  // namespace
}  // namespace turnstone
