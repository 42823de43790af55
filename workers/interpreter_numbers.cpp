#include <algorithm>
#include <array>
#include <cstdlib>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

__extension__ using Wide = __int128;

// value · from / to, exact to the scale of Number; nullopt when it leaves the range.
std::optional<Number> convert(Number value, const Unit& from, const Unit& to) {
  const Wide scaled = static_cast<Wide>(value.value) * from.factor.value;
  const Wide result = (scaled + (scaled < 0 ? -1 : 1) * to.factor.value / 2) / to.factor.value;
  if (result > 9'000'000'000'000'000'000 || result < -9'000'000'000'000'000'000) return std::nullopt;
  return Number{static_cast<std::int64_t>(result)};
}

std::string_view digits_of(std::string_view word) {
  std::size_t at = 0;
  while (at < word.size() && ((word[at] >= '0' && word[at] <= '9') || (word[at] == '.' && at > 0))) ++at;
  return word.substr(0, at);
}

struct Rows {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Rows of a sorted column whose number is within one per cent of x.
Rows rows_near(std::span<const Artefact::NumberRow> column, Number x) {
  const std::int64_t slack = std::llabs(x.value) / 100;
  const auto less = [](const Artefact::NumberRow& row, std::int64_t bound) { return row.number.value < bound; };
  const auto first = std::lower_bound(column.begin(), column.end(), x.value - slack, less);
  const auto last = std::lower_bound(first, column.end(), x.value + slack + 1, less);
  return {static_cast<std::size_t>(first - column.begin()), static_cast<std::size_t>(last - column.begin())};
}

constexpr std::size_t rows_looked_at = 64;

bool holds_word(std::string_view label, std::string_view words) {
  const std::size_t at = label.find(words);
  if (at == std::string_view::npos) return false;
  const bool begins = at == 0 || label[at - 1] == ' ';
  const std::size_t end = at + words.size();
  return begins && (end == label.size() || label[end] == ' ');
}

}  // namespace

// --- numbers as they are written ---

std::optional<Amount> Interpreter::amount_at(std::size_t i) const {
  if (i >= m_.size()) return std::nullopt;
  Amount amount;
  const Word& word = m_.words[i];
  const Language& language = artefact_.language();
  amount.currency = word.currency;
  const bool money = !word.currency.empty() || c_.compare.has_value() || c_.budget;
  const auto thousands = [&](std::string_view text) {
    return text == "k" && (money || (i + 1 < m_.size() && language.currency(m_.words[i + 1].surface)));
  };
  if (word.number) {
    amount.value = *parse_number(word.term);
    amount.length = 1;
    // "2 hundred", "3 thousand"
    const auto times = i + 1 < m_.size() && m_.words[i + 1].gap == Gap::space ? language.number_word(m_.words[i + 1].surface) : std::nullopt;
    if (times && *times >= 100 && amount.value < whole_number(1000)) {
      amount.value.value *= *times;
      amount.length = 2;
    }
  } else if (const std::string_view digits = digits_of(word.surface); !digits.empty()) {
    const std::string_view rest = std::string_view(word.surface).substr(digits.size());
    const auto value = parse_number(digits);
    if (!value || (rest != "ish" && !thousands(rest))) return std::nullopt;
    amount.value = rest == "k" ? Number{value->value * 1000} : *value;
    amount.ish = rest == "ish";
    amount.length = 1;
  } else if (!number_words(i, amount)) {
    return std::nullopt;
  }
  amount.percent = m_.words[i + amount.length - 1].percent;
  finish_amount(i, amount);
  const bool alone = !word.number && amount.length == 1 && amount.bare() && digits_of(word.surface).empty();
  if (alone && !money && asked_ == nullptr && amount.value < whole_number(10)) return std::nullopt;  // "one", "two" are seldom amounts
  return amount;
}

