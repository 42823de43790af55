// Which column a number belongs to: by its unit, by names around it, by what the column holds, by what was asked.
#include <algorithm>
#include <cstdlib>

#include "storage/artefact/tokeniser.h"
#include "workers/ask_bins.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

__extension__ using Wide = __int128;

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
constexpr std::int64_t ratio_max = 400;  // per cent: a number that is further from another does not correct it

bool holds_word(std::string_view label, std::string_view words) {
  const std::size_t at = label.find(words);
  if (at == std::string_view::npos) return false;
  const bool begins = at == 0 || label[at - 1] == ' ';
  const std::size_t end = at + words.size();
  return begins && (end == label.size() || label[end] == ' ');
}

}  // namespace

// value · from / to, exact to the scale of Number; nullopt when it leaves the range.
std::optional<Number> Interpreter::convert(Number value, const Unit& from, const Unit& to) {
  const Wide scaled = static_cast<Wide>(value.value) * from.factor.value;
  const Wide result = (scaled + (scaled < 0 ? -1 : 1) * to.factor.value / 2) / to.factor.value;
  if (result > 9'000'000'000'000'000'000 || result < -9'000'000'000'000'000'000) return std::nullopt;
  return Number{static_cast<std::int64_t>(result)};
}

std::optional<Amount> Interpreter::convert(const Amount& amount, const Unit& to) {
  Amount converted = amount;
  const auto value = convert(amount.value, *amount.unit, to);
  const auto upper = amount.upper ? convert(*amount.upper, *amount.unit, to) : std::nullopt;
  if (!value || (amount.upper && !upper)) return std::nullopt;
  converted.value = *value;
  converted.upper = upper;
  for (Number& other : converted.others) {
    const auto number = convert(other, *amount.unit, to);
    if (!number) return std::nullopt;
    other = *number;
  }
  return converted;
}

bool Interpreter::put_measure(const Amount& amount, TextSpan span) {
  if (c_.polarity == Polarity::neither) return true;
  const std::size_t end = amount_end_;
  std::size_t last = end;
  if (end < m_.size() && m_.words[end].gap <= Gap::space &&
      (cues_.dimension(m_.terms[end]) || (m_.facet_names[end].length > 0 && !category_here(end)))) {
    last = end + std::max<std::size_t>(1, m_.facet_names[end].length);
  }
  if (put_years_ago(amount, span)) return true;
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
  set_bounds(signal, column->amount, Operator::is);
  // "1TB storage", "30 hours of battery": the column's own word.
  const std::size_t own = end + 1 < m_.size() && m_.words[end].gap <= Gap::space && cues_.is(SpeechPart::amount_of, m_.terms[end]) ? end + 1 : end;
  if (last == end && own < m_.size() && m_.words[own].gap <= Gap::space && !m_.cues[own] && !category_here(own) && !m_.words[own].function &&
      column_counts(*column->facet, m_.terms[own]))
    last = own + 1;
  consume(end, last - end, signal.facet);
  return true;
}

// Columns of whose names the word right before or behind the amount speaks: "256 GB of storage", "RAM: 16 GB".
std::vector<FacetId> Interpreter::columns_beside(std::size_t first, std::size_t end) const {
  std::vector<FacetId> columns;
  const auto take = [&](std::size_t i) {
    if (m_.words[i].number || m_.words[i].function || m_.cues[i] || category_here(i)) return;  // "max" compares here
    const auto& saying = lexicon_.columns_saying(lexicon_.concept_of(m_.terms[i]));
    columns.insert(columns.end(), saying.begin(), saying.end());
  };
  while (end < m_.size() && m_.words[end].gap <= Gap::space && cues_.is(SpeechPart::amount_of, m_.terms[end])) ++end;
  if (end < m_.size() && m_.words[end].gap <= Gap::hyphen) take(end);
  if (columns.empty() && first > 0 && m_.words[first].gap <= Gap::colon && m_.words[first].gap != Gap::comma) take(first - 1);
  return columns;
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
  const std::vector<FacetId> spoken_of = columns_beside(first, amount_end_);
  std::optional<Column> best;
  for (const NumberUse& use : uses) {
    const Facet& facet = artefact_.facet(use.facet);
    if (facet.name == "price" || facet.name == "rating" || facet.name == "rating_count") continue;
    Column column{&facet, amount, "", 0};
    const Unit* own = facet.unit.empty() ? nullptr : artefact_.language().unit(facet.unit);
    if (own != nullptr && own->kind != amount.unit->kind) continue;
    if (amount.unit->kind == "time" && is_calendar(facet)) continue;
    std::string label(facet.label);
    std::replace(label.begin(), label.end(), '_', ' ');
    label = fold_text(label);
    const bool is_named = std::find(named.begin(), named.end(), facet.name) != named.end() ||
                          std::find(spoken_of.begin(), spoken_of.end(), facet.id) != spoken_of.end();
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
    auto converted = convert(amount, unit);
    if (!converted) return;
    const Number value = converted->value;
    const Rows near = rows_near(rows, value);
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
    if (!rows.empty() && value >= rows.front().number && value <= rows.back().number) score += 4;
    if (unit.name == amount.unit->name) score += 1;
    if (score > best) {
      best = score;
      column.amount = *std::move(converted);
      column.unit = unit.name;
    }
  };
  if (own != nullptr) {
    consider(*own);
    column.unit = std::string(column.facet->unit);
    return std::max<std::int64_t>(0, best);
  }
  for (const auto& [form, unit] : artefact_.language().units()) {
    if (unit.kind == amount.unit->kind && form == unit.name) consider(unit);
  }
  return std::max<std::int64_t>(0, best);
}

