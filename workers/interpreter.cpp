#include "workers/interpreter.h"

#include <algorithm>
#include <array>

namespace turnstone {
namespace {

bool any_kind(const CueMatch& cue, std::initializer_list<CueKind> kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](CueKind kind) { return cue.is(kind); });
}

// Cues that say by themselves what the message wants to be.
struct ActCue {
  CueKind kind;
  Act act;
};
constexpr std::array<ActCue, 22> act_cues{{
    {CueKind::start_over, Act::start_over}, {CueKind::revoke, Act::revoke_all}, {CueKind::undo, Act::undo}, {CueKind::dislike_shown, Act::dislike_shown},
    {CueKind::decline, Act::decline}, {CueKind::dont_know, Act::dont_know}, {CueKind::up_to_you, Act::up_to_you}, {CueKind::back_to, Act::back_to},
    {CueKind::instead, Act::instead}, {CueKind::additional, Act::additional}, {CueKind::browsing, Act::browsing}, {CueKind::more, Act::more},
    {CueKind::buying, Act::buying}, {CueKind::thanks, Act::thanks}, {CueKind::goodbye, Act::goodbye}, {CueKind::greeting, Act::greeting},
    {CueKind::chat, Act::chat}, {CueKind::both, Act::both}, {CueKind::yes, Act::yes}, {CueKind::no, Act::no},
    {CueKind::acknowledge, Act::acknowledge}, {CueKind::first_option, Act::option},
}};

bool is_weak(Act act) {
  switch (act) {
    case Act::more: case Act::greeting: case Act::thanks: case Act::goodbye: case Act::acknowledge: case Act::chat: case Act::yes: case Act::no:
    case Act::both: case Act::up_to_you: case Act::dont_know: case Act::option: return true;
    default: return false;
  }
}

}  // namespace

Interpreter::Interpreter(const Message& message, const IntentState& state, const Artefact& artefact, const Policy& policy, const Lexicon& lexicon)
    : m_(message), state_(state), artefact_(artefact), policy_(policy), cues_(policy.cues()), lexicon_(lexicon),
      category_facet_(artefact.facet("category")), phrases_(message.phrases), as_(message.size()), stance_(message.size()), told_(message.size(), false), in_run_(message.size(), false) {
  for (const AskedQuestion& question : state.asked) {
    if (question.turn.value + 1 != state.turn.value || question.outcome) continue;
    if (asked_ == nullptr) asked_ = &question;
  }
}

Reading Interpreter::run() {
  survey();
  read_options();
  read_runs();
  read_questions();
  while (at_ < m_.size()) step();
  read_free_content();
  finish_acts();
  std::stable_sort(reading_.signals.begin(), reading_.signals.end(), [](const Signal& a, const Signal& b) { return a.span.begin < b.span.begin; });
  bool known = m_.size() == 0;
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const Word& word = m_.words[i];
    known = known || (word.known && !(word.number && m_.size() > 1)) || used(i);
    std::string as = used(i) ? as_[i] : word.function || word.filler || word.meta ? "small word" : word.known ? "left aside" : "unknown";
    reading_.words.push_back({word.span, word.surface, word.term, std::move(as)});
  }
  reading_.readable = known;
  reading_.corrects_from = corrects_from_;
  return std::move(reading_);
}

// --- what the whole message tells before any word is read ---

void Interpreter::survey() {
  survey_stories();
  if (category_facet_ == nullptr) return;
  survey_products();
  if (!heads_.empty()) {
    category_ = category_sense(phrases_[heads_.front()])->value;
    return;
  }
  for (const Constraint& constraint : state_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.set.value.any_of.empty()) continue;
    category_ = artefact_.find_value(category_facet_->id, term_key(constraint.set.value.any_of.front(), artefact_.language()));
  }
}

