// What no column holds: quoted listing text, free words; and which column a question is about.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::size_t clause_words_long = 5;   // free words from which a clause is kept together
constexpr std::size_t feature_words_max = 48;  // a fact of a listing is seldom longer
constexpr std::uint32_t described_share = 200;  // a word that one listing in so many holds describes products
constexpr std::uint32_t common_share = 2;      // a word that one listing in two holds says nothing

// Says by itself what the message is for.
bool answers(Act act) {
  switch (act) {
    case Act::decline:
    case Act::dont_know:
    case Act::up_to_you:
    case Act::waive_asked:
    case Act::dislike_shown:
    case Act::revoke_all:
    case Act::retract:
    case Act::start_over:
    case Act::undo:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Interpreter::put_feature(std::size_t first, std::size_t last, Permille confidence) {
  last = std::min(last, first + feature_words_max);
  const TextSpan span = m_.span(first, last);
  const std::string said = m_.said(span);
  consume(first, last - first, "feature");
  ++c_.polarity_items;
  if (c_.dropping || c_.waiving) return take_word_away("feature", said, span);
  if (c_.polarity == Polarity::neither) return;
  Signal& signal = put(SignalKind::wish, span, confidence);
  signal.facet = "feature";
  signal.op = c_.polarity == Polarity::rejected ? Operator::is_not : Operator::is;
  signal.value.any_of = {said};
  signal.strength = strength_for("feature");
}

// The column that a question is about: named ("what colour"), counted in ("how many miles"), or one of whose values is asked
// for ("is it automatic"). Empty where only the listing's text can tell ("has it heated seats").
std::string Interpreter::facet_in_question(std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    if (m_.facet_names[i].length > 0 && !names_more(first, i)) return m_.facet_names[i].name;
    if (const auto dimension = cues_.dimension(m_.terms[i])) {
      const std::string column = relative_facet({*dimension});
      return column.empty() ? *dimension : column;
    }
  }
  for (std::size_t i = first; i < last; ++i) {
    if (m_.cues[i] || m_.facet_names[i].length > 0) continue;
    if (const Facet* counted = counted_column(i); counted != nullptr && !names_more(first, i)) return std::string(counted->name);
    const Sense* sense = choose(phrases_[i], i);
    if (sense == nullptr) continue;
    const std::string_view name = artefact_.facet(sense->facet).name;
    if (name != "feature" && name != "category") return std::string(name);
  }
  return {};
}

// --- text that stands so in a listing ---

// How many words of [first, last) no column accounts for.
std::size_t Interpreter::unaccounted(std::size_t first, std::size_t last) const {
  std::size_t count = 0;
  for (std::size_t i = first; i < last;) {
    std::size_t length = 0;
    if (phrases_[i].length > 0 && (category_here(i) || choose(phrases_[i], i) != nullptr)) length = phrases_[i].length;
    length = std::max<std::size_t>(length, m_.facet_names[i].length);
    if (length == 0 && pair_at_[i] != 0) length = 1;
    if (length == 0 && lexicon_.family("department", m_.terms[i])) length = 1;
    if (length > 0) {
      i += length;
      continue;
    }
    if (m_.words[i].content() && !m_.words[i].number) ++count;
    ++i;
  }
  return count;
}

void Interpreter::read_runs() {
  if (m_.size() < run_words_min) return;
  runs_ = feature_runs(m_, artefact_);
  for (const FeatureRun& run : runs_) {
    const std::size_t length = run.last - run.first;
    const std::size_t open = unaccounted(run.first, run.last);
    const bool descriptive =
        (run.whole_fact && !run.is_title && open >= 1 && length >= 4) || (open >= 2 && length >= 5) || (open >= 3 && length >= 4);
    if (!descriptive || std::any_of(as_.begin() + static_cast<long>(run.first), as_.begin() + static_cast<long>(run.last),
                                    [](const std::string& as) { return !as.empty(); }))
      continue;
    // "must" in the frame before it makes it hard.
    Context frame;
    for (std::size_t i = run.first > 8 ? run.first - 8 : 0; i < run.first; ++i) {
      if (i > 0 && m_.words[i].gap == Gap::stop) frame.strength.reset();
      if (m_.cues[i] && m_.cues[i]->is(CueKind::must)) frame.strength = Strength::hard;
      if (m_.cues[i] && m_.cues[i]->is(CueKind::soft)) frame.strength = Strength::soft;
    }
    read_run(run, frame);
  }
  c_ = Context{};
  last_.reset();
}

void Interpreter::read_run(const FeatureRun& run, const Context& frame) {
  bool category_outside = !heads_.empty() && !(heads_.front() >= run.first && heads_.front() < run.last);
  for (const Constraint& constraint : state_.active) category_outside = category_outside || constraint.set.facet == "category";
  for (std::size_t i = run.first; i < run.last;) {
    const PhraseMatch& phrase = phrases_[i];
    const std::size_t step = std::max<std::size_t>(1, phrase.length);
    if (i + step <= run.last) {
      const Sense* sense = choose(phrase, i);
      const std::string_view facet = sense == nullptr ? std::string_view() : artefact_.facet(sense->facet).name;
      const bool family = facet == "color" || facet == "material";
      const bool head = facet == "category" && !category_outside;
      if (family || head) {
        c_ = Context{};
        c_.strength = Strength::soft;
        put_value(*sense, i, phrase.length, Permille{600});
        category_outside = category_outside || head;
      }
    }
    i += step;
  }
  c_ = frame;
  put_feature(run.first, run.last, Permille{850});
  std::fill(in_run_.begin() + static_cast<long>(run.first), in_run_.begin() + static_cast<long>(run.last), true);
  consume(run.first, run.last - run.first, "listing text");
}

// "60% cotton, 40% polyester": shares of a whole are one fact of the listing; what they are shares of is known, too.
bool Interpreter::read_shares() {
  constexpr std::size_t share_words_max = 4;  // "5% recycled nylon"
  if (!m_.words[at_].percent || c_.polarity != Polarity::wanted || c_.dropping || c_.waiving) return false;
  std::vector<std::pair<std::size_t, const Sense*>> values;  // chosen now: what is put before may change what a later word means
  std::size_t end = at_;
  for (std::size_t i = at_; i < m_.size() && m_.words[i].number && m_.words[i].percent;) {
    std::size_t value = i + 1;
    while (value < std::min(m_.size(), i + share_words_max) && m_.words[value].gap <= Gap::space && choose(phrases_[value], value) == nullptr) ++value;
    if (value >= std::min(m_.size(), i + share_words_max) || m_.words[value].gap > Gap::space || m_.words[value].number) break;
    values.emplace_back(value, choose(phrases_[value], value));
    end = value + phrases_[value].length;
    i = end;
    if (i < m_.size() && (m_.words[i].gap > Gap::comma || m_.words[i].gap == Gap::dash)) break;
    if (i + 1 < m_.size() && m_.cues[i] && m_.cues[i]->is(CueKind::and_also) && m_.words[i + 1].number) ++i;
  }
  const std::size_t first = at_;
  if (values.empty() || (phrases_[first].length > 1 && values.size() == 1) || !stands_intact(m_, first, end, artefact_)) return false;
  const Context frame = c_;
  c_.strength = Strength::soft;
  for (const auto& [value, sense] : values) put_value(*sense, value, phrases_[value].length, Permille{800});
  c_ = frame;
  last_.reset();
  put_feature(first, end, Permille{850});
  at_ = end;
  return true;
}

// --- free words ---

bool Interpreter::is_free(std::size_t i) const {
  const Word& word = m_.words[i];
  if (used(i) || told_[i]) return false;
  for (const std::size_t head : heads_) {  // the product's name said again is no feature
    if (head != i && m_.terms[head + phrases_[head].length - 1] == word.term) return false;
  }
  const bool one_sign =
      word.term.size() <= 4 && !word.term.empty() && static_cast<unsigned char>(word.term[0]) >= 0x80 && word.span.end - word.span.begin <= 4;
  if (one_sign || word.term.size() == 1) return false;
  // "that fits my small case": what the shopper has is no wish.
  for (std::size_t k = i; k > 0 && k + 3 > i && m_.words[k].gap <= Gap::space; --k) {
    const std::string& before = m_.terms[k - 1];
    if (cues_.is(SpeechPart::own, before)) return false;
    if (m_.cues[k - 1]) break;
  }
  if (word.content()) return word.frequency * common_share < artefact_.product_count() || artefact_.product_count() < 50;
  return word.number && word.id.has_value() && word.frequency > 0;
}

// Sentences that tell something beside the point: somebody or something does something, no wish is in them, and another
// sentence holds one, or answers.
std::vector<bool> Interpreter::small_talk() const {
  constexpr std::size_t short_words = 3;  // "With pockets."
  std::vector<bool> talk(m_.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> idle;
  bool wish_elsewhere = false;
  for (std::size_t first = 0; first < m_.size();) {
    std::size_t last = first + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::semicolon) ++last;
    const TextSpan span = m_.span(first, last);
    const bool wish = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
      return s.kind != SignalKind::act && s.span.begin >= span.begin && s.span.begin < span.end;
    });
    bool acts = false;
    for (std::size_t i = first; i < last; ++i) acts = acts || cues_.is(SpeechPart::statement, m_.terms[i]);
    const bool answer = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
      return s.kind == SignalKind::act && answers(s.act) && s.span.begin >= span.begin && s.span.begin < span.end;
    });
    wish_elsewhere = wish_elsewhere || wish || answer;
    if (!wish && !answer && acts && last - first > short_words) idle.push_back({first, last});
    first = last;
  }
  if (!wish_elsewhere) return talk;
  for (const auto& [first, last] : idle) std::fill(talk.begin() + static_cast<long>(first), talk.begin() + static_cast<long>(last), true);
  return talk;
}

