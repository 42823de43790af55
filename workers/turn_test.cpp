#include "workers/turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "events/chain.h"
#include "events/codec.h"
#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

IntentState started(const std::string& variant) {
  IntentState state;
  fold(state, SessionStarted{SessionId{"s"}, "test", variant, {}, {}, {}, {}}, TurnNumber{0});
  return state;
}

// One turn; the state afterwards holds its events.
Proposal say(IntentState& state, const std::string& text, const Artefact& artefact, std::uint32_t top_k = 10) {
  TurnInput input;
  input.received.turn = next(state.turn);
  input.received.key = TurnKey{std::to_string(input.received.turn.value)};
  input.received.text = text;
  input.received.top_k = top_k;
  input.attempt = Attempt{1};
  fold(state, input.received, input.received.turn);
  fold(state, AttemptStarted{input.received.turn, Attempt{1}, {}}, input.received.turn);
  Proposal proposal = take_turn(state, input, artefact, *Policy::standard());
  for (const EventBody& event : proposal.events) fold(state, event, input.received.turn);
  return proposal;
}

std::string bytes_of(const Proposal& proposal) {
  std::string bytes = proposal.reply + proposal.flight_bytes;
  for (const EventBody& event : proposal.events) bytes += encode_payload(event).value();
  return bytes;
}

// Talks until a question fits; nullptr when none does.
const QuestionAsked* question_like(IntentState& state, const Artefact& artefact, const std::function<bool(const QuestionAsked&)>& fits) {
  for (int turn = 0; turn < 8 && !state.asked.empty(); ++turn) {
    if (fits(state.asked.back().question)) return &state.asked.back().question;
    say(state, "I don't know", artefact);
  }
  return nullptr;
}

TEST(Turn, SomethingElseThanTheOptionsRejectsThem) {
  const Artefact& artefact = *fields().at("perfumes");
  IntentState state = started("shopper");
  say(state, "cologne", artefact);
  const QuestionAsked* asked = question_like(state, artefact, [&](const QuestionAsked& question) {
    const Facet* facet = artefact.facet(question.facet);
    return facet != nullptr && facet->kind == FacetKind::words && question.options.size() > 1;
  });
  ASSERT_NE(asked, nullptr);
  const QuestionAsked question = *asked;
  say(state, "Something else.", artefact);
  const auto rejected = std::find_if(state.active.begin(), state.active.end(), [&](const Constraint& c) { return c.set.facet == question.facet; });
  ASSERT_NE(rejected, state.active.end());
  EXPECT_EQ(rejected->set.op, Operator::is_not);
  EXPECT_EQ(rejected->set.value.any_of.size(), question.options.size());
  EXPECT_EQ(rejected->set.value.any_of.front(), question.options.front().value);
}

// Shirts and trousers, each casual or formal: kinds that lie across each other.
const Artefact& wardrobe() {
  static const std::shared_ptr<const Artefact> artefact = [] {
    std::vector<json> rows;
    for (int i = 0; i < 160; ++i) {
      rows.push_back(item(numbered("W", i), "Model " + std::to_string(i), {i % 2 == 0 ? "Shirts" : "Trousers", i / 2 % 2 == 0 ? "Casual" : "Formal"},
                          {{"Color", i % 3 == 0 ? "Red" : "Blue"}}));
    }
    return index_rows(rows, "wardrobe");
  }();
  return *artefact;
}

std::vector<std::string> kinds_held(const IntentState& state) {
  std::vector<std::string> kinds;
  for (const Constraint& constraint : state.active) {
    if (constraint.set.facet == "category") kinds.insert(kinds.end(), constraint.set.value.any_of.begin(), constraint.set.value.any_of.end());
  }
  return kinds;
}

TEST(Turn, WhichOfThemIsNotAnotherProduct) {
  IntentState state = started("shopper");
  say(state, "red shirts", wardrobe());
  QuestionAsked question;
  question.facet = "category";
  question.options = {{"Casual", 14}, {"Formal", 13}};
  fold(state, question, state.turn);
  say(state, "Formal", wardrobe());
  EXPECT_EQ(state.epoch, Epoch{1}) << "red goes on";
  EXPECT_EQ(kinds_held(state), (std::vector<std::string>{"Shirts", "Formal"}));
  say(state, "trousers", wardrobe());
  EXPECT_EQ(state.epoch, Epoch{2}) << "nobody asked";
  EXPECT_EQ(kinds_held(state), std::vector<std::string>{"Trousers"});
}

TEST(Turn, ALabelAroundAColumnsNameIsPartOfWhatWasSaid) {
  IntentState state = started("shopper");
  say(state, "a desk. Main Color: Red", furniture_artefact());
  const auto color = std::find_if(state.active.begin(), state.active.end(), [](const Constraint& c) { return c.set.facet == "color"; });
  ASSERT_NE(color, state.active.end());
  EXPECT_EQ(color->set.value.any_of, std::vector<std::string>{"Red"});
  EXPECT_EQ(color->set.said, "Main Color: Red");
}