// "twenty five", "one hundred and fifty", "two thousand", "a hundred".
bool Interpreter::number_words(std::size_t i, Amount& amount) const {
  const Language& language = artefact_.language();
  std::int64_t total = 0;
  std::int64_t part = 0;
  std::size_t at = i;
  bool any = false;
  if (m_.words[i].surface == "a" && i + 1 < m_.size()) {
    const auto next = language.number_word(m_.words[i + 1].surface);
    if (!next || *next < 100) return false;
    part = 1;
    ++at;
  }
  for (; at < m_.size() && (at == i || m_.words[at].gap <= Gap::hyphen); ++at) {
    if (any && m_.words[at].surface == "and" && at + 1 < m_.size() && part % 100 == 0 && part > 0) {
      const auto next = language.number_word(m_.words[at + 1].surface);
      if (next && *next < 100 && *next > 0) continue;
    }
    const auto number = language.number_word(m_.words[at].surface);
    if (!number) break;
    if (*number >= 1000) {
      total += std::max<std::int64_t>(part, 1) * *number;
      part = 0;
    } else if (*number == 100) {
      part = std::max<std::int64_t>(part, 1) * 100;
    } else if (any && part % 10 == 0 && part % 100 != 0 && *number >= 10) {
      break;
    } else if (any && part % 10 != 0) {
      break;
    } else {
      part += *number;
    }
    any = true;
    if (total > 1'000'000'000) return false;
  }
  if (!any) return false;
  amount.value = whole_number(total + part);
  amount.length = at - i;
  return true;
}

// What belongs to the number behind it: -ish, a range, a currency, a unit.
void Interpreter::finish_amount(std::size_t i, Amount& amount) const {
  const Language& language = artefact_.language();
  std::size_t at = i + amount.length;
  const auto near = [&](std::size_t j) { return j < m_.size() && m_.words[j].gap <= Gap::hyphen; };
  const auto take = [&](std::size_t words) {
    at += words;
    amount.length += words;
  };
  const auto take_ish = [&] {
    if (near(at) && m_.terms[at] == "ish") {
      amount.ish = true;
      take(1);
    }
  };
  const auto take_unit = [&] {
    if (!near(at) || !amount.currency.empty() || amount.unit != nullptr) return;
    const std::string& surface = m_.words[at].surface;
    const bool glued = m_.words[at].gap != Gap::space;
    const bool money = language.currency(surface).has_value();
    const Unit* unit = language.unit(surface);
    if (money && unit != nullptr && at + 1 < m_.size() && cues_.dimension(m_.terms[at + 1]) == "weight") {
      amount.unit = unit;
      return take(1);
    }
    if (money && (unit == nullptr || !glued)) {
      amount.currency = *language.currency(surface);
      return take(1);
    }
    const bool letter = surface.size() == 1 && !(surface == "w" || surface == "v" || surface == "g");
    if (unit != nullptr && (glued || !(letter || surface == "in" || surface == "a"))) {
      amount.unit = unit;
      return take(1);
    }
    if (near(at + 1)) {
      if (const Unit* two = language.unit(surface + " " + m_.words[at + 1].surface)) {
        amount.unit = two;
        take(2);
      }
    }
  };
  take_ish();
  take_unit();
  if (at < m_.size()) {
    const Word& next = m_.words[at];
    const bool dash = next.number && (next.gap == Gap::hyphen || next.gap == Gap::dash);
    const bool to =
        next.gap <= Gap::space && (next.term == "to" || next.term == "till" || next.term == "bis") && at + 1 < m_.size() && m_.words[at + 1].number;
    if (dash || to) {
      const std::size_t upper = at + (dash ? 0 : 1);
      const auto value = parse_number(m_.words[upper].term);
      if (value && *value > amount.value) {
        amount.upper = value;
        if (amount.currency.empty()) amount.currency = m_.words[upper].currency;
        take(dash ? 1 : 2);
      }
    }
  }
  take_unit();
  take_ish();
}

std::optional<std::size_t> Interpreter::amount_near(std::size_t i) const {
  for (std::size_t j = i; j < std::min(i + 4, m_.size()); ++j) {
    if (j > i && m_.words[j].gap >= Gap::semicolon) return std::nullopt;
    if (amount_at(j)) return j;
    if (!m_.words[j].currency.empty()) return j;
    const bool skip = m_.words[j].function || m_.words[j].filler || m_.words[j].meta || m_.cues[j];
    if (!skip) return std::nullopt;
  }
  return std::nullopt;
}

// "between 20 and 40 dollars", "from $10 to $15".
bool Interpreter::read_between(std::size_t after) {
  const auto from = amount_near(after);
  if (!from) return false;
  auto low = amount_at(*from);
  if (!low) return false;
  std::size_t end = *from + low->length;
  if (!low->upper) {
    if (end + 1 >= m_.size() || !m_.cues[end] || !m_.cues[end]->is(CueKind::range_to)) return false;
    const auto high = amount_at(end + m_.cues[end]->length);
    if (!high || high->value <= low->value) return false;
    low->upper = high->value;
    if (low->currency.empty()) low->currency = high->currency;
    if (low->unit == nullptr) low->unit = high->unit;
    end += m_.cues[end]->length + high->length;
  }
  const TextSpan span = m_.span(at_, end);
  const std::size_t first = at_;
  consume(first, end - first, "range");
  amount_first_ = first;
  amount_end_ = end;
  put_amount(*low, span);
  c_.compare.reset();
  at_ = end;
  return true;
}

// --- what a number is about ---

bool Interpreter::read_number() {
  const auto amount = amount_at(at_);
  const Word& word = m_.words[at_];
  if (!amount) {
    if (word.currency.empty()) return false;
    consume(at_, 1, "no amount");
    ++at_;
    return true;
  }
  if (amount->percent && amount->currency.empty()) return false;
  const PhraseMatch& phrase = phrases_[at_];
  if (amount->bare() && !amount->upper && phrase.length > amount->length && !c_.compare && !c_.size && !c_.budget) return false;
  if (word.minus && amount->currency.empty() && !amount->unit) return false;
  amount_first_ = at_;
  amount_end_ = at_ + amount->length;
  std::size_t end = amount_end_;
  // "30 dollars at most", "144 Hz or faster".
  if (end < m_.size() && m_.words[end].gap <= Gap::comma && m_.cues[end]) {
    const CueMatch& cue = *m_.cues[end];
    const bool less = cue.is(CueKind::or_less);
    const bool more = cue.is(CueKind::or_more);
    const bool number_follows = any_amount_follows(end + cue.length);
    if ((less || more) && !number_follows && (m_.words[end].gap < Gap::comma || cue.length > 1)) {
      c_.compare = less ? Operator::at_most : Operator::at_least;
      end += cue.length;
    } else if (cue.is(CueKind::about) && cue.length > 1 && !number_follows && m_.words[end].gap < Gap::comma) {
      c_.compare = Operator::about;
      end += cue.length;
    }
  }
  const std::size_t first = at_;
  const TextSpan span = m_.span(first, end);
  if (!put_amount(*amount, span)) {
    c_.compare.reset();
    return false;
  }
  consume(first, end - first, amount->currency.empty() && amount->unit != nullptr ? "measure" : "number");
  at_ = std::max(at_, end);
  c_.compare.reset();
  return true;
}

bool Interpreter::any_amount_follows(std::size_t i) const { return i < m_.size() && m_.words[i].gap <= Gap::space && amount_at(i).has_value(); }

bool Interpreter::put_amount(const Amount& amount, TextSpan span) {
  if (!amount.currency.empty()) return put_price(amount, span);
  const std::size_t end = amount_end_;
  if (end < m_.size() && m_.cues[end] && m_.words[end].gap <= Gap::hyphen) {
    if (m_.cues[end]->is(CueKind::stars) || m_.cues[end]->is(CueKind::reviews)) return put_rating(amount, span, m_.cues[end]->is(CueKind::stars));
    if (m_.cues[end]->is(CueKind::old)) return put_age(span);
  }
  if (amount.unit != nullptr) return put_measure(amount, span);
  return put_bare_number(amount, span);
}

void Interpreter::set_bounds(Signal& signal, Number value, std::optional<Number> upper, bool ish, Operator plain) {
  signal.op = upper ? Operator::between : c_.compare ? *c_.compare : ish ? Operator::about : plain;
  if (signal.op != Operator::about && ish && !upper) signal.op = Operator::about;
  signal.value.number = value;
  signal.value.upper = upper;
  if (c_.polarity == Polarity::rejected && signal.op == Operator::is) signal.op = Operator::is_not;
  signal.adds = c_.adds;
  signal.strength = strength_for(signal.facet);
}

bool Interpreter::put_price(const Amount& amount, TextSpan span) {
  if (c_.polarity == Polarity::neither) return true;
  Signal& signal = put(SignalKind::wish, span, Permille{950});
  signal.facet = "price";
  signal.unit = amount.currency;
  Operator plain = c_.budget || asked_about("price") ? Operator::at_most : Operator::about;
  if (reading_.corrects) {  // "make that $60" keeps the sense of the limit
    for (const Constraint& constraint : state_.active) {
      if (constraint.set.facet == "price" && (constraint.set.op == Operator::at_most || constraint.set.op == Operator::at_least))
        plain = constraint.set.op;
    }
  }
  set_bounds(signal, amount.value, amount.upper, amount.ish, plain);
  if (signal.op == Operator::is_not) signal.op = Operator::at_most;
  return true;
}

bool Interpreter::put_rating(const Amount& amount, TextSpan span, bool stars) {
  const std::size_t name = amount_end_;
  std::size_t end = name + m_.cues[name]->length;
  if (end < m_.size() && m_.cues[end] && m_.words[end].gap <= Gap::space &&
      (m_.cues[end]->is(CueKind::or_more) || m_.cues[end]->is(CueKind::or_less))) {
    if (!c_.compare) c_.compare = m_.cues[end]->is(CueKind::or_more) ? Operator::at_least : Operator::at_most;
    end += m_.cues[end]->length;
  }
  Signal& signal = put(SignalKind::wish, {span.begin, m_.words[end - 1].span.end}, Permille{900});
  signal.facet = stars ? "rating" : "rating_count";
  set_bounds(signal, amount.value, amount.upper, amount.ish, Operator::at_least);
  consume(at_, end - at_, signal.facet);
  at_ = end;
  return true;
}

// "5 year old": whom it is for is read from the person's word.
bool Interpreter::put_age(TextSpan span) {
  (void)span;
  const std::size_t end = amount_end_ + m_.cues[amount_end_]->length;
  consume(at_, end - at_, "age");
  age_said_ = true;
  at_ = end;
  return true;
}

bool Interpreter::put_measure(const Amount& amount, TextSpan span) {
  if (c_.polarity == Polarity::neither) return true;
  const std::size_t end = amount_end_;
  std::size_t last = end;
  if (end < m_.size() && m_.words[end].gap <= Gap::space &&
      (cues_.dimension(m_.terms[end]) || (m_.facet_names[end].length > 0 && !category_here(end)))) {
    last = end + std::max<std::size_t>(1, m_.facet_names[end].length);
  }
  const auto column = column_for(amount, amount_first_, last);
  if (!column) {
    if (amount.unit->kind == "time" || amount.unit->kind == "count") {
      consume(at_, end - at_, "measure");
      return true;
    }
    put_feature(amount_first_, last, Permille{600});
    at_ = last;
    return true;
  }
  Signal& signal = put(SignalKind::wish, {span.begin, std::max(span.end, m_.words[last - 1].span.end)}, Permille{900});
  signal.facet = std::string(column->facet->name);
  signal.unit = column->unit;
  set_bounds(signal, column->value, column->upper, amount.ish, Operator::is);
  consume(end, last - end, signal.facet);
  return true;
}

// Which column of the category counts this: by the words around, by the kind of unit, by what the column holds.
std::optional<Interpreter::Column> Interpreter::column_for(const Amount& amount, std::size_t first, std::size_t last) const {
  const auto& uses = !lexicon_.numbers_of(category_).empty() ? lexicon_.numbers_of(category_) : lexicon_.numbers_of(std::nullopt);
  const std::uint32_t most = uses.empty() ? 1 : std::max<std::uint32_t>(1, category_ ? artefact_.value(*category_).count : uses.front().filled);
  const auto& usual = cues_.measure(amount.unit->kind);
  std::optional<std::string> dimension;
  std::vector<std::string> named;
  const std::size_t from = first >= 4 ? first - 4 : 0;
  for (std::size_t i = from; i < std::min(last + 3, m_.size()); ++i) {
    if (i >= first && i > last && m_.words[i].gap >= Gap::comma) break;
    if (i < first && m_.words[i].gap >= Gap::comma) named.clear();
    if (const auto word = cues_.dimension(m_.terms[i]); word && !dimension && i + 1 >= first) dimension = word;
    if (m_.facet_names[i].length > 0) named.push_back(m_.facet_names[i].name);
  }
  std::optional<Column> best;
  for (const NumberUse& use : uses) {
    const Facet& facet = artefact_.facet(use.facet);
    if (facet.name == "price" || facet.name == "rating" || facet.name == "rating_count") continue;
    Column column{&facet, amount.value, amount.upper, "", 0};
    const Unit* own = facet.unit.empty() ? nullptr : artefact_.language().unit(facet.unit);
    if (own != nullptr && own->kind != amount.unit->kind) continue;
    std::string label(facet.label);
    std::replace(label.begin(), label.end(), '_', ' ');
    label = fold_text(label);
    const bool is_named = std::find(named.begin(), named.end(), facet.name) != named.end();
    if (category_ && use.filled * 20 < most && !is_named) continue;  // hardly any product of the kind says it
    std::int64_t score = own != nullptr ? 40 : 0;
    for (std::size_t i = 0; i < usual.size(); ++i) {
      if (holds_word(label, usual[i])) {
        score += 34 - 3 * static_cast<std::int64_t>(std::min<std::size_t>(i, 8));
        if (label == usual[i]) score += 6;
        break;
      }
    }
    if (is_named) score += 60;
    if (dimension) score += holds_word(label, *dimension) ? 50 : facet.name == *dimension ? 50 : -25;
    if (score <= 0) continue;
    score += static_cast<std::int64_t>(20) * std::min(use.filled, most) / most;
    score += fit(column, amount, own);
    column.score = score;
    if (!best || column.score > best->score) best = column;
  }
  if (!best || best->score < 30) return std::nullopt;
  return best;
}

// Sets the number in the column's own unit; how well it fits what the column holds.
std::int64_t Interpreter::fit(Column& column, const Amount& amount, const Unit* own) const {
  const auto rows = artefact_.number_column(column.facet->id);
  std::int64_t best = -1;
  const auto consider = [&](const Unit& unit) {
    const auto value = convert(amount.value, *amount.unit, unit);
    if (!value) return;
    const auto upper = amount.upper ? convert(*amount.upper, *amount.unit, unit) : std::nullopt;
    const Rows near = rows_near(rows, *value);
    std::int64_t score = 0;
    std::size_t here = 0;
    const std::size_t looked = std::min(near.last - near.first, rows_looked_at);
    for (std::size_t i = near.first; i < near.first + looked; ++i) {
      if (!category_ || !category_facet_) {
        ++here;
        continue;
      }
      const auto values = artefact_.values_of(rows[i].product, category_facet_->id);
      if (std::find(values.begin(), values.end(), *category_) != values.end()) ++here;
    }
    score += std::min<std::int64_t>(12, static_cast<std::int64_t>(here) * 2);
    if (!rows.empty() && *value >= rows.front().number && *value <= rows.back().number) score += 4;
    if (unit.name == amount.unit->name) score += 1;
    if (score > best) {
      best = score;
      column.value = *value;
      column.upper = upper;
      column.unit = unit.name;
    }
  };
  if (own != nullptr) {
    consider(*own);
    column.unit = std::string(column.facet->unit);
    return std::max<std::int64_t>(0, best);
  }
  std::string last;
  for (const auto& [form, unit] : artefact_.language().units()) {
    if (unit.kind == amount.unit->kind && form == unit.name) consider(unit);
  }
  return std::max<std::int64_t>(0, best);
}

// A number without currency or unit.
bool Interpreter::put_bare_number(const Amount& amount, TextSpan span) {
  const std::size_t end = amount_end_;
  if (c_.size && !c_.compare) return put_size_number(amount, span);
  // A column named beside it: "refresh rate 144", "16 cores".
  const std::string* named = nullptr;
  if (end < m_.size() && m_.facet_names[end].length > 0 && m_.words[end].gap <= Gap::space) named = &m_.facet_names[end].name;
  if (named == nullptr && !c_.names.empty()) {
    const std::size_t first = c_.names.back().second;
    const std::size_t after = first + std::max<std::size_t>(1, m_.facet_names[first].length);  // names may have many words
    if (after + 3 >= amount_first_) named = &c_.names.back().first;
  }
  if (named != nullptr && *named != "price") {
    const Facet* facet = artefact_.facet(*named);
    if (facet != nullptr && facet->kind == FacetKind::number) {
      Signal& signal = put(SignalKind::wish, span, Permille{900});
      signal.facet = *named;
      signal.unit = std::string(facet->unit);
      set_bounds(signal, amount.value, amount.upper, amount.ish, Operator::is);
      return true;
    }
  }
  if (c_.budget || (asked_about("price") && only_small_words(0, amount_first_) && only_small_words(end, m_.size()))) return put_price(amount, span);
  if (asked_ != nullptr && put_answer_number(amount, span)) return true;
  if (c_.compare || amount.upper || amount.ish) {
    const bool counts = end < m_.size() && m_.words[end].gap <= Gap::space && m_.words[end].content() && !category_here(end);
    if (!counts) {
      if (const Constraint* number = number_to_correct(amount); number != nullptr && number->set.facet != "price" && !artefact_.facet("price"))
        return correct_number(*number, amount, span);
      return put_price(amount, span);
    }
    return false;
  }
  if (const Constraint* number = number_to_correct(amount)) return correct_number(*number, amount, span);
  return false;
}

// A bare number answers the question asked: a number of that column, or an option by its place.
bool Interpreter::put_answer_number(const Amount& amount, TextSpan span) {
  if (!only_small_words(0, amount_first_) || !only_small_words(amount_end_, m_.size())) return false;
  const Facet* facet = artefact_.facet(asked_->question.facet);
  const auto& options = asked_->question.options;
  const std::int64_t place = amount.value.value / number_scale;
  const bool numeric = facet != nullptr && facet->kind == FacetKind::number;
  if (numeric) {
    const auto rows = artefact_.number_column(facet->id);
    const Rows near = rows_near(rows, amount.value);
    const bool within = !rows.empty() && amount.value >= rows.front().number && amount.value <= rows.back().number;
    if (near.last > near.first || (within && (c_.compare || options.empty() || place > static_cast<std::int64_t>(options.size())))) {
      Signal& signal = put(SignalKind::wish, span, Permille{900});
      signal.facet = asked_->question.facet;
      signal.unit = std::string(facet->unit);
      set_bounds(signal, amount.value, amount.upper, amount.ish, Operator::is);
      return true;
    }
  }
  if (c_.compare || place < 1 || place > static_cast<std::int64_t>(options.size()) || amount.value != whole_number(place)) return false;
  put_option(options[static_cast<std::size_t>(place - 1)], amount_first_, amount_end_ - amount_first_);
  return true;
}

// The active number that a bare number may replace: the nearest in proportion, within a factor of four.
const Constraint* Interpreter::number_to_correct(const Amount& amount) const {
  if (amount.value.value <= 0 || !only_small_words(0, amount_first_) || !only_small_words(amount_end_, m_.size())) {
    if (!reading_.corrects && corrects_from_ == 0xffffffff) return nullptr;
  }
  const Constraint* best = nullptr;
  std::int64_t best_distance = 0;
  for (const Constraint& constraint : state_.active) {
    if (!constraint.set.value.number || constraint.set.value.number->value <= 0) continue;
    const std::int64_t a = std::max(constraint.set.value.number->value, amount.value.value);
    const std::int64_t b = std::max<std::int64_t>(1, std::min(constraint.set.value.number->value, amount.value.value));
    const std::int64_t ratio = a * 100 / b;
    if (ratio > 400) continue;
    if (best == nullptr || ratio < best_distance) {
      best = &constraint;
      best_distance = ratio;
    }
  }
  return best;
}

bool Interpreter::correct_number(const Constraint& old, const Amount& amount, TextSpan span) {
  Signal& signal = put(SignalKind::wish, span, Permille{750});
  signal.facet = old.set.facet;
  signal.unit = old.set.unit;
  set_bounds(signal, amount.value, amount.upper, amount.ish, old.set.op == Operator::between ? Operator::about : old.set.op);
  return true;
}

}  // namespace turnstone
