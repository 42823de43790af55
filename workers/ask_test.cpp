#include <gtest/gtest.h>

#include <algorithm>

#include "workers/ask_bins.h"
#include "workers/ask_open.h"
#include "workers/ask_options.h"
#include "workers/posterior.h"
#include "workers/stage_fixture.h"

namespace turnstone {
namespace {

using namespace stage_fixture;

QuestionAsked asked_about(const std::string& facet) {
  QuestionAsked question;
  question.facet = facet;
  return question;
}

TEST(Gate, ShopperNeverSeesMoreThanAsked) {
  for (const std::uint32_t top_k : {1U, 3U, 10U, 50U}) {
    const auto stages = run_stages(StateOf().wish("category", "Desk").get(), furniture_artefact(), top_k);
    EXPECT_LE(stages.slate.products.size(), std::min<std::size_t>(top_k, 10));
    EXPECT_GE(stages.slate.products.size(), 1U);
  }
}

TEST(Gate, SmallExactPoolsAreTrustedWhole) {
  const Artefact& artefact = furniture_artefact();
  const auto stages = run_stages(StateOf().wish("category", "Desk").wish("color", "Green").wish("material", "Pine").get(), artefact);
  ASSERT_EQ(stages.retrieval.route, Route::exact);
  ASSERT_LE(stages.retrieval.matching, 10U);
  EXPECT_EQ(stages.slate.products.size(), stages.retrieval.matching);
  EXPECT_EQ(stages.slate.route, Route::exact);
}

TEST(Ask, NothingIsAskedWhereAllThatMatchesIsShown) {
  const Artefact& artefact = furniture_artefact();
  const auto few = run_stages(StateOf().wish("category", "Desk").wish("color", "Green").wish("material", "Pine").get(), artefact);
  ASSERT_EQ(few.slate.products.size(), few.retrieval.matching);
  ASSERT_GE(few.slate.products.size(), 2U) << "what divides them would be asked otherwise";
  EXPECT_TRUE(few.questions.empty());
  const auto many = run_stages(StateOf().wish("category", "Desk").get(), artefact);
  ASSERT_GT(many.retrieval.matching, many.slate.products.size());
  EXPECT_FALSE(many.questions.empty());
}

TEST(Gate, OneProductWhileTheOpenQuestionPays) {
  const Artefact& artefact = furniture_artefact();
  StateOf state("benchmark");
  state.wish("category", "Desk");
  EXPECT_EQ(run_stages(state.get(), artefact).slate.products.size(), 1U);
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::declined});
  EXPECT_GT(run_stages(state.get(), artefact).slate.products.size(), 1U) << "nothing more can be learnt";
}

TEST(Gate, ConfidencesAreSharesOfOne) {
  const auto stages = run_stages(StateOf().wish("category", "Armchair").wish("color", "Red").get(), furniture_artefact());
  int sum = 0;
  for (const SlateEntry& entry : stages.slate.products) {
    EXPECT_GE(entry.confidence.value, 0);
    sum += entry.confidence.value;
    EXPECT_FALSE(entry.why.empty());
  }
  EXPECT_LE(sum, 1000);
}

TEST(Ask, AnOptionSaysWhatItsWordsSay) {
  const auto bounds = [](const char* option) {
    const auto read = bounds_of_option(option);
    return std::pair{read ? read->least : std::nullopt, read ? read->most : std::nullopt};
  };
  using Ends = std::pair<std::optional<Number>, std::optional<Number>>;
  EXPECT_EQ(bounds("under 500 rpm"), (Ends{std::nullopt, whole_number(500)}));
  EXPECT_EQ(bounds("1500 to 2000 rpm"), (Ends{whole_number(1500), whole_number(2000)}));
  EXPECT_EQ(bounds("$50 or more"), (Ends{whole_number(50), std::nullopt}));
  EXPECT_EQ(bounds("1.5 to 2.5"), (Ends{*parse_number("1.5"), *parse_number("2.5")}));
  for (const char* other : {"144 Hz", "red", "", "under the sea", "up to you"}) EXPECT_FALSE(bounds_of_option(other).has_value()) << other;
}

