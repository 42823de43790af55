// Numbers that no unit tells apart: counted things ("5 shelves", "pack of 6") and years.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr Number year_least = whole_number(1000);
constexpr Number year_most = whole_number(2999);
constexpr std::int64_t stray_share = 20;  // one number in so many may lie outside, dirt of the catalogue
constexpr std::size_t counted_term_min = 3;
constexpr std::size_t words_behind_max = 3;  // between a number and its "or more"
constexpr std::size_t comparison_words_max = 4;  // "of not more than"

bool holds_word(const std::string& key, const std::string& word) { return (" " + key + " ").find(" " + word + " ") != std::string::npos; }

}  // namespace

const std::vector<NumberUse>& Interpreter::numbers_at_hand() const {
  const auto& uses = lexicon_.numbers_of(category_);
  return uses.empty() ? lexicon_.numbers_of(std::nullopt) : uses;
}

// Whether the column counts what the word names: the word stands in its name ("shelf": Number of Shelves), or the policy says
// where such things are counted ("people": Seating Capacity).
bool Interpreter::column_counts(const Facet& facet, const std::string& term) const {
  if (facet_keys_.empty()) facet_keys_.resize(artefact_.facets().size());
  std::string& key = facet_keys_[facet.id.value];
  if (key.empty()) {
    std::string name(facet.name);
    std::replace(name.begin(), name.end(), '_', ' ');
    key = term_key(name, artefact_.language());
  }
  if (holds_word(key, term)) return true;
  const auto& usual = cues_.measure(term);
  return std::any_of(usual.begin(), usual.end(), [&](const std::string& word) { return holds_word(key, term_key(word, artefact_.language())); });
}

// The column that counts what word i names; nullptr when the word is no thing that is counted.
const Facet* Interpreter::counted_column(std::size_t i) const {
  if (i >= m_.size()) return nullptr;
  const Word& word = m_.words[i];
  if (word.function || word.number || word.term.size() < counted_term_min || category_here(i)) return nullptr;
  // "700 max" where a column is called "max load": the word compares.
  if (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::or_less, CueKind::or_more})) return nullptr;
  for (const NumberUse& use : numbers_at_hand()) {
    const Facet& facet = artefact_.facet(use.facet);
    if (facet.name == "price" || facet.name == "rating" || facet.name == "rating_count") continue;
    if (column_counts(facet, word.term)) return &facet;
  }
  return nullptr;
}

// Whether a column counts what stands at word i, and some product has so many of it.
bool Interpreter::counts_ahead(std::size_t i, Number number) const {
  if (i >= m_.size() || m_.words[i].gap > Gap::hyphen) return false;
  const Facet* facet = m_.facet_names[i].length > 0 ? artefact_.facet(m_.facet_names[i].name) : counted_column(i);
  return facet != nullptr && facet->kind == FacetKind::number && !is_calendar(*facet) && column_holds(*facet, number);
}

// "At least 5 shelves", "less than 100 calories", "a pack of 6".
bool Interpreter::put_counted(const Amount& amount, TextSpan span) {
  const std::size_t end = amount_end_;
  const Facet* facet = end < m_.size() && m_.words[end].gap <= Gap::hyphen ? counted_column(end) : nullptr;
  std::size_t taken = end;
  if (facet == nullptr && amount_first_ >= 2 && cues_.is(SpeechPart::amount_of, m_.terms[amount_first_ - 1]) && !used(amount_first_ - 2)) {
    taken = amount_first_ - 2;
    facet = counted_column(taken);
  }
  if (facet == nullptr) return false;
  const auto rows = artefact_.number_column(facet->id);
  const bool within = !rows.empty() && amount.value >= rows.front().number && amount.value <= rows.back().number;
  if (!within && !c_.compare) return false;
  consume(taken, taken == end ? 1 : 2, std::string(facet->name));
  take_bound_behind(taken == end ? end + 1 : end);
  return put_column_number(*facet, amount, span);
}

