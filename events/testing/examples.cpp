#include "events/testing/examples.h"

namespace turnstone::testing {
namespace {

Digest digest_counting_from(std::uint8_t first) {
  Digest digest{};
  for (std::uint8_t& byte : digest) byte = first++;
  return digest;
}

std::vector<EventBody> opening_examples() {
  return {
      SessionStarted{SessionId{"s-1"}, "http", "shopper", ProfileId{"user-7"}, {-70'000, 0, 65'536}, {"casual", "bleu"}, SessionId{"s-0"}},
      TurnReceived{TurnNumber{3}, TurnKey{"k-3"}, "red boots, size 7½", 10, "{\"page\":1}", TurnNumber{2}},
      AttemptStarted{TurnNumber{3}, Attempt{2}, WorkerId{"w-9f"}},
      IntentClassified{Intent::buying, Permille{870}, "key requirement"},
      ConstraintSet{ConstraintId{4},
                    "price",
                    Operator::between,
                    {{}, whole_number(20), Number{399'900}},
                    "$",
                    Strength::hard,
                    Source::answered,
                    Permille{950},
                    "between 20 and 39.99",
                    TextSpan{6, 26},
                    ConstraintId{1}},
      ConstraintTombstoned{ConstraintId{1}, TombstoneReason::contradicted, ConstraintId{4}, "red instead"},
      PreferenceWaived{"color", "any colour is fine"},
      RecipientSet{"mom", "women", "for my mom"},
      ReferenceResolved{"the second one", ProductId{"B07X"}, {"brand", "color"}},
      ProductRejected{ProductId{"B07Y"}, "not like the last one"},
      EpochAdvanced{Epoch{1}, Epoch{2}, EpochReason::additional_search, {ConstraintId{4}}, {ConstraintId{2}, ConstraintId{3}}},
  };
}

std::vector<EventBody> closing_examples() {
  return {
      ClauseRelaxed{ConstraintId{3}, "no product satisfies all", 0, 17},
      QuestionAsked{
          "material", "Which material?", {{"cotton", 120}, {"leather", 80}}, Millibits{1'250}, Millibits{9'431}, Permille{912}, "tells most"},
      QuestionAnswered{"material", AnswerOutcome::declined},
      ProductsShown{
          Route::portfolio, 312, {{ProductId{"B07X"}, Score{1'234'567'890'123}, Permille{640}}, {ProductId{"B07Z"}, Score{-5}, Permille{0}}}},
      ReplySent{"Dropped black; red now."},
      TurnCompleted{TurnNumber{3}, Attempt{2}, Fingerprint{digest_counting_from(0)}, Fingerprint{digest_counting_from(32)}, 1,
                    digest_counting_from(64), 1, digest_counting_from(96)},
      TurnParked{TurnNumber{4}, "three attempts ended without a result", 3},
      EngineChanged{Fingerprint{}, Fingerprint{digest_counting_from(0)}, Fingerprint{}, Fingerprint{digest_counting_from(32)}, 0, 1},
      ProfileUpdated{ProfileId{"user-7"}, {1, -1, 46'340}, Permille{125}, Permille{750}},
      SessionClosed{CloseReason::said_goodbye},
      SessionErased{"operator"},
  };
}

}  // namespace

std::vector<EventBody> example_events() {
  std::vector<EventBody> events = opening_examples();
  for (EventBody& event : closing_examples()) events.push_back(std::move(event));
  return events;
}

FlightRecord example_flight_record() {
  FlightRecord record;
  StageRecord understand{Stage::understand, {}};
  understand.note("signals", std::vector<std::string>{"color=red", "category=boots"});
  understand.note("unknown", std::vector<std::string>{});
  StageRecord rank{Stage::rank, {}};
  rank.note("scores", std::vector<std::int64_t>{1'000'000'007, -3, 0});
  rank.note("ties", std::vector<std::int64_t>{});
  rank.note("count", 2);
  rank.note("fallback", "none");
  record.stages = {understand, rank};
  return record;
}

}  // namespace turnstone::testing
