#include <algorithm>

#include "events/documents.h"
#include "workers/ask_open.h"
#include "workers/gate_reasons.h"
#include "workers/reply_facts.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

constexpr std::size_t message_bytes_max = 4'000;  // at most as many characters
constexpr std::size_t words_bytes_max = 60;
constexpr std::size_t listed_max = 6;             // constraints named in one sentence

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), listed_max); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  if (items.size() > listed_max) text += " and " + std::to_string(items.size() - listed_max) + " more";
  return text;
}

std::string facet_words(const std::string& facet) {
  std::string words = facet;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string amount(const ConstraintSet& set, Number number) {
  if (set.facet == "price") return (set.unit.empty() ? "$" : set.unit) + to_string(number);
  return set.unit.empty() ? to_string(number) : to_string(number) + " " + set.unit;
}

std::string number_wish(const ConstraintSet& set) {
  const std::string number = amount(set, *set.value.number);
  const std::string name = facet_words(set.facet) + " ";
  switch (set.op) {
    case Operator::is: return name + number;
    case Operator::is_not: return "not " + name + number;
    case Operator::at_most: return name + "up to " + number;
    case Operator::at_least: return name + "from " + number;
    case Operator::about: return name + "about " + number;
    case Operator::between: return name + number + " to " + (set.value.upper ? amount(set, *set.value.upper) : number);
  }
  return name + number;
}

// What a constraint wishes, in few words: "red", "not black", "price up to $50".
std::string wish(const ConstraintSet& set) {
  if (set.value.number) return number_wish(set);
  std::string values;
  for (const std::string& value : set.value.any_of) values += (values.empty() ? "" : " or ") + value;
  if (values.empty()) values = set.said;
  while (!values.empty() && std::string_view(" .,;").find(values.back()) != std::string_view::npos) values.pop_back();
  return (set.op == Operator::is_not ? "not " : "") + shortened(values, words_bytes_max);
}

const ConstraintSet* find_constraint(const IntentState& state, ConstraintId id) {
  for (const Constraint& constraint : state.active) {
    if (constraint.set.id == id) return &constraint.set;
  }
  for (const Tombstone& tombstone : state.tombstones) {
    if (tombstone.constraint.set.id == id) return &tombstone.constraint.set;
  }
  return nullptr;
}

struct Changes {
  std::vector<std::string> set, dropped, waived;
  const EpochAdvanced* epoch = nullptr;
  std::string recipient;
};

Changes changes_of(const IntentState& before, const IntentState& state, const std::vector<EventBody>& events) {
  Changes changes;
  for (const EventBody& event : events) {
    if (const auto* set = std::get_if<ConstraintSet>(&event)) {
      if (set->source != Source::profile) changes.set.push_back(wish(*set));
    } else if (const auto* buried = std::get_if<ConstraintTombstoned>(&event)) {
      const ConstraintSet* dropped = find_constraint(before, buried->id);
      if (dropped == nullptr) dropped = find_constraint(state, buried->id);
      if (dropped != nullptr && buried->reason != TombstoneReason::archived) changes.dropped.push_back(wish(*dropped));
    } else if (const auto* waived = std::get_if<PreferenceWaived>(&event)) {
      if (waived->facet != open_facet) changes.waived.push_back(facet_words(waived->facet));
    } else if (const auto* advanced = std::get_if<EpochAdvanced>(&event)) {
      changes.epoch = advanced;
    } else if (const auto* recipient = std::get_if<RecipientSet>(&event)) {
      changes.recipient = recipient->recipient;
    }
  }
  return changes;
}

void say(std::string& message, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!message.empty()) message += ' ';
  message += sentence;
}

std::string epoch_sentence(const EpochAdvanced& advanced) {
  switch (advanced.reason) {
    case EpochReason::started_over: return "Starting over.";
    case EpochReason::wishes_revoked: return "Setting the earlier wishes aside.";
    case EpochReason::additional_search: return "A new search; the earlier one is kept.";
    case EpochReason::returned: return "Back to the earlier search.";
    case EpochReason::new_product: return "Something else, then.";
  }
  return "";
}

