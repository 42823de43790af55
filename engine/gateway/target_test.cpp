#include "engine/gateway/target.h"

#include <gtest/gtest.h>

#include "engine/gateway/http_address.h"

namespace turnstone {
namespace {

TEST(Target, SplitsBeforeItDecodes) {
  const auto target = parse_target("/v1/sessions/a%2Fb%3f/turns?at=3&x=1%262&flag");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"v1", "sessions", "a/b?", "turns"}));
  const std::vector<std::pair<std::string, std::string>> parameters = {{"at", "3"}, {"x", "1&2"}, {"flag", ""}};
  EXPECT_EQ(target->parameters, parameters);
}

TEST(Target, DecodesEmojiAndKeepsPlusInPaths) {
  const auto target = parse_target("/%F0%9F%91%9F+a?q=a+b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, std::vector<std::string>{"👟+a"});
  EXPECT_EQ(target->parameters.front().second, "a b");
}

TEST(Target, ReadsTheAbsoluteForm) {
  const auto target = parse_target("http://localhost:8080/healthz");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, std::vector<std::string>{"healthz"});
}

TEST(Target, RefusesWhatIsNoPathOrNoText) {
  for (const char* bad : {"", "*", "v1", "/%", "/%4", "/%zz", "/%C3%28", "/%ED%A0%80", "/%C0%AF", "/?a=%FF", "http://localhost"}) {
    const auto target = parse_target(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().code, ErrorCode::invalid_argument);
  }
}

TEST(Target, EncodingIsUndoneByDecoding) {
  std::string name;
  for (int c = 1; c < 128; ++c) name += static_cast<char>(c);
  name += "é漢👟";
  const auto target = parse_target("/" + percent_encode(name));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, std::vector<std::string>{name});
}

TEST(HttpAddress, ReadsNumericAddresses) {
  for (const auto& [text, address, port] : {std::tuple{"127.0.0.1:8080", "127.0.0.1", 8080},
                                            {"[::1]:0", "::1", 0},
                                            {"localhost:1", "127.0.0.1", 1},
                                            {":65535", "127.0.0.1", 65535},
                                            {"0.0.0.0:80", "0.0.0.0", 80}}) {
    const auto parsed = parse_http_address(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->address, address);
    EXPECT_EQ(parsed->port, port);
  }
  EXPECT_EQ(parse_http_address("[::1]:80")->text(), "[::1]:80");
  EXPECT_TRUE(parse_http_address("127.8.9.1:80")->loopback());
  EXPECT_FALSE(parse_http_address("[::]:80")->loopback());
}

TEST(HttpAddress, RefusesEverythingElse) {
  for (const char* bad : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8o", "example.com:80", "::1:80",
                          "[127.0.0.1]:1", "1.2.3:4"}) {
    EXPECT_FALSE(parse_http_address(bad)) << bad;
  }
}

}  // namespace
}  // namespace turnstone
