#include "tools/embedded_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/turn_request.h"
#include "events/snapshot.h"
#include "storage/catalogue/catalogue.h"
#include "storage/ledger/session_state.h"
#include "tools/chat/conversation.h"
#include "tools/generate/generator.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

// One small generated catalogue for all tests, indexed once.
class EmbeddedEngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = (std::filesystem::path(testing::TempDir()) / "embedded-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    const std::string catalogue = folder_ + "/catalogue.jsonl";
    const auto generator = CatalogueGenerator::make("fashion", 7);
    std::ofstream out(catalogue);
    for (std::uint64_t index = 0; index < 400; ++index) out << generator->row(index) << "\n";
    out.close();
    IndexOptions options;
    options.write_sqlite = false;
    const auto built = build_index(catalogue, folder_ + "/index", options);
    ASSERT_TRUE(built.has_value()) << built.error().detail;
    auto artefact = Artefact::open(folder_ + "/index");
    ASSERT_TRUE(artefact.has_value()) << artefact.error().detail;
    artefact_ = *std::move(artefact);
  }
  static void TearDownTestSuite() {
    artefact_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<EmbeddedEngine> engine(EmbeddedOptions options = {}, std::shared_ptr<const Policy> policy = Policy::standard()) {
    auto opened = EmbeddedEngine::open(*ledger_, artefact_, std::move(policy), system_clock(), std::move(options));
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    return *std::move(opened);
  }
  static TurnRequest turn(const char* session, const char* key, const char* text) {
    TurnRequest request;
    request.session = SessionId{session};
    request.key = TurnKey{key};
    request.text = text;
    return request;
  }
  static void start(EmbeddedEngine& engine, const char* session) {
    NewSession created;
    created.session = SessionId{session};
    EXPECT_TRUE(engine.start_session(created).has_value());
  }

  static std::string folder_;
  static std::shared_ptr<const Artefact> artefact_;
  std::unique_ptr<Ledger> ledger_ = make_memory_ledger();
};
std::string EmbeddedEngineTest::folder_;
std::shared_ptr<const Artefact> EmbeddedEngineTest::artefact_;

TEST_F(EmbeddedEngineTest, TheSameKeyIsTheSameTurn) {
  const auto embedded = engine();
  start(*embedded, "s");
  const auto first = embedded->take_turn(turn("s", "k1", "a red dress"));
  ASSERT_TRUE(first.has_value()) << first.error().detail;
  const auto again = embedded->take_turn(turn("s", "k1", "a red dress"));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->reply.document, first->reply.document);
  EXPECT_TRUE(again->reply.repeated);
  EXPECT_FALSE(first->reply.repeated);
  const auto other = embedded->take_turn(turn("s", "k1", "a blue dress"));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::key_reused);
}

TEST_F(EmbeddedEngineTest, ASessionMustBeStarted) {
  const auto reply = engine()->take_turn(turn("nobody", "k1", "a red dress"));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::not_found);
}

TEST_F(EmbeddedEngineTest, StartingTwiceIsNoError) {
  const auto embedded = engine();
  NewSession created;
  created.session = SessionId{"s"};
  EXPECT_TRUE(*embedded->start_session(created));
  EXPECT_FALSE(*embedded->start_session(created));
  EXPECT_FALSE(*engine()->start_session(created));
}

TEST_F(EmbeddedEngineTest, FinishesWhatAnEarlierProcessLeftPending) {
  const TurnRequest request = turn("s", "k1", "a red dress");
  {
    const auto embedded = engine();
    start(*embedded, "s");
    AcceptRequest accept;
    accept.session = request.session;
    accept.key = request.key;
    accept.body_mac = body_digest(request);
    accept.received.text = request.text;
    accept.received.top_k = request.top_k;
    ASSERT_TRUE(ledger_->accept(accept).has_value());
  }
  const auto embedded = engine();
  EXPECT_EQ(embedded->recovered(), 1U);
  const auto record = ledger_->turn(SessionId{"s"}, TurnNumber{1});
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->state, TurnRecord::State::done);
  EXPECT_EQ(record->attempt, Attempt{2});
  const auto reply = embedded->take_turn(request);
  ASSERT_TRUE(reply.has_value()) << reply.error().detail;
  EXPECT_TRUE(reply->reply.repeated);
  EXPECT_EQ(engine()->recovered(), 0U);
}

TEST_F(EmbeddedEngineTest, ParksATurnThatThreeAttemptsDidNotFinish) {
  const TurnRequest request = turn("s", "k1", "a red dress");
  start(*engine(), "s");
  AcceptRequest accept;
  accept.session = request.session;
  accept.key = request.key;
  accept.body_mac = body_digest(request);
  accept.received.text = request.text;
  ASSERT_TRUE(ledger_->accept(accept).has_value());
  for (int again = 0; again < 2; ++again) ASSERT_TRUE(ledger_->raise_attempt(request.session, TurnNumber{1}, WorkerId{"w"}, Timestamp{1}).has_value());
  const auto embedded = engine();
  EXPECT_EQ(ledger_->turn(request.session, TurnNumber{1})->state, TurnRecord::State::parked);
  const auto next_turn = embedded->take_turn(turn("s", "k2", "a blue dress"));
  ASSERT_TRUE(next_turn.has_value()) << next_turn.error().detail;
  EXPECT_EQ(next_turn->reply.turn, TurnNumber{2});
}

