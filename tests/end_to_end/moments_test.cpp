// Faults at one chosen moment of one turn, over ipc and over tcp. A worker is frozen to hold a turn where it is.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <nlohmann/json.hpp>

#include "events/testing/eventually.h"
#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using nlohmann::json;
using testing::eventually;

const std::atomic<bool> never{false};

class Moment : public ::testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    deployment.start_engine();
    deployment.start_worker();
    deployment.wait_until_ready();
    create_session(deployment, "s");
  }
  Acknowledged say(const std::string& key, const std::string& text) {
    HttpClient client = deployment.client();
    auto acknowledged = take_turn_surely(client, {"s", key, text}, never);
    return acknowledged.value_or(Acknowledged{});
  }
  // Says it on a thread of its own.
  std::future<Acknowledged> begin_to_say(const std::string& key, const std::string& text) {
    return std::async(std::launch::async, [this, key, text] { return say(key, text); });
  }
  std::size_t count(const std::string& type) const {
    const json events = json::parse(deployment.get("/v1/sessions/s/events?limit=1000").body, nullptr, false);
    std::size_t count = 0;
    for (const json& event : events.value("events", json::array())) count += event.value("type", "") == type ? 1 : 0;
    return count;
  }
  void wait_for_count(const std::string& type, std::size_t wanted) const {
    ASSERT_TRUE(eventually([&] { return count(type) >= wanted; })) << "no " << type << " number " << wanted;
  }
  // Ends the engine and holds the ledger against the turns.
  void finish(const std::vector<Acknowledged>& acknowledged) {
    deployment.end_engine();
    deployment.kill_everything();
    check_ledger(deployment, acknowledged);
  }

  Deployment deployment{GetParam()};
};

TEST_P(Moment, TheFrontEndRepeatsATurnFiveTimes) {
  std::vector<std::future<Acknowledged>> repetitions;
  for (int i = 0; i < 5; ++i) repetitions.push_back(begin_to_say("k", "a red dress"));
  std::vector<Acknowledged> heard;
  for (auto& repetition : repetitions) heard.push_back(repetition.get());
  for (const Acknowledged& reply : heard) {
    EXPECT_EQ(reply.turn, 1U);
    EXPECT_EQ(reply.document, heard.front().document);
  }
  EXPECT_EQ(count("TurnReceived"), 1U);
  EXPECT_EQ(count("TurnCompleted"), 1U);
  const auto reused = deployment.client().send({"POST", "/v1/sessions/s/turns", {{"Idempotency-Key", "k"}}, R"({"message":"a blue dress"})"});
  ASSERT_TRUE(reused) << reused.error().detail;
  EXPECT_EQ(reused->status, 409U);
  finish(heard);
}

TEST_P(Moment, TheWorkerIsKilledWithTheTurnInItsHands) {
  deployment.worker(0).freeze();
  auto reply = begin_to_say("k", "a red dress");
  wait_for_count("TurnReceived", 1);
  deployment.start_worker();
  deployment.worker(0).kill();
  const Acknowledged acknowledged = reply.get();
  EXPECT_EQ(acknowledged.turn, 1U);
  EXPECT_EQ(count("TurnReceived"), 1U);
  EXPECT_EQ(count("TurnCompleted"), 1U);
  finish({acknowledged});
}

TEST_P(Moment, TheWorkerIsKilledBeforeItsTurn) {
  const Acknowledged first = say("k1", "a red dress");  // the session's worker from now on
  deployment.start_worker();
  deployment.worker(0).kill();
  const Acknowledged second = say("k2", "under 60 dollars");
  EXPECT_EQ(second.turn, 2U);
  EXPECT_EQ(count("TurnCompleted"), 2U);
  finish({first, second});
}

TEST_P(Moment, TheWorkerIsKilledAfterItsTurnAndComesBackUnderItsName) {
  std::vector<Acknowledged> heard;
  for (int i = 1; i <= 8; ++i) {
    heard.push_back(say("k" + std::to_string(i), i % 2 == 0 ? "under 60 dollars" : "a red dress"));
    EXPECT_EQ(heard.back().turn, static_cast<std::uint32_t>(i));
    deployment.restart_worker(0);
  }
  EXPECT_EQ(count("TurnCompleted"), 8U);
  finish(heard);
}

TEST_P(Moment, AFrozenWorkersLateProposalIsFenced) {
  const Acknowledged first = say("k1", "a red dress");  // it knows the session now
  deployment.worker(0).freeze();
  auto reply = begin_to_say("k2", "under 60 dollars");
  wait_for_count("TurnReceived", 2);
  deployment.start_worker();
  const Acknowledged second = reply.get();  // from the other worker
  EXPECT_EQ(second.turn, 2U);
  EXPECT_EQ(count("AttemptStarted"), 3U);
  deployment.worker(0).signal(SIGCONT);  // and now proposes the same turn again
  const Acknowledged third = say("k3", "in blue rather");
  deployment.worker(1).kill();
  const Acknowledged fourth = say("k4", "size medium");  // the thawed one works on
  EXPECT_EQ(fourth.turn, 4U);
  EXPECT_EQ(count("TurnCompleted"), 4U);
  finish({first, second, third, fourth});
}