TEST(Gate, WhatIsToldOfConfidenceIsApartFromWhatListsAreWeighedBy) {
  Ranking ranking;
  for (const std::int64_t score : {20'000, 17'000, 2'000}) ranking.products.push_back({Ordinal{static_cast<std::uint32_t>(ranking.products.size())}, Score{score}});
  Variant variant = Policy::standard()->variant("shopper");
  variant.gate.temperature = 6'000;
  variant.gate.confidence_temperature = 1'500;
  const Posterior weighed = posterior_of(ranking, variant), told = told_posterior(ranking, variant);
  EXPECT_NEAR(told.confidence(0).value, 800, 10) << "two bits apart: four to one";
  EXPECT_NEAR(told.confidence(1).value, 200, 10);
  EXPECT_LT(weighed.confidence(0).value, 650);
}

TEST(Gate, EmptyListsHaveAReason) {
  const Artefact& artefact = furniture_artefact();
  Guidance guidance;
  guidance.unreadable = true;
  const auto stages = run_stages(StateOf().get(), artefact, 10, guidance);
  EXPECT_TRUE(stages.slate.products.empty());
  EXPECT_FALSE(stages.slate.empty_reason.empty());
}

TEST(Gate, AnswersThatTellLittleAreNotWaitedFor) {
  const Artefact& artefact = furniture_artefact();
  StateOf state("benchmark");
  state.wish("category", "Desk");
  QuestionAsked open = asked_about("other");
  open.entropy_before = Millibits{6'000};
  state.event(open).event(QuestionAnswered{"other", AnswerOutcome::value});
  EXPECT_GT(run_stages(state.get(), artefact).slate.products.size(), 1U) << "sixty desks before and after";
}

TEST(Ask, TheOpenQuestionComesBackOnceWhenItWasLeftOpen) {
  const Variant& variant = Policy::standard()->variant("benchmark");
  StateOf state("benchmark");
  const std::int64_t first = open_question_yield(state.get(), variant);
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::waived});
  const std::int64_t second = open_question_yield(state.get(), variant);
  EXPECT_GT(second, 0);
  EXPECT_LT(second, first);
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::waived});
  EXPECT_EQ(open_question_yield(state.get(), variant), 0);
}

TEST(Ask, NeverWhatIsKnownAskedOrWaived) {
  for (const auto& [field, artefact] : fields()) {
    StateOf state;
    state.wish("category", field == "cars" ? "Van" : field == "perfumes" ? "Cologne" : "Desk");
    std::set<std::string> asked;
    for (int turn = 0; turn < 12; ++turn) {
      const auto questions = run_stages(state.get(), *artefact).questions;
      EXPECT_LE(questions.size(), 3U);
      for (const QuestionAsked& question : questions) {
        EXPECT_TRUE(question.facet == "other" || asked.insert(question.facet).second) << field << " asks again about " << question.facet;
        if (question.facet == "category") {  // which of them, then
          const Facet& kinds = *artefact->facet("category");
          const auto products_of = [&](const std::string& kind) {
            const auto value = artefact->find_value(kinds.id, term_key(kind, artefact->language()));
            return value ? artefact->value(*value).count : 0;
          };
          const std::string& known = state.get().active.front().set.value.any_of.front();
          for (const QuestionOption& option : question.options) EXPECT_LT(products_of(option.value), products_of(known)) << field << ' ' << option.value;
        }
        state.event(question);
        state.event(turn % 2 == 0 ? EventBody{PreferenceWaived{question.facet, "any"}}
                                  : EventBody{QuestionAnswered{question.facet, AnswerOutcome::declined}});
      }
    }
    EXPECT_GT(asked.size(), 1U) << field;
  }
}

TEST(Ask, NotHowMuchOfWhatTheListIsSortedBy) {
  const Artefact& artefact = *fields().at("cars");
  StateOf state;
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::declined});
  for (int turn = 0; turn < 12; ++turn) {
    const auto questions = run_stages(state.get(), artefact).questions;
    if (questions.empty()) break;
    Guidance sorted = learnt();
    sorted.order = ListOrder{questions.front().facet, true};
    for (const QuestionAsked& question : run_stages(state.get(), artefact, 10, sorted).questions) EXPECT_NE(question.facet, sorted.order->facet);
    state.event(questions.front());
  }
  EXPECT_GT(state.get().asked.size(), 3U);
}

