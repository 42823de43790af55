// Conversations as text: what is said, and exactly which wishes are held after it. Format: README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "events/documents.h"
#include "tests/scenarios/trial_catalogue.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

// "color is Red", "price between 20..40 $", "feature is_not glass (soft)".
std::string line_of(const ConstraintSet& set) {
  std::string line = set.facet + " " + std::string(to_string(set.op)) + " ";
  for (std::size_t i = 0; i < set.value.any_of.size(); ++i) line += (i > 0 ? " | " : "") + set.value.any_of[i];
  if (set.value.number) line += to_string(*set.value.number);
  if (set.value.upper) line += ".." + to_string(*set.value.upper);
  if (!set.unit.empty()) line += " " + set.unit;
  if (set.strength == Strength::soft) line += " (soft)";
  return line;
}

class Conversation {
 public:
  explicit Conversation(std::shared_ptr<const Artefact> artefact) : artefact_(std::move(artefact)) {}

  void say(const std::string& text) {
    TurnReceived received;
    received.turn = TurnNumber{state_.turn.value + 1};
    received.text = text;
    fold(state_, EventBody{received}, received.turn);
    StageRecord record;
    reading_ = understand(state_, received, *artefact_, *Policy::standard(), record);
    revision_ = revise(state_, reading_, *artefact_, *Policy::standard(), record);
    for (const EventBody& event : revision_.events) fold(state_, event, received.turn);
  }

  // A question of the engine, with its options.
  void ask(const std::string& facet, const std::vector<std::string>& options) {
    QuestionAsked question;
    question.facet = facet;
    for (const std::string& option : options) question.options.push_back({option, 1});
    fold(state_, EventBody{question}, state_.turn);
  }

  // The first products of the catalogue whose title holds the words are shown.
  void show(const std::string& words, std::size_t count) {
    ProductsShown shown;
    for (std::uint32_t i = 0; i < artefact_->product_count() && shown.products.size() < count; ++i) {
      if (artefact_->title(Ordinal{i}).find(words) == std::string_view::npos) continue;
      shown.products.push_back({ProductId{std::string(artefact_->product_id(Ordinal{i}))}, Score{}, Permille{500}});
    }
    fold(state_, EventBody{shown}, state_.turn);
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const Constraint& constraint : state_.active) lines.push_back(line_of(constraint.set));
    for (const auto& [facet, words] : state_.waived) lines.push_back("any " + facet);
    if (!state_.recipient.empty()) lines.push_back("for " + state_.recipient);
    if (state_.epoch.value > 1) lines.push_back("epoch " + std::to_string(state_.epoch.value));
    const Guidance& guidance = revision_.guidance;
    if (guidance.wants_more) lines.emplace_back("wants more");
    if (guidance.shown_disliked) lines.emplace_back("dislikes what was shown");
    if (guidance.unreadable) lines.emplace_back("unreadable");
    for (const ProductQuestion& question : guidance.questions)
      lines.push_back("asks " + (question.facet.empty() ? std::string("?") : question.facet));
    if (guidance.like) lines.emplace_back("likes one");
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  const IntentState& state() const { return state_; }
  std::string reading() const { return describe(reading_); }

 private:
  std::shared_ptr<const Artefact> artefact_;
  IntentState state_;
  Reading reading_;
  Revision revision_;
};

void check_invariants(const IntentState& state) {
  for (std::size_t i = 0; i < state.active.size(); ++i) {
    const ConstraintSet& set = state.active[i].set;
    EXPECT_TRUE(set.span.end > set.span.begin || set.restored_from || set.source == Source::reference)
        << line_of(set) << " has neither span nor cause";
    for (std::size_t k = i + 1; k < state.active.size(); ++k) {
      EXPECT_FALSE(line_of(set) == line_of(state.active[k].set)) << line_of(set) << " stands twice";
    }
  }
  for (const Tombstone& tombstone : state.tombstones) {
    EXPECT_TRUE(!tombstone.by.words.empty() || tombstone.by.reason == TombstoneReason::archived)
        << line_of(tombstone.constraint.set) << " was buried without words";
  }
}

