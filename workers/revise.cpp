#include "workers/revision.h"

#include <algorithm>

#include "workers/stage_note.h"

namespace turnstone {
namespace {

constexpr std::size_t events_noted = 24;
constexpr std::size_t both_options_max = 4;

// "12:color=red", "-3 superseded", "epoch 2", …
std::string line_of(const EventBody& body) {
  if (const auto* e = std::get_if<ConstraintSet>(&body)) return "+" + std::to_string(e->id.value) + " " + e->facet;
  if (const auto* e = std::get_if<ConstraintTombstoned>(&body))
    return "-" + std::to_string(e->id.value) + " reason " + std::to_string(static_cast<int>(e->reason));
  if (const auto* e = std::get_if<PreferenceWaived>(&body)) return "any " + e->facet;
  if (const auto* e = std::get_if<EpochAdvanced>(&body))
    return "epoch " + std::to_string(e->to.value) + " reason " + std::to_string(static_cast<int>(e->reason));
  if (const auto* e = std::get_if<QuestionAnswered>(&body)) return "answered " + e->facet + " " + std::to_string(static_cast<int>(e->outcome));
  return std::string(name_of(type_of(body)));
}

bool changes_wishes(const EventBody& body) {
  switch (type_of(body)) {
    case EventType::constraint_set:
    case EventType::constraint_tombstoned:
    case EventType::preference_waived:
    case EventType::epoch_advanced:
    case EventType::product_rejected:
    case EventType::recipient_set:
    case EventType::reference_resolved:
      return true;
    default:
      return false;
  }
}

}  // namespace

namespace {

bool asks_as_much(const ConstraintSet& held, Operator op, Number bound) {
  if (held.op == Operator::between) return true;
  return op == Operator::at_most ? *held.value.number <= bound : *held.value.number >= bound;
}

}  // namespace

Reviser::Reviser(const IntentState& state, const Reading& reading, const Artefact& artefact, const Policy& policy)
    : before_(state), reading_(reading), artefact_(artefact), lexicon_(Lexicon::of(artefact, policy)) {
  now_.turn = state.turn;
  now_.epoch = state.epoch;
  now_.active = state.active;
  now_.tombstones = state.tombstones;
  now_.last_constraint = state.last_constraint;
  now_.waived = state.waived;
  now_.recipient = state.recipient;
  now_.recipient_department = state.recipient_department;
  now_.asked = state.asked;
  correction_at_ = reading.corrects_from;
  const bool open_question = std::any_of(state.asked.begin(), state.asked.end(), [&](const AskedQuestion& q) {
    return q.question.facet == "other" && q.turn.value + 1 == state.turn.value && !q.outcome;
  });
  told_openly_ = open_question && !reading.corrects && !reading.asks;
}

Revision Reviser::run() {
  begin_again();
  set_recipient();
  change_product();
  take_back();
  waive();
  set_wishes();
  set_levels();
  resolve_references();
  answer_question();
  classify();
  small_talk();
  revision_.guidance.learnt = std::any_of(revision_.events.begin(), revision_.events.end(), changes_wishes);
  return std::move(revision_);
}

void Reviser::write(EventBody event) {
  fold(now_, event, before_.turn);
  revision_.events.push_back(std::move(event));
}

const Signal* Reviser::act(Act wanted) const {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::act && signal.act == wanted) return &signal;
  }
  return nullptr;
}

bool Reviser::said(Act wanted) const { return act(wanted) != nullptr; }

// --- whom it is for ---