TEST(Ask, OptionsAreRealValuesWithCounts) {
  for (const auto& [field, artefact] : fields()) {
    StateOf state;
    state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::declined});
    for (const QuestionAsked& question : run_stages(state.get(), *artefact).questions) {
      const Facet* facet = artefact->facet(question.facet);
      ASSERT_NE(facet, nullptr) << question.facet;
      EXPECT_EQ(facet->verdict, Verdict::ask);
      EXPECT_GE(question.options.size(), 2U);
      EXPECT_LE(question.options.size(), 8U);
      EXPECT_GT(question.gain.value, 0);
      for (const QuestionOption& option : question.options) {
        EXPECT_GT(option.count, 0U) << option.value;
        if (facet->kind == FacetKind::words) {
          EXPECT_TRUE(artefact->find_value(facet->id, term_key(option.value, artefact->language())).has_value()) << option.value;
        }
      }
    }
  }
}

// Coats of which each has a shade, a sentence among its columns, and kinds that lie in each other.
std::vector<json> coats() {
  const std::vector<std::string> colors = {"Gray", "Grey", "Navy", "Blue", "Dark Blue", "Red", "Green"}, kinds = {"Parkas", "Trench Coats", "Capes"},
                                 care = {"Wash it by hand in cold water and dry it flat in the shade.", "Do not wash!", "Gentle", "Steam"};
  std::vector<json> rows;
  for (int i = 0; i < 210; ++i) {
    json row = item(numbered("K", i), "Model " + std::to_string(i), {"Clothing", i % 3 == 2 ? "Wraps" : "Coats", kinds[i % 3]},
                    {{"Color", colors[i % 7]}, {"Care", care[i / 7 % 4]}}, 20 + i);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(Ask, OptionsDoNotOverlap) {
  const auto artefact = index_rows(coats(), "coats");
  StateOf state;
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::declined});
  std::map<std::string, std::vector<QuestionOption>> asked;
  for (int turn = 0; turn < 6; ++turn) {
    for (const QuestionAsked& question : run_stages(state.get(), *artefact).questions) {
      asked[question.facet] = question.options;
      state.event(question).event(QuestionAnswered{question.facet, AnswerOutcome::declined});
    }
  }
  ASSERT_TRUE(asked.contains("color"));
  std::map<std::string, std::uint32_t> colors;
  for (const QuestionOption& option : asked["color"]) colors[option.value == "Gray" ? "grey" : term_key(option.value, artefact->language())] = option.count;
  EXPECT_EQ(colors, (std::map<std::string, std::uint32_t>{{"grey", 60}, {"blue", 90}, {"red", 30}, {"green", 30}}));
  ASSERT_TRUE(asked.contains("category"));
  std::uint32_t products = 0;
  for (const QuestionOption& option : asked["category"]) products += option.count;
  EXPECT_EQ(products, 210U) << "each coat under one of the options";
  EXPECT_EQ(asked["category"].size(), 3U) << "the narrower kinds tell more";
  for (const auto& [facet, options] : asked) {
    for (const QuestionOption& option : options) EXPECT_TRUE(reads_as_option(option.value)) << facet << ": " << option.value;
  }
}

TEST(Ask, SentencesAreNoOptions) {
  for (const char* option : {"Red", "U.S. Polo Assn.", "Dr. Martens", "Clothing, Shoes & Jewelry", "100% cotton", "7.5 D(M) US"}) {
    EXPECT_TRUE(reads_as_option(option)) << option;
  }
  for (const char* sentence : {"", "Wash by hand.", "Do not wash!", "Fits true to size, so please order the size that you wear", "Soft; warm"}) {
    EXPECT_FALSE(reads_as_option(sentence)) << sentence;
  }
}

TEST(OpenQuestion, StopsWhenDeclinedAndComesBackWhenTheShopperHasMoreToSay) {
  const Variant& variant = Policy::standard()->variant("benchmark");
  StateOf state("benchmark");
  const std::int64_t first = open_question_yield(state.get(), variant);
  EXPECT_GT(first, 0);
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::value});
  const std::int64_t second = open_question_yield(state.get(), variant);
  EXPECT_GT(second, 0);
  EXPECT_LT(second, first);
  state.event(asked_about("other")).event(QuestionAnswered{"other", AnswerOutcome::declined});
  EXPECT_EQ(open_question_yield(state.get(), variant), 0);
  state.event(asked_about("color")).event(QuestionAnswered{"color", AnswerOutcome::value});
  EXPECT_GT(open_question_yield(state.get(), variant), 0);
}