// A number without currency or unit.
bool Interpreter::put_bare_number(const Amount& amount, TextSpan span) {
  const std::size_t end = amount_end_;
  if (c_.size && !c_.compare) return put_size_number(amount, span);
  // A column named beside it: "refresh rate 144", "16 cores", "hdmi 2 1: 1".
  const bool labelled = c_.facet && m_.words[amount_first_].gap == Gap::colon;
  const std::size_t behind = end < m_.size() && m_.words[end].gap <= Gap::space ? m_.facet_names[end].length : 0;
  if (behind > 0 && !labelled && (end + behind >= m_.size() || m_.words[end + behind].gap != Gap::colon)) {
    const Facet* facet = artefact_.facet(m_.facet_names[end].name);
    if (facet != nullptr && facet->kind == FacetKind::number && facet->name != "price") {
      consume(end, behind, std::string(facet->name));
      take_bound_behind(end + behind);
      return put_column_number(*facet, amount, span);
    }
  }
  const std::string* named = c_.facet ? &*c_.facet : nullptr;
  if (named == nullptr && !c_.names.empty()) {
    const std::size_t first = c_.names.back().second;
    const std::size_t after = first + std::max<std::size_t>(1, m_.facet_names[first].length);  // names may have many words
    if (after + 3 >= amount_first_) named = &c_.names.back().first;
  }
  if (named != nullptr && *named != "price") {
    const Facet* facet = artefact_.facet(*named);
    if (facet != nullptr && facet->kind == FacetKind::number) return put_column_number(*facet, amount, span);
  }
  if (amount_first_ > 0 && m_.cues[amount_first_ - 1] && m_.cues[amount_first_ - 1]->is(CueKind::old)) {  // "ages 6 to 8"
    consume(at_, end - at_, "age");
    age_said_ = true;
    return true;
  }
  if (!labelled && (put_counted(amount, span) || put_said_before(amount, span) || put_year(amount, span))) return true;
  if (c_.budget || (asked_about("price") && only_small_words(0, amount_first_) && only_small_words(end, m_.size()))) return put_price(amount, span);
  if (const Constraint* held = bound_meant(amount)) return correct_number(*held, amount, span);
  if (asked_ != nullptr && put_answer_number(amount, span)) return true;
  if (c_.compare || amount.upper || amount.ish) {
    const bool counts = end < m_.size() && m_.words[end].gap <= Gap::space && m_.words[end].content() && !category_here(end);
    if (!counts) {
      if (is_year_and_no_price(amount)) return false;
      const Constraint* measure = measure_spoken_of(amount);
      return measure != nullptr ? correct_number(*measure, amount, span) : put_price(amount, span);
    }
    return false;
  }
  if (const Constraint* number = number_to_correct(amount)) return correct_number(*number, amount, span);
  return false;
}

bool Interpreter::put_column_number(const Facet& facet, const Amount& amount, TextSpan span) {
  Signal& signal = put(SignalKind::wish, span, Permille{900});
  signal.facet = std::string(facet.name);
  if (!is_calendar(facet)) signal.unit = std::string(facet.unit);  // a year is that year, and no measure
  set_bounds(signal, amount, Operator::is);
  if (c_.facet == facet.name) c_.facet.reset();  // a name has one number: "doors at least 4, rated 4 or better"
  if (!c_.names.empty() && c_.names.back().first == facet.name) c_.names.pop_back();
  return true;
}

// A bare number answers the question asked: a number of that column, or an option by its place.
bool Interpreter::put_answer_number(const Amount& amount, TextSpan span) {
  if (!only_small_words(0, amount_first_) || !only_small_words(amount_end_, m_.size())) return false;
  if (amount_end_ < m_.size() && cues_.is(SpeechPart::talk, m_.terms[amount_end_])) return false;  // "it's already four o'clock"
  const Facet* facet = artefact_.facet(asked_->question.facet);
  const auto& options = asked_->question.options;
  const std::int64_t place = amount.value.value / number_scale;
  const bool numeric = facet != nullptr && facet->kind == FacetKind::number;
  if (numeric) {
    const auto rows = artefact_.number_column(facet->id);
    const Rows near = rows_near(rows, amount.value);
    const bool within = !rows.empty() && amount.value >= rows.front().number && amount.value <= rows.back().number;
    if (near.last > near.first || (within && (c_.compare || options.empty() || place > static_cast<std::int64_t>(options.size())))) {
      return put_column_number(*facet, amount, span);
    }
  }
  // "5 would do", "which one …" point at no option.
  const bool speaks = std::any_of(m_.cues.begin(), m_.cues.end(), [](const auto& cue) { return cue && any_kind(*cue, {CueKind::accept, CueKind::ask}); });
  const auto is_word_of_its_own = [](const Word& w) { return !w.number && !w.counts && !w.function && !w.filler && !w.meta; };
  for (std::size_t i = 0; i < m_.size(); ++i) {  // "tough one"
    const bool beside = i < amount_first_ || i >= amount_end_;
    if (beside && (m_.words[i].mended || (is_word_of_its_own(m_.words[i]) && !m_.cues[i]))) return false;
  }
  if (speaks || c_.compare || amount.upper || !amount.others.empty() || place < 1 || place > static_cast<std::int64_t>(options.size()) || amount.value != whole_number(place)) return false;
  put_option(options[static_cast<std::size_t>(place - 1)], amount_first_, amount_end_ - amount_first_);
  return true;
}