// "Power at least 150", "rated 4 or better": what is compared stands right before. "A desk with storage under 300" is about money.
bool Interpreter::put_said_before(const Amount& amount, TextSpan span) {
  std::size_t first = amount_first_;
  const std::size_t least = amount_first_ - std::min<std::size_t>(amount_first_, comparison_words_max);
  while (first > least && m_.words[first].gap <= Gap::space && (m_.words[first - 1].function || used(first - 1)) && !m_.words[first - 1].number) --first;
  if (first == 0 || m_.words[first].gap > Gap::space || m_.words[first - 1].number || (!c_.compare && first != amount_first_)) return false;
  const std::size_t named = first - 1;
  const bool rated = cues_.is(SpeechPart::rated, m_.terms[named]);
  const Facet* facet = rated ? artefact_.facet("rating") : c_.compare ? counted_column(named) : nullptr;
  if (facet == nullptr || facet->kind != FacetKind::number) return false;
  const auto rows = artefact_.number_column(facet->id);
  if (rows.empty() || amount.value < rows.front().number || amount.value > rows.back().number) return false;
  const bool aside = named > 0 && cues_.is(SpeechPart::belonging, m_.terms[named - 1]);
  if (c_.compare == Operator::at_most && (rated ? artefact_.facet("price") != nullptr : aside)) return false;
  if (!c_.compare && rated) c_.compare = Operator::at_least;
  consume(named, 1, std::string(facet->name));
  return put_column_number(*facet, amount, span);
}

// "5000 mAh battery or more": the comparison behind the number's noun.
void Interpreter::take_bound_behind(std::size_t end) {
  if (c_.compare) return;
  const std::size_t last = std::min(m_.size(), end + words_behind_max);
  for (std::size_t i = end; i < m_.size() && i <= last && m_.words[i].gap <= Gap::space; ++i) {
    if (!m_.cues[i]) {
      const bool of = i == end && cues_.is(SpeechPart::amount_of, m_.terms[i]);  // "16 GB of RAM or more"
      if (m_.words[i].number || (m_.words[i].function && !of) || category_here(i)) return;
      continue;
    }
    const CueMatch& cue = *m_.cues[i];
    const std::size_t behind = i + cue.length;
    const bool closes = behind >= m_.size() || m_.words[behind].gap >= Gap::comma;
    const bool bound = (cue.length > 1 || closes) && any_kind(cue, {CueKind::or_less, CueKind::or_more}) && !any_amount_follows(behind);
    if (!bound) return;
    c_.compare = cue.is(CueKind::or_less) ? Operator::at_most : Operator::at_least;
    return consume(i, cue.length, "comparison");
  }
}

// --- years ---

// Whether a column holds years of the calendar: it is called so, and its numbers are such.
bool Interpreter::is_calendar(const Facet& facet) const {
  const auto rows = artefact_.number_column(facet.id);
  if (rows.empty()) return false;
  const auto stray = static_cast<std::size_t>(static_cast<std::int64_t>(rows.size()) / stray_share);
  if (rows[stray].number < year_least || rows[rows.size() - 1 - stray].number > year_most) return false;
  const auto& names = cues_.measure("calendar");
  std::string name(facet.name);
  std::replace(name.begin(), name.end(), '_', ' ');
  return std::any_of(names.begin(), names.end(), [&](const std::string& word) { return holds_word(name, word); });
}

const Facet* Interpreter::calendar_column() const {
  if (calendar_) return *calendar_;
  calendar_ = nullptr;
  for (const NumberUse& use : numbers_at_hand()) {
    const Facet& facet = artefact_.facet(use.facet);
    if (*calendar_ == nullptr && is_calendar(facet)) calendar_ = &facet;
  }
  return *calendar_;
}

// Whether some product says exactly this number.
bool Interpreter::column_holds(const Facet& facet, Number number) const {
  const auto rows = artefact_.number_column(facet.id);
  const auto at = std::lower_bound(rows.begin(), rows.end(), number, [](const Artefact::NumberRow& row, Number n) { return row.number < n; });
  return at != rows.end() && at->number == number;
}

// Whether words of time stand right before or behind the number.
bool Interpreter::tells_time(std::size_t first, std::size_t end) const {
  constexpr std::size_t words_back = 4;
  for (std::size_t k = first > words_back ? first - words_back : 0; k <= first && k < m_.size(); ++k) {
    const std::size_t length = cues_.part(SpeechPart::of_time, m_.terms, k);
    if (length == 0) continue;
    bool near = true;
    for (std::size_t i = k + 1; i <= first; ++i) {
      near = near && m_.words[i].gap <= Gap::space && (i < k + length || i == first || m_.words[i].function);
    }
    if (near) return true;
  }
  return end < m_.size() && m_.words[end].gap <= Gap::space && cues_.part(SpeechPart::of_time, m_.terms, end) > 0;
}

