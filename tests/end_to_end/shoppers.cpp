#include "tests/end_to_end/shoppers.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/gateway/target.h"
#include "events/testing/eventually.h"
#include "storage/ledger/ledger.h"

namespace turnstone::end_to_end {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Ordinary shopping in many orders; what is said matters less here than that it is said.
const std::vector<std::string> sayings = {"I am looking for a dress",
                                          "something in red",
                                          "under 60 dollars please",
                                          "not leather",
                                          "any brand is fine",
                                          "actually I want boots",
                                          "black ones",
                                          "the first one looks good",
                                          "cheaper",
                                          "I don't care which",
                                          "cotton or linen",
                                          "show me jackets instead",
                                          "size medium",
                                          "with good reviews",
                                          "for my mother",
                                          "no heels",
                                          "something casual",
                                          "never mind the color"};

Result<std::vector<Event>> all_events(const Ledger& ledger, const StreamId& stream) {
  std::vector<Event> events;
  for (;;) {
    auto page = ledger.read(stream, Sequence{events.size() + 1}, 500);
    if (!page || page->empty()) return page ? Result<std::vector<Event>>(events) : page;
    for (Event& event : *page) events.push_back(std::move(event));
  }
}

// What a stream says of its turns, checked for gaps and double ends on the way.
struct StreamTurns {
  std::map<std::string, std::uint32_t> by_key;
  std::map<std::uint32_t, std::string> text;
  std::set<std::uint32_t> ended;
};
StreamTurns read_turns(const std::vector<Event>& events, const std::string& session) {
  StreamTurns turns;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence.value, i + 1) << session;
    if (const auto* received = std::get_if<TurnReceived>(&events[i].body)) {
      EXPECT_TRUE(turns.by_key.emplace(received->key.value, received->turn.value).second)
          << "received twice: " << session << " " << received->key.value;
      EXPECT_EQ(received->turn.value, turns.text.size() + 1) << session;
      EXPECT_EQ(turns.ended.size(), turns.text.size()) << "a turn began before the one before it had ended: " << session;
      turns.text[received->turn.value] = received->text;
    }
    const auto* completed = std::get_if<TurnCompleted>(&events[i].body);
    const auto* parked = std::get_if<TurnParked>(&events[i].body);
    if (completed != nullptr || parked != nullptr) {
      const std::uint32_t turn = completed != nullptr ? completed->turn.value : parked->turn.value;
      EXPECT_TRUE(turns.ended.insert(turn).second) << "two ends of one turn: " << session << " " << turn;
    }
  }
  return turns;
}

}  // namespace

std::string without_timing(const std::string& body) {
  const std::size_t at = body.rfind(",\"timing_us\":");
  return at == std::string::npos ? body : body.substr(0, at) + "}";
}

std::uint32_t turn_of(const std::string& document) {
  const json reply = json::parse(document, nullptr, false);
  return reply.is_object() ? reply.value("turn", 0U) : 0U;
}

