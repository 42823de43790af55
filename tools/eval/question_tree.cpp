#include "tools/eval/question_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "storage/artefact/tokeniser.h"
#include "tools/eval/wording/values.h"
#include "tools/generate/random.h"

namespace turnstone {

namespace {

// Branches of a question: its options, then these.
constexpr std::uint32_t branch_else = 250;
constexpr std::uint32_t branch_silent = 251;
constexpr std::uint32_t hundred = 100;

struct Question {
  FacetId facet;
  std::vector<ValueId> values;  // words, yes or no: the options
  std::vector<Number> borders;  // numbers: option i holds what is below borders[i] and not below borders[i - 1]
  std::uint32_t filled = 0;
  double entropy_filled = 0;  // of the options among the products that fill the facet, bits
  double entropy_all = 0;     // with the silent ones as a branch
};

double entropy(const std::vector<std::uint32_t>& counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double bits = 0;
  for (const std::uint32_t count : counts) {
    if (count > 0) bits -= count / all * std::log2(count / all);
  }
  return bits;
}

std::uint32_t branch_of(const Question& question, Ordinal product, const Artefact& artefact) {
  const Facet& facet = artefact.facet(question.facet);
  if (facet.kind == FacetKind::number) {
    const auto number = artefact.number_of(product, question.facet);
    if (!number) return branch_silent;
    return static_cast<std::uint32_t>(std::upper_bound(question.borders.begin(), question.borders.end(), *number) - question.borders.begin());
  }
  const auto values = artefact.values_of(product, question.facet);
  if (values.empty()) return branch_silent;
  for (std::uint32_t option = 0; option < question.values.size(); ++option) {
    if (std::find(values.begin(), values.end(), question.values[option]) != values.end()) return option;
  }
  return branch_else;
}

void add_options(Question& question, const std::vector<Ordinal>& pool, const Artefact& artefact) {
  const Facet& facet = artefact.facet(question.facet);
  if (facet.kind == FacetKind::number) {
    std::vector<Number> numbers;
    for (const Ordinal product : pool) {
      if (const auto number = artefact.number_of(product, question.facet)) numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t option = 1; option < options_max && !numbers.empty(); ++option) {
      const Number border = numbers[numbers.size() * option / options_max];
      if (border > numbers.front() && (question.borders.empty() || border > question.borders.back())) question.borders.push_back(border);
    }
    return;
  }
  std::map<ValueId, std::uint32_t> counts;
  for (const Ordinal product : pool) {
    for (const ValueId value : artefact.values_of(product, question.facet)) ++counts[value];
  }
  std::vector<std::pair<std::uint32_t, ValueId>> ordered;
  for (const auto& [value, count] : counts) ordered.emplace_back(count, value);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t at = 0; at < ordered.size() && at < options_max; ++at) question.values.push_back(ordered[at].second);
}

Question weigh(FacetId facet, const std::vector<Ordinal>& pool, const Artefact& artefact) {
  Question question;
  question.facet = facet;
  add_options(question, pool, artefact);
  std::vector<std::uint32_t> counts(branch_silent + 1, 0);
  for (const Ordinal product : pool) ++counts[branch_of(question, product, artefact)];
  question.entropy_all = entropy(counts);
  question.filled = static_cast<std::uint32_t>(pool.size()) - counts[branch_silent];
  counts[branch_silent] = 0;
  question.entropy_filled = question.filled > 0 ? entropy(counts) : 0;
  return question;
}

}  // namespace

struct QuestionTree::Node {
  std::vector<Ordinal> pool;
  std::vector<FacetId> asked;  // not to be asked again
  bool weighed = false;
  std::optional<Question> question;
  std::map<std::uint32_t, std::unique_ptr<Node>> children;
};

std::string_view to_string(AskingRule rule) {
  switch (rule) {
    case AskingRule::greedy:
      return "greedy";
    case AskingRule::random:
      return "random";
    case AskingRule::coverage:
      return "coverage";
    case AskingRule::entropy:
      return "entropy";
  }
  return "greedy";
}

