// Workers on another host: a network namespace of its own, joined to this one by a virtual cable. Needs the right to make
// namespaces; where that is missing the tests say so and are skipped.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "events/testing/eventually.h"
#include "tests/end_to_end/deployment.h"
#include "tests/end_to_end/shoppers.h"

namespace turnstone::end_to_end {
namespace {

using testing::eventually;

std::string ip_program() {
  for (const char* path : {"/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return {};
}

// The other host. Its name and addresses hold this process's id, so that tests beside each other do not meet.
class OtherHost {
 public:
  OtherHost() : ip_(ip_program()), name_("ts" + std::to_string(getpid())), net_("10.213." + std::to_string(getpid() / 64 % 256) + ".") {
    const int third = getpid() % 64 * 4;
    here_ = net_ + std::to_string(third + 1);
    there_ = net_ + std::to_string(third + 2);
    if (ip_.empty()) {
      missing_ = "there is no program `ip` (package iproute2)";
      return;
    }
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"netns", "add", name_},
                                               {"link", "add", name_ + "a", "type", "veth", "peer", "name", name_ + "b", "netns", name_},
                                               {"addr", "add", here_ + "/30", "dev", name_ + "a"},
                                               {"link", "set", name_ + "a", "up"},
                                               {"-n", name_, "addr", "add", there_ + "/30", "dev", name_ + "b"},
                                               {"-n", name_, "link", "set", name_ + "b", "up"}}) {
      const Ran ran = ip(command);
      if (ran.code == 0) continue;
      missing_ = "network namespaces cannot be made here: " + ran.errors;
      return;
    }
  }
  ~OtherHost() {
    if (!ip_.empty()) ip({"netns", "delete", name_});  // the cable goes with it
  }
  OtherHost(const OtherHost&) = delete;
  OtherHost& operator=(const OtherHost&) = delete;

  const std::string& missing() const { return missing_; }
  const std::string& address_of_engine() const { return here_; }
  std::vector<std::string> command_prefix() const { return {ip_, "netns", "exec", name_}; }
  void plug(bool in) const { ip({"link", "set", name_ + "a", in ? "up" : "down"}); }

 private:
  Ran ip(std::vector<std::string> command) const {
    command.insert(command.begin(), ip_);
    return run(std::move(command));
  }

  std::string ip_, name_, net_, here_, there_, missing_;
};

class Hosts : public ::testing::Test {
 protected:
  Hosts() : deployment("tcp://" + host.address_of_engine() + ":7070") {}
  void SetUp() override {
    if (!host.missing().empty()) GTEST_SKIP() << host.missing();
    for (const char* name : {"engine", "worker", "stranger"}) {
      const Ran ran = run({program(), "keys", "--for", "bus", "--out", path(name)});
      ASSERT_EQ(ran.code, 0) << ran.errors;
    }
    std::ofstream(path("workers")) << std::ifstream(path("worker.pub")).rdbuf();
    deployment.additions.engine = {"--bus-key", path("engine.key"), "--worker-keys", path("workers")};
    deployment.additions.before_worker = host.command_prefix();
    use_key_of("worker");
    deployment.start_engine();
  }
  std::string path(const std::string& name) const { return deployment.folder() + "/" + name; }
  void use_key_of(const std::string& name, const std::string& engine = "engine") {
    deployment.additions.worker = {"--bus-key", path(name + ".key"), "--engine-key", path(engine + ".pub")};
  }
  void wait_for_line_of_engine(const std::string& words) {
    const auto said = [&] { return deployment.engine().errors().find(words) != std::string::npos; };
    EXPECT_TRUE(eventually(said, std::chrono::seconds(2))) << deployment.engine().errors();
  }

  OtherHost host;
  Deployment deployment;
};

TEST_F(Hosts, WorkersBehindACableTakeTurnsAndSurviveItsBeingPulled) {
  deployment.start_worker();
  deployment.start_worker();
  deployment.wait_until_ready();
  std::vector<Acknowledged> acknowledged;
  {
    Shoppers shoppers(deployment, 4, 1);
    shoppers.wait_for(20);
    host.plug(false);
    ASSERT_TRUE(eventually([&] { return deployment.get("/readyz").status == 503; })) << "the engine still waits for its workers";
    host.plug(true);
    shoppers.wait_for(20);
    shoppers.stop();
    acknowledged = shoppers.all();
  }
  deployment.end_engine();
  deployment.kill_everything();
  check_ledger(deployment, acknowledged);
}

TEST_F(Hosts, AStrangersKeyIsAnErrorOnBothSidesWithinTwoSeconds) {
  use_key_of("stranger");
  ChildProcess& worker = deployment.start_worker();
  EXPECT_EQ(worker.wait(std::chrono::seconds(2)), 4);
  worker.read_to_end();
  EXPECT_NE(worker.errors().find("--worker-keys"), std::string::npos) << worker.errors();
  wait_for_line_of_engine("is not among the workers' keys");
}

TEST_F(Hosts, TheKeyOfAnotherEngineIsAnErrorOnBothSidesWithinTwoSeconds) {
  use_key_of("worker", "stranger");
  ChildProcess& worker = deployment.start_worker();
  EXPECT_EQ(worker.wait(std::chrono::seconds(2)), 4);
  worker.read_to_end();
  EXPECT_NE(worker.errors().find("--engine-key"), std::string::npos) << worker.errors();
  wait_for_line_of_engine("does not have this engine's public key");
}

TEST_F(Hosts, WithoutKeysNeitherSideSpeaksToAnotherHost) {
  deployment.additions.worker.clear();
  ChildProcess& worker = deployment.start_worker();
  EXPECT_EQ(worker.wait(std::chrono::seconds(2)), 4);
  worker.read_to_end();
  EXPECT_NE(worker.errors().find("turnstone keys"), std::string::npos) << worker.errors();
  const Ran engine =
      run({program(), "engine", "--ledger", path("other"), "--bus", "tcp://" + host.address_of_engine() + ":7080", "--http", "127.0.0.1:0"});
  EXPECT_EQ(engine.code, 4);
  EXPECT_NE(engine.errors.find("turnstone keys"), std::string::npos) << engine.errors;
}

}  // namespace
}  // namespace turnstone::end_to_end
