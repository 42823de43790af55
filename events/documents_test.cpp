#include "events/documents.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "events/event_table.h"
#include "events/testing/examples.h"
#include "events/testing/random_events.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

ConstraintSet price_under(std::uint32_t id, std::int64_t dollars) {
  ConstraintSet set;
  set.id = ConstraintId{id};
  set.facet = "price";
  set.op = Operator::at_most;
  set.value.number = whole_number(dollars);
  set.unit = "$";
  set.confidence = Permille{955};
  set.said = "cheap";
  return set;
}

IntentState sample_state() {
  IntentState state;
  const auto tell = [&](const EventBody& body, std::uint32_t turn) { fold(state, body, TurnNumber{turn}); };
  tell(SessionStarted{SessionId{"s1"}, "http", "shopper", std::nullopt, {}, {}, std::nullopt}, 0);
  tell(TurnReceived{TurnNumber{1}, TurnKey{"k"}, "cheap boots", 10, "", std::nullopt}, 1);
  ConstraintSet category;
  category.id = ConstraintId{1};
  category.facet = "category";
  category.value.any_of = {"Boots"};
  tell(category, 1);
  tell(price_under(2, 60), 1);
  tell(IntentClassified{Intent::buying, Permille{900}, ""}, 1);
  tell(TurnReceived{TurnNumber{2}, TurnKey{"k2"}, "make it 40", 10, "", std::nullopt}, 2);
  tell(ConstraintTombstoned{ConstraintId{2}, TombstoneReason::superseded, ConstraintId{3}, "make it 40"}, 2);
  tell(price_under(3, 40), 2);
  tell(PreferenceWaived{"color", "any colour"}, 2);
  tell(RecipientSet{"mom", "women", "for my mom"}, 2);
  tell(QuestionAsked{"material", "?", {}, {}, {}, {}, ""}, 2);
  tell(QuestionAsked{"material", "?", {}, {}, {}, {}, ""}, 2);
  tell(ProductsShown{Route::exact, 2, {{ProductId{"b"}, {}, {}}, {ProductId{"a"}, {}, {}}}}, 2);
  return state;
}

TEST(Documents, StateDocumentIsThePublicOne) {
  const Json expected = Json::parse(R"({
    "session": "s1", "turn": 2, "epoch": 1, "intent": "buying", "category": ["Boots"],
    "constraints": [
      {"id": 1, "facet": "category", "op": "is", "value": "Boots", "said": "", "strength": "hard", "source": "said", "confidence": 0.0, "turn": 1,
       "status": "active"},
      {"id": 3, "facet": "price", "op": "at_most", "value": 40, "unit": "$", "said": "cheap", "strength": "hard", "source": "said", "confidence": 0.955,
       "turn": 2, "status": "active"},
      {"id": 2, "facet": "price", "op": "at_most", "value": 60, "unit": "$", "said": "cheap", "strength": "hard", "source": "said", "confidence": 0.955,
       "turn": 1, "status": "tombstoned", "reason": "superseded"}],
    "waived": ["color"], "asked": ["material"], "shown": ["b", "a"], "about": {"recipient": "mom", "department": "women"}})");
  EXPECT_EQ(state_document(sample_state()), expected) << state_document(sample_state()).dump(2);
}

TEST(Documents, AnEmptyStateHasAllKeys) {
  const Json document = state_document(IntentState{});
  for (const char* key : {"session", "turn", "epoch", "intent", "category", "constraints", "waived", "asked", "shown", "about"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["about"], Json::object());
  EXPECT_EQ(document["constraints"], Json::array());
}

TEST(Documents, ValuesReadAsPeopleWriteThem) {
  const ConstraintValue range{{}, whole_number(20), Number{399'900}};
  EXPECT_EQ(to_json(range, Operator::between).dump(), R"({"max":39.99,"min":20})");
  EXPECT_EQ(to_json(ConstraintValue{{"red"}, {}, {}}, Operator::is).dump(), R"("red")");
  EXPECT_EQ(to_json(ConstraintValue{{"cotton", "linen"}, {}, {}}, Operator::is).dump(), R"(["cotton","linen"])");
  EXPECT_EQ(to_json(ConstraintValue{{}, Number{195'000}, {}}, Operator::about).dump(), "19.5");
}

TEST(Documents, EventsShowTheirFieldsByName) {
  const auto examples = testing::example_events();
  const Json set = to_json(examples[4]);
  EXPECT_EQ(set["value"].dump(), R"({"max":39.99,"min":20})");
  EXPECT_EQ(set["op"], "between");
  EXPECT_EQ(set["confidence"], 0.95);
  EXPECT_EQ(set["span"], (Json{{"begin", 6}, {"end", 26}}));
  EXPECT_EQ(to_json(examples[0])["profile"], "user-7");
  EXPECT_EQ(to_json(examples[16])["artefact"], "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  Event event;
  event.stream = {StreamKind::session, "s1"};
  event.sequence = Sequence{3};
  event.time = Timestamp{1'700'000'000'000'250};
  event.body = examples[20];
  const Json document = to_json(event);
  EXPECT_EQ(document["type"], "SessionClosed");
  EXPECT_EQ(document["time"], "2023-11-14T22:13:20.000250Z");
  EXPECT_EQ(document["body"]["reason"], "said_goodbye");
}

TEST(Documents, FlightRecordsShowDecisionsByStage) {
  const Json record = to_json(testing::example_flight_record());
  EXPECT_EQ(record["stages"][1]["stage"], "rank");
  EXPECT_EQ(record["stages"][1]["decided"]["scores"], (Json{1'000'000'007, -3, 0}));
  EXPECT_EQ(record["stages"][0]["decided"]["unknown"], Json::array());
}

TEST(Documents, BrokenTextIsStillPrintable) {
  EXPECT_EQ(to_json(ReplySent{"a\xff\xc3"})["text"], "a\xEF\xBF\xBD\xEF\xBF\xBD");
  testing::Random random(11);
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(to_json(testing::random_event(random)).dump().empty());
}

}  // namespace
}  // namespace turnstone
