#include "tools/eval/knowing_shopper.h"

#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "tools/eval/wording/values.h"
#include "workers/ask_bins.h"
#include "workers/requirement.h"

namespace turnstone {

namespace {

class KnowingShopper final : public Shopper {
 public:
  KnowingShopper(std::string category, Ordinal product, const Artefact& artefact, std::unique_ptr<ShopperWording> wording)
      : category_(std::move(category)), product_(product), artefact_(artefact), wording_(std::move(wording)) {}

  Utterance opening() override { return said({SpeechAct::explores, category_, {}, {}}); }

  Utterance reply(const AgentReply& agent, std::uint32_t) override {
    if (agent.questions.empty()) return said({SpeechAct::not_right_yet, {}, {}, {}});
    const std::string answer = answer_to(agent.questions.front(), product_, artefact_);
    return {answer, {SpeechAct::tells, {}, {answer}, {}}};
  }

  bool hit_counts(std::uint32_t) const override { return true; }

 private:
  Utterance said(Meaning meaning) {
    std::string text = wording_->say(meaning);
    return {std::move(text), std::move(meaning)};
  }

  const std::string category_;
  const Ordinal product_;
  const Artefact& artefact_;
  const std::unique_ptr<ShopperWording> wording_;
};

std::optional<Number> number_in(std::string_view word) {
  const std::size_t begin = word.find_first_of("-.0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  return parse_number(word.substr(begin, word.find_last_of("0123456789") + 1 - begin));
}

}  // namespace

bool OptionRange::holds(Number number) const {
  if (single) return number == *least;
  return (!least || number >= *least) && (!below || number < *below);
}

std::optional<OptionRange> read_option_range(std::string_view option) {
  if (const auto bounds = bounds_of_option(option)) return OptionRange{bounds->least, bounds->most, false};
  std::optional<Number> single;
  for (const std::string& word : split_words(option)) {
    const auto number = number_in(word);
    if (number && single) return std::nullopt;
    if (number) single = number;
  }
  if (!single) return std::nullopt;
  return OptionRange{*single, std::nullopt, true};
}

std::string answer_to(const AgentReply::Question& question, Ordinal product, const Artefact& artefact) {
  const Facet* facet = artefact.facet(question.facet);
  if (facet == nullptr) return std::string(says_unknown);
  if (facet->kind == FacetKind::number) {
    const auto number = facet->name == "price" ? artefact.price(product) : artefact.number_of(product, facet->id);
    if (!number) return std::string(says_unknown);
    for (const std::string& option : question.options) {
      const auto range = read_option_range(option);
      if (range && range->holds(*number)) return option;
    }
    return std::string(says_something_else);
  }
  const auto values = artefact.values_of(product, facet->id);
  if (values.empty()) return std::string(says_unknown);
  for (const std::string& option : question.options) {
    const std::string key = term_key(option, artefact.language());
    if (std::any_of(values.begin(), values.end(),
                    [&](ValueId value) { return artefact.value(value).key == key || artefact.value(value).text == option; }))
      return option;
  }
  // "blue" will do for who looks for navy, when navy itself is not offered.
  for (const std::string& option : question.options) {
    const auto meant = values_meant(*facet, option, artefact);
    const auto is_meant = [&](ValueId value) { return std::binary_search(meant.begin(), meant.end(), value); };
    if (std::any_of(values.begin(), values.end(), is_meant)) return option;
  }
  return std::string(says_something_else);
}

std::unique_ptr<Shopper> knowing_shopper(std::string category, Ordinal product, const Artefact& artefact, std::unique_ptr<ShopperWording> wording) {
  return std::make_unique<KnowingShopper>(std::move(category), product, artefact, std::move(wording));
}

}  // namespace turnstone