// "2020 or newer", "a 2015 hatchback", "between 2012 and 2016": where products have years, a number that can be one.
bool Interpreter::put_year(const Amount& amount, TextSpan span) {
  const Facet* column = calendar_column();
  if (column == nullptr) return false;
  const auto rows = artefact_.number_column(column->id);
  const auto stray = static_cast<std::size_t>(static_cast<std::int64_t>(rows.size()) / stray_share);
  // "Newer than" says so of any year that products could have.
  const bool said = says_near(SpeechPart::newer, amount_first_, amount_end_) || says_near(SpeechPart::older, amount_first_, amount_end_) ||
                    (c_.compare && leaves_itself_out());
  constexpr Number long_ago = whole_number(1800);
  constexpr Number soon = whole_number(2100);
  const auto is_year = [&](Number n) {
    if (said && n.value % number_scale == 0 && n >= long_ago && n <= soon) return true;
    return n.value % number_scale == 0 && n >= rows[stray].number && n.value <= rows[rows.size() - 1 - stray].number.value + number_scale;
  };
  if (!is_year(amount.value) || (amount.upper && !is_year(*amount.upper)) || !std::all_of(amount.others.begin(), amount.others.end(), is_year))
    return false;
  if (!tells_time(amount_first_, amount_end_)) {
    const std::int64_t n = amount.value.value / number_scale;
    const bool round = n % 50 == 0 || n % 100 == 99;  // as prices are
    const bool bound = c_.compare || amount.upper || amount.ish;
    if (c_.budget || asked_about("price") || (bound && round)) return false;
    if (!bound && !column_holds(*column, amount.value)) return false;
  }
  Amount year = amount;
  if (says_near(SpeechPart::older, amount_first_, amount_end_)) turn_bound();
  if (c_.compare && !amount.upper && leaves_itself_out()) {
    if (*c_.compare == Operator::at_least) year.value.value += number_scale;
    if (*c_.compare == Operator::at_most) year.value.value -= number_scale;
  }
  return put_column_number(*column, year, span);
}

// "Not older than 5 years", where products have years of the calendar: counted back from the newest in the catalogue.
bool Interpreter::put_years_ago(const Amount& amount, TextSpan span) {
  constexpr Number lifetime = whole_number(100);
  if (amount.unit == nullptr || amount.unit->name != "year" || amount.value > lifetime || !c_.compare) return false;
  if (!tells_time(amount_first_, amount_end_) || !department_values("kids").empty()) return false;
  const Facet* column = calendar_column();
  if (column == nullptr) return false;
  const auto rows = artefact_.number_column(column->id);
  const auto stray = static_cast<std::size_t>(static_cast<std::int64_t>(rows.size()) / stray_share);
  Amount year;
  year.value = Number{rows[rows.size() - 1 - stray].number.value - amount.value.value};
  if (!says_near(SpeechPart::newer, amount_first_, amount_end_)) turn_bound();
  const std::size_t end = amount_end_;
  if (end < m_.size() && m_.cues[end] && m_.cues[end]->is(CueKind::old)) consume(end, m_.cues[end]->length, std::string(column->name));
  return put_column_number(*column, year, span);
}

// "After 2016" is without it, "not before 2016" with it.
bool Interpreter::leaves_itself_out() const {
  if (c_.turned) return false;
  for (std::size_t k = amount_first_ - std::min<std::size_t>(amount_first_, comparison_words_max); k < amount_first_; ++k) {
    std::size_t end = k + cues_.part(SpeechPart::beyond, m_.terms, k);
    if (end == k) continue;
    while (end < amount_first_ && (m_.words[end].function || m_.facet_names[end].length > 0)) ++end;  // "after the year 2016"
    if (end == amount_first_) return true;
  }
  return false;
}

bool Interpreter::says_near(SpeechPart part, std::size_t first, std::size_t end) const {
  constexpr std::size_t reach = 3;
  for (std::size_t i = first > reach ? first - reach : 0; i < std::min(m_.size(), end + reach); ++i) {
    if (cues_.is(part, m_.terms[i]) && (i < first || i >= end)) return true;
  }
  return false;
}

// Older is a lower year.
void Interpreter::turn_bound() {
  if (c_.compare && *c_.compare != Operator::about) c_.compare = *c_.compare == Operator::at_most ? Operator::at_least : Operator::at_most;
}

}  // namespace turnstone
