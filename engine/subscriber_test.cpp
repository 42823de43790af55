// Subscribers over real sockets: one that lags, loses and sleeps ends with every commit, in order, each once.
#include <gtest/gtest.h>

#include "engine/bus/commit_follower.h"
#include "engine/bus/zmq_bus.h"
#include "engine/engine_fixture.h"

namespace turnstone {
namespace {

using testing::eventually;

using testing::RunningWorker;
using testing::scripted;

// A reader of the whole ledger that counts what it is given.
class Viewer {
 public:
  explicit Viewer(const std::string& endpoint)
      : id_(bus::fresh_worker_id("viewer")), bus_(*bus::ZmqWorkerBus::connect(*bus::parse_endpoint(endpoint), id_)) {
    bus_->subscribe("");
  }
  // Every third publication, of those that come, arrives: the others are lost on the way.
  int kept_of_published = 1;

  // One round: takes what has come, and asks for what is missing.
  void look() {
    if (!welcomed_) greet();
    while (auto publication = bus_->receive_published()) {
      if (++published_ % kept_of_published == 0) follower_.on_published(std::move(*publication));
    }
    while (auto message = bus_->receive()) on_message(*message);
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (const auto read = welcomed_ ? follower_.wanted(now) : std::nullopt) bus_->send(*read);
    for (const auto& publication : follower_.take()) count(publication);
  }

  std::uint64_t positions = 0;
  std::uint64_t events = 0;
  std::uint64_t flight_records = 0;
  std::uint64_t out_of_order = 0;  // positions or sequences that did not follow the one before

 private:
  void greet() {
    bus::Hello hello;
    hello.worker = id_;
    bus_->send(hello);
    bus_->wait(-1, 5);
  }
  void on_message(const bus::Message& message) {
    if (const auto* welcome = std::get_if<bus::Welcome>(&message); welcome != nullptr && !welcomed_) {
      welcomed_ = true;
      bus_->follow(welcome->publisher);
    }
    if (const auto* ping = std::get_if<bus::Ping>(&message)) bus_->send(bus::Pong{ping->run, ping->number, 0});
    if (const auto* commits = std::get_if<bus::Commits>(&message)) follower_.on_commits(*commits);
  }
  void count(const bus::Publication& publication) {
    if (publication.position.value != ++positions) ++out_of_order;
    flight_records += publication.flight_record.empty() ? 0 : 1;
    for (const bus::Range& range : publication.ranges) {
      for (const bus::WireEvent& event : range.events) {
        ++events;
        if (event.sequence.value != ++heads_[range.stream]) ++out_of_order;
      }
    }
  }

  WorkerId id_;
  std::unique_ptr<bus::ZmqWorkerBus> bus_;
  bus::CommitFollower follower_{GlobalPosition{0}};
  std::map<std::string, std::uint64_t> heads_;
  bool welcomed_ = false;
  int published_ = 0;
};

using SubscriberTest = testing::EngineFixture;

TEST_F(SubscriberTest, ASleepingSubscriberEndsWithEveryCommit) {
  start();
  RunningWorker worker(endpoint(), scripted());
  ASSERT_TRUE(eventually([&] { return engine_->readiness().ready; }));
  Viewer viewer(endpoint());
  viewer.kept_of_published = 3;
  create("s1");
  for (int i = 1; i <= 60; ++i) ASSERT_TRUE(take("s1", "k" + std::to_string(i), "red").get());
  ASSERT_TRUE(eventually([&] {
    viewer.look();
    return viewer.positions >= ledger_->position().value;
  }));
  EXPECT_EQ(viewer.flight_records, 60U);
  EXPECT_EQ(viewer.out_of_order, 0U);
}

TEST_F(SubscriberTest, OneThatIsAHundredThousandEventsBehindEndsWithAllWhileTurnsGoOn) {
  constexpr std::uint64_t batches = 2'000, events_a_batch = 50;
  for (const char* session : {"long", "s1"}) {
    SessionStarted started;
    started.session = SessionId{session};
    ASSERT_TRUE(ledger_->start_session(started, std::nullopt, Timestamp{1}));
  }
  ConstraintSet wish;
  wish.facet = "color";
  wish.value.any_of = {"red"};
  for (std::uint64_t batch = 0; batch < batches; ++batch) {
    const StreamAppend append{stream_of(SessionId{"long"}), Sequence{1 + batch * events_a_batch}, std::vector<EventBody>(events_a_batch, wish)};
    ASSERT_TRUE(ledger_->append({append}, Timestamp{2}));
  }
  start();
  RunningWorker worker(endpoint(), scripted());
  Viewer viewer(endpoint());
  std::uint64_t turns = 0;
  std::future<Result<TurnReply>> reply = take("s1", "k0", "red");
  ASSERT_TRUE(eventually([&] {
    viewer.look();
    if (reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      EXPECT_TRUE(reply.get());
      reply = take("s1", "k" + std::to_string(++turns), "red");
    }
    return viewer.events >= batches * events_a_batch;
  }));
  EXPECT_TRUE(reply.get());
  EXPECT_GT(turns, 1U);  // nobody waited for the one who reads
  ASSERT_TRUE(eventually([&] {
    viewer.look();
    return viewer.positions >= ledger_->position().value;
  }));
  EXPECT_EQ(viewer.out_of_order, 0U);
  EXPECT_EQ(viewer.flight_records, turns + 1);
}

}  // namespace
}  // namespace turnstone