void Reviser::set_recipient() {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind != SignalKind::recipient) continue;
    if (signal.recipient == now_.recipient && signal.department == now_.recipient_department) continue;
    const bool changed = !now_.recipient.empty() || !signal.recipient.empty();
    if (changed && !(signal.recipient.empty() && now_.recipient.empty())) {
      std::vector<ConstraintId> old;
      const bool known = !now_.recipient.empty() || !signal.department.empty();
      for (const Constraint& constraint : now_.active) {
        if (known && constraint.set.facet == "department" && constraint.set.op == Operator::is && constraint.turn != before_.turn)
          old.push_back(constraint.set.id);
      }
      for (const ConstraintId id : old) {
        // The same department said again by the new person's word stays as it is.
        const bool stays = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
          if (s.kind != SignalKind::wish || s.facet != "department") return false;
          const auto at = std::find_if(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return c.set.id == id; });
          return at != now_.active.end() && equal(at->set, constraint_of(s, Source::said));
        });
        if (!stays) bury(id, TombstoneReason::superseded, std::nullopt, signal.said);
      }
    }
    write(RecipientSet{signal.recipient, signal.department, signal.said});
  }
}

// --- another product ---

void Reviser::change_product() {
  const Signal* wanted = nullptr;
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::wish && signal.facet == "category" && signal.op == Operator::is && signal.confidence.value >= 700 && !signal.widens)
      wanted = &signal;
  }
  if (wanted == nullptr) {
    // "forget it, something else": without a product the old one goes on.
    return;
  }
  std::vector<std::string> old_values;
  for (const Constraint& constraint : now_.active) {
    if (constraint.set.facet == "category" && constraint.set.op == Operator::is && constraint.turn != before_.turn) {
      old_values.insert(old_values.end(), constraint.set.value.any_of.begin(), constraint.set.value.any_of.end());
    }
  }
  if (old_values.empty()) return;
  const Kinship kin = kinship(old_values, wanted->value.any_of);
  if (kin != Kinship::other || told_openly_ || picks_a_kind(*wanted)) return;
  other_product_ = true;
  const auto left = std::find_if(before_.tombstones.rbegin(), before_.tombstones.rend(), [&](const Tombstone& t) {
    return t.by.reason == TombstoneReason::archived && t.constraint.set.facet == "category" && overlaps(t.constraint.set.value, wanted->value);
  });
  const bool returns = left != before_.tombstones.rend() && said(Act::back_to);
  const EpochReason reason = said(Act::additional) ? EpochReason::additional_search : returns ? EpochReason::returned : EpochReason::new_product;
  const bool new_person =
      std::any_of(reading_.signals.begin(), reading_.signals.end(), [](const Signal& s) { return s.kind == SignalKind::recipient; });
  if (new_person)
    advance(reason, {"price"}, true);
  else
    advance(reason, {"price", "department"}, true);
  if (returns) restore_wishes_of(*left);
}

bool Reviser::names_another_product(const Signal& signal) const {
  for (const Constraint& constraint : now_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.turn == before_.turn) continue;
    if (kinship(constraint.set.value.any_of, signal.value.any_of) == Kinship::other) return true;
  }
  return false;
}

// "What kind of product is it to be? Top, …": "Top", after shirts, is which of them.
bool Reviser::picks_a_kind(const Signal& signal) const {
  if (signal.facet != "category" || !signal.answers || reading_.corrects || signal.value.any_of.empty() || before_.asked.empty()) return false;
  const QuestionAsked& question = before_.asked.back().question;
  return question.facet == signal.facet && std::any_of(question.options.begin(), question.options.end(), [&](const QuestionOption& option) {
    return option.value == signal.value.any_of.front();
  });
}

// --- what is taken back or does not matter ---

void Reviser::take_back() {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::restore) restore_column(signal);
    if (signal.kind != SignalKind::drop) continue;
    std::vector<ConstraintId> gone;
    for (const Constraint& constraint : now_.active) {
      if (constraint.turn == before_.turn && constraint.set.span.begin > signal.span.begin) continue;
      const ConstraintSet& set = constraint.set;
      const bool by_value = !signal.value.any_of.empty() && overlaps(set.value, signal.value);
      const bool by_facet = signal.value.any_of.empty() && set.facet == signal.facet;
      const bool facet_fits = signal.facet.empty() || signal.facet == set.facet || signal.facet == "feature" || set.facet == "feature";
      if (by_facet || (by_value && facet_fits)) gone.push_back(set.id);
    }
    for (const ConstraintId id : gone) bury(id, TombstoneReason::revoked, std::nullopt, signal.said);
    if (signal.facet.empty() && !signal.value.any_of.empty()) {  // "less formal": and not again
      Signal less = signal;
      less.kind = SignalKind::wish;
      less.facet = "feature";
      less.op = Operator::is_not;
      less.strength = Strength::soft;
      less.confidence = Permille{600};
      set(less, Source::said);
    }
  }
}

