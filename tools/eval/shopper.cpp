#include "tools/eval/shopper.h"

#include <algorithm>

#include "tools/generate/random.h"

namespace turnstone {

namespace {

constexpr std::size_t facts_a_reply_max = 2;
constexpr std::uint32_t earliest_change = 3;
constexpr std::string_view open_question = "other";

class CardShopper final : public Shopper {
 public:
  CardShopper(HiddenCard card, Scenario scenario, std::unique_ptr<ShopperWording> wording, std::uint64_t seed)
      : card_(std::move(card)),
        scenario_(scenario),
        wording_(std::move(wording)),
        change_turn_(scenario == Scenario::intent_override ? earliest_change + Random(seed).below(2) : 0) {}

  Utterance opening() override {
    switch (scenario_) {
      case Scenario::buying: disclosed_.push_back(card_.hard.front()); return say({SpeechAct::wants, card_.category, {card_.hard.front()}, {}});
      case Scenario::intent_override: return say({SpeechAct::wants_at_first, card_.category, {card_.soft.back()}, {}});
      case Scenario::browsing:
      case Scenario::boundary: break;
    }
    return say({SpeechAct::explores, card_.category, {}, {}});
  }

  Utterance reply(const AgentReply& agent, std::uint32_t turn) override {
    if (turn == change_turn_) {
      disclosed_.push_back(card_.hard.front());
      return say({SpeechAct::changes_her_mind, {}, {card_.hard.front()}, {}});
    }
    if (!agent.ask_attribute) return say({SpeechAct::not_right_yet, {}, {}, {}});
    if (scenario_ == Scenario::boundary && !left_open_) {
      left_open_ = true;
      return say({SpeechAct::leaves_open, {}, {}, *agent.ask_attribute});
    }
    std::vector<std::string> facts = disclose(*agent.ask_attribute);
    if (facts.empty()) return say({SpeechAct::nothing_more, {}, {}, *agent.ask_attribute});
    return say({SpeechAct::tells, {}, std::move(facts), {}});
  }

  bool hit_counts(std::uint32_t turn) const override { return turn >= change_turn_; }

 private:
  Utterance say(Meaning meaning) {
    std::string text = wording_->say(meaning);
    return {std::move(text), std::move(meaning)};
  }

  std::vector<std::string> disclose(const std::string& attribute) {
    std::vector<std::string> facts;
    for (const std::string& fact : card_.facts) {
      if (facts.size() == facts_a_reply_max) break;
      if (std::find(disclosed_.begin(), disclosed_.end(), fact) != disclosed_.end()) continue;
      if (attribute != open_question && to_string(class_of(fact)) != attribute) continue;
      facts.push_back(fact);
    }
    disclosed_.insert(disclosed_.end(), facts.begin(), facts.end());
    return facts;
  }

  const HiddenCard card_;
  const Scenario scenario_;
  const std::unique_ptr<ShopperWording> wording_;
  const std::uint32_t change_turn_;  // 0: never
  std::vector<std::string> disclosed_;
  bool left_open_ = false;
};

}  // namespace

std::string_view to_string(Scenario scenario) {
  switch (scenario) {
    case Scenario::buying: return "buying";
    case Scenario::browsing: return "browsing";
    case Scenario::intent_override: return "intent_override";
    case Scenario::boundary: return "boundary";
  }
  return "browsing";
}

std::optional<Scenario> scenario_named(std::string_view name) {
  for (const Scenario scenario : scenarios) {
    if (to_string(scenario) == name) return scenario;
  }
  return std::nullopt;
}

std::unique_ptr<Shopper> card_shopper(HiddenCard card, Scenario scenario, std::unique_ptr<ShopperWording> wording, std::uint64_t seed) {
  return std::make_unique<CardShopper>(std::move(card), scenario, std::move(wording), seed);
}

}  // namespace turnstone
