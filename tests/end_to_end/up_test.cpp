// `turnstone up`: one command starts everything, keeps it running and ends it.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "events/testing/eventually.h"
#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::eventually;

class Up : public ::testing::Test {
 protected:
  std::vector<std::string> command(const std::string& address = "127.0.0.1:0") const {
    return {program(), "up", "--index", deployment.index(), "--ledger", deployment.ledger(), "--workers", "2", "--http", address, "--json"};
  }
  void SetUp() override { setenv("XDG_RUNTIME_DIR", deployment.folder().c_str(), 1); }  // the bus of a killed `up` is cleared away with it
  void start() {
    up = std::make_unique<ChildProcess>(command());
    service = json::parse(up->wait_for_line("{\"event\":\"in_service\""), nullptr, false);
    ASSERT_TRUE(service.is_object()) << up->errors();
    http = *parse_http_address(service["http"].get<std::string>());
  }
  HttpClient client() const { return HttpClient(http, patience); }
  std::vector<pid_t> children() const {
    auto pids = service["workers"].get<std::vector<pid_t>>();
    pids.push_back(service["engine"].get<pid_t>());
    return pids;
  }
  Acknowledged say(const std::string& key, const std::string& text) {
    static const std::atomic<bool> never{false};
    HttpClient http_client = client();
    return take_turn_surely(http_client, {"s", key, text}, never).value_or(Acknowledged{});
  }

  Deployment deployment;  // for its folders only: up starts the processes
  std::unique_ptr<ChildProcess> up;
  json service;
  HttpAddress http;
};

TEST_F(Up, KeepsServingThroughDeathsAndEndsInTime) {
  start();
  const auto created = client().send({"POST", "/v1/sessions", {}, R"({"session":"s"})"});
  ASSERT_TRUE(created) << created.error().detail;
  ASSERT_EQ(created->status, 201U) << created->body;
  std::vector<Acknowledged> acknowledged = {say("k1", "a red dress")};

  const pid_t worker = service["workers"][0].get<pid_t>();
  ::kill(worker, SIGKILL);
  acknowledged.push_back(say("k2", "under 60 dollars"));
  ASSERT_TRUE(eventually([&] { return up->errors().find("worker-1 (process " + std::to_string(worker) + ") was killed by signal 9") != std::string::npos; }));

  ::kill(service["engine"].get<pid_t>(), SIGKILL);
  acknowledged.push_back(say("k3", "in blue rather"));  // at the same address
  acknowledged.push_back(say("k1", "a red dress"));
  EXPECT_EQ(acknowledged.back().document, acknowledged.front().document);

  up->signal(SIGTERM);
  EXPECT_EQ(up->wait(std::chrono::seconds(5)), 0) << up->errors();
  EXPECT_FALSE(client().send({"GET", "/healthz", {}, {}}));
  check_ledger(deployment, acknowledged);
}

TEST_F(Up, TalkHoldsAScriptThroughTheDeathOfTheEngine) {
  start();
  const std::string script = deployment.folder() + "/script.txt";
  std::ofstream(script) << "# a comment\n\nI am looking for a dress\nin red\n/state\nunder 60 dollars\n";
  const Ran first = run({program(), "talk", "--http", http.text(), "--session", "a/b 👟", "--script", script});
  EXPECT_EQ(first.code, 0) << first.errors;
  for (const char* said : {"› I am looking for a dress", "› in red", "› under 60 dollars", "\"turn\": 2"}) {
    EXPECT_NE(first.output.find(said), std::string::npos) << said << first.output;
  }
  ::kill(service["engine"].get<pid_t>(), SIGKILL);
  const Ran second = run({program(), "talk", "--http", http.text(), "--session", "a/b 👟", "--script", script, "--json"});
  EXPECT_EQ(second.code, 0) << second.errors;
  EXPECT_NE(second.output.find("\"turn\":6"), std::string::npos) << second.output;
  up->signal(SIGTERM);
  EXPECT_EQ(up->wait(std::chrono::seconds(5)), 0) << up->errors();
}

TEST_F(Up, TakesItsChildrenWithIt) {
  start();
  const std::vector<pid_t> pids = children();
  ASSERT_EQ(pids.size(), 3U);
  up->kill();
  for (const pid_t pid : pids) ASSERT_TRUE(eventually([pid] { return !lives(pid); }));
}

TEST_F(Up, SaysWhatToDoWhenItCannotStart) {
  start();
  const auto fails = [](const Ran& ran, const std::string& words) {
    EXPECT_EQ(ran.code, 3) << ran.output << ran.errors;
    EXPECT_NE((ran.output + ran.errors).find(words), std::string::npos) << ran.output << ran.errors;
  };
  fails(run(command()), std::to_string(service["engine"].get<pid_t>()));  // the ledger's owner
  std::vector<std::string> other = command(http.text());
  other[5] = deployment.folder() + "/other-ledger";
  fails(run(other), "choose another port");
  other = command();
  other[3] = deployment.folder() + "/no-index";
  fails(run(other), "no-index");
}

}  // namespace
}  // namespace turnstone::end_to_end
