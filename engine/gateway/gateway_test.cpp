// The gateway through real sockets on 127.0.0.1: what a slow, silent, hasty or hostile client can and cannot do.
#include "engine/gateway/gateway.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "engine/gateway/http_client.h"
#include "engine/gateway/model_service.h"
#include "events/testing/eventually.h"

namespace turnstone {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using turnstone::testing::eventually;

constexpr milliseconds patience = seconds(20);  // for what must happen; far beyond what it takes

// A client that sends exactly the bytes it is told.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool send(std::string_view bytes) const { return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()); }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  // Reads until `enough` holds or the server closes; what came so far.
  template <class Enough>
  std::string read_until(Enough enough) {
    while (!enough(received_)) {
      pollfd waiting{socket_, POLLIN, 0};
      if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) {
        ADD_FAILURE() << "the server neither answered nor closed; so far: " << received_;
        break;
      }
      char bytes[4096];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      received_.append(bytes, static_cast<std::size_t>(count));
    }
    return received_;
  }
  std::string read_to_end() {
    return read_until([](const std::string&) { return false; });
  }

 private:
  int socket_;
  std::string received_;
};

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string turn_bytes(const std::string& session, const std::string& message, const std::string& key) {
  const std::string body = R"({"message":")" + message + "\"}";
  return "POST /v1/sessions/" + session + "/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: " + key +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class GatewayTest : public ::testing::Test {
 protected:
  void serve(HttpLimits limits = {}, std::vector<std::string> hosts = {}) {
    auto started = Gateway::start({.address = {}, .allow_remote = false, .hosts = std::move(hosts), .limits = limits}, service);
    ASSERT_TRUE(started) << started.error().detail;
    gateway = std::move(*started);
    service.create_session({.session = SessionId{"s"}, .channel = "http", .policy_variant = "shopper", .profile = {}, .preference_tags = {}},
                           [](auto) {});
  }
  std::uint16_t port() const { return gateway->address().port; }
  HttpClient client() const { return HttpClient(gateway->address(), patience); }
  Result<HttpResponse> get(const std::string& target) const { return client().send({"GET", target, {}, {}}); }
  void expect_served() const {
    const auto health = get("/healthz");
    ASSERT_TRUE(health) << health.error().detail;
    EXPECT_EQ(health->status, 200U);
  }
  // Limits short enough to be waited for; the others stay long, so that only the one under test can strike.
  static HttpLimits with(milliseconds HttpLimits::*limit, milliseconds time) {
    HttpLimits limits;
    limits.*limit = time;
    return limits;
  }

  ModelService service;
  std::unique_ptr<Gateway> gateway;
};

TEST_F(GatewayTest, ServesAConversationOverOneConnection) {
  serve();
  HttpClient http = client();
  const auto created = http.send({"POST", "/v1/sessions", {}, R"({"session":"a/b"})"});
  ASSERT_TRUE(created) << created.error().detail;
  EXPECT_EQ(created->status, 201U);
  for (int turn = 1; turn <= 20; ++turn) {
    const auto reply = http.send({"POST", "/v1/sessions/a%2Fb/turns", {{"Idempotency-Key", std::to_string(turn)}}, R"({"message":"red"})"});
    ASSERT_TRUE(reply) << reply.error().detail;
    EXPECT_EQ(json::parse(reply->body)["turn"], turn);
    EXPECT_EQ(reply->content_type, "application/json");
    EXPECT_EQ(values_of(reply->headers, "Cache-Control").size(), 1U);
    EXPECT_EQ(values_of(reply->headers, "Date").size(), 1U);
  }
  EXPECT_EQ(http.send({"GET", "/v1/sessions/a%2Fb/state", {}, {}})->status, 200U);
  const auto head = http.send({"HEAD", "/healthz", {}, {}});
  ASSERT_TRUE(head) << head.error().detail;
  EXPECT_TRUE(head->body.empty());
  EXPECT_EQ(values_of(head->headers, "Content-Length").front(), "15");
  EXPECT_EQ(http.send({"GET", "/healthz", {}, {}})->body.size(), 15U);
  EXPECT_EQ(gateway->counters().connections, 1U);
}

