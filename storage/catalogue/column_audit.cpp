#include "storage/catalogue/column_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace {

constexpr std::uint32_t long_value_terms = 8;
constexpr std::size_t long_value_bytes = 80;
constexpr double near_unique_share = 0.7;
constexpr std::uint32_t near_unique_filled_min = 10;
constexpr std::size_t distinct_answers_max = 8;  // counted beside yes and no
constexpr std::int64_t asked_entropy_min = 100;  // millibits: below, one value stands for about 99 of 100

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole); }

// A column's name holds one of the list's phrases as whole words.
bool name_holds(const Column& column, std::string_view list, const Language& language) {
  const std::string name = " " + term_key(column.name, language) + " ";
  for (const std::string& phrase : language.list(list)) {
    if (name.find(" " + term_key(phrase, language) + " ") != std::string::npos) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (const std::string_view piece = trimmed(text.substr(0, end)); !piece.empty()) pieces.push_back(piece);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

// Splits "BLACK, GREY" and "ATX, Micro ATX, Mini-ITX", leaves "Under-, Nightwear" whole: a value is a list when
// each of its pieces (of three and more, all but one) stands in at least two different values of the column.
void find_lists(Column& column, const Language& language) {
  static constexpr std::string_view separator_sets[] = {",;|", "/"};
  for (const std::string_view separators : separator_sets) {
    std::unordered_map<std::string, std::uint32_t> support;  // by term key: distinct values that hold the piece
    std::vector<std::vector<std::string>> keys(column.distinct.size());
    for (std::size_t i = 0; i < column.distinct.size(); ++i) {
      const DistinctValue& value = column.distinct[i];
      if (value.cell.shape != CellShape::words || !value.pieces.empty()) continue;
      if (value.text.find_first_of(separators) == std::string_view::npos) {
        ++support[value.cell.key];
        continue;
      }
      for (const std::string_view piece : split(value.text, separators)) keys[i].push_back(term_key(piece, language));
      auto once = keys[i];
      std::sort(once.begin(), once.end());
      once.erase(std::unique(once.begin(), once.end()), once.end());
      for (const std::string& key : once) ++support[key];
    }
    for (std::size_t i = 0; i < column.distinct.size(); ++i) {
      if (keys[i].size() < 2) continue;
      const auto known = std::count_if(keys[i].begin(), keys[i].end(), [&](const std::string& key) { return !key.empty() && support[key] >= 2; });
      const auto pieces = static_cast<std::ptrdiff_t>(keys[i].size());
      if (known == pieces || (pieces >= 3 && known == pieces - 1)) column.distinct[i].pieces = split(column.distinct[i].text, separators);
    }
  }
}

// Numbers are read with the decimal sign that the column writes: of "0,4", "12" and "1.250" those with a comma tell.
bool writes_decimal_commas(const Column& column) {
  std::uint64_t commas = 0;
  std::uint64_t points = 0;
  for (const DistinctValue& value : column.distinct) {
    const DecimalSign sign = decimal_sign(value.text);
    commas += sign == DecimalSign::comma ? value.count : 0;
    points += sign == DecimalSign::point ? value.count : 0;
  }
  return commas > 0 && points == 0;
}

void read_cells(Column& column, const Language& language) {
  const bool commas = writes_decimal_commas(column);
  for (DistinctValue& value : column.distinct) {
    value.cell = read_cell(value.text, language);
    if (!commas || value.text.find_first_of(",.") == std::string_view::npos) continue;
    Cell plain = read_cell(with_decimal_point(value.text), language);
    if (plain.shape == CellShape::number) value.cell = std::move(plain);
  }
}

// "256GB SSD", "1 TB HDD": a column of measures, some of which say a word more. The words recur and are fewer than the measures
// ("100% Cotton" is a column of materials); a facet that has a table of words reads those.
void read_worded_measures(Column& column, const Language& language) {
  constexpr double measured_min = 0.9;
  if (!language.table(column.facet).empty()) return;
  std::vector<std::pair<std::size_t, WordedMeasure>> worded;
  std::unordered_map<std::string, std::uint32_t> words;
  std::unordered_set<std::int64_t> numbers;
  std::unordered_set<std::string> kinds;
  std::uint64_t filled = 0;
  std::uint64_t measured = 0;
  const auto kind_of = [&language](const Measure& measure) {
    const Unit* unit = language.unit(measure.unit);
    return unit == nullptr ? std::string() : unit->kind;
  };
  for (std::size_t i = 0; i < column.distinct.size(); ++i) {
    const DistinctValue& value = column.distinct[i];
    if (value.cell.shape == CellShape::missing) continue;
    filled += value.count;
    std::optional<Measure> measure = value.cell.measure;
    if (value.cell.shape == CellShape::words && value.text.size() <= long_value_bytes) {
      if (auto read = read_worded_measure(value.text, language)) {
        measure = read->measure;
        if (!read->words.empty()) words[term_key(read->words, language)] += value.count;
        worded.emplace_back(i, std::move(*read));
      }
    }
    if (!measure) continue;
    measured += value.count;
    numbers.insert(measure->number.value);
    if (!measure->unit.empty()) kinds.insert(kind_of(*measure));
  }
  const bool recur = std::all_of(words.begin(), words.end(), [](const auto& word) { return word.second >= 2; });
  if (worded.empty() || share(measured, filled) < measured_min || kinds.size() != 1 || kinds.contains("share") || !recur || words.size() > numbers.size()) return;
  for (auto& [at, read] : worded) {
    column.distinct[at].cell.shape = CellShape::number;
    column.distinct[at].cell.measure = std::move(read.measure);
    column.distinct[at].words = read.words;
  }
}

void count_cells(Column& column) {
  std::unordered_map<std::string_view, std::uint32_t> by_key;
  std::unordered_map<std::string_view, std::uint32_t> piece_products;
  for (DistinctValue& value : column.distinct) {
    if (value.cell.shape == CellShape::missing) continue;
    column.filled += value.count;
    by_key[value.cell.key] += value.count;
    for (const std::string_view piece : value.pieces) piece_products[piece] += value.count;
    if (value.cell.shape == CellShape::number) {
      column.numbers += value.count;
      column.units[value.cell.measure->unit] += value.count;
    }
  }
  for (const DistinctValue& value : column.distinct) {
    if (value.cell.shape == CellShape::missing) continue;
    const bool list = !value.pieces.empty();
    const bool recurs = list ? std::all_of(value.pieces.begin(), value.pieces.end(), [&](std::string_view p) { return piece_products[p] >= 2; })
                             : by_key[value.cell.key] >= 2;
    if (recurs) column.recurring += value.count;
  }
  std::vector<std::uint32_t> counts;
  for (const auto& [key, count] : by_key) counts.push_back(count);
  column.entropy = entropy_millibits(counts);
}

struct Shares {
  double yes_no = 0;
  double number = 0;
  double address = 0;
  double date = 0;
  double code = 0;
  double long_text = 0;
  double variety = 0;          // different values by values, a list's pieces one by one
  bool answers_yes_no = false;  // yes and no, and few other answers ("Active")
  std::uint32_t distinct = 0;
  std::uint32_t distinct_numbers = 0;
};

// Yes and no both stand there often, and what else does is a word or two that recur.
bool answers_yes_no(std::uint64_t yes, std::uint64_t no, const std::map<std::string_view, std::uint32_t>& others, std::uint32_t filled) {
  constexpr double each_min = 0.05;
  constexpr double both_min = 0.5;
  constexpr std::size_t others_max = 3;
  const bool recur = std::all_of(others.begin(), others.end(), [](const auto& other) { return other.second >= 2; });
  return share(yes, filled) >= each_min && share(no, filled) >= each_min && share(yes + no, filled) >= both_min && others.size() <= others_max && recur;
}

Shares shares_of(const Column& column, const Language& language) {
  std::uint64_t yes = 0;
  std::uint64_t no = 0;
  std::uint64_t items = 0;
  std::map<std::string_view, std::uint32_t> others;
  std::set<std::string> pieces;
  std::uint64_t address = 0;
  std::uint64_t date = 0;
  std::uint64_t code = 0;
  std::uint64_t long_text = 0;
  Shares shares;
  std::unordered_set<std::string_view> keys;
  for (const DistinctValue& value : column.distinct) {
    const Cell& cell = value.cell;
    if (cell.shape == CellShape::missing) continue;
    keys.insert(cell.key);
    if (value.pieces.empty()) pieces.insert(cell.key);
    for (const std::string_view piece : value.pieces) pieces.insert(term_key(piece, language));
    items += value.count * std::max<std::uint64_t>(value.pieces.size(), 1);
    yes += cell.shape == CellShape::yes ? value.count : 0;
    no += cell.shape == CellShape::no ? value.count : 0;
    if (cell.shape != CellShape::yes && cell.shape != CellShape::no && others.size() < distinct_answers_max) others[cell.key] += value.count;
    address += cell.shape == CellShape::address ? value.count : 0;
    date += cell.shape == CellShape::date ? value.count : 0;
    code += cell.code ? value.count : 0;
    const bool too_long = value.pieces.empty() && (cell.term_count > long_value_terms || value.text.size() > long_value_bytes);
    long_text += too_long ? value.count : 0;
    shares.distinct_numbers += cell.shape == CellShape::number;
  }
  shares.distinct = static_cast<std::uint32_t>(keys.size());
  shares.variety = share(pieces.size(), items);
  shares.answers_yes_no = answers_yes_no(yes, no, others, column.filled);
  shares.yes_no = share(yes + no, column.filled);
  shares.number = share(column.numbers, column.filled);
  shares.address = share(address, column.filled);
  shares.date = share(date, column.filled);
  shares.code = share(code, column.filled);
  shares.long_text = share(long_text, column.filled);
  return shares;
}

// Both are decimal multiples of one another, so that conversion leaves figures as they are: mm and cm, not inches and cm.
bool converts_decimally(const Unit& a, const Unit& b) {
  std::int64_t large = std::max(a.factor.value, b.factor.value);
  const std::int64_t small = std::min(a.factor.value, b.factor.value);
  while (large > small && large % 10 == 0) large /= 10;
  return a.kind == b.kind && large == small;
}

// The unit that most numbers carry, if it is no rare exception. Units that convert decimally stand together, and are preferred where it
// is close: of 50 in inches, 25 in cm and 20 in mm the cm.
std::string unit_in_cells(const Column& column, const Language& language) {
  constexpr double carried_share_min = 0.2;
  const std::string* best = nullptr;
  std::pair<std::uint64_t, std::uint32_t> most{0, 0};
  std::uint64_t carried = 0;
  for (const auto& [name, count] : column.units) {
    if (name.empty()) continue;
    const Unit* unit = language.unit(name);
    std::uint64_t together = 0;
    std::uint64_t units = 0;
    for (const auto& [other, others] : column.units) {
      const Unit* same = language.unit(other);
      if (other != name && (unit == nullptr || same == nullptr || !converts_decimally(*unit, *same))) continue;
      together += others;
      ++units;
    }
    const std::pair weight(together * (units > 1 ? 5 : 4), count);
    if (weight <= most) continue;
    most = weight;
    best = &name;
    carried = together;
  }
  return best != nullptr && share(carried, column.numbers) >= carried_share_min ? *best : std::string();
}

// Every number in the column's unit; numbers that cannot be converted become words.
void settle_unit(Column& column, const Language& language) {
  const Unit* to = language.unit(column.unit);
  for (DistinctValue& value : column.distinct) {
    if (value.cell.shape != CellShape::number || value.cell.measure->unit == column.unit || value.cell.measure->unit.empty()) continue;
    Measure& measure = *value.cell.measure;
    const Unit* from = measure.unit_known ? language.unit(measure.unit) : nullptr;
    const auto converted = from != nullptr && to != nullptr ? convert(measure.number, *from, *to) : std::nullopt;
    if (converted) {
      measure.number = *converted;
      measure.unit = column.unit;
    } else {
      value.cell.shape = CellShape::words;
      value.cell.measure.reset();
      column.numbers -= value.count;
    }
  }
}

// "modules capacity gb", "dimensions mm width": a unit in the name, unless a number stands before it ("sata 6 gb s").
std::string unit_in_name(const Column& column, const Language& language) {
  const std::vector<Token> tokens = tokenise(column.name, language);
  for (std::size_t i = tokens.size(); i-- > 1;) {
    if (tokens[i].surface.size() < 2 || tokens[i - 1].is_number || (i + 1 < tokens.size() && tokens[i + 1].surface == "s")) continue;
    if (const Unit* unit = language.unit(tokens[i].surface)) return unit->name;
  }
  return {};
}

// Cells say "32", titles say "32GB": the unit that most often follows the column's number in the title.
std::string unit_in_titles(const Column& column, const Corpus& corpus) {
  constexpr double voted_share_min = 0.3;
  std::map<std::string, std::uint32_t> votes;
  std::unordered_map<std::uint32_t, std::string> unit_of_term;
  for (const ColumnCell& cell : column.cells) {
    const DistinctValue& value = column.distinct[cell.distinct];
    if (value.cell.shape != CellShape::number) continue;
    const std::uint32_t number = corpus.find(to_string(value.cell.measure->number));
    if (number == Corpus::no_term) continue;
    const auto title = corpus.title_terms(cell.product);
    for (std::size_t i = 0; i + 1 < title.size(); ++i) {
      if (title[i] != number) continue;
      auto [known, added] = unit_of_term.try_emplace(title[i + 1]);
      if (added) {
        const Unit* unit = corpus.language().unit(corpus.term_texts()[title[i + 1]]);
        if (unit != nullptr) known->second = unit->name;
      }
      if (!known->second.empty()) {
        ++votes[known->second];
        break;
      }
    }
  }
  std::string best;
  std::uint32_t most = 0;
  for (const auto& [unit, count] : votes) {
    if (count > most) {
      most = count;
      best = unit;
    }
  }
  return share(most, column.numbers) >= voted_share_min ? best : std::string();
}

// "refresh rate 0" where all others are 50 and more: a zero that stands for "not known".
void drop_zeros(Column& column) {
  constexpr std::int64_t lowest_min = 10 * number_scale;
  std::vector<std::pair<std::int64_t, std::uint32_t>> counts;  // of numbers above zero
  std::uint64_t total = 0;
  for (const DistinctValue& value : column.distinct) {
    if (value.cell.shape != CellShape::number || value.cell.measure->number.value <= 0) continue;
    counts.emplace_back(value.cell.measure->number.value, value.count);
    total += value.count;
  }
  std::sort(counts.begin(), counts.end());
  const auto quantile = [&counts, total](double p) {
    std::uint64_t seen = 0;
    for (const auto& [number, count] : counts) {
      seen += count;
      if (static_cast<double>(seen) >= p * static_cast<double>(total)) return number;
    }
    return std::int64_t{0};
  };
  const std::int64_t low = quantile(0.05);
  if (low < lowest_min || low * 10 < quantile(0.5)) return;
  for (DistinctValue& value : column.distinct) {
    if (value.cell.shape != CellShape::number || value.cell.measure->number.value != 0) continue;
    value.cell.shape = CellShape::missing;
    value.cell.measure.reset();
    column.numbers -= value.count;
    column.filled -= value.count;
  }
}

// "Reg year" with 2017: a date, not so many years.
bool holds_calendar_years(const Column& column) {
  static constexpr Number first = whole_number(1800);
  static constexpr Number last = whole_number(2200);
  return std::all_of(column.distinct.begin(), column.distinct.end(), [](const DistinctValue& value) {
    return value.cell.shape != CellShape::number || (value.cell.measure->number >= first && value.cell.measure->number <= last && value.cell.measure->number.value % number_scale == 0);
  });
}

std::string unit_of(const Column& column, const Corpus& corpus) {
  std::string unit = unit_in_cells(column, corpus.language());
  if (unit.empty()) {
    unit = unit_in_name(column, corpus.language());
    const Unit* named = corpus.language().unit(unit);
    if (named != nullptr && named->kind == "time" && holds_calendar_years(column)) return {};
  }
  if (unit.empty()) unit = unit_in_titles(column, corpus);
  return unit;
}

// Numbers that name products instead of measuring them: as many digits in nearly each, or one after the other without a repetition.
bool names_products(const Column& column) {
  constexpr double same_width = 0.9;
  constexpr std::int64_t gap_max = 10;  // between one and the next, on average
  std::map<std::size_t, std::uint32_t> widths;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const DistinctValue& value : column.distinct) {
    if (value.cell.shape != CellShape::number) continue;
    widths[value.text.size()] += value.count;
    least = std::min(least, value.cell.measure->number.value);
    most = std::max(most, value.cell.measure->number.value);
  }
  for (const auto& [width, count] : widths) {
    if (share(count, column.numbers) >= same_width) return true;
  }
  const bool repeats = std::any_of(column.distinct.begin(), column.distinct.end(),
                                   [](const DistinctValue& value) { return value.cell.shape == CellShape::number && value.count > 1; });
  return !repeats && most / number_scale - least / number_scale < gap_max * static_cast<std::int64_t>(column.numbers);
}

// Facets that every kind of product shares; a column that feeds one is filtered by even when its values seldom recur.
bool is_common(std::string_view facet) {
  static constexpr std::string_view common[] = {"brand",    "category", "color", "department", "feature",
                                                "material", "pattern",  "size",  "style",      "use_case"};
  return std::find(std::begin(common), std::end(common), facet) != std::end(common);
}

void judge(Column& column, const Corpus& corpus) {
  const Language& language = corpus.language();
  const Shares shares = shares_of(column, language);
  const auto set = [&column](Verdict verdict, std::string reason) {
    column.verdict = verdict;
    column.reason = std::move(reason);
  };
  if (column.filled == 0) return set(Verdict::ignore, "no cell says anything");
  if (shares.address >= 0.5) return set(Verdict::ignore, "addresses of web pages");
  if (name_holds(column, "identifier_column", language)) return set(Verdict::search_only, "the name says that it identifies single products");
  if (shares.date >= 0.5) return set(Verdict::search_only, "dates");
  if (shares.distinct == 1) return set(Verdict::search_only, "one value for all");
  const bool near_unique = column.filled >= near_unique_filled_min && shares.variety >= near_unique_share;
  const bool numbers = shares.number >= 0.8;
  if (numbers) column.unit = unit_of(column, corpus);
  const bool measured = numbers && (!column.unit.empty() || !names_products(column));
  if (near_unique && shares.code >= 0.5 && !measured) return set(Verdict::search_only, "codes that identify single products");

  const std::uint32_t ask_min = ask_filled_min(corpus.size());
  const bool asked = column.filled >= ask_min && !name_holds(column, "unasked_column", language);
  const std::string why_not = column.filled < ask_min ? "too few products have it to ask" : "nobody chooses by it";
  if (shares.yes_no >= 0.95 || shares.answers_yes_no) {
    column.kind = FacetKind::yes_no;
    const bool spread = column.entropy >= asked_entropy_min;
    return set(asked && spread ? Verdict::ask : Verdict::filter, !spread ? "nearly all say the same" : asked ? "yes or no" : why_not);
  }
  if (numbers) {
    column.kind = FacetKind::number;
    settle_unit(column, language);
    drop_zeros(column);
    const bool spread = shares.distinct_numbers >= 3 && column.entropy >= asked_entropy_min;
    return set(asked && spread ? Verdict::ask : Verdict::filter, !spread ? "too few different numbers to ask" : asked ? "numbers" : why_not);
  }
  const Verdict least = is_common(column.facet) && shares.long_text < 0.5 ? Verdict::filter : Verdict::search_only;
  if (near_unique) return set(least, "nearly every value is its own");
  if (shares.long_text >= 0.5) return set(Verdict::search_only, "free text");
  const double recurring = share(column.recurring, column.filled);
  if (recurring < 0.5) return set(least, "values hardly recur");
  if (recurring < 0.7) return set(Verdict::filter, "many values do not recur");
  const bool spread = column.entropy >= asked_entropy_min;
  set(asked && spread ? Verdict::ask : Verdict::filter, !spread ? "nearly all say the same" : asked ? "values that recur" : why_not);
}

}  // namespace