// "I'd like fabric": a word that also names a column is a wish for the word where nothing else is wished for.
void Interpreter::read_bare_names() {
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const std::string& name = m_.facet_names[i].name;
    if (m_.facet_names[i].length != 1 || !read_as_name_[i] || m_.terms[i] == name || !m_.words[i].content() || m_.words[i].mended) continue;
    std::size_t first = i;
    while (first > 0 && m_.words[first].gap < Gap::semicolon) --first;
    const std::size_t last = clause_end(i);
    const TextSpan span = m_.span(first, last);
    const bool wants = std::any_of(m_.cues.begin() + static_cast<long>(first), m_.cues.begin() + static_cast<long>(last),
                                   [](const auto& cue) { return cue && cue->length > 1 && cue->is(CueKind::want); });
    const bool other = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
      return (s.kind != SignalKind::act || answers(s.act)) && s.span.begin >= span.begin && s.span.begin < span.end;
    });
    const std::uint64_t frequency = m_.words[i].frequency;
    const bool describes = frequency * described_share > artefact_.product_count() && frequency * common_share < artefact_.product_count();
    if (!wants || other || !describes || artefact_.facet(name) == nullptr || is_label(name, m_.terms[i])) continue;
    c_ = Context{};
    put_feature(i, i + 1, Permille{500});
  }
}