// Clauses that only tell a story: their words are no wishes.
void Interpreter::survey_stories() {
  const auto weighs = [&](std::size_t i, std::initializer_list<CueKind> kinds) { return m_.cues[i] && any_kind(*m_.cues[i], kinds); };
  for (std::size_t first = 0; first < m_.size();) {
    std::size_t last = first + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::dash && m_.terms[last] != "but") ++last;
    bool story = false;
    bool asks = false;
    for (std::size_t i = first; i < last;) {
      const std::size_t length = m_.cues[i] ? m_.cues[i]->length : 1;
      story = story || weighs(i, {CueKind::story});
      const bool strong = length > 1 || m_.terms[i] == "need" || m_.terms[i] == "want" || m_.terms[i] == "must" || m_.terms[i] == "prefer";
      asks = asks ||
             (strong && weighs(i, {CueKind::want, CueKind::must, CueKind::buying, CueKind::negate, CueKind::except, CueKind::drop, CueKind::correct, CueKind::start_over,
                                   CueKind::waive, CueKind::waive_about, CueKind::soft})) ||
             weighs(i, {CueKind::budget, CueKind::at_most, CueKind::at_least, CueKind::size, CueKind::for_self}) || m_.relatives[i].has_value();
      i += length;
    }
    if (story && !asks) std::fill(told_.begin() + static_cast<long>(first), told_.begin() + static_cast<long>(last), true);
    first = last;
  }
}

// Where products are named. In "a cover for a sofa" the sofa is what the cover is for.
void Interpreter::survey_products() {
  std::size_t end = 0;  // of the product named last
  for (std::size_t i = 0; i < m_.size();) {
    split_compound(i);
    const std::size_t length = std::max<std::size_t>(1, phrases_[i].length);
    if (!told_[i] && may_name_product(i)) {
      bool belongs = false;
      if (!heads_.empty()) {
        for (std::size_t k = end; k <= i; ++k) {
          if (m_.words[k].gap >= Gap::semicolon && k > end) belongs = false;
          const std::string& term = m_.terms[k];
          if (k == i) break;
          belongs = belongs || term == "with" || term == "without" || term == "for" || term == "fit" || term == "of" || term == "on" || term == "inside" || term == "into" || term == "under";
          if (m_.cues[k] && any_kind(*m_.cues[k], {CueKind::correct, CueKind::instead, CueKind::additional, CueKind::buying})) belongs = false;
        }
        if (m_.words[i].gap >= Gap::semicolon) belongs = false;
      }
      if (!belongs) {
        heads_.push_back(i);
        end = i + length;
      }
    }
    i += length;
  }
}

void Interpreter::split_compound(std::size_t i) {
  const PhraseMatch whole = phrases_[i];
  // "black and white": two values, when both are known.
  for (std::size_t k = i + 1; k + 1 < i + whole.length; ++k) {
    if (m_.terms[k] != "and" && m_.terms[k] != "or") continue;
    PhraseMatch front;
    front.length = static_cast<std::uint32_t>(k - i);
    for (std::size_t w = i; w < k; ++w) front.key += (w > i ? " " : "") + m_.terms[w];
    front.senses = artefact_.senses(front.key);
    const auto shares = [&](const Sense& a) {
      return std::any_of(m_.phrases[k + 1].senses.begin(), m_.phrases[k + 1].senses.end(), [&](const Sense& b) { return a.facet == b.facet; });
    };
    if (std::any_of(front.senses.begin(), front.senses.end(), shares)) {
      phrases_[i] = front;
      return;
    }
  }
  if (whole.length < 2) return;
  const std::size_t head = i + whole.length - 1;
  const Sense* last = category_sense(m_.phrases[head]);
  if (category_sense(whole) == nullptr) {
    // "small bag" as a value of some odd column is a bag all the same.
    if (last == nullptr || m_.phrases[head].length != 1 || last->count <= whole.senses[0].count || artefact_.facet(whole.senses[0].facet).name == "brand") return;
    PhraseMatch front;
    for (std::size_t k = i; k < head; ++k) front.key += (k > i ? " " : "") + m_.terms[k];
    front.senses = artefact_.senses(front.key);
    front.length = front.senses.empty() ? 0 : whole.length - 1;
    phrases_[i] = front;
    return;
  }
  if (whole.senses.size() > 1) return;
  if (last == nullptr || m_.phrases[head].length != 1 || last->count < 3 * category_sense(whole)->count) return;
  PhraseMatch front;
  front.length = whole.length - 1;
  for (std::size_t k = i; k < head; ++k) front.key += (k > i ? " " : "") + m_.terms[k];
  front.senses = artefact_.senses(front.key);
  if (front.senses.empty()) return;
  // The front must be a value of a column on its own, and no product.
  const Sense* product = category_sense(front);
  const Sense* value = choose(front, i);
  if (value == nullptr || (category_facet_ != nullptr && value->facet == category_facet_->id)) return;
  if (product != nullptr && product->count * 4 >= value->count) return;
  phrases_[i] = front;
}