TEST(Turn, ARangeGivenAsOptionBoundsTheNumber) {
  const Artefact& artefact = *fields().at("cars");
  IntentState state = started("shopper");
  say(state, "a van", artefact);
  QuestionAsked question;
  question.facet = "power";
  question.options = {{"under 100", 20}, {"100 to 200", 30}, {"200 or more", 10}};
  fold(state, question, state.turn);
  say(state, question.options.back().value, artefact);
  const auto bounded = std::find_if(state.active.begin(), state.active.end(), [&](const Constraint& c) { return c.set.facet == question.facet; });
  ASSERT_NE(bounded, state.active.end());
  EXPECT_EQ(bounded->set.op, Operator::at_least);
  EXPECT_EQ(bounded->set.value.number, whole_number(200));
}

// Twelve red desks are too many to show, and four of them are of oak.
TEST(Turn, AFewMatchesThatTheShopperNarrowedToAreShownAgain) {
  const auto shown_again = [](const std::string& variant) {
    IntentState state = started(variant);
    for (int i = 0; i < 3; ++i) say(state, i == 0 ? "a red desk" : "show me more", furniture_artefact());
    const std::vector<ProductId> before = state.shown;
    const json reply = json::parse(say(state, "of oak", furniture_artefact()).reply);
    const auto& list = reply["recommendations"];
    return std::count_if(list.begin(), list.end(), [&](const json& product) {
      return std::find(before.begin(), before.end(), ProductId{product["id"]}) != before.end();
    });
  };
  EXPECT_EQ(shown_again("shopper"), 4);
  EXPECT_EQ(shown_again("benchmark"), 0);
}

TEST(Turn, CompletedIsLastAndItsDigestsHold) {
  IntentState state = started("shopper"), before_completed = state;
  const Proposal proposal = say(state, "a red armchair under $300", furniture_artefact());
  ASSERT_FALSE(proposal.events.empty());
  const auto* completed = std::get_if<TurnCompleted>(&proposal.events.back());
  ASSERT_NE(completed, nullptr);
  EXPECT_EQ(completed->flight_digest, blake2b(proposal.flight_bytes));
  EXPECT_EQ(completed->artefact, furniture_artefact().fingerprint());
  EXPECT_EQ(completed->policy, Policy::standard()->fingerprint());
  EXPECT_EQ(completed->decision_version, decision_version);
  TurnReceived received;
  received.turn = TurnNumber{1};
  received.key = TurnKey{"1"};
  received.text = "a red armchair under $300";
  fold(before_completed, received, TurnNumber{1});
  fold(before_completed, AttemptStarted{TurnNumber{1}, Attempt{1}, {}}, TurnNumber{1});
  for (std::size_t i = 0; i + 1 < proposal.events.size(); ++i) fold(before_completed, proposal.events[i], TurnNumber{1});
  EXPECT_EQ(completed->state_digest, digest_of(before_completed));
}

TEST(Turn, TheFlightRecordNamesEveryStage) {
  IntentState state = started("shopper");
  const Proposal proposal = say(state, "a desk", furniture_artefact());
  const auto flight = decode_flight_record(proposal.flight_bytes);
  ASSERT_TRUE(flight.has_value());
  ASSERT_EQ(flight->stages.size(), std::size_t{stage_count});
  for (std::size_t i = 0; i < flight->stages.size(); ++i) {
    EXPECT_EQ(flight->stages[i].stage, static_cast<Stage>(i));
    for (const FlightField& field : flight->stages[i].decided) EXPECT_NE(field.name, "fault");
  }
}

TEST(Turn, SameInputSameBytes) {
  for (const auto& [field, artefact] : fields()) {
    for (const char* variant : {"shopper", "benchmark"}) {
      IntentState one = started(variant), other = started(variant);
      for (const char* text : {"hello", "something blue or woody, automatic", "under 100", "show me more", "not that"}) {
        EXPECT_EQ(bytes_of(say(one, text, *artefact)), bytes_of(say(other, text, *artefact))) << field << " " << text;
      }
      EXPECT_EQ(digest_of(one), digest_of(other));
    }
  }
}

TEST(Turn, TheOrderOfTheCatalogueFileDoesNotMatter) {
  std::vector<json> rows = perfumes();
  std::mt19937 random(7);
  std::shuffle(rows.begin(), rows.end(), random);
  const auto shuffled = index_rows(rows, "shuffled");
  IntentState one = started("shopper"), other = started("shopper");
  for (const char* text : {"a woody cologne", "by Orris", "50 ml or more"}) {
    EXPECT_EQ(say(one, text, *fields().at("perfumes")).reply, say(other, text, *shuffled).reply) << text;
  }
}