Facet price_facet() {
  Facet facet;
  facet.name = "price";
  facet.kind = FacetKind::number;
  return facet;
}

TEST(NumberOptions, RangesCoverEveryNumberOnce) {
  std::vector<WeighedNumber> numbers;
  for (int i = 1; i <= 120; ++i) numbers.push_back({whole_number(i), 1'000});
  const NumberOptions options = number_options(price_facet(), numbers, Policy::standard()->variant("shopper"));
  ASSERT_GE(options.options.size(), 3U);
  std::uint32_t counted = 0;
  for (const QuestionOption& option : options.options) counted += option.count;
  EXPECT_EQ(counted, 120U);
  EXPECT_EQ(options.options.front().value.substr(0, 7), "under $");
  EXPECT_NE(options.options.back().value.find(" or more"), std::string::npos);
  EXPECT_GT(options.entropy.value, 1'500) << "cuts divide what there is";
}

TEST(NumberOptions, FewValuesAreNamedAsTheyAre) {
  Facet facet;
  facet.name = "doors";
  facet.kind = FacetKind::number;
  const NumberOptions options =
      number_options(facet, {{whole_number(2), 5}, {whole_number(4), 5}, {whole_number(4), 5}}, Policy::standard()->variant("shopper"));
  ASSERT_EQ(options.options.size(), 2U);
  EXPECT_EQ(options.options[1].value, "4");
  EXPECT_EQ(options.options[1].count, 2U);
}

TEST(NumberOptions, NumbersOfOneProductEachAreRanges) {
  Facet facet;
  facet.name = "weight";
  facet.kind = FacetKind::number;
  const auto options_of = [&](const std::vector<std::int64_t>& each) {
    std::vector<WeighedNumber> numbers;
    for (const std::int64_t number : each) numbers.push_back({whole_number(number), 1'000});
    return number_options(facet, numbers, Policy::standard()->variant("shopper")).options;
  };
  const auto ranges = options_of({12, 13, 14, 21, 27, 30});
  ASSERT_GE(ranges.size(), 2U);
  std::uint32_t counted = 0;
  for (const QuestionOption& option : ranges) {
    EXPECT_TRUE(bounds_of_option(option.value).has_value()) << option.value;
    counted += option.count;
  }
  EXPECT_EQ(counted, 6U);
  EXPECT_EQ(options_of({12, 20, 30}).front().value, "12") << "of three the difference is plain";
  EXPECT_EQ(options_of({12, 12, 13, 13, 20, 20, 30, 30}).front().value, "12") << "each is a kind of several";
}

TEST(NumberOptions, WhatMostHaveIsNamedAndTheRestLeftToSomethingElse) {
  Facet facet;
  facet.name = "capacity";
  facet.kind = FacetKind::number;
  std::vector<WeighedNumber> numbers;
  for (const std::int64_t usual : {120, 240, 250, 480, 500, 512, 1000, 2000}) {
    for (int i = 0; i < 10; ++i) numbers.push_back({whole_number(usual), 100});
    numbers.push_back({whole_number(usual + 7), 100});
  }
  std::sort(numbers.begin(), numbers.end(), [](const WeighedNumber& a, const WeighedNumber& b) { return a.number < b.number; });
  const NumberOptions options = number_options(facet, numbers, Policy::standard()->variant("shopper"));
  std::vector<std::string> values;
  for (const QuestionOption& option : options.options) {
    values.push_back(option.value);
    EXPECT_EQ(option.count, 10U) << option.value;
  }
  EXPECT_EQ(values, (std::vector<std::string>{"120", "240", "250", "480", "500", "512", "1000", "2000"}));
  EXPECT_EQ(options.cover.value, 909);
  EXPECT_GT(options.entropy.value, 3'000) << "eight alike and a rest";
}

TEST(NumberOptions, OneNumberAsksNothing) {
  EXPECT_TRUE(number_options(price_facet(), {{whole_number(9), 5}, {whole_number(9), 5}}, Policy::standard()->variant("shopper")).options.empty());
}

}  // namespace
}  // namespace turnstone