// An option of the question asked, given back in its own words.
void Interpreter::read_options() {
  if (asked_ == nullptr) return;
  const Language& language = artefact_.language();
  const QuestionOption* best = nullptr;
  std::size_t best_first = 0;
  std::size_t best_length = 0;
  for (const QuestionOption& option : asked_->question.options) {
    std::vector<std::string> terms;
    for (Token& token : tokenise(option.value, language)) terms.push_back(std::move(token.term));
    if (terms.empty() || terms.size() <= best_length) continue;
    const auto found = std::search(m_.terms.begin(), m_.terms.end(), terms.begin(), terms.end());
    if (found == m_.terms.end()) continue;
    const auto first = static_cast<std::size_t>(found - m_.terms.begin());
    if (!only_small_words(0, first) || !only_small_words(first + terms.size(), m_.size())) continue;
    bool turned = false;  // "not black" rejects the option
    for (std::size_t i = 0; i < first; ++i) {
      turned = turned || (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::negate, CueKind::except, CueKind::harmless, CueKind::half_negate, CueKind::drop}) && m_.words[i + m_.cues[i]->length < m_.size() ? i + m_.cues[i]->length : i].gap < Gap::comma);
    }
    if (turned) continue;
    best = &option;
    best_first = first;
    best_length = terms.size();
  }
  if (best == nullptr) return;
  put_option(*best, best_first, best_length);
}

void Interpreter::put_option(const QuestionOption& option, std::size_t first, std::size_t length) {
  const std::string& facet_name = asked_->question.facet;
  const Facet* facet = artefact_.facet(facet_name);
  if (facet_name == "price" || facet_name == "other") return;  // read as what it says
  Signal& signal = put(SignalKind::wish, m_.span(first, first + length), Permille{980});
  signal.facet = facet_name;
  signal.answers = true;
  signal.strength = Strength::hard;
  const auto number = facet != nullptr && facet->kind == FacetKind::number ? parse_number(option.value) : std::nullopt;
  if (number) {
    signal.value.number = number;
    signal.unit = facet->unit;
  } else {
    signal.value.any_of = {option.value};
  }
  consume(first, length, facet_name);
}

bool Interpreter::only_small_words(std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last;) {
    const Word& word = m_.words[i];
    if (!word.function && !word.filler && !word.meta && word.known && !m_.cues[i]) return false;
    i += m_.cues[i] ? m_.cues[i]->length : 1;
  }
  return true;
}

std::size_t Interpreter::clause_end(std::size_t i) const {
  std::size_t end = i + 1;
  while (end < m_.size() && m_.words[end].gap < Gap::semicolon) ++end;
  return end;
}

// --- the pass ---

void Interpreter::begin_clause() {
  last_.reset();
  Context fresh;
  if (at_ > 0 && m_.words[at_].gap == Gap::colon) {  // "colour: dark blue", "max: $90", "not: leather"
    fresh = c_;
    fresh.dropping = false;
    fresh.waiving = false;
  }
  c_ = std::move(fresh);
}

