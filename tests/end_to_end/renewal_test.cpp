// A new index and new workers under load: no client gets an error, every session goes on, and each turn says what decided it.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "events/testing/eventually.h"
#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using nlohmann::json;
using testing::eventually;

constexpr std::size_t shoppers_count = 6;
constexpr std::uint32_t seed = 20'260'102;

std::uint64_t metric(const Deployment& deployment, const std::string& name) {
  const std::string page = deployment.get("/metrics").body;
  const std::size_t at = page.find("\nturnstone_" + name + " ");
  return at == std::string::npos ? 0 : std::stoull(page.substr(page.find(' ', at + 1) + 1));
}

// Which artefacts decided the session's turns, in order, each once while it lasts; a change must stand between two turns.
std::vector<std::string> artefacts_of(const Deployment& deployment, const std::string& session) {
  std::vector<std::string> artefacts;
  std::string named;
  bool in_turn = false;
  for (std::uint64_t from = 1;;) {
    const json page = json::parse(deployment.get("/v1/sessions/" + session + "/events?limit=500&from=" + std::to_string(from)).body, nullptr, false);
    const json events = page.value("events", json::array());
    if (events.empty()) return artefacts;
    for (const json& event : events) {
      const std::string type = event.value("type", "");
      const json body = event.value("body", event);
      if (type == "TurnReceived") in_turn = true;
      if (type == "EngineChanged") {
        EXPECT_FALSE(in_turn) << session << ": " << event.dump();
        named = body.value("artefact_to", "");
      }
      if (type == "TurnCompleted") {
        in_turn = false;
        EXPECT_EQ(body.value("artefact", ""), named) << session << ": " << event.dump();
        if (artefacts.empty() || artefacts.back() != named) artefacts.push_back(named);
      }
    }
    from += events.size();
  }
}

// Until each shopper has had a turn under the new index.
void wait_until_all_moved(const Deployment& deployment, const Shoppers& shoppers) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (metric(deployment, "sessions_moved_total") < shoppers_count && std::chrono::steady_clock::now() < end) shoppers.wait_for(1);
  shoppers.wait_for(shoppers_count);
}

void expect_each_session_moved_once(const Deployment& deployment) {
  std::string before, after;
  for (std::size_t shopper = 0; shopper < shoppers_count; ++shopper) {
    const auto artefacts = artefacts_of(deployment, "shopper-" + std::to_string(shopper));
    ASSERT_EQ(artefacts.size(), 2U) << "shopper-" << shopper;
    if (shopper == 0) {
      before = artefacts[0];
      after = artefacts[1];
    }
    EXPECT_EQ(artefacts[0], before);
    EXPECT_EQ(artefacts[1], after);
  }
}

TEST(Renewal, WorkersOfANewIndexTakeOverOneByOneWithoutAnError) {
  Deployment deployment;
  deployment.make_index(deployment.folder() + "/new-index", 8);
  deployment.start_engine();
  for (int i = 0; i < 2; ++i) deployment.start_worker();
  deployment.wait_until_ready();
  std::vector<Acknowledged> acknowledged;
  {
    Shoppers shoppers(deployment, shoppers_count, seed);
    shoppers.wait_for(2 * shoppers_count);
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t joined = metric(deployment, "workers_joined_total");
      deployment.start_worker(deployment.folder() + "/new-index");
      const auto end = std::chrono::steady_clock::now() + patience;
      while (metric(deployment, "workers_joined_total") == joined && std::chrono::steady_clock::now() < end) shoppers.wait_for(1);
      ChildProcess& old = deployment.worker(static_cast<std::size_t>(i));
      old.signal(SIGTERM);
      EXPECT_EQ(old.wait(patience), 0) << old.errors();
      shoppers.wait_for(shoppers_count);
    }
    wait_until_all_moved(deployment, shoppers);
    shoppers.stop();
    acknowledged = shoppers.all();
    EXPECT_EQ(shoppers.refused(), 0U);
  }
  EXPECT_EQ(metric(deployment, "sessions_moved_total"), shoppers_count);
  expect_each_session_moved_once(deployment);
  deployment.end_engine();
  deployment.kill_everything();
  check_ledger(deployment, acknowledged);
  std::printf("%zu turns acknowledged while 2 workers were replaced by 2 of another index, none refused\n", acknowledged.size());
}

TEST(Renewal, UpTakesANewIndexOnSighup) {
  Deployment deployment;  // for its folders only: up starts the processes
  setenv("XDG_RUNTIME_DIR", deployment.folder().c_str(), 1);
  const std::string index = deployment.folder() + "/idx";
  deployment.make_index(index, 9);
  std::filesystem::copy(index, deployment.folder() + "/old-idx");  // for replay
  deployment.keep_index(deployment.folder() + "/old-idx");
  ChildProcess up({program(), "up", "--index", index, "--ledger", deployment.ledger(), "--workers", "2", "--http", "127.0.0.1:0", "--json"});
  const json service = json::parse(up.wait_for_line("{\"event\":\"in_service\""), nullptr, false);
  ASSERT_TRUE(service.is_object()) << up.errors();
  deployment.serve_at(*parse_http_address(service["http"].get<std::string>()));
  std::vector<Acknowledged> acknowledged;
  {
    Shoppers shoppers(deployment, shoppers_count, seed);
    shoppers.wait_for(2 * shoppers_count);
    deployment.make_index(index, 10);  // in place, while its predecessor is in use
    shoppers.wait_for(shoppers_count);
    up.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] { return up.errors().find("all workers were replaced") != std::string::npos; })) << up.errors();
    wait_until_all_moved(deployment, shoppers);
    shoppers.stop();
    acknowledged = shoppers.all();
    EXPECT_EQ(shoppers.refused(), 0U) << up.errors();
  }
  expect_each_session_moved_once(deployment);
  up.signal(SIGTERM);
  EXPECT_EQ(up.wait(std::chrono::seconds(5)), 0) << up.errors();
  check_ledger(deployment, acknowledged);
}

// An index that cannot be opened changes nothing.
TEST(Renewal, UpKeepsItsWorkersWhenTheNewIndexIsNone) {
  Deployment deployment;
  setenv("XDG_RUNTIME_DIR", deployment.folder().c_str(), 1);
  const std::string index = deployment.folder() + "/idx";
  deployment.make_index(index, 9);
  ChildProcess up({program(), "up", "--index", index, "--ledger", deployment.ledger(), "--workers", "1", "--http", "127.0.0.1:0", "--json"});
  const json service = json::parse(up.wait_for_line("{\"event\":\"in_service\""), nullptr, false);
  ASSERT_TRUE(service.is_object()) << up.errors();
  deployment.serve_at(*parse_http_address(service["http"].get<std::string>()));
  std::filesystem::remove_all(index);
  up.signal(SIGHUP);
  ASSERT_TRUE(eventually([&] { return up.errors().find("the workers stay") != std::string::npos; })) << up.errors();
  create_session(deployment, "s");
  HttpClient client = deployment.client();
  static const std::atomic<bool> never{false};
  EXPECT_EQ(take_turn_surely(client, {"s", "k", "a red dress"}, never)->turn, 1U);
  up.signal(SIGTERM);
  EXPECT_EQ(up.wait(std::chrono::seconds(5)), 0) << up.errors();
}

}  // namespace
}  // namespace turnstone::end_to_end