std::vector<std::string> split(const std::string& text, char sign) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, sign);) {
    const auto first = part.find_first_not_of(' ');
    if (first != std::string::npos) parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, HoldsExactlyTheseWishes) {
  std::ifstream file(GetParam());
  ASSERT_TRUE(file) << GetParam();
  std::shared_ptr<const Artefact> artefact;
  std::unique_ptr<Conversation> conversation;
  std::vector<std::string> expected;
  std::string said;
  std::size_t number = 0;
  const auto compare = [&] {
    if (!conversation || said.empty()) return;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(conversation->lines(), expected) << GetParam() << ":" << number << " after: " << said << "\n" << conversation->reading();
    check_invariants(conversation->state());
    expected.clear();
    said.clear();
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("#")) continue;
    if (line.starts_with("catalogue ")) {
      artefact = trial_catalogue(line.substr(10));
    } else if (line.empty()) {
      compare();
      conversation.reset();
    } else if (line.starts_with("> ")) {
      compare();
      if (!conversation) conversation = std::make_unique<Conversation>(artefact);
      said = line.substr(2);
      conversation->say(said);
    } else if (line.starts_with("? ")) {
      compare();
      const auto parts = split(line.substr(2), ':');
      conversation->ask(parts[0], parts.size() > 1 ? split(parts[1], '|') : std::vector<std::string>{});
    } else if (line.starts_with("! ")) {
      compare();
      conversation->show(line.substr(2), 5);
    } else {
      expected.push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  compare();
}

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TURNSTONE_SCENARIOS)) {
    if (entry.path().extension() == ".scenario") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Conversations, Scenario, ::testing::ValuesIn(scenario_files()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

// --- the same meaning in other words, order, case and number of turns is the same state ---

std::vector<std::string> wishes_after(const std::string& field, const std::vector<std::string>& messages) {
  Conversation conversation(trial_catalogue(field));
  for (const std::string& message : messages) conversation.say(message);
  check_invariants(conversation.state());
  std::vector<std::string> lines;
  for (const Constraint& constraint : conversation.state().active) lines.push_back(line_of(constraint.set));
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(SameMeaning, IsTheSameStateWhateverTheWording) {
  const auto plain = wishes_after("furniture", {"a grey oak sofa under $500"});
  ASSERT_EQ(plain.size(), 4u);
  for (const std::vector<std::string>& other : std::vector<std::vector<std::string>>{
           {"A GREY OAK SOFA UNDER $500"},
           {"under $500: a sofa, oak, grey"},
           {"Hello! Could you please find me a grey oak sofa under $500? Many thanks"},
           {"so, um, honestly, a grey, you know, oak sofa under $500 I guess"},
           {"a sofa", "oak", "in grey", "under $500"},
           {"a sofa", "haha nice", "grey oak", "thank you!", "less than five hundred dollars"},
           {"a black oak sofa under $500", "actually, make it grey"},
       }) {
    EXPECT_EQ(wishes_after("furniture", other), plain) << other.front();
  }
}

// For every value v of a column and every frame f: after f(v), v is wished for in its column.
TEST(SameMeaning, EveryValueIsReadInEveryFrame) {
  const auto artefact = trial_catalogue("furniture");
  for (const std::string facet : {"color", "material", "brand", "style"}) {
    const Facet* column = artefact->facet(facet);
    ASSERT_NE(column, nullptr) << facet;
    for (const FacetValue& value : artefact->values(column->id)) {
      const std::string v(value.text);
      for (const std::string& message :
           {"a sofa, " + v, "I'd like a sofa. It should be " + v + ".", "sofa - " + std::string(column->label) + ": " + v,
            "what about " + v + "? a sofa please", "we need a " + v + " sofa"}) {
        const auto lines = wishes_after("furniture", {message});
        EXPECT_NE(std::find_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(facet + " is " + v); }),
                  lines.end())
            << message << "\n"
            << ::testing::PrintToString(lines);
      }
    }
  }
}

TEST(HostileText, IsOnlyWords) {
  for (const std::string& text :
       {std::string("\xff\xfe\x00 sofa", 8), std::string(6000, 'a'), std::string("'; DROP TABLE products; --"), std::string("\" OR NEAR( * ^ -"),
        std::string("under $99999999999999999999"), std::string("\u202esofa\u202c"), std::string(2000, '('), std::string("$ £ € 1e400 NaN -0")}) {
    Conversation conversation(trial_catalogue("electronics"));
    conversation.say(text);
    check_invariants(conversation.state());
  }
  std::string repeated;
  for (int i = 0; i < 10'000; ++i) repeated += "laptop ";
  EXPECT_EQ(wishes_after("electronics", {repeated}), wishes_after("electronics", {"laptop"}));
}

}  // namespace
}  // namespace turnstone