// A comma ends a rejection unless a list goes on behind it ("no red, blue or green").
void Interpreter::pass_comma() {
  c_.dropping = false;
  c_.waiving = c_.waiving && at_ < m_.size() && m_.facet_names[at_].length > 0;
  if (c_.polarity == Polarity::wanted || c_.polarity_items == 0) return;
  bool list = false;
  for (std::size_t i = at_; i < clause_end(at_) && i < at_ + 8; ++i) {
    const Word& word = m_.words[i];
    if (i > at_ && (word.gap == Gap::dash)) break;
    if (word.term == "or" || word.term == "nor") list = true;
    else if (phrases_[i].length == 0 && !word.function && word.content()) break;
    if (list) break;
    if (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::want, CueKind::contrast}) && word.term != "or") break;
  }
  if (!list) c_.polarity = Polarity::wanted;
}

void Interpreter::step() {
  const Word& word = m_.words[at_];
  if (at_ > 0 && word.gap >= Gap::colon) begin_clause();
  else if (word.gap == Gap::comma || word.gap == Gap::dash) pass_comma();
  if (used(at_)) {
    ++at_;
    return;
  }
  if (told_[at_]) {
    if (m_.cues[at_] && read_told_cue()) return;
    consume(at_, 1, "told");
    ++at_;
    return;
  }
  if (read_place() || read_size_pattern() || read_number() || read_relative()) return;
  const std::size_t cue_length = m_.cues[at_] ? m_.cues[at_]->length : 0;
  const PhraseMatch& phrase = phrases_[at_];
  const bool phrase_first = phrase.length > cue_length && (phrase.length > 1 || cue_length == 0);
  if (read_level()) return;
  if (phrase_first && phrase.length > 1 && (read_person() || read_department() || read_size() || read_value())) return;
  if (cue_length > 1 && !cue_overtakes(at_, cue_length) && read_cue()) return;
  if (read_person() || read_department() || read_size()) return;
  if (cue_length > 1 && cue_overtakes(at_, cue_length)) {
    if (read_facet_name()) return;
    consume(at_, 1, "small word");
    ++at_;
    return;
  }
  if (cue_length > 0 && !(phrase.length > 0 && value_before_cue()) && read_cue()) return;
  if (read_facet_name() || read_value()) return;
  stance_[at_] = {c_.polarity, c_.dropping, c_.waiving, c_.strength};
  if (word.content()) ++c_.polarity_items;
  ++at_;
}

// A cue that begins within the words from i on and reaches further has the better claim: in "is not only" the cue
// is "not only", in "for less than" it is "less than".
bool Interpreter::cue_overtakes(std::size_t i, std::size_t length) const {
  const std::size_t end = i + length;
  for (std::size_t k = i + 1; k < end; ++k) {
    if (m_.cues[k] && m_.cues[k]->length > 1 && k + m_.cues[k]->length > end &&
        any_kind(*m_.cues[k], {CueKind::harmless, CueKind::half_negate, CueKind::waive, CueKind::waive_about, CueKind::except, CueKind::compound, CueKind::at_most, CueKind::at_least,
                               CueKind::dont_know, CueKind::decline, CueKind::dislike_shown, CueKind::undo, CueKind::revoke, CueKind::same_as})) {
      return true;
    }
  }
  return false;
}

// In a story only what speaks about the talk itself is heard.
bool Interpreter::read_told_cue() {
  const CueMatch& cue = *m_.cues[at_];
  if (any_kind(cue, {CueKind::greeting, CueKind::thanks, CueKind::goodbye, CueKind::chat, CueKind::browsing})) return read_act(cue, m_.span(at_, at_ + cue.length));
  return false;
}

// A single cue word that also is a value of the catalogue: the value when the word is no small word and the cue
// would only be small talk.
bool Interpreter::value_before_cue() const {
  const Word& word = m_.words[at_];
  const CueMatch& cue = *m_.cues[at_];
  if (word.function || cue.length > 1) return false;
  const bool small_talk = any_kind(cue, {CueKind::more, CueKind::story, CueKind::old, CueKind::stars,
                                         CueKind::or_less, CueKind::or_more, CueKind::and_also, CueKind::size, CueKind::first_option}) &&
                          !any_kind(cue, {CueKind::negate, CueKind::contrast, CueKind::at_most, CueKind::at_least});
  return small_talk && !word.filler && choose(phrases_[at_], at_) != nullptr;
}