TEST(Turn, TheReplyDocumentHasItsFields) {
  IntentState state = started("shopper");
  const json reply = json::parse(say(state, "a blue desk", furniture_artefact(), 4).reply);
  for (const char* key : {"session", "turn", "epoch", "message", "ask_attribute", "questions", "recommendations", "route", "state"}) {
    EXPECT_TRUE(reply.contains(key)) << key;
  }
  ASSERT_FALSE(reply["recommendations"].empty());
  EXPECT_LE(reply["recommendations"].size(), 4U);
  for (const json& product : reply["recommendations"]) {
    const auto ordinal = furniture_artefact().find(product["id"].get<std::string>());
    ASSERT_TRUE(ordinal.has_value());
    EXPECT_EQ(product["title"], std::string(furniture_artefact().title(*ordinal)));
    const auto price = furniture_artefact().price(*ordinal);
    EXPECT_EQ(product["price"].dump(), price ? to_string(*price) : "null");
  }
}

TEST(Turn, AskAttributeStaysInItsClosedList) {
  EXPECT_EQ(ask_attribute("price"), "budget");
  EXPECT_EQ(ask_attribute("color"), "color");
  EXPECT_EQ(ask_attribute("other"), "other");
  EXPECT_EQ(ask_attribute("screen_size"), "feature");
  EXPECT_EQ(ask_attribute("department"), "feature");
}

// Conversations put together at random from the catalogue's own values and ways of speaking.
class RandomTalk {
 public:
  RandomTalk(const Artefact& artefact, std::uint32_t seed) : artefact_(artefact), random_(seed) {}

  std::string message() {
    const std::string value = some_value();
    switch (random_() % 12) {
      case 0: return value;
      case 1: return "not " + value;
      case 2: return "I'm looking for " + value + " and " + some_value();
      case 3: return "show me more";
      case 4: return "I don't care";
      case 5: return "under " + std::to_string(random_() % 200) + " dollars";
      case 6: return "forget that, I want " + value + " instead";
      case 7: return "no idea";
      case 8: return "what about the second one?";
      case 9: return "\xff\xfe \xe2\x80\xae" + value;
      case 10: return "start over";
      default: return std::string(random_() % 40, '!');
    }
  }
  std::uint32_t top_k() { return 1 + random_() % 12; }

 private:
  std::string some_value() {
    const auto facets = artefact_.facets();
    const Facet& facet = facets[random_() % facets.size()];
    if (facet.value_count == 0) return "something";
    return std::string(artefact_.value(ValueId{facet.first_value.value + static_cast<std::uint32_t>(random_() % facet.value_count)}).text);
  }
  const Artefact& artefact_;
  std::mt19937 random_;
};

void check_turn(const IntentState& before, const IntentState& after, const Proposal& proposal, std::uint32_t top_k) {
  EXPECT_LE(proposal.flight_bytes.size(), flight_record_bytes_max);
  const json reply = json::parse(proposal.reply);
  const std::string message = reply["message"];
  EXPECT_FALSE(message.empty());
  EXPECT_LE(message.size(), 4'000U);
  EXPECT_LE(reply["questions"].size(), 3U);
  EXPECT_LE(reply["recommendations"].size(), std::min<std::size_t>(top_k, 10));
  std::set<std::string> shown;
  std::int64_t again = 0;
  for (const json& product : reply["recommendations"]) {
    const std::string id = product["id"];
    EXPECT_TRUE(shown.insert(id).second) << id << " twice in one list";
    if (before.epoch != after.epoch) continue;
    again += std::count(before.shown.begin(), before.shown.end(), ProductId{id});
  }
  const bool narrows = std::any_of(after.active.begin(), after.active.end(), [&](const Constraint& c) { return c.turn == after.turn; });
  EXPECT_LE(again, narrows ? Policy::standard()->variant(after.policy_variant).retrieve.show_again : 0) << "shown before in this epoch";
  EXPECT_EQ(reply["recommendations"].empty(), reply["route"] == "none");
  for (const json& question : reply["questions"]) {
    const std::string facet = question["facet"];
    EXPECT_FALSE(after.waived.contains(facet)) << facet;
    if (facet == "other" || before.epoch != after.epoch) continue;
    for (const AskedQuestion& asked : before.asked) EXPECT_NE(asked.question.facet, facet) << "asked twice";
  }
}

TEST(TurnProperty, SlatesAndQuestionsKeepTheirPromises) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    for (const auto& [field, artefact] : fields()) {
      SCOPED_TRACE(field + " seed " + std::to_string(seed));
      RandomTalk talk(*artefact, seed);
      IntentState state = started(seed % 2 == 0 ? "shopper" : "benchmark");
      for (int turn = 0; turn < 12; ++turn) {
        const IntentState before = state;
        const std::uint32_t top_k = talk.top_k();
        const Proposal proposal = say(state, talk.message(), *artefact, top_k);
        check_turn(before, state, proposal, top_k);
      }
    }
  }
}

}  // namespace
}  // namespace turnstone