void Reviser::waive() {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind != SignalKind::waive) continue;
    std::vector<ConstraintId> gone;
    for (const Constraint& constraint : now_.active) {
      if (constraint.set.facet != signal.facet || (signal.widens && constraint.set.op == Operator::is_not)) continue;
      gone.push_back(constraint.set.id);
    }
    for (const ConstraintId id : gone) bury(id, TombstoneReason::waived, std::nullopt, signal.said);
    if (!now_.waived.contains(signal.facet)) write(PreferenceWaived{signal.facet, signal.said});
  }
}

// --- wishes ---

void Reviser::set_wishes() {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind != SignalKind::wish) continue;
    if (signal.facet == "category" && signal.confidence.value < 700) {
      const bool known = std::any_of(now_.active.begin(), now_.active.end(), [](const Constraint& c) { return c.set.facet == "category"; });
      if (known) continue;
    }
    if (signal.facet == "category" && told_openly_ && names_another_product(signal)) {
      // Said of the product at hand, not instead of it.
      Signal word = signal;
      word.facet = "feature";
      word.value.any_of = {signal.said};
      word.strength = Strength::soft;
      set(word, Source::answered);
      continue;
    }
    if (signal.facet == "price") note_other_currency(signal);
    set(signal, signal.answers ? Source::answered : Source::said);
  }
}

// "A luxury gift set under 100": a number that was said stands, whatever the word would mean elsewhere.
bool Reviser::said_in_figures(const Signal& level, Number bound) {
  for (const Constraint& constraint : now_.active) {
    const ConstraintSet& set = constraint.set;
    if (set.facet != level.facet || set.strength != Strength::hard || !set.value.number || set.op == level.op || set.op == Operator::is_not) continue;
    const bool up = level.op == Operator::at_least;
    const bool apart = up ? set.op == Operator::at_most && *set.value.number <= bound : set.op == Operator::at_least && *set.value.number >= bound;
    if (!apart && (set.op == Operator::at_most || set.op == Operator::at_least)) continue;
    revision_.guidance.notices.push_back("I keep to the " + set.facet + " you named, whatever is \"" + level.said + "\" here.");
    return true;
  }
  return false;
}

// Prices are compared in the catalogue's currency; what one is worth in another is not known here.
void Reviser::note_other_currency(const Signal& signal) {
  const Facet* price = artefact_.facet("price");
  if (!signal.value.number || signal.unit.empty() || price == nullptr || price->unit.empty() || price->unit == signal.unit) return;
  revision_.guidance.notices.push_back("Prices here are in " + std::string(price->unit) + "; your " + signal.unit + " is not converted, the number is taken as it is.");
}

// "Cheap", "low mileage": a quantile of the prices, or of the column, among the category at hand; fixed when said.
void Reviser::set_levels() {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind != SignalKind::price_level) continue;
    const auto bound = quantile(signal.facet, Permille{static_cast<std::int32_t>(signal.value.number->value / number_scale)});
    if (!bound) {
      revision_.guidance.notices.push_back("Too few numbers here to say what \"" + signal.said + "\" would be.");
      continue;
    }
    // "Low mileage" after "under 40,000 km": what was said in figures stands where it asks for as much, and stays firm where it does not.
    const auto held = std::find_if(now_.active.begin(), now_.active.end(), [&](const Constraint& constraint) {
      const ConstraintSet& set = constraint.set;
      return set.facet == signal.facet && set.strength == Strength::hard && set.value.number && (set.op == signal.op || set.op == Operator::between);
    });
    const bool bounded = held != now_.active.end();
    if (bounded && (held->turn == before_.turn || asks_as_much(held->set, signal.op, *bound))) continue;
    if (said_in_figures(signal, *bound)) continue;
    Signal wish = signal;
    if (bounded) wish.strength = Strength::hard;
    wish.kind = SignalKind::wish;
    wish.value.number = bound;
    set(wish, Source::said);
  }
}

