#include "engine/bus/endpoint.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace turnstone::bus {
namespace {

class EndpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  Endpoint endpoint(const std::string& name) { return parse_endpoint("ipc://" + (directory_ / name).string()).value(); }
  std::filesystem::path directory_;
};

TEST(Endpoint, TakesIpcPathsAndLoopback) {
  EXPECT_EQ(parse_endpoint("ipc:///run/turnstone/bus")->publisher(), "ipc:///run/turnstone/bus.events");
  EXPECT_EQ(parse_endpoint("tcp://127.0.0.1:5555")->text(), "tcp://127.0.0.1:5555");
  for (const char* good : {"tcp://localhost:1", "tcp://[::1]:9", "tcp://127.9.9.9:*"}) EXPECT_TRUE(parse_endpoint(good)) << good;
}

TEST(Endpoint, OtherHostsNeedKeysAndTheErrorSaysWhich) {
  for (const char* open : {"tcp://0.0.0.0:5555", "tcp://*:5555", "tcp://10.0.0.3:5555", "tcp://example.org:5555", "tcp://127.0.0.1.example.org:1"}) {
    const auto endpoint = parse_endpoint(open);
    ASSERT_TRUE(endpoint) << open;
    EXPECT_TRUE(check_keys(*endpoint, true)) << open;
    const auto refused = check_keys(*endpoint, false);
    ASSERT_FALSE(refused) << open;
    EXPECT_EQ(refused.error().code, ErrorCode::refused) << open;
    EXPECT_NE(refused.error().detail.find("--bus-key"), std::string::npos);
  }
  for (const char* here : {"tcp://127.0.0.1:5555", "tcp://localhost:*", "ipc:///run/turnstone/bus"}) {
    EXPECT_TRUE(check_keys(*parse_endpoint(here), false)) << here;
  }
}

TEST(Endpoint, PublicationsForOtherHostsHaveAPortThatAFirewallCanBeTold) {
  EXPECT_EQ(parse_endpoint("tcp://*:7070")->publisher(), "tcp://*:7071");
  EXPECT_EQ(parse_endpoint("tcp://127.0.0.1:7070")->publisher(), "tcp://127.0.0.1:*");
}

TEST(Endpoint, PortZeroIsRefusedInWords) {
  for (const char* zero : {"tcp://127.0.0.1:0", "tcp://127.0.0.1:00000", "tcp://10.0.0.3:0"}) {
    const auto refused = parse_endpoint(zero);
    ASSERT_FALSE(refused) << zero;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(refused.error().detail.find("port 0"), std::string::npos) << refused.error().detail;
  }
}

TEST(Endpoint, RefusesWhatIsNone) {
  const std::string long_path = "ipc:///" + std::string(120, 'x');
  for (const std::string& bad :
       {std::string(), std::string("bus"), std::string("ipc://relative/bus"), std::string("ipc://"), std::string("ipc:///dir/"),
        std::string("ipc://@abstract"), std::string("tcp://127.0.0.1"), std::string("tcp://127.0.0.1:99999"), std::string("tcp://10.0.0.3:*"),
        std::string("tcp://:1"), std::string("http://127.0.0.1:1"), std::string("ipc:///a\0b", 9), long_path}) {
    const auto refused = parse_endpoint(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument) << bad;
  }
}

TEST_F(EndpointTest, MakesAPrivateDirectory) {
  const auto owned = claim(endpoint("fresh/bus"));
  ASSERT_TRUE(owned) << owned.error().detail;
  struct stat status {};
  ASSERT_EQ(::stat((directory_ / "fresh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(EndpointTest, RefusesADirectoryOpenToOthers) {
  std::filesystem::create_directory(directory_ / "open");
  ASSERT_EQ(::chmod((directory_ / "open").c_str(), 0755), 0);
  const auto refused = claim(endpoint("open/bus"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_NE(refused.error().detail.find("chmod 700"), std::string::npos);
}

TEST_F(EndpointTest, TheSecondOwnerIsToldWhoTheFirstIs) {
  {
    const auto first = claim(endpoint("p/bus"));
    ASSERT_TRUE(first);
    const auto second = claim(endpoint("p/bus"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::locked);
    EXPECT_NE(second.error().detail.find(std::to_string(::getpid())), std::string::npos);
  }
  EXPECT_TRUE(claim(endpoint("p/bus")));
}

}  // namespace
}  // namespace turnstone::bus