bool Interpreter::read_cue() {
  const CueMatch cue = *m_.cues[at_];
  const TextSpan span = m_.span(at_, at_ + cue.length);
  if (read_act(cue, span)) return true;
  if (!apply_cue(cue, span)) return false;
  return true;
}

void Interpreter::negate(bool broad) {
  c_.polarity = Polarity::rejected;
  c_.polarity_items = 0;
  c_.broad = broad;
  c_.dropping = false;
  c_.waiving = false;
}

// Cues that act on the words around them. Advances past the cue when it was read.
bool Interpreter::apply_cue(const CueMatch& cue, TextSpan span) {
  const std::size_t first = at_;
  const std::size_t after = at_ + cue.length;
  const auto taken = [&](std::string as) {
    consume(first, cue.length, std::move(as));
    at_ = after;
    return true;
  };
  const bool hyphen = after < m_.size() && m_.words[after].gap == Gap::hyphen;
  if (cue.is(CueKind::compound) || (cue.is(CueKind::negate) && hyphen && cue.length == 1 && m_.words[after].known)) {
    std::size_t end = after;
    if (!cue.is(CueKind::compound)) end = after + 1;
    if (phrases_[first].length < end - first) put_feature(first, end, Permille{700});
    else return false;
    at_ = end;
    return true;
  }
  if (cue.is(CueKind::harmless)) return taken("no rejection");
  if (cue.is(CueKind::half_negate)) {
    c_.polarity = Polarity::neither;
    c_.polarity_items = 0;
    return taken("neither");
  }
  if (cue.is(CueKind::between) && read_between(after)) return true;
  if (any_kind(cue, {CueKind::at_most, CueKind::at_least, CueKind::about}) && amount_near(after)) {
    c_.compare = cue.is(CueKind::at_most) ? Operator::at_most : cue.is(CueKind::at_least) ? Operator::at_least : Operator::about;
    if (cue.is(CueKind::about) && cue.is(CueKind::budget)) c_.compare = Operator::about;
    if (c_.polarity == Polarity::rejected && c_.polarity_items == 0 && c_.compare != Operator::about) {
      c_.compare = c_.compare == Operator::at_most ? Operator::at_least : Operator::at_most;
      c_.polarity = Polarity::wanted;
    }
    if (cue.is(CueKind::correct)) reading_.corrects = true;
    c_.budget = c_.budget || cue.is(CueKind::budget);
    return taken("comparison");
  }
  if (cue.is(CueKind::except)) {
    negate(true);
    return taken("anything but");
  }
  if (cue.is(CueKind::waive)) {
    waive_here(cue, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_noun) && c_.polarity == Polarity::rejected) {
    c_.polarity = Polarity::wanted;
    waive_here(cue, span);
    return taken("doesn't matter");
  }
  if (cue.is(CueKind::waive_about)) {
    c_.waiving = true;
    return taken("don't care about");
  }
  if (cue.is(CueKind::waive_any) && after < m_.size() && m_.facet_names[after].length > 0 && m_.words[after].gap <= Gap::space) {
    const std::string facet = m_.facet_names[after].name;
    const std::size_t end = after + m_.facet_names[after].length;
    const bool value_follows = end < m_.size() && m_.words[end].gap <= Gap::space && phrases_[end].length > 0 && m_.cues[end] == std::nullopt;
    if (!value_follows) {
      Signal& signal = put(SignalKind::waive, m_.span(first, end), Permille{930});
      signal.facet = facet;
      consume(first, end - first, "any " + facet);
      at_ = end;
      c_.waiving = true;
      return true;
    }
  }
  if (cue.is(CueKind::drop) && !(cue.is(CueKind::negate) && !drop_fits(after))) {
    c_.dropping = true;
    c_.polarity = Polarity::wanted;
    return taken("take back");
  }
  if (cue.is(CueKind::negate)) {
    negate(false);
    return taken("not");
  }
  if (cue.is(CueKind::correct)) {
    reading_.corrects = true;
    corrects_from_ = std::min(corrects_from_, span.begin);
    c_.polarity = Polarity::wanted;
    c_.dropping = false;
    last_.reset();
    return taken("correction");
  }
  if (cue.is(CueKind::must) || cue.is(CueKind::soft)) {
    const Strength strength = cue.is(CueKind::must) ? Strength::hard : Strength::soft;
    const std::size_t end = clause_end(first);
    if (last_ && last_->facet != "category" && only_small_words(after, end)) reading_.signals[last_->signal].strength = strength;
    else c_.strength = strength;
    if (cue.is(CueKind::contrast) && c_.polarity_items > 0) c_.polarity = Polarity::wanted;
    return taken(strength == Strength::hard ? "must" : "soft");
  }
  if (cue.is(CueKind::contrast)) {
    if (c_.polarity_items > 0 || c_.polarity == Polarity::neither) c_.polarity = Polarity::wanted;
    c_.dropping = false;
    return taken("contrast");
  }
  if (cue.is(CueKind::well_rated)) {
    Signal& signal = put(SignalKind::wish, span, Permille{850});
    signal.facet = "rating";
    signal.op = Operator::at_least;
    signal.value.number = whole_number(4);
    signal.strength = strength_for("rating");
    return taken("rating");
  }
  if (cue.is(CueKind::same_as) && read_same_as(after)) return true;
  if (cue.is(CueKind::budget)) {
    c_.budget = true;
    if (m_.facet_names[first].length > 0) c_.names.push_back({m_.facet_names[first].name, first});
    return taken("price");
  }
  if (cue.is(CueKind::size)) {
    c_.size = true;
    c_.names.push_back({"size", first});
    if (c_.waiving) put_waived("size", span);
    return taken("size");
  }
  if (cue.is(CueKind::for_self)) {
    put(SignalKind::recipient, span, Permille{850});
    return taken("for whom");
  }
  if (any_kind(cue, {CueKind::either_or, CueKind::and_also})) {
    if (cue.is(CueKind::and_also) && m_.terms[first] != "and" && c_.polarity_items > 0 && !c_.broad) c_.polarity = Polarity::wanted;
    return taken("joins");
  }
  if (any_kind(cue, {CueKind::want, CueKind::accept})) {
    const bool preposition = cue.length == 1 && m_.words[first].function;
    if (preposition && c_.polarity_items > 0 && !c_.broad) c_.polarity = Polarity::wanted;
    if (!preposition && cue.is(CueKind::want)) {
      c_.dropping = false;
      if (c_.polarity_items > 0) c_.polarity = Polarity::wanted;
    }
    return taken("asks");
  }
  if (any_kind(cue, {CueKind::story, CueKind::for_whom, CueKind::keep_same, CueKind::alike, CueKind::ask, CueKind::ask_price, CueKind::ask_maker, CueKind::range_to, CueKind::waive_any,
                     CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::or_less, CueKind::or_more, CueKind::between, CueKind::stars, CueKind::reviews, CueKind::old})) {
    if (!m_.words[first].function && cue.length == 1 && m_.words[first].content()) return false;
    return taken("small word");
  }
  return false;
}