std::uint32_t ask_filled_min(std::uint32_t products) { return std::max({3u, std::min(20u, products / 20), products / 2000}); }

std::int64_t entropy_millibits(const std::vector<std::uint32_t>& counts) {
  // Summed in rising order, so that the sum does not depend on the order of the counts.
  std::vector<std::uint32_t> sorted(counts);
  std::sort(sorted.begin(), sorted.end());
  double total = 0;
  for (const std::uint32_t count : sorted) total += count;
  double bits = 0;
  for (const std::uint32_t count : sorted) {
    if (count > 0) bits -= count / total * std::log2(count / total);
  }
  return std::llround(bits * 1000);
}

std::vector<Column> audit_columns(const Corpus& corpus) {
  const Language& language = corpus.language();
  struct Pending {
    Column column;
    std::unordered_map<std::string_view, std::uint32_t> spellings;
    std::unordered_map<std::string_view, std::uint32_t> distinct;
  };
  std::map<std::string, Pending> by_name;
  std::unordered_map<std::string_view, Pending*> by_spelling;
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    for (const auto& [name, value] : corpus.row(product).details) {
      auto known = by_spelling.find(name);
      if (known == by_spelling.end()) {
        std::string folded = fold_text(name);
        Pending& pending = by_name[folded];
        pending.column.folded = std::move(folded);
        known = by_spelling.emplace(name, &pending).first;
      }
      auto& [column, spellings, distinct] = *known->second;
      ++spellings[name];
      const auto [id, added] = distinct.try_emplace(value, static_cast<std::uint32_t>(column.distinct.size()));
      if (added) column.distinct.push_back({.text = value, .count = 0, .cell = {}, .pieces = {}, .words = {}});
      ++column.distinct[id->second].count;
      column.cells.push_back({product, id->second});
    }
  }
  std::vector<Column> columns;
  columns.reserve(by_name.size());
  for (auto& [folded, pending] : by_name) {
    Column& column = pending.column;
    std::uint32_t most = 0;
    for (const auto& [spelling, count] : pending.spellings) {
      if (count > most || (count == most && spelling < column.name)) {
        most = count;
        column.name = spelling;
      }
    }
    column.facet = language.facet_of_column(column.name);
    read_cells(column, language);
    read_worded_measures(column, language);
    find_lists(column, language);
    count_cells(column);
    judge(column, corpus);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace turnstone
