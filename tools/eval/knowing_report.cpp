#include "tools/eval/knowing_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/eval/fixed.h"
#include "tools/eval/question_tree.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;
constexpr int digits = 4;

struct Spread {
  double mean = 0, median = 0, p90 = 0;
};
Spread spread_of(std::vector<std::uint32_t> hundredths) {
  if (hundredths.empty()) return {};
  std::sort(hundredths.begin(), hundredths.end());
  std::uint64_t sum = 0;
  for (const std::uint32_t value : hundredths) sum += value;
  const auto at = [&hundredths](std::size_t permille) {
    return hundredths[std::min(hundredths.size() - 1, hundredths.size() * permille / 1000)] / 100.0;
  };
  return {static_cast<double>(sum) / 100.0 / static_cast<double>(hundredths.size()), at(500), at(900)};
}
Json to_document(const Spread& spread) { return {{"mean", fixed(spread.mean, digits)}, {"median", fixed(spread.median, digits)}, {"p90", fixed(spread.p90, digits)}}; }

// How far the entropy falls from one question to the next, over all sessions; bits.
double bits_a_question(const std::vector<Outcome>& outcomes) {
  std::int64_t millibits = 0, questions = 0;
  for (const Outcome& outcome : outcomes) {
    for (std::size_t at = 1; at < outcome.turns.size(); ++at) {
      const auto& before = outcome.turns[at - 1].answer.entropy_millibits;
      const auto& after = outcome.turns[at].answer.entropy_millibits;
      if (!before || !after) continue;
      millibits += *before - *after;
      ++questions;
    }
  }
  return questions == 0 ? 0 : static_cast<double>(millibits) / 1000.0 / static_cast<double>(questions);
}

}  // namespace

std::string knowing_report(const std::vector<Outcome>& outcomes, const RowIndex& rows, const Artefact& artefact, const Subject& subject) {
  std::vector<std::uint32_t> turns;  // after the opening, in hundredths
  std::int64_t shown = 0, asked = 0, told = 0;
  for (const Outcome& outcome : outcomes) {
    turns.push_back((std::min(outcome.turn, knowing_turns_max + 1) - 1) * 100);
    shown += outcome.rank > 0 ? 1 : 0;
    for (const TrialTurn& turn : outcome.turns) told += static_cast<std::int64_t>(!turn.answer.reply.questions.empty());
    asked += static_cast<std::int64_t>(outcome.turns.size());
  }
  const auto sessions = static_cast<double>(std::max<std::size_t>(1, outcomes.size()));
  const Spread ours = spread_of(turns);
  Json document = {{"subject",
                    {{"artefact", subject.artefact},
                     {"policy", subject.policy},
                     {"variant", subject.variant},
                     {"decision_version", subject.decision_version},
                     {"shopper", "knowing"},
                     {"wording", subject.wording},
                     {"seed", subject.seed}}},
                   {"sessions", outcomes.size()},
                   {"turns_at_most", knowing_turns_max},
                   {"shown", fixed(static_cast<double>(shown) / sessions, digits)},
                   {"turns_after_opening", to_document(ours)},
                   {"turns_that_ask", fixed(asked == 0 ? 0 : static_cast<double>(told) / static_cast<double>(asked), digits)},
                   {"bits_a_question", fixed(bits_a_question(outcomes), digits)}};
  for (const AskingRule rule : asking_rules) {
    QuestionTree tree(artefact, rule, subject.seed);
    std::vector<std::uint32_t> steps;
    for (const Outcome& outcome : outcomes) {
      const ProductRow* row = rows.find(outcome.session.target);
      const auto product = artefact.find(outcome.session.target);
      if (row == nullptr || !product) continue;
      const OpeningPool pool = opening_pool(hidden_card(*row).category, *product, artefact);
      steps.push_back(tree.steps_to(*product, pool.name, pool.products, knowing_turns_max));
    }
    document["beside"][std::string(to_string(rule))] = to_document(spread_of(steps));
  }
  const double greedy = document["beside"]["greedy"]["mean"].get<double>();
  document["ratio_to_greedy"] = fixed(greedy > 0 ? ours.mean / greedy : 0, digits);
  return document.dump(1) + "\n";
}

std::string knowing_summary(std::string_view report_text) {
  const Json document = Json::parse(report_text, nullptr, false);
  if (!document.is_object()) return std::string(report_text);
  std::string out = fmt::format("{:<22}{:>8}{:>8}{:>8}\n", "turns after opening", "mean", "median", "p90");
  const auto line = [&out](const std::string& name, const Json& spread) {
    out += fmt::format("{:<22}{:>8.2f}{:>8.2f}{:>8.2f}\n", name, spread.at("mean").get<double>(), spread.at("median").get<double>(),
                       spread.at("p90").get<double>());
  };
  line("engine", document.at("turns_after_opening"));
  line("greedy, all known", document.at("beside").at("greedy"));
  line("plain entropy", document.at("beside").at("entropy"));
  line("highest coverage", document.at("beside").at("coverage"));
  line("random facet", document.at("beside").at("random"));
  return out + fmt::format("ratio to greedy {:.2f}; shown within {} turns: {:.3f} of {} sessions; {:.2f} bits a question; {:.2f} of the turns ask\n",
                           document.at("ratio_to_greedy").get<double>(), document.at("turns_at_most").get<std::uint32_t>(),
                           document.at("shown").get<double>(), document.at("sessions").get<std::size_t>(),
                           document.at("bits_a_question").get<double>(), document.at("turns_that_ask").get<double>());
}

}  // namespace turnstone
