#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/ask_facet.h"
#include "workers/ask_open.h"
#include "workers/fixed_point.h"
#include "workers/shown_all.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

bool was_asked(const IntentState& state, std::string_view facet) {
  return std::any_of(state.asked.begin(), state.asked.end(), [&](const AskedQuestion& asked) { return asked.question.facet == facet; });
}

// Known already: said, answered, given up, or implied by whom it is for.
bool is_decided(const IntentState& state, std::string_view facet) {
  if (state.waived.contains(std::string(facet))) return true;
  if (facet == "category") return false;  // "clothing" leaves open which
  if (facet == "department" && (!state.recipient.empty() || !state.recipient_department.empty())) return true;
  return std::any_of(state.active.begin(), state.active.end(), [&](const Constraint& c) {
    return c.set.facet == facet && c.set.op != Operator::is_not && c.set.source != Source::profile;
  });
}

std::int64_t answerable_share(std::string_view facet, const Variant& variant) {
  if (facet == "brand") return variant.ask.answerable_brand;
  if (facet == "price") return variant.ask.answerable_price;
  constexpr std::string_view common[] = {"category", "color", "material", "size", "style", "department", "use_case"};
  return std::find(std::begin(common), std::end(common), facet) != std::end(common) ? variant.ask.answerable : variant.ask.answerable_detail;
}

std::string label_of(const Facet& facet) { return std::string(facet.label.empty() ? facet.name : facet.label); }

bool names_a_kind(const IntentState& state) {
  return std::any_of(state.active.begin(), state.active.end(), [](const Constraint& c) { return c.set.facet == "category" && c.set.op == Operator::is; });
}

std::string question_text(const Facet& facet, const IntentState& state) {
  if (facet.name == "price") return "What would you like to spend?";
  if (facet.name == "category") return names_a_kind(state) ? "What kind exactly?" : "What kind of product is it to be?";
  if (facet.name == "department") return "Whom is it for?";
  if (facet.name == "brand") return "Is there a brand you prefer?";
  if (facet.kind == FacetKind::yes_no) return "Does it matter to you: " + label_of(facet) + ", yes or no?";
  return "Which " + label_of(facet) + " would you like?";
}

QuestionAsked facet_question(const FacetQuestion& weighed, const IntentState& state, std::int64_t entropy, const Artefact& artefact) {
  const Facet& facet = artefact.facet(weighed.facet);
  QuestionAsked question;
  question.facet = std::string(facet.name);
  question.text = question_text(facet, state);
  question.options = weighed.options;
  question.gain = weighed.gain;
  question.entropy_before = Millibits{entropy};
  question.coverage = weighed.coverage;
  question.rationale = "divides the products in question best: " + std::to_string(weighed.gain.value) + " millibits expected";
  return question;
}

QuestionAsked open_question(const IntentState& state, std::int64_t yield, std::int64_t entropy) {
  QuestionAsked question;
  question.facet = std::string(open_facet);
  question.text = was_asked(state, open_facet) ? "What else matters to you about it?" : "What matters most to you about it?";
  question.gain = Millibits{yield};
  question.entropy_before = Millibits{entropy};
  question.coverage = Permille{1000};
  question.rationale = "an open answer is expected to tell more than any one facet: " + std::to_string(yield) + " millibits";
  return question;
}

// How many products are of the kind that is surely wished for, of the narrowest where there are several: what is asked is which of them.
std::uint32_t kind_size(const IntentState& state, const Artefact& artefact) {
  const Facet* category = artefact.facet("category");
  std::uint32_t size = artefact.product_count() + 1;
  for (const Constraint& c : state.active) {
    if (category == nullptr || c.set.facet != "category" || c.set.op != Operator::is || c.set.strength == Strength::soft) continue;
    std::uint32_t held = 0;
    for (const std::string& kind : c.set.value.any_of) {
      if (const auto value = artefact.find_value(category->id, term_key(kind, artefact.language()))) held += artefact.value(*value).count;
    }
    if (held > 0) size = std::min(size, held);
  }
  return size;
}

// A column with what a question about it promises: as estimated, or at most.
struct Promise {
  Millibits gain;
  FacetId facet;
  std::optional<FacetQuestion> question;  // none: `gain` is what it may bring at most
};

// For a heap: whether `a` is looked at after `b`.
bool comes_later(const Promise& a, const Promise& b) {
  if (a.gain != b.gain) return a.gain < b.gain;
  if (a.question.has_value() != b.question.has_value()) return a.question.has_value();
  return a.facet > b.facet;
}