TEST_F(GatewayTest, AnswersPipelinedRequestsInOrderThoughOneIsSlow) {
  serve(with(&HttpLimits::header, milliseconds(200)));
  service.hold();
  RawClient raw(port());
  std::string bytes;
  for (int i = 0; i < 10; ++i) bytes += turn_bytes("s", "m" + std::to_string(i), "k" + std::to_string(i));
  ASSERT_TRUE(raw.send(bytes));
  ASSERT_TRUE(eventually([&] { return service.held() == 1; }));
  std::this_thread::sleep_for(milliseconds(300));  // longer than a header may take: the deadline of reading must not strike now
  EXPECT_EQ(service.held(), 1U);                   // the next one waits for the answer before it
  service.release();
  const std::string answers = raw.read_until([](const std::string& text) { return count_of(text, "\"timing_us\"") == 10; });
  EXPECT_EQ(count_of(answers, "HTTP/1.1 200 OK"), 10U);
  std::size_t at = 0;
  for (int i = 0; i < 10; ++i) {
    at = answers.find("\"message\":\"m" + std::to_string(i) + "\"", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(GatewayTest, ClosesAClientThatStopsInItsHeader) {
  serve(with(&HttpLimits::header, milliseconds(60)));
  RawClient half(port());
  RawClient silent(port());
  ASSERT_TRUE(half.send("POST /v1/sessions HTTP/1.1\r\nHost: loc"));
  EXPECT_TRUE(half.read_to_end().starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(silent.read_to_end(), "");
  EXPECT_EQ(gateway->counters().timed_out, 2U);
  expect_served();
}

TEST_F(GatewayTest, ADripOfBytesDoesNotProlongTheDeadline) {
  serve(with(&HttpLimits::header, milliseconds(100)));
  RawClient drip(port());
  std::promise<void> ended;
  std::thread dripping([&, end = ended.get_future()] {
    for (int i = 0; i < 1'000 && end.wait_for(milliseconds(10)) == std::future_status::timeout; ++i) {
      if (!drip.send(i == 0 ? "GET / HTTP/1.1\r\nX: " : "x")) break;
    }
  });
  EXPECT_TRUE(drip.read_until([](const std::string& text) { return count_of(text, "\r\n\r\n") == 1; }).starts_with("HTTP/1.1 408 "));
  ended.set_value();
  dripping.join();
}

TEST_F(GatewayTest, ClosesAClientThatStopsInItsBody) {
  serve(with(&HttpLimits::body, milliseconds(60)));
  RawClient raw(port());
  ASSERT_TRUE(raw.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"));
  const std::string answer = raw.read_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_NE(answer.find("\"code\":\"request_timeout\""), std::string::npos);
}

TEST_F(GatewayTest, KeepsAnIdleConnectionLongerThanARequestMayTake) {
  HttpLimits limits = with(&HttpLimits::header, milliseconds(60));
  limits.body = milliseconds(60);
  limits.write = milliseconds(60);
  limits.idle = seconds(60);
  serve(limits);
  HttpClient http = client();
  ASSERT_TRUE(http.send({"GET", "/healthz", {}, {}}));
  std::this_thread::sleep_for(milliseconds(200));
  ASSERT_TRUE(http.send({"GET", "/healthz", {}, {}}));
  EXPECT_EQ(gateway->counters().connections, 1U);
}

TEST_F(GatewayTest, ClosesAConnectionThatIsIdleTooLong) {
  serve(with(&HttpLimits::idle, milliseconds(50)));
  RawClient raw(port());
  ASSERT_TRUE(raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(count_of(raw.read_to_end(), "HTTP/1.1"), 1U);
  HttpClient http = client();  // opens a new one by itself
  ASSERT_TRUE(http.send({"GET", "/healthz", {}, {}}));
  ASSERT_TRUE(eventually([&] { return gateway->counters().open == 0; }));
  ASSERT_TRUE(http.send({"GET", "/healthz", {}, {}}));
}

TEST_F(GatewayTest, HalfOpenClientsMakeRoomForOthers) {
  HttpLimits limits;
  limits.connections = 50;
  serve(limits);
  std::vector<std::unique_ptr<RawClient>> half_open;
  for (int i = 0; i < 200; ++i) {
    half_open.push_back(std::make_unique<RawClient>(port()));
    half_open.back()->send("POST /v1/sessions/s/turns HTTP/1.1\r\nHost: local");
  }
  expect_served();
  EXPECT_GE(gateway->counters().evicted, 150U);
  EXPECT_LE(gateway->counters().open, 51U);
}

TEST_F(GatewayTest, IsBusyWhenEveryConnectionHasARequestAtWork) {
  HttpLimits limits;
  limits.connections = 2;
  serve(limits);
  service.hold();
  RawClient one(port());
  RawClient two(port());
  one.send(turn_bytes("s", "a", "k1"));
  two.send(turn_bytes("s", "b", "k2"));
  ASSERT_TRUE(eventually([&] { return service.held() == 2; }));
  RawClient three(port());
  const std::string answer = three.read_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1"), std::string::npos);
  service.release();
  for (RawClient* raw : {&one, &two}) raw->read_until([](const std::string& text) { return count_of(text, "timing_us") == 1; });
  expect_served();
}

TEST_F(GatewayTest, RefusesWhatIsTooLarge) {
  HttpLimits limits;
  limits.header_bytes = 1'000;
  limits.body_bytes = 1'000;
  serve(limits);
  RawClient header(port());
  header.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(header.read_to_end().starts_with("HTTP/1.1 431 "));
  RawClient endless(port());
  endless.send("GET /" + std::string(50'000, 'a'));
  EXPECT_TRUE(endless.read_to_end().starts_with("HTTP/1.1 431 "));
  RawClient announced(port());  // refused before the body is sent
  announced.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_TRUE(announced.read_to_end().starts_with("HTTP/1.1 413 Content Too Large\r\n"));
  RawClient chunked(port());
  chunked.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" + std::string(0x800, ' ') +
               "\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.read_to_end().starts_with("HTTP/1.1 413 "));
  expect_served();
}

TEST_F(GatewayTest, RefusesWhatIsNotHttp) {
  serve();
  for (const char* bad : {"\x16\x03\x01\x02 TLS hello\r\n\r\n", "GET\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost localhost\r\n\r\n",
                          "GET /healthz HTTP/1.1\r\n\r\n", "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                          "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                          "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"}) {
    RawClient raw(port());
    raw.send(bad);
    const std::string answer = raw.read_to_end();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << bad << " → " << answer;
  }
  for (const char* version : {"GET /healthz HTTP/3.0\r\nHost: localhost\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    RawClient raw(port());
    raw.send(version);
    EXPECT_TRUE(raw.read_to_end().starts_with("HTTP/1.1 505 ")) << version;
  }
  expect_served();
}

// What a fuzzer does, with a seed: requests changed, cut, doubled and spliced. Each is answered or closed, and nobody else notices.
TEST_F(GatewayTest, FiveHundredMutatedRequestsAreAnsweredOrClosed) {
  serve();
  constexpr unsigned seed = 20'263;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string body = R"({"session":"p","preference_tags":["a"]})";
  const std::vector<std::string> requests = {
      turn_bytes("s", "red", "k"), "GET /v1/sessions/s/events?from=1&limit=5 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
      "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"};
  for (int i = 0; i < 500; ++i) {
    std::string request = requests[random() % requests.size()];
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = request.empty() ? 0 : random() % request.size();
      const std::string& other = requests[random() % requests.size()];
      switch (random() % 5) {
        case 0: request.resize(at); break;
        case 1: request.insert(at, 1 + random() % 8, static_cast<char>(random())); break;
        case 2: request += other.substr(random() % other.size()); break;
        case 3: request.erase(at, 1 + random() % 4); break;
        default:
          if (!request.empty()) request[at] = static_cast<char>(random());
      }
    }
    RawClient raw(port());
    raw.send(request);
    raw.end_sending();
    const std::string answer = raw.read_to_end();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << i << ": " << answer;
    EXPECT_EQ(count_of(answer, "HTTP/1.1 500 "), 0U) << i << ": " << request << " → " << answer;
  }
  expect_served();
}

TEST_F(GatewayTest, TakesABodyInPiecesAndChunks) {
  serve();
  RawClient raw(port());
  raw.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 15\r\n\r\n");
  EXPECT_EQ(raw.read_until([](const std::string& text) { return text.ends_with("\r\n\r\n"); }), "HTTP/1.1 100 Continue\r\n\r\n");
  for (const char byte : std::string_view(R"({"session":"p"})")) raw.send(std::string_view(&byte, 1));
  raw.read_until([](const std::string& text) { return text.ends_with(R"({"session":"p"})"); });
  raw.send(
      "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n8\r\n{\"sessio\r\n7\r\nn\":\"q\"}\r\n0\r\n\r\n");
  raw.read_until([](const std::string& text) { return text.ends_with(R"({"session":"q"})"); });
}

TEST_F(GatewayTest, ClosesAfterAnHttp10Request) {
  serve();
  RawClient raw(port());
  raw.send("GET /healthz HTTP/1.0\r\n\r\n");
  const std::string answer = raw.read_to_end();
  EXPECT_EQ(count_of(answer, "200 OK"), 1U);
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(GatewayTest, AnswersInTimeThoughTheTurnDoesNot) {
  serve(with(&HttpLimits::answer, milliseconds(50)));
  service.hold();
  HttpClient http = client();
  const auto late = http.send({"POST", "/v1/sessions/s/turns", {}, R"({"message":"red"})"});
  ASSERT_TRUE(late) << late.error().detail;
  EXPECT_EQ(late->status, 504U);
  EXPECT_EQ(json::parse(late->body)["code"], "timeout");
  const std::string key(values_of(late->headers, "Idempotency-Key").front());
  service.release();  // too late for the first; the repetition gets it
  const auto again = http.send({"POST", "/v1/sessions/s/turns", {{"Idempotency-Key", key}}, R"({"message":"red"})"});
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->status, 200U);
  EXPECT_EQ(json::parse(again->body)["turn"], 1);
}

TEST_F(GatewayTest, DropsAClientThatDoesNotTakeItsAnswer) {
  serve(with(&HttpLimits::write, milliseconds(100)));
  RawClient greedy(port());
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += "GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::thread asking([&] { greedy.send(bytes); });  // never reads; ends when the server gives it up
  ASSERT_TRUE(eventually([&] { return gateway->counters().timed_out > 0; }));
  expect_served();
  gateway->stop(milliseconds(0));
  asking.join();
}

TEST_F(GatewayTest, StopAnswersWhatIsAtWorkAndClosesTheRest) {
  serve();
  service.hold();
  RawClient idle(port());
  idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  idle.read_until([](const std::string& text) { return count_of(text, "\"ok\"") == 1; });
  RawClient working(port());
  working.send(turn_bytes("s", "red", "k"));
  ASSERT_TRUE(eventually([&] { return service.held() == 1; }));
  std::thread stopping([&] { gateway->stop(patience); });
  EXPECT_EQ(count_of(idle.read_to_end(), "HTTP/1.1"), 1U);  // closed while the other is still at work
  EXPECT_EQ(service.held(), 1U);
  service.release();
  const std::string answer = working.read_to_end();
  EXPECT_NE(answer.find("\"turn\":1"), std::string::npos);
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  working.end_sending();
  stopping.join();
  EXPECT_FALSE(get("/healthz"));
}

TEST_F(GatewayTest, StopWithoutPatienceLeavesAHeldTurnBehind) {
  serve();
  service.hold();
  RawClient working(port());
  working.send(turn_bytes("s", "red", "k"));
  ASSERT_TRUE(eventually([&] { return service.held() == 1; }));
  gateway->stop(milliseconds(0));
  EXPECT_EQ(working.read_to_end(), "");
  gateway.reset();
  service.release();  // its answer finds nobody, and nothing breaks
}

TEST_F(GatewayTest, NeedsAWordToServeOtherMachines) {
  const auto refused = Gateway::start({.address = {"0.0.0.0", 0}, .allow_remote = false, .hosts = {}, .limits = {}}, service);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().detail.find("--allow-remote"), std::string::npos);
  EXPECT_TRUE(Gateway::start({.address = {"0.0.0.0", 0}, .allow_remote = true, .hosts = {}, .limits = {}}, service));
}

TEST_F(GatewayTest, ErasesWhereItWasAllowedToWhicheverAddressItListensOn) {
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    for (const bool allowed : {false, true}) {
      auto started = Gateway::start({.address = {address, 0}, .allow_remote = true, .hosts = {}, .allow_erasure = allowed, .limits = {}}, service);
      ASSERT_TRUE(started) << started.error().detail;
      const auto answer = HttpClient({"127.0.0.1", (*started)->address().port}, patience).send({"DELETE", "/v1/sessions/nobody", {}, {}});
      ASSERT_TRUE(answer) << answer.error().detail;
      EXPECT_EQ(answer->status, allowed ? 404U : 403U) << address;
    }
  }
}

TEST_F(GatewayTest, SaysWhenThePortIsTaken) {
  serve();
  const auto second = Gateway::start({.address = gateway->address(), .allow_remote = false, .hosts = {}, .limits = {}}, service);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::io);
  EXPECT_NE(second.error().detail.find("choose another port"), std::string::npos);
}

TEST_F(GatewayTest, ServesManyClientsAtOnce) {
  serve();
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      HttpClient http = client();
      for (int i = 0; i < 50; ++i) {
        const auto reply =
            http.send({"POST", "/v1/sessions/s/turns", {{"Idempotency-Key", std::to_string(c) + "-" + std::to_string(i)}}, R"({"message":"red"})"});
        answered += reply && reply->status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : clients) thread.join();
  EXPECT_EQ(answered, 400);
  EXPECT_EQ(service.turns().size(), 400U);
}

}  // namespace
}  // namespace turnstone
