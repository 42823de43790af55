#include <algorithm>

#include "events/documents.h"
#include "workers/ask_open.h"
#include "workers/gate_reasons.h"
#include "workers/reply_facts.h"
#include "workers/reply_list.h"
#include "workers/reply_wish.h"
#include "workers/shown_all.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

constexpr std::size_t message_bytes_max = 4'000;  // at most as many characters
constexpr std::size_t words_bytes_max = 60;

std::string facet_words(const std::string& facet) {
  std::string words = facet;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

struct Changes {
  std::vector<std::string> set, dropped, waived;
  const EpochAdvanced* epoch = nullptr;
  std::string recipient;
};

// "oak", then "or walnut": the wish was widened, nothing of it was dropped.
bool is_within_a_new_wish(const ConstraintSet& buried, const std::vector<EventBody>& events) {
  return std::any_of(events.begin(), events.end(), [&](const EventBody& event) {
    const auto* set = std::get_if<ConstraintSet>(&event);
    if (set == nullptr || set->facet != buried.facet || set->op != Operator::is || buried.op != Operator::is || buried.value.any_of.empty()) return false;
    const auto& values = set->value.any_of;
    return std::all_of(buried.value.any_of.begin(), buried.value.any_of.end(),
                       [&](const std::string& value) { return std::find(values.begin(), values.end(), value) != values.end(); });
  });
}

bool is_active(const IntentState& state, ConstraintId id) {
  return std::any_of(state.active.begin(), state.active.end(), [&](const Constraint& c) { return c.set.id == id; });
}

Changes changes_of(const IntentState& before, const IntentState& state, const std::vector<EventBody>& events) {
  Changes changes;
  for (const EventBody& event : events) {
    if (const auto* set = std::get_if<ConstraintSet>(&event)) {
      if (set->source != Source::profile && is_active(state, set->id)) changes.set.push_back(wish_text(*set));
    } else if (const auto* buried = std::get_if<ConstraintTombstoned>(&event)) {
      const ConstraintSet* dropped = find_constraint(before, buried->id);  // what was said and taken back in one breath was never noted
      const bool told = dropped != nullptr && buried->reason != TombstoneReason::archived && !is_within_a_new_wish(*dropped, events);
      if (told) changes.dropped.push_back(wish_text(*dropped));
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

constexpr char all_there_is[] = "There are no more; tell me what may be different, and I look further.";

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
    say(message, "Dropped " + list_text(changes.dropped) + "; " + list_text(changes.set) + " now.");
  } else if (!changes.dropped.empty()) {
    say(message, "Dropped " + list_text(changes.dropped) + ".");
  } else if (!changes.set.empty()) {
    say(message, "Noted: " + list_text(changes.set) + ".");
  }
  if (!changes.waived.empty()) say(message, "Any " + list_text(changes.waived) + " will do.");
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

std::string order_sentence(const ListOrder& order, const Artefact& artefact) {
  const Facet* facet = artefact.facet(order.facet);
  const std::string name(facet == nullptr || facet->label.empty() ? std::string_view(order.facet) : facet->label);
  return "By " + name + ", the " + (order.up ? "highest" : "lowest") + " first.";
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
  if (guidance.order && !slate.products.empty()) say(message, order_sentence(*guidance.order, artefact));
  say_changes(message, changes_of(before, state, revision.events));
  // Where talk or an answer is all there is to say, how many products match is beside the point.
  const bool only_talk = slate.products.empty() && (guidance.unreadable || guidance.talk != SmallTalk::none || !guidance.questions.empty());
  if (!only_talk) {
    say(message, list_sentence(state, retrieval, slate, artefact));
  }
  for (const QuestionAsked& question : questions) say(message, question_sentence(question));
  if (questions.empty() && guidance.talk == SmallTalk::none && shows_all_matches(retrieval, slate)) say(message, all_there_is);
  if (message.empty()) message = "Tell me what you are looking for.";
  message = shortened(message, message_bytes_max - 4);
  record.note("message", message);
  return message;
}

}  // namespace turnstone
