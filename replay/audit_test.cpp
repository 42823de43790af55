#include "replay/audit.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "events/testing/examples.h"
#include "events/testing/random_events.h"
#include "replay/wording.h"

namespace turnstone {
namespace {

ConstraintSet wish(std::uint32_t id, std::string facet, std::string value) {
  ConstraintSet set;
  set.id = ConstraintId{id};
  set.facet = std::move(facet);
  set.value.any_of = {value};
  set.said = std::move(value);
  set.confidence = Permille{950};
  return set;
}

std::vector<Event> story() {
  std::vector<Event> events;
  const auto tell = [&](std::uint32_t turn, EventBody body) {
    Event event;
    event.stream = {StreamKind::session, "s1"};
    event.sequence = Sequence{events.size() + 1};
    event.time = Timestamp{1'700'000'000'000'000 + turn * 60'000'000};
    event.turn = TurnNumber{turn};
    event.body = std::move(body);
    events.push_back(std::move(event));
  };
  tell(0, SessionStarted{SessionId{"s1"}, "http", "shopper", std::nullopt, {}, {}, std::nullopt});
  tell(1, TurnReceived{TurnNumber{1}, TurnKey{"k"}, "black\nboots", 10, "", std::nullopt});
  tell(1, AttemptStarted{TurnNumber{1}, Attempt{1}, WorkerId{"w"}});
  tell(1, wish(1, "category", "Boots"));
  tell(1, wish(2, "color", "black"));
  tell(1, QuestionAsked{"material", "?", {{"leather", 12}, {"suede", 3}}, Millibits{1'250}, Millibits{9'000}, Permille{910}, "tells most"});
  tell(1, ProductsShown{Route::exact, 12, {{ProductId{"B1"}, Score{4'000}, Permille{640}}}});
  tell(1, ReplySent{"Boots in black."});
  tell(2, TurnReceived{TurnNumber{2}, TurnKey{"k2"}, "red instead, any material; then a hat", 10, "", std::nullopt});
  tell(2, ConstraintTombstoned{ConstraintId{2}, TombstoneReason::superseded, ConstraintId{3}, "red instead"});
  tell(2, wish(3, "color", "red"));
  tell(2, PreferenceWaived{"material", "any material"});
  tell(2, EpochAdvanced{Epoch{1}, Epoch{2}, EpochReason::new_product, {ConstraintId{3}}, {ConstraintId{1}}});
  tell(2, ClauseRelaxed{ConstraintId{3}, "nothing matched", 0, 9});
  return events;
}

TEST(Audit, TellsTheTimelineInWords) {
  const Audit audit = audit_events(SessionId{"s1"}, story(), [](const ProductId& id) { return "Title of " + id.value; });
  const std::string text = audit_text(audit, {});
  for (const char* line : {"session s1 · policy shopper · 2023-11-14 22:13:20 UTC · 2 turns · epoch 2", "turn 1        “black boots”",
                           "set         category is Boots", "[#2, hard, said, 0.95, by “black”]", "asked       material: leather (12), suede (3)",
                           "tells 1.25 bits of 9.00 bits, coverage 0.91: tells most", "1. B1 “Title of B1”", "dropped     color is black (#2)",
                           "[superseded by #3, by “red instead”]", "waived      any material will do", "epoch       1 → 2: new product",
                           "carried     color is red (#3)", "archived    category is Boots (#1)", "relaxed     color is red (#3)",
                           "[nothing matched; 0 → 9 products]", "reply       “Boots in black.”"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no colour unless asked for";
}

TEST(Audit, LongTextsAreWrappedUnderTheirColumn) {
  std::vector<Event> events = story();
  std::get<TurnReceived>(events[1].body).text = std::string(50, 'a') + ' ' + std::string(50, 'b') + ' ' + std::string(50, 'c');
  const std::string text = audit_text(audit_events(SessionId{"s1"}, events), {.width = 70});
  EXPECT_NE(text.find("\n              " + std::string(50, 'b')), std::string::npos) << text;
}

TEST(Audit, JsonHoldsTimelineAndEvents) {
  const auto json = to_json(audit_events(SessionId{"s1"}, story()));
  ASSERT_EQ(json["turns"].size(), 3U);
  EXPECT_EQ(json["turns"][2]["epoch"], 2);
  EXPECT_EQ(json["turns"][2]["timeline"][0]["kind"], "dropped");
  EXPECT_EQ(json["turns"][1]["events"].size(), 7U);
}

TEST(Audit, EveryEventTypeAndAnyTextHasItsSentence) {
  std::vector<Event> events;
  const auto add = [&](EventBody body) {
    Event event;
    event.body = std::move(body);
    events.push_back(std::move(event));
  };
  for (EventBody& body : testing::example_events()) add(std::move(body));
  testing::Random random(3);
  for (int i = 0; i < 200; ++i) add(testing::random_event(random));
  const std::string text = audit_text(audit_events(SessionId{"s\n1"}, events), {.colour = true});
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_FALSE(to_json(audit_events(SessionId{"s"}, events)).dump(-1, ' ', false, nlohmann::json::error_handler_t::strict).empty());
}

TEST(Wording, ConstraintsReadAsSentences) {
  ConstraintSet price;
  price.facet = "price";
  price.op = Operator::between;
  price.value = {{}, whole_number(20), Number{399'900}};
  price.unit = "$";
  EXPECT_EQ(words_of(price), "price between $20 and $39.99");
  ConstraintSet memory;
  memory.facet = "ram_size";
  memory.op = Operator::at_least;
  memory.value.number = whole_number(32);
  memory.unit = "gb";
  EXPECT_EQ(words_of(memory), "ram size at least 32 gb");
  ConstraintSet material = wish(1, "material", "cotton");
  material.value.any_of.push_back("linen");
  material.op = Operator::is_not;
  EXPECT_EQ(words_of(material), "material is not cotton or linen");
}

}  // namespace
}  // namespace turnstone