// Cues that are acts of their own; kept aside until it is known what else the message holds.
bool Interpreter::read_act(const CueMatch& cue, TextSpan span) {
  const std::size_t after = at_ + cue.length;
  const bool ends = after >= m_.size() || m_.words[after].gap >= Gap::comma;
  for (const ActCue& entry : act_cues) {
    if (!cue.is(entry.kind)) continue;
    if (entry.act == Act::no && !(ends || cue.length > 1)) continue;
    if ((entry.act == Act::up_to_you || entry.act == Act::more || entry.act == Act::both) && cue.length == 1 && !ends && !only_small_words(after, clause_end(at_))) continue;
    if (entry.act == Act::additional && cue.length == 1 && !ends) continue;
    if (entry.act == Act::undo && !ends && !only_small_words(after, clause_end(at_))) continue;
    if (entry.act == Act::buying && cue.is(CueKind::want)) {
      act(Act::buying, span);
      continue;  // "need" also asks for what follows
    }
    if (entry.act == Act::acknowledge && any_kind(cue, {CueKind::accept, CueKind::correct, CueKind::soft, CueKind::contrast})) continue;
    if (entry.act == Act::dont_know && cue.is(CueKind::browsing)) act(Act::browsing, span);
    if (entry.act == Act::up_to_you && (cue.is(CueKind::waive_any)) && !ends) continue;
    act(entry.act, span);
    if (entry.act == Act::instead || entry.act == Act::additional || entry.act == Act::start_over || entry.act == Act::revoke_all) {
      c_.polarity = Polarity::wanted;
      c_.dropping = false;
    }
    if (entry.act == Act::additional) c_.adds = true;
    if (entry.act == Act::correct) reading_.corrects = true;
    const std::size_t end = entry.act == Act::decline || entry.act == Act::dislike_shown ? decline_end(after) : after;
    consume(at_, end - at_, "act");
    at_ = end;
    return true;
  }
  return false;
}