// "Make it 250", "up to 80 then", "80 would be fine too": what is held of numbers is moved, whatever was asked, unless the
// number is one of the question's options.
const Constraint* Interpreter::bound_meant(const Amount& amount) const {
  const auto accepts = [&] {
    for (std::size_t i = 0; i < m_.size(); ++i) {
      if (cues_.part(SpeechPart::likewise, m_.terms, i) > 0 || (m_.cues[i] && m_.cues[i]->is(CueKind::accept))) return true;
    }
    return false;
  };
  const bool moves = reading_.corrects || accepts();
  if (!moves && !c_.compare) return nullptr;
  if (asked_ != nullptr) {
    for (const QuestionOption& option : asked_->question.options) {
      const auto range = bounds_of_option(option.value);
      const auto number = parse_number(option.value);
      const bool edge = range && (range->least == amount.value || range->most == amount.value);
      if (edge || (number && *number == amount.value)) return nullptr;
    }
  }
  if (!moves && (!only_small_words(0, amount_first_) || !only_small_words(amount_end_, m_.size()))) return nullptr;
  const Constraint* held = number_to_correct(amount);
  if (held == nullptr || (held->set.op != Operator::at_most && held->set.op != Operator::at_least)) return moves ? held : nullptr;
  return !c_.compare || *c_.compare == held->set.op ? held : nullptr;
}

// The active number that a bare number may replace: one whose column holds the new number, then the nearest in proportion,
// within a factor of four.
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
    std::int64_t ratio = a * 100 / b;
    if (ratio > ratio_max) continue;
    const Facet* column = constraint.set.facet == "price" ? nullptr : artefact_.facet(constraint.set.facet);
    const bool held = column != nullptr && column->kind == FacetKind::number && column_holds(*column, amount.value);
    if (!held) ratio += ratio_max;
    if (best == nullptr || ratio < best_distance) {
      best = &constraint;
      best_distance = ratio;
    }
  }
  return best;
}

// The measure spoken of last, when a bare bound ("under 250") must be about it: it is no price here, or a correction.
const Constraint* Interpreter::measure_spoken_of(const Amount& amount) const {
  if (!only_small_words(0, amount_first_) || !only_small_words(amount_end_, m_.size())) return nullptr;
  const Constraint* last = nullptr;
  for (const Constraint& constraint : state_.active) {
    if (constraint.set.value.number && (last == nullptr || last->set.id < constraint.set.id)) last = &constraint;
  }
  const Facet* column = last == nullptr ? nullptr : artefact_.facet(last->set.facet);
  if (column == nullptr || column->kind != FacetKind::number || column->name == "price") return nullptr;
  const auto rows = artefact_.number_column(column->id);
  if (rows.empty() || amount.value < rows.front().number || amount.value > rows.back().number) return nullptr;
  return reading_.corrects || !may_be_price(amount.value) ? last : nullptr;
}

// "Published after 2015", where nothing is nearly so dear.
bool Interpreter::is_year_and_no_price(const Amount& amount) const {
  constexpr Number year_least = whole_number(1800);
  constexpr Number year_most = whole_number(2100);
  if (c_.budget || amount.value < year_least || amount.value > year_most || amount.value.value % number_scale != 0) return false;
  if (!tells_time(amount_first_, amount_end_)) return false;
  constexpr Permille nearly_all{990};
  const auto dear = category_ ? artefact_.price_quantile(*category_, nearly_all) : std::nullopt;
  return !dear || amount.value > *dear;
}

// Whether more than hardly any product of the kind costs so little.
bool Interpreter::may_be_price(Number number) const {
  constexpr Permille hardly_any{20};
  const auto cheap = category_ ? artefact_.price_quantile(*category_, hardly_any) : std::nullopt;
  return !cheap || number >= *cheap;
}

bool Interpreter::correct_number(const Constraint& old, const Amount& amount, TextSpan span) {
  Signal& signal = put(SignalKind::wish, span, Permille{750});
  signal.facet = old.set.facet;
  signal.unit = old.set.unit;
  set_bounds(signal, amount, old.set.op == Operator::between ? Operator::about : old.set.op);
  return true;
}

}  // namespace turnstone
