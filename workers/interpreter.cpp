#include "workers/interpreter.h"

#include <algorithm>
#include <array>

#include "workers/ask_bins.h"

namespace turnstone {
namespace {

bool is_weak(Act act) {
  switch (act) {
    case Act::more:
    case Act::greeting:
    case Act::thanks:
    case Act::goodbye:
    case Act::acknowledge:
    case Act::chat:
    case Act::yes:
    case Act::no:
    case Act::both:
    case Act::up_to_you:
    case Act::dont_know:
    case Act::option:
      return true;
    default:
      return false;
  }
}

}  // namespace

Interpreter::Interpreter(const Message& message, const IntentState& state, const Artefact& artefact, const Policy& policy, const Lexicon& lexicon)
    : m_(message),
      state_(state),
      artefact_(artefact),
      policy_(policy),
      cues_(policy.cues()),
      lexicon_(lexicon),
      category_facet_(artefact.facet("category")),
      phrases_(message.phrases),
      as_(message.size()),
      stance_(message.size()),
      told_(message.size(), false),
      in_run_(message.size(), false) {
  for (const AskedQuestion& question : state.asked) {
    if (question.turn.value + 1 != state.turn.value || question.outcome) continue;
    if (asked_ == nullptr) asked_ = &question;
  }
}

Reading Interpreter::run() {
  find_pairs();
  survey();
  find_part_names();
  read_revocations();
  read_restorations();
  read_refusals();
  read_questions();
  read_options();
  read_whole_answer();
  read_runs();
  while (at_ < m_.size()) step();
  if (has_no_view()) {
    std::erase_if(reading_.signals, [](const Signal& s) { return s.kind == SignalKind::act && is_weak(s.act); });
    act(Act::decline, m_.span(0, m_.size()), Permille{700});
  } else {
    read_free_content();
  }
  finish_acts();
  keep_labels();
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

// An option of the question asked, given back in its own words.
void Interpreter::read_options() {
  if (asked_ == nullptr) return;
  const Language& language = artefact_.language();
  const Facet* column = artefact_.facet(asked_->question.facet);
  const bool counts = column != nullptr && column->kind == FacetKind::number;
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
    if (used(first)) continue;  // "is the first one silver?"
    if (!only_small_words(0, first) || !only_small_words(first + terms.size(), m_.size())) continue;
    bool turned = false;  // "not black" rejects the option
    for (std::size_t i = 0; i < first; ++i) {
      turned = turned ||
               (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::negate, CueKind::except, CueKind::harmless, CueKind::half_negate, CueKind::drop}) &&
                m_.words[i + m_.cues[i]->length < m_.size() ? i + m_.cues[i]->length : i].gap < Gap::comma);
    }
    if (turned || (counts && bounds_option(first, terms.size()))) continue;
    best = &option;
    best_first = first;
    best_length = terms.size();
  }
  if (best == nullptr) return read_shortened_option();
  put_option(*best, best_first, best_length);
}

// "2015 or newer", "at least 14 inch", "$20+": what is said compares with the option instead of taking it.
bool Interpreter::bounds_option(std::size_t first, std::size_t length) const {
  const auto compares = [&](std::size_t i) {
    return m_.cues[i] && any_kind(*m_.cues[i], {CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::or_less, CueKind::or_more});
  };
  for (std::size_t i = 0; i < m_.size(); ++i) {
    if ((i < first || i >= first + length) && compares(i)) return true;
  }
  return m_.words[first].number && bound_by_sign(first, first + length).has_value();
}

// "Wired" for "Wired (3.5 mm)", "auto" for "Automatic": the message's only word begins one option alone.
void Interpreter::read_shortened_option() {
  constexpr std::size_t letters_least = 3;
  const Facet* facet = artefact_.facet(asked_->question.facet);
  if (facet == nullptr || facet->kind != FacetKind::words) return;
  std::size_t word = m_.size();
  for (std::size_t i = 0; i < m_.size(); ++i) {
    if (m_.words[i].function || m_.words[i].filler || m_.words[i].meta) continue;
    if (word < m_.size() || m_.cues[i] || m_.words[i].number) return;
    word = i;
  }
  if (word == m_.size() || m_.terms[word].size() < letters_least || phrases_[word].length > 0) return;
  const QuestionOption* found = nullptr;
  for (const QuestionOption& option : asked_->question.options) {
    if (!term_key(option.value, artefact_.language()).starts_with(m_.terms[word])) continue;
    if (found != nullptr) return;
    found = &option;
  }
  if (found != nullptr) put_option(*found, word, 1);
}