void Reviser::resolve_references() {
  for (const Signal& signal : reading_.signals) {
    switch (signal.kind) {
      case SignalKind::relative:
        move(signal);
        break;
      case SignalKind::refer:
      case SignalKind::reject:
        refer(signal);
        break;
      case SignalKind::same_facet:
        same_facet(signal);
        break;
      case SignalKind::ask: {
        const auto product = shown_at(signal.place);
        if (!product) revision_.guidance.notices.push_back("No such product stands in the list shown last.");
        if (product) revision_.guidance.questions.push_back({ProductId{std::string(artefact_.product_id(*product))}, signal.facet, signal.said, signal.op, signal.value});
        break;
      }
      default:
        break;
    }
  }
}

// --- answers ---

void Reviser::answer_question() {
  std::vector<const AskedQuestion*> waiting;
  for (const AskedQuestion& question : before_.asked) {
    if (question.turn.value + 1 == before_.turn.value && !question.outcome) waiting.push_back(&question);
  }
  if (waiting.empty() || now_.epoch != before_.epoch) return;
  bool answered = false;
  bool substance = false;
  for (const Signal& signal : reading_.signals)
    substance = substance || signal.kind == SignalKind::wish || signal.kind == SignalKind::price_level || signal.kind == SignalKind::relative;
  for (const AskedQuestion* asked : waiting) {
    const std::string& facet = asked->question.facet;
    const bool open = facet == "other";
    const bool value = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
      return (s.kind == SignalKind::wish && (s.facet == facet || open)) || (s.kind == SignalKind::price_level && s.facet == facet);
    });
    const bool waived = std::any_of(reading_.signals.begin(), reading_.signals.end(),
                                    [&](const Signal& s) { return s.kind == SignalKind::waive && s.facet == facet; });
    if (!value && !waived) continue;
    write(QuestionAnswered{facet, value ? AnswerOutcome::value : AnswerOutcome::waived});
    answered = true;
  }
  if (answered) return;
  const QuestionAsked& question = waiting.front()->question;
  const Facet* facet = artefact_.facet(question.facet);
  const auto answer_with = [&](std::vector<std::string> values, const Signal& by) {
    Signal wish = by;
    wish.kind = SignalKind::wish;
    wish.facet = question.facet;
    wish.value.any_of = std::move(values);
    wish.strength = Strength::hard;
    set(wish, Source::answered);
    write(QuestionAnswered{question.facet, AnswerOutcome::value});
  };
  const bool yes_no = facet != nullptr && facet->kind == FacetKind::yes_no && question.options.size() == 2;
  if (yes_no && (said(Act::yes) || said(Act::no))) {
    const bool yes = said(Act::yes);
    for (const QuestionOption& option : question.options) {
      const std::string k = key(option.value);
      if ((k == "yes" || k == "true") == yes) return answer_with({option.value}, *act(yes ? Act::yes : Act::no));
    }
  }
  if (said(Act::both) && facet != nullptr && facet->kind == FacetKind::words && question.options.size() >= 2 &&
      question.options.size() <= both_options_max) {
    std::vector<std::string> values;
    for (const QuestionOption& option : question.options) values.push_back(option.value);
    return answer_with(std::move(values), *act(Act::both));
  }
  // "Something else": none of the options, whatever it is instead.
  constexpr std::size_t answer_words_max = 3;  // "something else, please"
  if (said(Act::instead) && !substance && reading_.words.size() > answer_words_max) {
    revision_.guidance.shown_disliked = true;  // "let's try something else"
    return;
  }
  if (said(Act::instead) && !substance && facet != nullptr && facet->kind == FacetKind::words && !question.options.empty()) {
    Signal none = *act(Act::instead);
    none.kind = SignalKind::wish;
    none.facet = question.facet;
    none.op = Operator::is_not;
    for (const QuestionOption& option : question.options) none.value.any_of.push_back(option.value);
    none.strength = Strength::hard;
    set(none, Source::answered);
    write(QuestionAnswered{question.facet, AnswerOutcome::value});
    return;
  }
  const Signal* waives = act(Act::waive_asked);
  if (waives == nullptr) waives = act(Act::up_to_you);
  if (waives == nullptr) waives = act(Act::both);
  if (waives != nullptr) {
    if (question.facet != "other") write(PreferenceWaived{question.facet, waives->said});
    write(QuestionAnswered{question.facet, AnswerOutcome::waived});
    return;
  }
  if (said(Act::decline) || said(Act::dont_know) || said(Act::no)) {
    write(QuestionAnswered{question.facet, AnswerOutcome::declined});
    return;
  }
  if (substance) write(QuestionAnswered{question.facet, AnswerOutcome::off_topic});
}

