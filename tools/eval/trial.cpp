#include "tools/eval/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tools/generate/random.h"

namespace turnstone {

namespace {

constexpr std::size_t precision_depth = 5;

std::optional<std::uint32_t> place_of(const std::string& id, const std::vector<std::string>& products) {
  const auto end = products.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(products.size(), top_k));
  const auto found = std::find(products.begin(), end, id);
  if (found == end) return std::nullopt;
  return static_cast<std::uint32_t>(found - products.begin()) + 1;
}

void measure_precision(Outcome& outcome, const HiddenCard& card, const RowIndex& rows) {
  const std::vector<std::string>& products = outcome.turns.back().answer.reply.products;
  for (std::size_t at = 0; at < products.size() && at < precision_depth; ++at) {
    const ProductRow* row = rows.find(products[at]);
    if (row == nullptr) continue;
    for (const std::string& fact : card.facts) {
      outcome.precision_met += meets(*row, fact) ? 1 : 0;
      ++outcome.precision_asked;
    }
  }
}

}  // namespace

RowIndex::RowIndex(const std::vector<ProductRow>& rows) {
  by_id_.reserve(rows.size());
  for (const ProductRow& row : rows) by_id_.push_back(&row);
  std::sort(by_id_.begin(), by_id_.end(), [](const ProductRow* a, const ProductRow* b) { return a->id < b->id; });
}

const ProductRow* RowIndex::find(const std::string& id) const {
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), id, [](const ProductRow* row, const std::string& wanted) { return row->id < wanted; });
  return found != by_id_.end() && (*found)->id == id ? *found : nullptr;
}

bool meets(const ProductRow& row, const std::string& fact) {
  constexpr std::string_view budget = "budget around $";
  if (fact.starts_with(budget)) {
    const auto wanted = parse_number(std::string_view(fact).substr(budget.size()));
    if (!wanted || !row.price) return false;
    const std::int64_t gap = row.price->value > wanted->value ? row.price->value - wanted->value : wanted->value - row.price->value;
    return gap * 100 <= wanted->value * 15;
  }
  std::set<std::string> said;
  const auto add = [&said](const std::string& text) {
    for (std::string& word : words_of(text)) said.insert(std::move(word));
  };
  add(row.title);
  add(row.store);
  for (const auto& texts : {row.categories, row.features, row.description}) {
    for (const std::string& text : texts) add(text);
  }
  for (const auto& [key, value] : row.details) add(key + " " + value);
  const std::vector<std::string> words = words_of(fact);
  const std::size_t label = fact.starts_with("color: ") ? 1 : 0;  // the label need not stand in the listing
  return std::all_of(words.begin() + static_cast<std::ptrdiff_t>(std::min(label, words.size())), words.end(),
                     [&said](const std::string& word) { return said.contains(word); });
}

std::uint64_t seed_of(const std::string& sample_id, std::uint64_t seed) {
  std::uint64_t hash = mix64(seed);
  for (const char c : sample_id) hash = mix64(hash ^ static_cast<unsigned char>(c));
  return hash;
}

Result<Outcome> converse(const EvalSession& session, Shopper& shopper, std::uint32_t turn_limit, Agent& agent) {
  Outcome outcome;
  outcome.session = session;
  outcome.turn = turn_limit + 1;
  Utterance utterance = shopper.opening();
  for (std::uint32_t turn = 1; turn <= turn_limit; ++turn) {
    auto answer = agent.say(utterance);
    if (!answer) return fail(answer.error().code, fmt::format("session {}, turn {}: {}", session.sample_id, turn, answer.error().detail));
    outcome.turns.push_back({std::move(utterance.text), *std::move(answer)});
    const AgentReply& reply = outcome.turns.back().answer.reply;
    const auto place = shopper.hit_counts(turn) ? place_of(session.target, reply.products) : std::nullopt;
    if (place) {
      outcome.turn = turn;
      outcome.rank = *place;
      break;
    }
    if (turn < turn_limit) utterance = shopper.reply(reply, turn + 1);
  }
  return outcome;
}

Result<Outcome> run_trial(const EvalSession& session, const RowIndex& rows, const TrialOptions& options, Agent& agent) {
  const ProductRow* target = rows.find(session.target);
  if (target == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("session {} has product {} in mind, which is not in the catalogue; give the catalogue that the sessions were made for",
                                                  session.sample_id, session.target));
  }
  const HiddenCard card = hidden_card(*target);
  const std::uint64_t seed = seed_of(session.sample_id, options.seed);
  const auto shopper = card_shopper(card, session.scenario, make_wording(options.wording, options.frames, seed), seed);
  auto outcome = converse(session, *shopper, turns_max, agent);
  if (outcome) measure_precision(*outcome, card, rows);
  return outcome;
}

}  // namespace turnstone