std::vector<Promise> promises(const IntentState& state, const Guidance& guidance, const PoolColumns& columns, const Artefact& artefact,
                              const Variant& variant) {
  std::vector<Promise> found;
  for (const Facet& facet : artefact.facets()) {
    if (facet.verdict != Verdict::ask || was_asked(state, facet.name) || is_decided(state, facet.name)) continue;
    if (guidance.order && guidance.order->facet == facet.name) continue;  // "the lightest": however light it is
    const std::int64_t answerable = answerable_share(facet.name, variant);
    if (facet.kind == FacetKind::number) {
      if (const auto gain = gain_at_most(facet, columns, answerable, variant)) found.push_back({*gain, facet.id, std::nullopt});
    } else if (auto question = weigh_facet(facet, columns, answerable, variant)) {
      found.push_back({question->gain, facet.id, std::move(question)});
    }
  }
  std::erase_if(found, [&](const Promise& promise) { return promise.gain.value < variant.ask.gain_min; });
  return found;
}

// The facets that tell most, with their options, best first: as many as are asked. Numbers are looked at, and options made, for those alone that
// promise more than what has been found.
std::vector<FacetQuestion> best_questions(const IntentState& state, const Guidance& guidance, const Posterior& pool, const Artefact& artefact,
                                          const Variant& variant) {
  std::vector<FacetQuestion> settled;
  const auto wanted = static_cast<std::size_t>(variant.ask.questions_max);
  if (wanted == 0) return settled;
  const PoolColumns columns(pool, artefact);
  std::vector<Promise> heap = promises(state, guidance, columns, artefact, variant);
  std::make_heap(heap.begin(), heap.end(), comes_later);
  const auto better = [](const FacetQuestion& a, const FacetQuestion& b) { return a.gain != b.gain ? a.gain > b.gain : a.facet < b.facet; };
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Promise promise = std::move(heap.back());
    heap.pop_back();
    if (settled.size() == wanted && settled.back().gain >= promise.gain) break;
    const Facet& facet = artefact.facet(promise.facet);
    const std::int64_t answerable = answerable_share(facet.name, variant);
    if (!promise.question) {
      auto question = weigh_facet(facet, columns, answerable, variant);
      if (!question || question->gain.value < variant.ask.gain_min) continue;
      heap.push_back({question->gain, facet.id, std::move(question)});
      std::push_heap(heap.begin(), heap.end(), comes_later);
      continue;
    }
    const std::uint32_t narrower_than = facet.name == "category" ? kind_size(state, artefact) : artefact.product_count() + 1;
    auto question = settle_options(std::move(*promise.question), columns, answerable, narrower_than, artefact, variant);
    if (!question || question->gain.value < variant.ask.gain_min) continue;
    settled.insert(std::upper_bound(settled.begin(), settled.end(), *question, better), std::move(*question));
    if (settled.size() > wanted) settled.pop_back();
  }
  return settled;
}

void note_questions(const std::vector<QuestionAsked>& questions, std::int64_t entropy, StageRecord& record) {
  std::vector<std::string> facets;
  std::vector<std::int64_t> gains;
  for (const QuestionAsked& question : questions) {
    facets.push_back(question.facet);
    gains.push_back(question.gain.value);
  }
  record.note("entropy", entropy);
  record.note("facets", std::move(facets));
  record.note("gains", std::move(gains));
}

}  // namespace

std::vector<QuestionAsked> ask(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Ranking& ranking, const Slate& slate,
                               const Artefact& artefact, const Policy& policy, StageRecord& record) {
  const Variant& variant = policy.variant(state.policy_variant);
  // A shopper who sees all that matches chooses, or says what may differ; where lists are weighed by value she may have been misread.
  const bool nothing_left = variant.gate.by_value == 0 && shows_all_matches(retrieval, slate);
  if (guidance.talk == SmallTalk::goodbye || guidance.talk == SmallTalk::thanks || nothing_left) {
    record.note("facets", std::vector<std::string>{});
    return {};
  }
  const Posterior& pool = ranking.pool;
  const std::int64_t entropy = pool.entropy();
  const std::int64_t open = open_question_yield(state, variant);

  std::vector<QuestionAsked> questions;
  std::vector<FacetQuestion> weighed;
  // Where one question is asked and the open one brings more than any options can, no column need be looked at.
  const bool open_wins = variant.ask.questions_max == 1 && open >= entropy_most(variant);
  if (entropy >= variant.ask.settled && !open_wins) weighed = best_questions(state, guidance, pool, artefact, variant);
  bool open_waits = open > 0;
  for (auto facet = weighed.begin(); static_cast<std::int64_t>(questions.size()) < variant.ask.questions_max;) {
    if (open_waits && (facet == weighed.end() || open >= facet->gain.value)) {
      questions.push_back(open_question(state, open, entropy));
      open_waits = false;
    } else if (facet != weighed.end()) {
      questions.push_back(facet_question(*facet, state, entropy, artefact));
      ++facet;
    } else {
      break;
    }
  }
  note_questions(questions, entropy, record);
  return questions;
}

}  // namespace turnstone