void Interpreter::put_option(const QuestionOption& option, std::size_t first, std::size_t length) {
  const std::string& facet_name = asked_->question.facet;
  const Facet* facet = artefact_.facet(facet_name);
  if (facet_name == "price" || facet_name == "other") return;  // read as what it says
  Signal& signal = put(SignalKind::wish, m_.span(first, first + length), Permille{980});
  signal.facet = facet_name;
  signal.answers = true;
  signal.strength = Strength::hard;
  const bool counts = facet != nullptr && facet->kind == FacetKind::number;
  const auto range = counts ? bounds_of_option(option.value) : std::nullopt;
  const auto number = counts && !range ? parse_number(std::string_view(option.value).substr(0, option.value.find(' '))) : std::nullopt;
  if (range) {
    signal.op = !range->least ? Operator::at_most : range->most ? Operator::between : Operator::at_least;
    signal.value.number = range->least ? range->least : range->most;
    if (range->least) signal.value.upper = range->most;
    signal.unit = facet->unit;
  } else if (number) {
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
    if (fresh.polarity_items > 0) fresh.polarity = Polarity::wanted;  // "nothing modern please: a wardrobe"
  }
  c_ = std::move(fresh);
}

// A comma ends a rejection unless a list goes on behind it ("no red, blue or green").
void Interpreter::pass_comma() {
  c_.dropping = false;
  c_.waiving = c_.waiving && at_ < m_.size() && m_.facet_names[at_].length > 0;
  if (c_.polarity == Polarity::wanted || c_.polarity_items == 0) return;
  const bool rejects_values = last_ && last_->polarity == c_.polarity;
  if (c_.polarity == Polarity::rejected && !rejects_values && choose(phrases_[at_], at_) != nullptr) {  // "nothing too heavy, green or black"
    c_.polarity = Polarity::wanted;
    return;
  }
  bool list = false;
  for (std::size_t i = at_; i < clause_end(at_) && i < at_ + 8; ++i) {
    const Word& word = m_.words[i];
    if (i > at_ && (word.gap == Gap::dash)) break;
    if (cues_.is(SpeechPart::alternative, word.term))
      list = true;
    else if (phrases_[i].length == 0 && !word.function && word.content())
      break;
    if (list) break;
    if (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::want, CueKind::contrast})) break;
  }
  if (!list) c_.polarity = Polarity::wanted;
}

void Interpreter::step() {
  const Word& word = m_.words[at_];
  if (at_ > 0 && word.gap >= Gap::colon)
    begin_clause();
  else if (word.gap == Gap::comma || word.gap == Gap::dash)
    pass_comma();
  if (used(at_)) {
    if (as_[at_] == revoked) begin_clause();
    ++at_;
    return;
  }
  if (told_[at_]) {
    if (m_.cues[at_] && read_told_cue()) return;
    consume(at_, 1, "told");
    ++at_;
    return;
  }
  if (c_.drop_until > 0 && at_ >= c_.drop_until) {
    const std::size_t close = at_ == c_.drop_until ? c_.drop_close : 0;
    c_.dropping = false;
    c_.drop_until = 0;
    if (close > 0) {
      consume(at_, close, "small word");
      at_ += close;
      return;
    }
  }
  if (read_verdict() || read_exchange() || read_waiver() || read_pair() || read_shares() || read_named_value() || read_place() || read_size_pattern() || read_number() || read_relative()) return;
  const std::size_t cue_length = m_.cues[at_] ? m_.cues[at_]->length : 0;
  const PhraseMatch& phrase = phrases_[at_];
  const bool is_value = cue_length > 1 && phrase.length == cue_length && m_.cues[at_]->is(CueKind::harmless) && choose(phrase, at_) != nullptr;
  const bool phrase_first = is_value || (phrase.length > cue_length && (phrase.length > 1 || cue_length == 0));
  if (read_level()) return;
  for (std::size_t k = 1; k < cue_length; ++k) {  // "a size of 120": the name belongs to its value
    if (pair_at_[at_ + k] == 0 || pairs_[pair_at_[at_ + k] - 1].first != at_ + k || !m_.words[at_].function) continue;
    consume(at_, 1, "small word");
    ++at_;
    return;
  }
  if (is_compound_front(at_)) {
    stance_[at_] = {c_.polarity, c_.dropping, c_.waiving, c_.strength};
    ++at_;
    return;
  }
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
  stance_[at_] = {is_excess(at_) ? Polarity::rejected : c_.polarity, c_.dropping, c_.waiving, c_.strength};
  if (word.content() || !(word.function || word.filler || word.meta || word.number || m_.cues[at_])) ++c_.polarity_items;
  ++at_;
}

