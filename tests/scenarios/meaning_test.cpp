// Properties of reading: every value is read in every frame, and equal meaning gives equal state.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scenarios/conversation.h"
#include "tests/scenarios/trial_catalogue.h"

namespace turnstone {
namespace {

using Messages = std::vector<std::string>;

std::vector<std::string> wishes_after(const std::string& field, const Messages& messages) {
  Conversation conversation(trial_catalogue(field));
  for (const std::string& message : messages) conversation.say(message);
  EXPECT_EQ(broken_invariants(conversation.state()), std::vector<std::string>{});
  return conversation.wishes();
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

// Every frame holds the value once; {} is the value, {c} the name of its column, {p} a product of the catalogue.
const std::vector<std::string> frames{
    "a {p}, {}",
    "{p} - {c}: {}",
    "I'd like a {p}. It should be {}.",
    "what about {}? a {p} please",
    "we need a {} {p}",
    "hi there! could you find me a {p} in {}? many thanks",
    "my old one broke last week. now I'm looking for a {p}, {} if possible",
    "{p}. {}.",
    "a {p} with {} as {c}",
    "honestly, um, a {p}, and, you know, {}",
};

std::string filled(std::string frame, const std::string& value, const std::string& column, const std::string& product) {
  const auto put = [&](const std::string& sign, const std::string& text) {
    for (std::size_t at = frame.find(sign); at != std::string::npos; at = frame.find(sign, at + text.size())) frame.replace(at, sign.size(), text);
  };
  put("{p}", product);
  put("{c}", column);
  put("{}", value);
  return frame;
}

struct Field {
  std::string name;
  std::string product;
  std::vector<std::string> columns;
};

class EveryValue : public ::testing::TestWithParam<Field> {};

// For every value v of a column and every frame f: after f(v), v is wished for in its column.
TEST_P(EveryValue, IsReadInEveryFrame) {
  const auto artefact = trial_catalogue(GetParam().name);
  for (const std::string& name : GetParam().columns) {
    const Facet* column = artefact->facet(name);
    ASSERT_NE(column, nullptr) << name;
    for (const FacetValue& value : artefact->values(column->id)) {
      for (const std::string& frame : frames) {
        const std::string message = filled(frame, std::string(value.text), std::string(column->label), GetParam().product);
        const auto lines = wishes_after(GetParam().name, {message});
        const std::string wanted = name + " is " + std::string(value.text);
        EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(wanted); }))
            << "say: " << message << "\nwanted: " << wanted << "\nheld: " << ::testing::PrintToString(lines);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, EveryValue,
                         ::testing::Values(Field{"furniture", "sofa", {"color", "material", "brand", "style"}},
                                           Field{"electronics", "laptop", {"brand"}}),
                         [](const auto& field) { return field.param.name; });

// --- equal meaning, equal state ---

TEST(SameMeaning, IsTheSameStateWhateverTheWording) {
  const auto plain = wishes_after("furniture", {"a grey oak sofa under $500"});
  ASSERT_EQ(plain.size(), 4u);
  for (const Messages& other : std::vector<Messages>{
           {"under $500: a sofa, oak, grey"},
           {"so, um, honestly, a grey, you know, oak sofa under $500 I guess"},
           {"a sofa", "haha nice", "grey oak", "thank you!", "less than five hundred dollars"},
           {"a black oak sofa under $500", "actually, make it grey"},
           {"a pine bookcase in white. Forget what I said. A grey oak sofa under $500"},
       }) {
    EXPECT_EQ(wishes_after("furniture", other), plain) << other.front();
  }
}

// Order, case, politeness and the number of turns change nothing.
TEST(SameMeaning, SurvivesEveryTransformation) {
  const std::vector<std::string> wishes{"a sofa", "in grey", "made of oak", "under $500", "from Nordholm"};
  const auto together = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  };
  const auto plain = wishes_after("furniture", {together(wishes)});
  ASSERT_EQ(plain.size(), wishes.size());
  std::vector<std::string> order = wishes;
  std::sort(order.begin(), order.end());
  int seen = 0;
  do {
    EXPECT_EQ(wishes_after("furniture", {together(order)}), plain) << together(order);
    EXPECT_EQ(wishes_after("furniture", Messages(order.begin(), order.end())), plain) << "one a turn: " << together(order);
  } while (std::next_permutation(order.begin(), order.end()) && ++seen < 119);
  for (const std::string& message : {upper(together(wishes)), "Hello! " + together(wishes) + ", please. Thank you so much!",
                                     "well, " + together(wishes) + ", I suppose", "  " + together(wishes) + " !!!"}) {
    EXPECT_EQ(wishes_after("furniture", {message}), plain) << message;
  }
}

}  // namespace
}  // namespace turnstone