// --- buying or browsing ---

void Reviser::classify() {
  Intent intent = before_.intent;
  Permille confidence = before_.intent_confidence;
  std::string evidence;
  const bool product =
      std::any_of(now_.active.begin(), now_.active.end(), [](const Constraint& c) { return c.set.facet == "category" || c.set.facet == "brand"; });
  const auto precise = std::count_if(now_.active.begin(), now_.active.end(), [](const Constraint& c) { return c.set.strength == Strength::hard; });
  if (const Signal* browsing = act(Act::browsing)) {
    intent = Intent::browsing;
    confidence = Permille{850};
    evidence = browsing->said;
  } else if (const Signal* buying = act(Act::buying); buying != nullptr && (product || precise >= 2)) {
    intent = Intent::buying;
    confidence = Permille{850};
    evidence = buying->said;
  } else if (precise >= 3 && before_.intent == Intent::browsing && before_.intent_confidence.value < 800) {
    intent = Intent::buying;
    confidence = Permille{650};
    evidence = std::to_string(precise) + " firm wishes";
  } else {
    return;
  }
  if (intent != before_.intent || confidence != before_.intent_confidence) write(IntentClassified{intent, confidence, evidence});
}

// --- what is about this turn alone ---

void Reviser::small_talk() {
  Guidance& guidance = revision_.guidance;
  guidance.unreadable = !reading_.readable;
  guidance.wants_more = said(Act::more);
  guidance.shown_disliked = guidance.shown_disliked || said(Act::dislike_shown);
  if (said(Act::greeting))
    guidance.talk = SmallTalk::greeting;
  else if (said(Act::goodbye))
    guidance.talk = SmallTalk::goodbye;
  else if (said(Act::thanks))
    guidance.talk = SmallTalk::thanks;
  else if (said(Act::chat))
    guidance.talk = SmallTalk::chat;
  else if (said(Act::acknowledge) || said(Act::yes))
    guidance.talk = SmallTalk::acknowledgement;
}

Revision revise(const IntentState& state, const Reading& reading, const Artefact& artefact, const Policy& policy, StageRecord& record) {
  record.stage = Stage::revise;
  Revision revision = Reviser(state, reading, artefact, policy).run();
  std::vector<std::string> lines;
  for (const EventBody& event : revision.events) lines.push_back(line_of(event));
  note_list(record, "events", std::move(lines), events_noted);
  const Guidance& guidance = revision.guidance;
  record.note("guidance", std::vector<std::int64_t>{guidance.learnt, guidance.wants_more, guidance.shown_disliked, guidance.unreadable,
                                                    static_cast<std::int64_t>(guidance.talk), static_cast<std::int64_t>(guidance.questions.size()),
                                                    guidance.like.has_value()});
  if (guidance.order) record.note("order", guidance.order->facet);
  if (!guidance.notices.empty()) record.note("notices", guidance.notices);
  return revision;
}

}  // namespace turnstone