TEST_F(EmbeddedEngineTest, AnotherPolicyIsRecordedBeforeItDecides) {
  start(*engine(), "s");
  const auto other = Policy::parse(Policy::standard()->source() + "\n# changed\n");
  ASSERT_TRUE(other.has_value()) << other.error().detail;
  const auto embedded = engine({}, *other);
  ASSERT_TRUE(embedded->take_turn(turn("s", "k1", "a red dress")).has_value());
  const auto state = embedded->state(SessionId{"s"});
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ((*state)->engine->policy_to, (*other)->fingerprint());
  EXPECT_EQ((*state)->engine->policy_from, Policy::standard()->fingerprint());
  EXPECT_TRUE(ledger_->document((*other)->fingerprint()).has_value());
}

TEST_F(EmbeddedEngineTest, StatesThatWereDroppedFromMemoryComeBackTheSame) {
  EmbeddedOptions tight;
  tight.sessions_cached_max = 1;
  const auto embedded = engine(tight);
  for (const char* session : {"a", "b"}) start(*embedded, session);
  const char* says[] = {"a red dress", "under $60", "not red, blue"};
  int key = 0;
  for (const char* said : says) {
    for (const char* session : {"a", "b"}) ASSERT_TRUE(embedded->take_turn(turn(session, std::to_string(++key).c_str(), said)).has_value());
  }
  const Digest a = digest_of(**embedded->state(SessionId{"a"}));
  const auto roomy = engine();
  EXPECT_EQ(digest_of(**roomy->state(SessionId{"a"})), a);
}

TEST_F(EmbeddedEngineTest, NothingOfASessionThatCannotBeReadStaysWarm) {
  const auto embedded = engine();
  start(*embedded, "a");
  ASSERT_TRUE(embedded->take_turn(turn("a", "1", "a red dress")).has_value());
  ASSERT_TRUE(ledger_->erase(stream_of(SessionId{"a"}), "desk", Timestamp{1}));
  EXPECT_EQ(embedded->state(SessionId{"a"}).error().code, ErrorCode::erased);
  NewSession again;
  again.session = SessionId{"a"};
  const auto started = embedded->start_session(again);
  ASSERT_FALSE(started) << "it is taken for one that is there";
  EXPECT_EQ(started.error().code, ErrorCode::erased);
}

TEST_F(EmbeddedEngineTest, ALongSessionGoesOnFromItsSnapshot) {
  const auto embedded = engine();
  start(*embedded, "long");
  const char* says[] = {"a red dress", "under $60", "not red, blue", "any brand is fine", "boots instead"};
  const SessionId session{"long"};
  for (int key = 1; ledger_->head(stream_of(session))->sequence.value < 2 * snapshot_interval_events; ++key) {
    ASSERT_TRUE(embedded->take_turn(turn("long", std::to_string(key).c_str(), says[key % 5])).has_value());
  }
  EXPECT_GT(snapshot_state(*ledger_, session).sequence.value, snapshot_interval_events);
  IntentState folded;
  ASSERT_TRUE(catch_up(*ledger_, session, folded));
  const auto fresh = engine();
  EXPECT_EQ(**fresh->state(session), folded);
  ASSERT_TRUE(fresh->take_turn(turn("long", "last", "in green")).has_value());
}

// --- the pipe ------------------------------------------------------------------------------------------------

TEST(ScriptLine, ReadsEveryField) {
  const auto line = parse_script_line(
      R"({"session":"s1","message":"hats","turn_key":"k","profile":"user-7","profile_summary":{"preference_tags":["fit"]},"top_k":3,"policy":"benchmark"})",
      "shopper");
  ASSERT_TRUE(line.has_value()) << line.error().detail;
  EXPECT_EQ(line->turn.session.value, "s1");
  EXPECT_EQ(line->turn.text, "hats");
  EXPECT_EQ(line->turn.key.value, "k");
  EXPECT_EQ(line->turn.top_k, 3U);
  EXPECT_EQ(line->session.profile->value, "user-7");
  EXPECT_EQ(line->session.policy_variant, "benchmark");
  EXPECT_THAT(line->session.preference_tags, testing::ElementsAre("fit"));
}

TEST(ScriptLine, KeysAreFreshWhenNoneIsGiven) {
  const auto one = parse_script_line(R"({"session":"s","message":"hats"})", "shopper");
  const auto two = parse_script_line(R"({"session":"s","message":"hats"})", "shopper");
  EXPECT_NE(one->turn.key, two->turn.key);
  EXPECT_EQ(one->session.policy_variant, "shopper");
}

