#include "engine/gateway/api.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/gateway/model_service.h"
#include "engine/gateway/target.h"

namespace turnstone {
namespace {

using nlohmann::json;

class ApiTest : public ::testing::Test {
 protected:
  HttpResponse send(const std::string& method, const std::string& target, const std::string& body = "", HttpHeaders headers = {}) {
    const HttpHeaders all = [&] {
      if (!body.empty() && values_of(headers, "Content-Type").empty()) headers.emplace_back("content-type", "application/json; charset=utf-8");
      if (values_of(headers, "Host").empty()) headers.emplace_back("Host", "localhost:8080");
      return headers;
    }();
    HttpResponse answer;
    answer.status = 0;
    api.handle({method, target, all, body}, [&answer](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
  static std::string header(const HttpResponse& response, std::string_view name) {
    const auto values = values_of(response.headers, name);
    return values.empty() ? std::string() : std::string(values.front());
  }
  // Status and code of a problem document.
  static std::pair<unsigned, std::string> problem_of(const HttpResponse& response) {
    EXPECT_EQ(response.content_type, "application/problem+json");
    const json document = json::parse(response.body);
    EXPECT_EQ(document["status"], response.status);
    EXPECT_FALSE(document["title"].get<std::string>().empty());
    EXPECT_FALSE(document["detail"].get<std::string>().empty());
    EXPECT_EQ(document["type"], "urn:turnstone:problem:" + document["code"].get<std::string>());
    return {response.status, document["code"]};
  }
  using Problem = std::pair<unsigned, std::string>;

  ModelService service;
  Api api{service, [](const std::function<void()>& work) { work(); }, ApiOptions{std::vector<std::string>{"localhost", "127.0.0.1"}}};
};

TEST_F(ApiTest, TellsItsMetricsWhereThereAreAny) {
  EXPECT_EQ(problem_of(send("GET", "/metrics")), Problem(404, "not_found"));
  const Api counting(
      service, [](const std::function<void()>& work) { work(); }, ApiOptions{std::nullopt, [] { return std::string("turnstone_workers 2\n"); }});
  HttpResponse page;
  const auto keep = [&page](HttpResponse response) { page = std::move(response); };
  counting.handle({"GET", "/metrics", {}, {}}, keep);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(page.body, "turnstone_workers 2\n");
  counting.handle({"POST", "/metrics", {}, {}}, keep);
  EXPECT_EQ(problem_of(page), Problem(405, "method_not_allowed"));
}

TEST_F(ApiTest, ATurnMayTryAParkedOneAgain) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  for (const char* bad : {"0", "-1", "1.5", "\"1\"", "4294967296", "[]"}) {
    EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", std::string(R"({"message": "x", "retry_of": )") + bad + "}")),
              Problem(400, "invalid_argument"));
  }
  EXPECT_EQ(send("POST", "/v1/sessions/s/turns", R"({"message": "x", "retry_of": 3})").status, 200);
  EXPECT_EQ(service.turns().back().retry_of, TurnNumber{3});
}

TEST_F(ApiTest, CreatesASessionOnce) {
  const HttpResponse first =
      send("POST", "/v1/sessions",
           R"({"session": "a/👟", "profile": "u7", "policy": "benchmark", "profile_summary": {"preference_tags": ["wool", "boots"]}, "later": 1})");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(json::parse(first.body), json({{"session", "a/👟"}}));
  EXPECT_EQ(header(first, "Location"), "/v1/sessions/a%2F%F0%9F%91%9F/state");
  const NewSession session = service.sessions().front();
  EXPECT_EQ(session.session, SessionId{"a/👟"});
  EXPECT_EQ(session.profile, ProfileId{"u7"});
  EXPECT_EQ(session.policy_variant, "benchmark");
  EXPECT_EQ(session.preference_tags, (std::vector<std::string>{"wool", "boots"}));
  EXPECT_EQ(send("POST", "/v1/sessions", R"({"session": "a/👟"})").status, 200);
}

TEST_F(ApiTest, NamesASessionThatHasNoName) {
  const HttpResponse created = send("POST", "/v1/sessions");
  EXPECT_EQ(created.status, 201);
  EXPECT_FALSE(json::parse(created.body)["session"].get<std::string>().empty());
}

TEST_F(ApiTest, RefusesBadSessionBodies) {
  const Problem invalid{400, "invalid_argument"};
  for (const char* bad : {"[]", "3", "{", "{\"session\": 5}", "{\"session\": \"\"}", "{\"session\": \"a\\u0007\"}", "{\"policy\": \"other\"}",
                          "{\"profile_summary\": 1}", "{\"profile_summary\": {\"preference_tags\": [1]}}", "{\"session\": \"\xff\"}", "{\"x\": 1e999}", "[-22e2222"}) {
    EXPECT_EQ(problem_of(send("POST", "/v1/sessions", bad)), invalid) << bad;
  }
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions", json({{"session", std::string(201, 'a')}}).dump())).second, "limit_exceeded");
  EXPECT_TRUE(service.sessions().empty());
}

TEST_F(ApiTest, TakesATurnAndAddsItsTimeToTheStoredReply) {
  send("POST", "/v1/sessions", R"({"session": "a/b"})");
  const HttpResponse reply =
      send("POST", "/v1/sessions/a%2Fb/turns", R"({"message": "red", "top_k": 3, "front_end": "web"})", {{"idempotency-key", "k1"}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_TRUE(reply.body.starts_with(R"({"turn":1,"message":"red","timing_us":{"total":)")) << reply.body;
  EXPECT_GE(json::parse(reply.body)["timing_us"]["total"], 0);
  EXPECT_EQ(header(reply, "Idempotency-Key"), "k1");
  EXPECT_EQ(header(reply, "Idempotency-Replayed"), "");
  const TurnRequest turn = service.turns().front();
  EXPECT_EQ(turn.session, SessionId{"a/b"});
  EXPECT_EQ(turn.key, TurnKey{"k1"});
  EXPECT_EQ(turn.top_k, 3U);
  EXPECT_EQ(turn.front_end, "web");

  const HttpResponse again =
      send("POST", "/v1/sessions/a%2Fb/turns", R"({"message": "red", "top_k": 3, "front_end": "web"})", {{"Idempotency-Key", "k1"}});
  EXPECT_EQ(header(again, "Idempotency-Replayed"), "true");
  EXPECT_EQ(json::parse(again.body)["turn"], 1);
}

TEST_F(ApiTest, MakesAKeyForATurnWithoutOne) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  const std::string one = header(send("POST", "/v1/sessions/s/turns", R"({"message": "red"})"), "Idempotency-Key");
  const std::string two = header(send("POST", "/v1/sessions/s/turns", R"({"message": "red"})"), "Idempotency-Key");
  EXPECT_EQ(one.size(), 34U);
  EXPECT_NE(one, two);
  EXPECT_EQ(service.turns().at(1).key, TurnKey{two});
}

TEST_F(ApiTest, RefusesBadTurns) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  const std::vector<std::string> bad = {"",
                                        "{}",
                                        "[\"message\"]",
                                        R"({"message": null})",
                                        R"({"message": 5})",
                                        R"({"message": ""})",
                                        R"({"message": " \n"})",
                                        R"({"message": "a", "top_k": 0})",
                                        R"({"message": "a", "top_k": 101})",
                                        R"({"message": "a", "top_k": -1})",
                                        R"({"message": "a", "top_k": 1.5})",
                                        R"({"message": "a", "top_k": "3"})",
                                        R"({"message": "a"} x)",
                                        R"({"message": "\ud800"})",
                                        "{\"message\": \"\xc3\x28\"}",
                                        "{\"message\": \"a\", \"x\": " + std::string(17, '[') + std::string(17, ']') + "}",
                                        "{\"x\": " + std::string(100'000, '['),
                                        R"({"message": "a", "top_k": 18446744073709551617})",
                                        R"({"message": "a", "top_k": 1e999})",
                                        R"({"message": "a", "x": [-1e400]})"};
  for (const std::string& body : bad) {
    EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", body)).first, 400U) << body.substr(0, 80);
  }
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", json({{"message", std::string(20'001, 'a')}}).dump())), (Problem{413, "limit_exceeded"}));
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", R"({"message": "a"})", {{"Idempotency-Key", ""}})).first, 400U);
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", R"({"message": "a"})", {{"Idempotency-Key", "a\xff"}})).first, 400U);
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", R"({"message": "a"})", {{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}})).first,
            400U);
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/%FF/turns", R"({"message": "a"})")).first, 400U);
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions//turns", R"({"message": "a"})")).first, 400U);
  EXPECT_EQ(problem_of(send("POST", "/v1/sessions/s/turns", R"({"message": "a"})", {{"Content-Type", "text/plain"}})),
            (Problem{415, "unsupported_media_type"}));
  EXPECT_TRUE(service.turns().empty());
}

TEST_F(ApiTest, NeverRepeatsWhatWasSaidInAnError) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  const std::string secret = "my-secret-wish";
  for (const std::string& body :
       {"{\"message\": \"" + secret + "\", \"top_k\": \"" + secret + "\"}", "{\"message\": \"" + secret, "\"" + secret + "\""}) {
    EXPECT_EQ(send("POST", "/v1/sessions/s/turns", body).body.find(secret), std::string::npos);
  }
}

TEST_F(ApiTest, MapsEveryErrorToItsStatus) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  const std::vector<std::tuple<ErrorCode, unsigned, std::string>> table = {
      {ErrorCode::invalid_argument, 400, ""}, {ErrorCode::limit_exceeded, 413, ""},
      {ErrorCode::not_found, 404, ""},        {ErrorCode::io, 500, ""},
      {ErrorCode::no_space, 503, "10"},       {ErrorCode::locked, 503, "10"},
      {ErrorCode::corrupt, 500, ""},          {ErrorCode::unsupported, 501, ""},
      {ErrorCode::refused, 409, ""},          {ErrorCode::closed, 410, ""},
      {ErrorCode::erased, 410, ""},           {ErrorCode::busy, 503, "1"},
      {ErrorCode::key_reused, 409, ""},       {ErrorCode::internal, 500, ""}};
  for (const auto& [code, status, retry] : table) {
    service.fail_turns_with(Error{code, "it did not work; do something"});
    const HttpResponse response = send("POST", "/v1/sessions/s/turns", R"({"message": "a"})", {{"Idempotency-Key", "k"}});
    EXPECT_EQ(problem_of(response), (Problem{status, std::string(to_string(code))}));
    EXPECT_EQ(header(response, "Retry-After"), retry);
    EXPECT_EQ(header(response, "Idempotency-Key"), "k");
  }
}

TEST_F(ApiTest, ReadsStateAndEvents) {
  send("POST", "/v1/sessions", R"({"session": "s"})");
  EXPECT_EQ(send("GET", "/v1/sessions/s/state").body, R"({"at":null})");
  EXPECT_EQ(send("GET", "/v1/sessions/s/state?at=0").body, R"({"at":0})");
  EXPECT_EQ(send("GET", "/v1/sessions/s/state?at=7").body, R"({"at":7})");
  EXPECT_EQ(problem_of(send("GET", "/v1/sessions/none/state")).first, 404U);
  for (const char* bad :
       {"state?at=", "state?at=-1", "state?at=x", "state?at=4294967296", "events?from=0", "events?limit=0", "events?limit=1001", "events?from=1x"}) {
    EXPECT_EQ(problem_of(send("GET", std::string("/v1/sessions/s/") + bad)).first, 400U) << bad;
  }
  const json page = json::parse(send("GET", "/v1/sessions/s/events?from=3&limit=4").body);
  ASSERT_EQ(page["events"].size(), 4U);
  EXPECT_EQ(page["events"][0]["sequence"], 3);
  EXPECT_EQ(page["next"], 7);
  const json last = json::parse(send("GET", "/v1/sessions/s/events?from=7").body);
  EXPECT_EQ(last["events"].size(), 4U);
  EXPECT_TRUE(last["next"].is_null());
  EXPECT_EQ(json::parse(send("GET", "/v1/sessions/s/events?from=11").body)["events"].size(), 0U);
}

TEST_F(ApiTest, ErasesWhereThatIsAllowed) {
  ASSERT_EQ(send("POST", "/v1/sessions", R"({"session":"s/1"})").status, 201U);
  EXPECT_EQ(problem_of(send("DELETE", "/v1/sessions/s%2F1")), Problem(403, "erasure_not_allowed"));
  EXPECT_TRUE(service.erasures().empty());
  const Api erasing(
      service, [](const std::function<void()>& work) { work(); }, ApiOptions{std::nullopt, {}, true});
  HttpResponse answer;
  const auto ask = [&](const std::string& method, const std::string& target) {
    erasing.handle({method, target, {}, {}}, [&answer](HttpResponse response) { answer = std::move(response); });
    return answer;
  };
  EXPECT_EQ(ask("DELETE", "/v1/sessions/s%2F1?by=desk").status, 200U);
  EXPECT_EQ(answer.body, R"({"erased":[{"kind":"session","id":"s/1"}],"erased_before":0})");
  EXPECT_EQ(service.erasures().at(0).by, "desk");
  EXPECT_EQ(problem_of(ask("DELETE", "/v1/sessions/s%2F1")), Problem(404, "not_found"));
  ask("DELETE", "/v1/profiles/p1");
  EXPECT_EQ(service.erasures().at(2).profile, ProfileId{"p1"});
  EXPECT_EQ(problem_of(ask("GET", "/v1/sessions/s1")), Problem(405, "method_not_allowed"));
  EXPECT_EQ(problem_of(ask("DELETE", "/v1/sessions/s1?by=" + std::string(96, 'x'))).first, 413U);
}

TEST_F(ApiTest, IsReadyWithAWorkerOnly) {
  EXPECT_EQ(send("GET", "/healthz").status, 200);
  EXPECT_EQ(send("GET", "/readyz").status, 200);
  service.set_workers(0);
  const HttpResponse response = send("GET", "/readyz");
  EXPECT_EQ(problem_of(response), (Problem{503, "not_ready"}));
  EXPECT_EQ(json::parse(response.body)["detail"], "no worker has joined");
  EXPECT_EQ(send("GET", "/healthz").status, 200);
}

TEST_F(ApiTest, SaysWhichMethodsAnEndpointHas) {
  for (const auto& [method, target, allow] : {std::tuple{"GET", "/v1/sessions", "POST"},
                                              {"GET", "/v1/sessions/s", "DELETE"},
                                              {"POST", "/v1/profiles/p", "DELETE"},
                                              {"DELETE", "/v1/sessions/s/turns", "POST"},
                                              {"POST", "/healthz", "GET, HEAD"},
                                              {"PUT", "/v1/sessions/s/state", "GET, HEAD"},
                                              {"OPTIONS", "/v1/sessions/s/events", "GET, HEAD"}}) {
    const HttpResponse response = send(method, target);
    EXPECT_EQ(problem_of(response), (Problem{405, "method_not_allowed"}));
    EXPECT_EQ(header(response, "Allow"), allow);
  }
  for (const char* target : {"/", "/v1", "/v1/profiles", "/v1/sessions/s/turns/1", "/healthz/", "/V1/sessions"})
    EXPECT_EQ(problem_of(send("GET", target)).first, 404U) << target;
}

TEST_F(ApiTest, AnswersUnderKnownHostNamesOnly) {
  EXPECT_EQ(send("GET", "/healthz", "", {{"Host", "LOCALHOST"}}).status, 200);
  EXPECT_EQ(send("GET", "/healthz", "", {{"Host", "127.0.0.1:99"}}).status, 200);
  EXPECT_EQ(problem_of(send("GET", "/healthz", "", {{"Host", "evil.example:8080"}})), (Problem{421, "unknown_host"}));
  EXPECT_EQ(problem_of(send("GET", "/healthz", "", {{"Host", "localhost"}, {"Host", "evil.example"}})).first, 400U);
}

TEST_F(ApiTest, AnswersPagesOfKnownOriginsOnly) {
  EXPECT_EQ(send("POST", "/v1/sessions", "", {{"Origin", "http://localhost:3000"}}).status, 201);
  for (const char* origin : {"https://evil.example", "null", "http://localhost.evil.example", ""}) {
    EXPECT_EQ(problem_of(send("POST", "/v1/sessions", "", {{"Origin", origin}})), (Problem{403, "foreign_origin"})) << origin;
  }
  EXPECT_EQ(service.sessions().size(), 1U);
}

}  // namespace
}  // namespace turnstone