void say_changes(std::string& message, const Changes& changes) {
  if (changes.epoch != nullptr) say(message, epoch_sentence(*changes.epoch));
  if (!changes.recipient.empty()) say(message, "For " + shortened(changes.recipient, words_bytes_max) + ".");
  if (!changes.dropped.empty() && !changes.set.empty()) {
    say(message, "Dropped " + list_of(changes.dropped) + "; " + list_of(changes.set) + " now.");
  } else if (!changes.dropped.empty()) {
    say(message, "Dropped " + list_of(changes.dropped) + ".");
  } else if (!changes.set.empty()) {
    say(message, "Noted: " + list_of(changes.set) + ".");
  }
  if (!changes.waived.empty()) say(message, "Any " + list_of(changes.waived) + " will do.");
}

std::string talk_sentence(SmallTalk talk, bool wishes_known) {
  switch (talk) {
    case SmallTalk::none: return "";
    case SmallTalk::greeting: return "Hello!";
    case SmallTalk::thanks: return "You are welcome.";
    case SmallTalk::goodbye: return "Goodbye, and thanks for looking in.";
    case SmallTalk::acknowledgement: return wishes_known ? "All right." : "";
    case SmallTalk::chat: return "I am only good at finding products, I am afraid.";
  }
  return "";
}

std::string relaxed_sentence(const IntentState& state, const Retrieval& retrieval) {
  std::vector<std::string> given_up;
  for (const ClauseRelaxed& clause : retrieval.relaxed) {
    if (const ConstraintSet* set = find_constraint(state, clause.constraint)) given_up.push_back(wish(*set));
  }
  if (given_up.empty()) return "";
  return "Nothing has all of that, so these come near without holding to " + list_of(given_up) + ".";
}

std::string count_sentence(const Retrieval& retrieval, const Slate& slate) {
  if (slate.products.empty()) return slate.empty_reason.empty() ? "" : "Nothing to show now: " + slate.empty_reason + ".";
  if (slate.route == Route::popular) return "Here is what others rate most.";
  if (!retrieval.relaxed.empty()) return "";
  if (retrieval.matching == 0) return "Nothing matches exactly; these come nearest.";
  const bool one = retrieval.matching == 1;
  const std::string count = std::to_string(retrieval.matching);
  if (retrieval.exact.empty() && slate.route != Route::previous) {
    return one ? "The one product that matches has been shown; these come near." : "All " + count + " that match have been shown; these come near.";
  }
  const std::string matches = one ? "One product matches" : count + " products match";
  const auto matching_here = std::count_if(slate.products.begin(), slate.products.end(), [&](const SlateEntry& entry) {
    return std::binary_search(retrieval.exact.begin(), retrieval.exact.end(), entry.product);
  });
  const bool others = retrieval.matching <= slate.products.size() && matching_here < static_cast<std::int64_t>(slate.products.size());
  return matches + (others ? "; the others here come near." : ".");
}

std::string question_sentence(const QuestionAsked& question) {
  std::string text = question.text;
  if (question.options.empty()) return text;
  std::vector<std::string> options;
  for (const QuestionOption& option : question.options) {
    options.push_back(shortened(option.value, words_bytes_max) + " (" + std::to_string(option.count) + ")");
  }
  text += " ";
  for (std::size_t i = 0; i < options.size(); ++i) text += (i == 0 ? "" : ", ") + options[i];
  return text + ", or something else?";
}

}  // namespace

std::string reply_text(const IntentState& before, const IntentState& state, const Revision& revision, const Retrieval& retrieval,
                       const Slate& slate, const std::vector<QuestionAsked>& questions, const Artefact& artefact, const Policy&,
                       StageRecord& record) {
  const Guidance& guidance = revision.guidance;
  std::string message;
  if (guidance.unreadable) say(message, "I could not read a word of that.");
  say(message, talk_sentence(guidance.talk, !state.active.empty()));
  for (const ProductQuestion& question : guidance.questions) say(message, answer_about(question, artefact));
  for (const std::string& notice : guidance.notices) say(message, notice);
  say_changes(message, changes_of(before, state, revision.events));
  // Where talk or an answer is all there is to say, how many products match is beside the point.
  const bool only_talk = slate.products.empty() && (guidance.unreadable || guidance.talk != SmallTalk::none || !guidance.questions.empty());
  if (!only_talk) {
    say(message, relaxed_sentence(state, retrieval));
    say(message, count_sentence(retrieval, slate));
  }
  for (const QuestionAsked& question : questions) say(message, question_sentence(question));
  if (message.empty()) message = "Tell me what you are looking for.";
  message = shortened(message, message_bytes_max - 4);
  record.note("message", message);
  return message;
}

}  // namespace turnstone
