// Conversations as text: what is said, and exactly which wishes are held after it. Format: README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/conversation.h"
#include "tests/scenarios/trial_catalogue.h"

namespace turnstone {
namespace {

void check_invariants(const IntentState& state) { EXPECT_EQ(broken_invariants(state), std::vector<std::string>{}); }

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

std::vector<std::string> wishes_after(const std::string& field, const std::vector<std::string>& messages) {
  Conversation conversation(trial_catalogue(field));
  for (const std::string& message : messages) conversation.say(message);
  check_invariants(conversation.state());
  return conversation.wishes();
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