std::optional<Acknowledged> take_turn_surely(HttpClient& client, const Turn& turn, const std::atomic<bool>& stop, std::atomic<std::size_t>* refused) {
  const HttpRequest request{
      "POST", "/v1/sessions/" + percent_encode(turn.session) + "/turns", {{"Idempotency-Key", turn.key}}, json({{"message", turn.text}}).dump()};
  const auto end = std::chrono::steady_clock::now() + 2 * patience;
  for (std::string last; !stop;) {
    const auto reply = client.send(request);
    if (reply && reply->status == 200) {
      const std::string document = without_timing(reply->body);
      return Acknowledged{turn.session, turn.key, turn.text, turn_of(document), document};
    }
    if (refused != nullptr) ++*refused;
    const bool later = !reply || reply->status == 503 || reply->status == 504;
    last = reply ? reply->body : reply.error().detail;
    if (!later || std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << turn.session << " " << turn.key << " was not answered: " << last;
      return std::nullopt;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return std::nullopt;
}

void create_session(const Deployment& deployment, const std::string& session) {
  const auto created = deployment.client().send({"POST", "/v1/sessions", {}, json({{"session", session}}).dump()});
  ASSERT_TRUE(created) << created.error().detail;
  ASSERT_LT(created->status, 300U) << created->body;
}

Shoppers::Shoppers(const Deployment& deployment, std::size_t count, std::uint32_t seed) : heard_(count) {
  for (std::size_t number = 0; number < count; ++number) {
    create_session(deployment, "shopper-" + std::to_string(number));
    threads_.emplace_back([this, client = deployment.client(), number, seed]() mutable { converse(std::move(client), number, seed); });
  }
}

void Shoppers::converse(HttpClient client, std::size_t number, std::uint32_t seed) {
  std::mt19937 random(seed + static_cast<std::uint32_t>(number));
  for (std::uint32_t turn = 1; !stop_; ++turn) {
    const Turn next{"shopper-" + std::to_string(number), "key-" + std::to_string(turn), sayings[random() % sayings.size()]};
    auto acknowledged = take_turn_surely(client, next, stop_, &refused_);
    if (!acknowledged) return;
    EXPECT_EQ(acknowledged->turn, turn) << next.session;
    heard_[number].push_back(std::move(*acknowledged));
    ++count_;
  }
}

void Shoppers::wait_for(std::size_t more) const {
  const std::size_t enough = count_ + more;
  ASSERT_TRUE(testing::eventually([&] { return count_ >= enough; })) << "the shoppers are stuck after " << count_ << " turns";
}

void Shoppers::stop() {
  stop_ = true;
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

std::vector<Acknowledged> Shoppers::all() const {
  std::vector<Acknowledged> all;
  for (const auto& heard : heard_) all.insert(all.end(), heard.begin(), heard.end());
  return all;
}

void check_ledger(Deployment& deployment, const std::vector<Acknowledged>& acknowledged) {
  const auto ledger = open_ledger(deployment.ledger(), {.durability = Durability::synced, .mode = OpenMode::read_only, .create_if_missing = false});
  ASSERT_TRUE(ledger) << ledger.error().detail;
  std::map<std::string, StreamTurns> sessions;
  for (const Acknowledged& turn : acknowledged) {
    if (!sessions.contains(turn.session)) {
      const auto events = all_events(**ledger, stream_of(SessionId{turn.session}));
      ASSERT_TRUE(events) << events.error().detail;
      sessions[turn.session] = read_turns(*events, turn.session);
    }
    const StreamTurns& stream = sessions[turn.session];
    ASSERT_TRUE(stream.by_key.contains(turn.key)) << "acknowledged and lost: " << turn.session << " " << turn.key;
    EXPECT_EQ(stream.by_key.at(turn.key), turn.turn) << turn.session << " " << turn.key;
    EXPECT_EQ(stream.text.at(turn.turn), turn.text) << turn.session << " " << turn.key;
    EXPECT_TRUE(stream.ended.contains(turn.turn)) << "acknowledged and not ended: " << turn.session << " " << turn.key;
    const auto record = (*ledger)->turn(SessionId{turn.session}, TurnNumber{turn.turn});
    ASSERT_TRUE(record) << record.error().detail;
    EXPECT_EQ(record->reply, turn.document) << turn.session << " " << turn.key;
  }
  const Ran verified = run({program(), "verify", "--ledger", deployment.ledger()});
  EXPECT_EQ(verified.code, 0) << verified.output << verified.errors;
  std::vector<std::string> replay = {program(), "replay", "--ledger", deployment.ledger(), "--index", deployment.index()};
  for (const std::string& index : deployment.further_indexes()) replay.insert(replay.end(), {"--index", index});
  const Ran replayed = run(replay);
  EXPECT_EQ(replayed.code, 0) << replayed.output << replayed.errors;
}

}  // namespace turnstone::end_to_end