// "Fine-knit": a hyphen makes a cue's word the front of another.
bool Interpreter::is_compound_front(std::size_t i) const {
  const std::size_t after = i + 1;
  if (!m_.cues[i] || m_.cues[i]->length > 1 || phrases_[i].length > 1 || after >= m_.size() || m_.words[after].gap != Gap::hyphen) return false;
  if (any_kind(*m_.cues[i], {CueKind::negate, CueKind::compound, CueKind::half_negate}) || !m_.words[after].content()) return false;
  return stands_intact(m_, i, after + 1, artefact_);
}

// A cue that begins within the words from i on and reaches further has the better claim: in "is not only" the cue
// is "not only", in "for less than" it is "less than".
bool Interpreter::cue_overtakes(std::size_t i, std::size_t length) const {
  const std::size_t end = i + length;
  for (std::size_t k = i + 1; k < end; ++k) {
    if (m_.cues[k] && m_.cues[k]->length > 1 && k + m_.cues[k]->length > end &&
        any_kind(*m_.cues[k], {CueKind::harmless, CueKind::half_negate, CueKind::waive, CueKind::waive_about, CueKind::except, CueKind::compound,
                               CueKind::at_most, CueKind::at_least, CueKind::dont_know, CueKind::decline, CueKind::dislike_shown, CueKind::undo,
                               CueKind::must, CueKind::same_as})) {
      return true;
    }
  }
  return false;
}

// In a story only what speaks about the talk itself is heard.
bool Interpreter::read_told_cue() {
  const CueMatch& cue = *m_.cues[at_];
  if (any_kind(cue, {CueKind::greeting, CueKind::thanks, CueKind::goodbye, CueKind::chat, CueKind::browsing}))
    return read_act(cue, m_.span(at_, at_ + cue.length));
  return false;
}

// A single cue word that also is a value of the catalogue: the value when the word is no small word and the cue
// would only be small talk.
bool Interpreter::value_before_cue() const {
  const Word& word = m_.words[at_];
  const CueMatch& cue = *m_.cues[at_];
  if (word.function || cue.length > 1) return false;
  const bool small_talk = any_kind(cue, {CueKind::more, CueKind::story, CueKind::old, CueKind::stars, CueKind::or_less, CueKind::or_more,
                                         CueKind::and_also, CueKind::size, CueKind::first_option}) &&
                          !any_kind(cue, {CueKind::negate, CueKind::contrast, CueKind::at_most, CueKind::at_least});
  return small_talk && !word.filler && choose(phrases_[at_], at_) != nullptr;
}

bool Interpreter::read_cue() {
  CueMatch cue = *m_.cues[at_];
  // "not in-ear": where a value of several words begins with the cue's last word, the shorter cue is meant.
  const std::size_t last = at_ + cue.length - 1;
  if (cue.length > 1 && phrases_[last].length > 1 && choose(phrases_[last], last) != nullptr) {
    const auto shorter = cues_.longest(std::span(m_.terms).first(last), at_);
    if (shorter) cue = *shorter;
  }
  for (std::size_t k = 1; k < cue.length && cue.is(CueKind::compound); ++k) {  // "no, show me others" is no "no-show"
    if (m_.words[at_ + k].gap < Gap::comma) continue;
    const auto shorter = cues_.longest(std::span(m_.terms).first(at_ + k), at_);
    if (!shorter) return false;
    cue = *shorter;
  }
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
  waive_named();
  const auto is_substance = [](const Signal& s) { return s.kind != SignalKind::act; };
  const bool substance = std::any_of(reading_.signals.begin(), reading_.signals.end(), is_substance);
  if (substance) std::erase_if(reading_.signals, [](const Signal& s) { return s.kind == SignalKind::act && is_weak(s.act); });
  for (Signal& signal : reading_.signals) {
    if (signal.kind == SignalKind::wish && asked_ != nullptr && signal.facet == asked_->question.facet) signal.answers = true;
  }
}

}  // namespace turnstone
