#include "tools/eval/entropy_audit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "storage/artefact/tokeniser.h"
#include "tools/eval/fixed.h"
#include "tools/eval/question_tree.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;
constexpr int digits = 3;

constexpr std::size_t tree_products_max = 1'000;  // walked through the tree, spread evenly over the pool
constexpr std::uint32_t tree_steps_max = 50;

double bits(Millibits value) { return static_cast<double>(value.value) / 1000.0; }

std::string_view name_of(AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::value:
      return "answered";
    case AnswerOutcome::waived:
      return "waived";
    case AnswerOutcome::declined:
      return "declined";
    case AnswerOutcome::off_topic:
      return "off topic";
  }
  return "answered";
}

template <class Visit>
void each_event(const AuditTurn& turn, Visit visit) {
  for (const Event& event : turn.events) std::visit([&](const auto& body) { visit(body); }, event.body);
}

// The questions in order; what a turn leaves is known when it has ended.
std::vector<AskedEntropy> questions_of(const Audit& audit) {
  std::vector<AskedEntropy> questions;
  std::optional<Epoch> epoch;  // of the last question
  for (const AuditTurn& turn : audit.turns) {
    std::optional<std::uint32_t> matching;
    std::vector<AskedEntropy> asked;
    each_event(turn, [&](const auto& body) {
      using Body = std::decay_t<decltype(body)>;
      if constexpr (std::is_same_v<Body, QuestionAsked>) {
        asked.push_back({turn.turn, body.facet, body.options.size(), body.entropy_before, body.gain, std::nullopt, 0, std::nullopt, std::nullopt});
      } else if constexpr (std::is_same_v<Body, ProductsShown>) {
        matching = body.matching;
      } else if constexpr (std::is_same_v<Body, QuestionAnswered>) {
        for (AskedEntropy& question : questions) {
          if (question.facet == body.facet && !question.outcome && question.turn < turn.turn) question.outcome = body.outcome;
        }
      }
    });
    for (AskedEntropy& question : questions) {
      if (next(question.turn) != turn.turn) continue;
      question.matching_after = matching;
      if (!asked.empty() && epoch == turn.epoch) question.realised = Millibits{question.before.value - asked.front().before.value};
    }
    for (AskedEntropy& question : asked) {
      question.matching = matching.value_or(0);
      questions.push_back(std::move(question));
      epoch = turn.epoch;
    }
  }
  return questions;
}

// What the wishes for a category in the first turn leave; all products when there is none.
std::vector<Ordinal> first_pool(const Audit& audit, const Artefact& artefact) {
  std::vector<Ordinal> pool;
  const Facet* facet = artefact.facet("category");
  const auto first = std::find_if(audit.turns.begin(), audit.turns.end(), [](const AuditTurn& turn) { return turn.turn.value == 1; });
  if (facet != nullptr && first != audit.turns.end()) {
    each_event(*first, [&](const auto& body) {
      if constexpr (std::is_same_v<std::decay_t<decltype(body)>, ConstraintSet>) {
        if (body.facet != facet->name || body.op != Operator::is) return;
        for (const std::string& value : body.value.any_of) {
          const auto known = artefact.find_value(facet->id, term_key(value, artefact.language()));
          if (!known) continue;
          const auto with = artefact.products_with(*known);
          pool.insert(pool.end(), with.begin(), with.end());
        }
      }
    });
  }
  if (pool.empty()) {
    for (std::uint32_t at = 0; at < artefact.product_count(); ++at) pool.push_back(Ordinal{at});
  }
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

double expected_questions(const std::vector<Ordinal>& pool, const Artefact& artefact) {
  QuestionTree tree(artefact, AskingRule::greedy, 1);
  const std::size_t walked = std::min(pool.size(), tree_products_max);
  double sum = 0;
  for (std::size_t at = 0; at < walked; ++at) sum += tree.steps_to(pool[at * pool.size() / walked], 0, pool, tree_steps_max) / 100.0;
  return walked == 0 ? 0 : sum / static_cast<double>(walked);
}

}  // namespace

EntropyAudit entropy_audit(const Audit& audit, const Artefact* artefact) {
  EntropyAudit out;
  out.session = audit.session;
  out.questions = questions_of(audit);
  std::size_t answers = options_max;
  for (const AskedEntropy& question : out.questions) answers = std::max(answers, question.options);
  if (!out.questions.empty()) out.least_questions = bits(out.questions.front().before) / std::log2(static_cast<double>(answers) + 1);
  if (artefact != nullptr) {
    const std::vector<Ordinal> pool = first_pool(audit, *artefact);
    out.greedy_pool = static_cast<std::uint32_t>(pool.size());
    out.greedy_questions = expected_questions(pool, *artefact);
  }
  return out;
}

std::string entropy_text(const EntropyAudit& audit) {
  std::string out = fmt::format("session {}\n{:>4}  {:<26}{:>8}{:>10}{:>10}{:>10}  {}\n", audit.session.value, "turn", "question", "before",
                                "expected", "realised", "products", "answer");
  for (const AskedEntropy& question : audit.questions) {
    const std::string products =
        question.matching_after ? fmt::format("{} → {}", question.matching, *question.matching_after) : std::to_string(question.matching);
    out += fmt::format("{:>4}  {:<26}{:>8.2f}{:>10.2f}{:>10}  {:<16}{}\n", question.turn.value, question.facet, bits(question.before),
                       bits(question.expected), question.realised ? fmt::format("{:+.2f}", bits(*question.realised)) : "-", products,
                       question.outcome ? name_of(*question.outcome) : "");
  }
  if (audit.questions.empty()) return out + "no question was asked\n";
  out += fmt::format("bits; questions that any asker needs at least: {:.2f}", audit.least_questions);
  if (audit.greedy_questions)
    out += fmt::format("; that a greedy one needs among the {} products of the first turn: {:.2f}", audit.greedy_pool, *audit.greedy_questions);
  return out + "\n";
}

Json to_json(const EntropyAudit& audit) {
  Json questions = Json::array();
  for (const AskedEntropy& question : audit.questions) {
    questions.push_back({{"turn", question.turn.value},
                         {"facet", question.facet},
                         {"options", question.options},
                         {"entropy_before_bits", fixed(bits(question.before), digits)},
                         {"expected_bits", fixed(bits(question.expected), digits)},
                         {"realised_bits", question.realised ? fixed(bits(*question.realised), digits) : Json()},
                         {"matching", question.matching},
                         {"matching_after", question.matching_after ? Json(*question.matching_after) : Json()},
                         {"answer", question.outcome ? Json(name_of(*question.outcome)) : Json()}});
  }
  return {{"session", audit.session.value},
          {"questions", std::move(questions)},
          {"least_questions", fixed(audit.least_questions, digits)},
          {"greedy_questions", audit.greedy_questions ? fixed(*audit.greedy_questions, digits) : Json()},
          {"greedy_pool", audit.greedy_pool}};
}

}  // namespace turnstone