// "… an additional preference for colour": the facet named belongs to the refusal.
std::size_t Interpreter::decline_end(std::size_t after) const {
  std::size_t end = after;
  while (end < m_.size() && m_.words[end].gap <= Gap::space && (m_.facet_names[end].length > 0 || only_small_words(end, end + 1))) {
    end += std::max<std::size_t>(1, m_.facet_names[end].length);
  }
  return end;
}

void Interpreter::put_waived(const std::string& facet, TextSpan span) {
  for (const Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::waive && signal.facet == facet) return;
  }
  Signal& signal = put(SignalKind::waive, span, Permille{930});
  signal.facet = facet;
}

void Interpreter::waive_here(const CueMatch& cue, TextSpan span) {
  bool named = false;
  for (const auto& [facet, word] : c_.names) {
    put_waived(facet, {std::min(m_.words[word].span.begin, span.begin), span.end});
    named = true;
  }
  const std::size_t after = at_ + cue.length;
  for (std::size_t i = after; i < clause_end(at_) && m_.words[i].gap < Gap::comma; ++i) {
    if (m_.facet_names[i].length == 0) continue;
    put_waived(m_.facet_names[i].name, {span.begin, m_.words[i].span.end});
    consume(i, m_.facet_names[i].length, "any " + m_.facet_names[i].name);
    named = true;
  }
  if (!named) act(Act::waive_asked, span);
}

Signal& Interpreter::put(SignalKind kind, TextSpan span, Permille confidence) {
  Signal signal;
  signal.kind = kind;
  signal.span = span;
  signal.confidence = confidence;
  signal.said = m_.said(span);
  reading_.signals.push_back(std::move(signal));
  return reading_.signals.back();
}

void Interpreter::act(Act what, TextSpan span, Permille confidence) {
  Signal& signal = put(SignalKind::act, span, confidence);
  signal.act = what;
}

void Interpreter::consume(std::size_t first, std::size_t length, std::string as) {
  for (std::size_t i = first; i < first + length && i < m_.size(); ++i) as_[i] = as;
}

Strength Interpreter::strength_for(std::string_view facet) const {
  if (facet == "category") return Strength::hard;
  if (c_.strength) return *c_.strength;
  return facet == "feature" ? Strength::soft : Strength::hard;
}

// Small talk counts only when nothing else was said.
void Interpreter::finish_acts() {
  const auto is_substance = [](const Signal& s) { return s.kind != SignalKind::act; };
  const bool substance = std::any_of(reading_.signals.begin(), reading_.signals.end(), is_substance);
  if (substance) std::erase_if(reading_.signals, [](const Signal& s) { return s.kind == SignalKind::act && is_weak(s.act); });
  for (Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::wish && asked_ != nullptr && signal.facet == asked_->question.facet) signal.answers = true;
  }
}

}  // namespace turnstone