TEST_P(Moment, TheEngineIsKilledBetweenAcceptAndReply) {
  const Acknowledged first = say("k1", "a red dress");
  deployment.worker(0).freeze();
  auto reply = begin_to_say("k2", "under 60 dollars");
  wait_for_count("TurnReceived", 2);
  deployment.engine().kill();
  deployment.start_engine();
  deployment.worker(0).signal(SIGCONT);
  const Acknowledged second = reply.get();  // sent again with its key
  EXPECT_EQ(second.turn, 2U);
  EXPECT_EQ(count("TurnReceived"), 2U);
  EXPECT_EQ(count("TurnCompleted"), 2U);
  finish({first, second});
}

TEST_P(Moment, TheEngineIsKilledAfterTheReply) {
  const Acknowledged first = say("k1", "a red dress");
  deployment.engine().kill();
  deployment.start_engine();
  deployment.wait_until_ready();
  const Acknowledged again = say("k1", "a red dress");
  EXPECT_EQ(again.document, first.document);
  EXPECT_EQ(count("TurnReceived"), 1U);
  const Acknowledged second = say("k2", "under 60 dollars");
  EXPECT_EQ(second.turn, 2U);
  finish({first, second});
}

TEST_P(Moment, TheEngineIsEndedWhileATurnCannotBeFinished) {
  deployment.worker(0).freeze();
  auto reply = begin_to_say("k", "a red dress");
  wait_for_count("TurnReceived", 1);
  deployment.end_engine();  // within five seconds, with 0, though the turn is not done
  deployment.start_engine();
  deployment.worker(0).signal(SIGCONT);
  const Acknowledged acknowledged = reply.get();
  EXPECT_EQ(acknowledged.turn, 1U);
  EXPECT_EQ(count("TurnReceived"), 1U);
  finish({acknowledged});
}

TEST_P(Moment, ItsSessionIsErased) {
  const Acknowledged first = say("k1", "a red dress");
  deployment.worker(0).freeze();
  auto refused = std::async(std::launch::async, [this] {
    return deployment.client().send({"POST", "/v1/sessions/s/turns", {{"Idempotency-Key", "k2"}}, R"({"message":"under 60 dollars"})"});
  });
  wait_for_count("TurnReceived", 2);
  const Ran erased = run({program(), "erase", "--http", deployment.http().text(), "--session", "s", "--by", "desk"});
  EXPECT_EQ(erased.code, 0) << erased.output << erased.errors;
  const auto told = refused.get();
  ASSERT_TRUE(told) << told.error().detail;
  EXPECT_EQ(told->status, 410U) << told->body;
  deployment.worker(0).signal(SIGCONT);  // and proposes what nobody wants any more
  create_session(deployment, "another");
  HttpClient client = deployment.client();
  const auto other = take_turn_surely(client, {"another", "k1", "a red dress"}, never);
  ASSERT_TRUE(other);
  for (const char* part : {"state", "events"}) EXPECT_EQ(deployment.get("/v1/sessions/s/" + std::string(part)).status, 410U);
  finish({*other});
}

// The check itself: a turn that is missing, or whose reply is another, does not pass.
TEST_P(Moment, ALostOrAlteredTurnWouldBeNoticed) {
  static Deployment* checked = nullptr;
  static Acknowledged told;
  checked = &deployment;
  told = say("k1", "a red dress");
  deployment.end_engine();
  deployment.kill_everything();
  told.document += " ";
  EXPECT_NONFATAL_FAILURE(check_ledger(*checked, {told}), "record->reply");
  told.key = "k2";
  EXPECT_FATAL_FAILURE(check_ledger(*checked, {told}), "acknowledged and lost");
}

TEST_P(Moment, ASecondEngineNamesTheFirst) {
  ChildProcess second(
      {program(), "engine", "--ledger", deployment.ledger(), "--bus", "ipc://" + deployment.folder() + "/other", "--http", "127.0.0.1:0"});
  EXPECT_EQ(second.wait(patience), 3);
  second.read_to_end();
  EXPECT_NE(second.errors().find(std::to_string(deployment.engine().pid())), std::string::npos) << second.errors();
  EXPECT_TRUE(deployment.engine().running());
  finish({say("k", "a red dress")});
}

INSTANTIATE_TEST_SUITE_P(Over, Moment, ::testing::Values(Transport::ipc, Transport::tcp),
                         [](const auto& transport) { return transport.param == Transport::ipc ? "Ipc" : "Tcp"; });

}  // namespace
}  // namespace turnstone::end_to_end
