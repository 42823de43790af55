#include "tests/scenarios/conversation.h"

#include <algorithm>

#include "events/documents.h"

namespace turnstone {

std::string line_of(const ConstraintSet& set) {
  std::string line = set.facet + " " + std::string(to_string(set.op)) + " ";
  for (std::size_t i = 0; i < set.value.any_of.size(); ++i) line += (i > 0 ? " | " : "") + set.value.any_of[i];
  if (set.value.number && set.value.any_of.empty()) line += to_string(*set.value.number);
  if (set.value.upper) line += ".." + to_string(*set.value.upper);
  if (!set.unit.empty()) line += " " + set.unit;
  if (set.strength == Strength::soft) line += " (soft)";
  return line;
}

std::vector<std::string> broken_invariants(const IntentState& state) {
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < state.active.size(); ++i) {
    const ConstraintSet& set = state.active[i].set;
    if (!(set.span.end > set.span.begin || set.restored_from || set.source == Source::reference))
      broken.push_back(line_of(set) + " has neither span nor cause");
    for (std::size_t k = i + 1; k < state.active.size(); ++k) {
      if (line_of(set) == line_of(state.active[k].set)) broken.push_back(line_of(set) + " stands twice");
    }
  }
  for (const Tombstone& tombstone : state.tombstones) {
    if (tombstone.by.words.empty() && tombstone.by.reason != TombstoneReason::archived)
      broken.push_back(line_of(tombstone.constraint.set) + " was buried without words");
  }
  return broken;
}

void Conversation::say(const std::string& text) {
  TurnReceived received;
  received.turn = TurnNumber{state_.turn.value + 1};
  received.text = text;
  fold(state_, EventBody{received}, received.turn);
  StageRecord record;
  reading_ = understand(state_, received, *artefact_, *Policy::standard(), record);
  revision_ = revise(state_, reading_, *artefact_, *Policy::standard(), record);
  for (const EventBody& event : revision_.events) fold(state_, event, received.turn);
}

void Conversation::ask(const std::string& facet, const std::vector<std::string>& options) {
  QuestionAsked question;
  question.facet = facet;
  for (const std::string& option : options) question.options.push_back({option, 1});
  fold(state_, EventBody{question}, state_.turn);
}

void Conversation::show(const std::string& words, std::size_t count) {
  ProductsShown shown;
  for (std::uint32_t i = 0; i < artefact_->product_count() && shown.products.size() < count; ++i) {
    if (artefact_->title(Ordinal{i}).find(words) == std::string_view::npos) continue;
    shown.products.push_back({ProductId{std::string(artefact_->product_id(Ordinal{i}))}, Score{}, Permille{500}});
  }
  fold(state_, EventBody{shown}, state_.turn);
}

std::vector<std::string> Conversation::wishes() const {
  std::vector<std::string> lines;
  for (const Constraint& constraint : state_.active) lines.push_back(line_of(constraint.set));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> Conversation::lines() const {
  std::vector<std::string> lines = wishes();
  for (const auto& [facet, words] : state_.waived) lines.push_back("any " + facet);
  if (!state_.recipient.empty()) lines.push_back("for " + state_.recipient);
  if (state_.epoch.value > 1) lines.push_back("epoch " + std::to_string(state_.epoch.value));
  const Guidance& guidance = revision_.guidance;
  if (guidance.wants_more) lines.emplace_back("wants more");
  if (guidance.shown_disliked) lines.emplace_back("dislikes what was shown");
  if (guidance.unreadable) lines.emplace_back("unreadable");
  for (const ProductQuestion& question : guidance.questions)
    lines.push_back("asks " + (question.facet.empty() ? std::string("?") : question.facet));
  if (guidance.order) lines.push_back("sorted by " + guidance.order->facet);
  if (guidance.like) lines.emplace_back("likes one");
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace turnstone