bool Interpreter::is_label(const std::string& facet, const std::string& term) const {
  constexpr int spelling = 10;  // "colour", "color"
  return slip_cost(term, facet, spelling) <= spelling || term_key(artefact_.facet(facet)->label, artefact_.language()) == term;
}

void Interpreter::read_free_content() {
  read_bare_names();
  const std::vector<bool> talk = small_talk();
  for (std::size_t first = 0; first < m_.size();) {
    if (!is_free(first) || talk[first]) {
      ++first;
      continue;
    }
    // A stretch: free words, with small unread words between them.
    std::size_t last = first + 1;
    std::size_t words = 1;
    for (std::size_t i = last; i < m_.size() && m_.words[i].gap <= Gap::hyphen; ++i) {
      if (is_free(i) && stance_[i] == stance_[first]) {
        last = i + 1;
        ++words;
      } else if (used(i) || told_[i] || !m_.words[i].function || stance_[i] != stance_[first]) {
        break;
      }
    }
    c_ = Context{};
    c_.polarity = stance_[first].polarity;
    c_.dropping = stance_[first].dropping;
    c_.waiving = stance_[first].waiving;
    c_.strength = stance_[first].strength;
    const bool denied = c_.polarity == Polarity::rejected && words > 1 && !c_.dropping;  // all of it, not each word
    if (denied || (words >= clause_words_long && c_.polarity == Polarity::wanted && !c_.dropping))
      put_feature(first, last, Permille{650});
    else
      put_stretch(first, last);
    first = last;
  }
}

// A stretch that stands intact in some listing is one feature; else its longest intact pieces are.
void Interpreter::put_stretch(std::size_t first, std::size_t last) {
  while (first < last) {
    while (first < last && !is_free(first)) ++first;
    if (first >= last) return;
    std::size_t end = last;
    while (end > first + 1 && !(is_free(end - 1) && stands_intact(m_, first, end, artefact_))) --end;
    // "push-up", "5-pocket": hyphens hold a word together.
    const auto joined = [&](std::size_t i) { return i < m_.size() && m_.words[i].gap == Gap::hyphen && m_.words[i].id.has_value(); };
    const bool joins_behind = joined(end) && !used(end) && m_.words[end].function;
    const bool joins_before = first > 0 && joined(first) && !used(first - 1) && !is_free(first - 1) && m_.words[first - 1].known;
    if (joins_behind) ++end;
    if (joins_before) --first;
    const bool number_alone = end == first + 1 && (m_.words[first].number || artefact_.language().number_word(m_.surface(first)));
    if (!number_alone) put_feature(first, end, Permille{m_.words[first].mended ? 450 : 600});
    first = end;
  }
}

}  // namespace turnstone