QuestionTree::QuestionTree(const Artefact& artefact, AskingRule rule, std::uint64_t seed) : artefact_(artefact), rule_(rule), seed_(seed) {}
QuestionTree::~QuestionTree() = default;

void QuestionTree::choose_question(Node& node) {
  node.weighed = true;
  Random random(seed_, ++nodes_);
  double best = 0;
  for (const Facet& facet : artefact_.facets()) {
    if (facet.verdict != Verdict::ask || std::find(node.asked.begin(), node.asked.end(), facet.id) != node.asked.end()) continue;
    Question question = weigh(facet.id, node.pool, artefact_);
    const bool divides = rule_ == AskingRule::greedy ? question.entropy_all > 0 : question.entropy_filled > 0;
    if (!divides) continue;
    double worth = 0;
    switch (rule_) {
      case AskingRule::greedy:
        worth = question.entropy_all;
        break;
      case AskingRule::random:
        worth = 1 + random.below(1'000'000);
        break;
      case AskingRule::coverage:
        worth = question.filled;
        break;
      case AskingRule::entropy:
        worth = question.entropy_filled;
        break;
    }
    if (worth <= best) continue;
    best = worth;
    node.question = std::move(question);
  }
}

QuestionTree::Node& QuestionTree::child(Node& node, std::uint32_t branch) {
  std::unique_ptr<Node>& made = node.children[branch];
  if (made) return *made;
  made = std::make_unique<Node>();
  made->asked = node.asked;
  const bool told = branch != branch_silent || rule_ == AskingRule::greedy;
  if (rule_ != AskingRule::greedy) made->asked.push_back(node.question->facet);
  for (const Ordinal product : node.pool) {
    if (!told || branch_of(*node.question, product, artefact_) == branch) made->pool.push_back(product);
  }
  return *made;
}

std::uint32_t QuestionTree::steps_to(Ordinal product, std::uint32_t pool_name, const std::vector<Ordinal>& pool, std::uint32_t limit) {
  std::unique_ptr<Node>& root = roots_[pool_name];
  if (!root) {
    root = std::make_unique<Node>();
    root->pool = pool;
  }
  Node* node = root.get();
  std::uint32_t questions = 0;
  while (node->pool.size() > leaf_products_max && questions < limit) {
    if (!node->weighed) choose_question(*node);
    if (!node->question) {
      const auto pages = static_cast<std::uint32_t>((node->pool.size() + leaf_products_max - 1) / leaf_products_max);
      return std::min(limit * hundred, questions * hundred + (pages - 1) * hundred / 2);
    }
    node = &child(*node, branch_of(*node->question, product, artefact_));
    ++questions;
  }
  return questions * hundred;
}

OpeningPool opening_pool(std::string_view category, Ordinal product, const Artefact& artefact) {
  OpeningPool pool;
  const auto take = [&pool, &artefact](ValueId value) {
    const auto with = artefact.products_with(value);
    pool.name = value.value;
    pool.products.assign(with.begin(), with.end());
  };
  const Facet* facet = artefact.facet("category");
  const std::vector<std::string> words = split_words(category);
  for (std::size_t begin = 0; facet != nullptr && begin < words.size(); ++begin) {
    const auto value =
        artefact.find_value(facet->id, term_key(join_words({words.begin() + static_cast<std::ptrdiff_t>(begin), words.end()}), artefact.language()));
    if (!value) continue;
    take(*value);
    if (std::binary_search(pool.products.begin(), pool.products.end(), product)) return pool;
  }
  std::optional<ValueId> widest;
  if (facet != nullptr) {
    for (const ValueId value : artefact.values_of(product, facet->id)) {
      if (!widest || artefact.value(value).count > artefact.value(*widest).count) widest = value;
    }
  }
  if (widest) {
    take(*widest);
    return pool;
  }
  pool.name = 0xffffffff;
  pool.products.clear();
  for (std::uint32_t at = 0; at < artefact.product_count(); ++at) pool.products.push_back(Ordinal{at});
  return pool;
}

}  // namespace turnstone