TEST(ScriptLine, RefusesWhatBreaksTheRules) {
  const std::string long_message(30'000, 'x');
  for (const std::string& line : {std::string("no json"), std::string("[1,2]"), std::string("7"), std::string(R"({"session":"s")"), std::string(R"({"message":"m"})"),
                                  std::string(R"({"session":"s"})"), std::string(R"({"session":7,"message":"m"})"), std::string(R"({"session":"","message":"m"})"),
                                  std::string(R"({"session":"s","message":null})"), std::string(R"({"session":"s","message":""})"),
                                  std::string(R"({"session":"s","message":" \t "})"), std::string(R"({"session":"a\nb","message":"m"})"),
                                  std::string(R"({"session":"s","message":"m","top_k":0})"), std::string(R"({"session":"s","message":"m","top_k":101})"),
                                  std::string(R"({"session":"s","message":"m","top_k":-3})"), std::string(R"({"session":"s","message":"m","top_k":2.5})"),
                                  std::string(R"({"session":"s","message":"m","top_k":"3"})"), std::string(R"({"session":"s","message":"m","policy":"wild"})"),
                                  std::string(R"({"session":"s","message":"m","turn_key":5})"), std::string(R"({"session":"s","message":"m","profile":[]})"),
                                  std::string(R"({"session":"s","message":"m","profile_summary":{"preference_tags":[1]}})"),
                                  R"({"session":"s","message":")" + long_message + "\"}"}) {
    const auto read = parse_script_line(line, "shopper");
    ASSERT_FALSE(read.has_value()) << line.substr(0, 80);
    EXPECT_TRUE(read.error().code == ErrorCode::invalid_argument || read.error().code == ErrorCode::limit_exceeded);
    EXPECT_FALSE(read.error().detail.empty());
  }
}

TEST(ScriptLine, BrokenBytesBecomeReplacementCharacters) {
  const auto line = parse_script_line("{\"session\":\"s\",\"message\":\"a h\xff\xfe" "at\"}", "shopper");
  ASSERT_TRUE(line.has_value()) << line.error().detail;
  EXPECT_EQ(line->turn.text, "a h\xEF\xBF\xBD\xEF\xBF\xBD" "at");
}

std::vector<Json> run(EmbeddedEngine& engine, const std::string& input, std::uint64_t refused = 0) {
  std::FILE* in = std::tmpfile();
  std::FILE* out = std::tmpfile();
  std::fwrite(input.data(), 1, input.size(), in);
  std::rewind(in);
  EXPECT_EQ(run_script(engine, in, out, {}).value_or(999), refused);
  std::rewind(out);
  std::string text;
  for (int c = std::getc(out); c != EOF; c = std::getc(out)) text.push_back(static_cast<char>(c));
  std::fclose(in);
  std::fclose(out);
  std::vector<Json> replies;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) replies.push_back(Json::parse(line));
  return replies;
}

TEST_F(EmbeddedEngineTest, ABadLineIsAnsweredAndTheNextOneRead) {
  const auto embedded = engine();
  const std::string endless(script_line_bytes_max + 10, 'x');
  const auto replies = run(*embedded, "not json\n\n" + endless + "\n{\"session\":\"s\",\"message\":\"a red dress\"}\n{\"session\":\"s\",\"message\":\"\"}\n"
                                      "{\"session\":\"s\",\"message\":\"under $60\"}", 3);
  ASSERT_EQ(replies.size(), 5U);
  EXPECT_EQ(replies[0].at("error").at("code"), "invalid_argument");
  EXPECT_EQ(replies[1].at("error").at("code"), "limit_exceeded");
  EXPECT_EQ(replies[2].at("turn"), 1);
  EXPECT_TRUE(replies[2].at("timing_us").at("total").is_number_integer());
  EXPECT_EQ(replies[3].at("error").at("code"), "invalid_argument");
  EXPECT_EQ(replies[4].at("turn"), 2);
  EXPECT_EQ(replies[4].at("session"), "s");
}

TEST_F(EmbeddedEngineTest, ASessionGoesOnInTheNextRun) {
  run(*engine(), "{\"session\":\"s\",\"message\":\"a red dress\"}\n");
  const auto replies = run(*engine(), "{\"session\":\"s\",\"message\":\"under $60\"}\n");
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].at("turn"), 2);
}

TEST(WithTimings, StandsLastInTheDocument) {
  TurnTimings timings;
  timings.total = 7;
  EXPECT_EQ(Json::parse(with_timings(R"({"a":{}})", timings)).at("timing_us").at("total"), 7);
  EXPECT_EQ(Json::parse(with_timings("{}", timings)).size(), 1U);
}

}  // namespace
}  // namespace turnstone
