#include "storage/catalogue/column_evidence.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/row_parser.h"

namespace turnstone {
namespace {

constexpr std::size_t example_bytes_max = 48;
constexpr double title_words_enough = 10;  // more do not make a better title
constexpr std::size_t stem_bytes_min = 3;
constexpr std::size_t ending_bytes_max = 2;  // in which two forms of a word differ: Rose, Rosen; sofa, sofas
constexpr std::string_view digits = "0123456789";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The currency that a cell names before or behind its number: "1.299,00 €", "EUR 20", "US$5 - US$9".
std::optional<std::string> currency_in(std::string_view text, const Language& language) {
  const std::size_t first = text.find_first_of(digits);
  if (first == std::string_view::npos) return std::nullopt;
  const auto named = [&](std::string_view piece) {
    static constexpr std::string_view around = " .,-'";
    const std::size_t begin = std::min(piece.find_first_not_of(around), piece.size());
    const std::size_t end = piece.find_last_not_of(around);
    return begin == piece.size() ? std::nullopt : language.currency(fold_text(piece.substr(begin, end - begin + 1)));
  };
  if (auto before = named(text.substr(0, first))) return before;
  if (auto behind = named(text.substr(text.find_last_of(digits) + 1))) return behind;
  for (const std::string_view sign : {"$", "€", "£", "¥", "₹"}) {
    if (text.find(sign) != std::string_view::npos) return std::string(sign);
  }
  return std::nullopt;
}

// "Average Rating", "average-rating" → "average_rating": as the documented shape writes its names.
std::string plainly(std::string_view name) {
  std::string plain;
  for (const char c : fold_text(name)) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (word)
      plain += c;
    else if (!plain.empty() && plain.back() != '_')
      plain += '_';
  }
  if (!plain.empty() && plain.back() == '_') plain.pop_back();
  return plain;
}

std::string without_grammar(const std::string& folded, const Language& language) {
  std::string words;
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t end = std::min(folded.find('_', at), folded.size());
    const std::string word = folded.substr(at, end - at);
    const bool grammar = language.in_list("function", word) && !language.in_list("identifier_column", word);  // "id" is no "I'd" here
    if (!language.currency(word) && !grammar) words += (words.empty() ? "" : "_") + word;
    at = end + 1;
  }
  return words.empty() ? folded : words;
}

// One word in two forms.
bool same_word(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() == b.size()) return a == b;
  if (b.size() == a.size() + 1 && b.ends_with('s') && a.size() >= 2) return b.starts_with(a);
  return a.size() > stem_bytes_min && b.size() - a.size() <= ending_bytes_max && b.starts_with(a);
}

// The last node of a path, or the cell itself.
std::string_view narrowest(std::string_view cell) {
  const std::size_t mark = cell.find_last_of(">|;");
  return trimmed(mark == std::string_view::npos ? cell : cell.substr(mark + 1));
}

// "Sofas & Couches" is the whole, Sofas and Couches.
std::vector<std::string_view> alternatives(std::string_view cell) {
  std::vector<std::string_view> names{cell};
  while (cell.find_first_of("&,/") != std::string_view::npos) {
    const std::size_t sign = cell.find_first_of("&,/");
    names.push_back(trimmed(cell.substr(0, sign)));
    cell = trimmed(cell.substr(sign + 1));
    if (cell.find_first_of("&,/") == std::string_view::npos) names.push_back(cell);
  }
  return names;
}

struct TitleWords {
  std::vector<Token> tokens;
  std::vector<bool> ends_clause;  // a sign or a word that leads on stands behind the token
};

TitleWords title_words(const std::string& title, const Language& language) {
  TitleWords words{tokenise(title, language), {}};
  for (std::size_t i = 0; i < words.tokens.size(); ++i) {
    const bool last = i + 1 == words.tokens.size();
    const std::size_t gap_end = last ? title.size() : words.tokens[i + 1].begin;
    const std::string_view gap = std::string_view(title).substr(words.tokens[i].end, gap_end - words.tokens[i].end);
    const bool sign = gap.find_first_of(",;:(|/") != std::string_view::npos || gap.find(" - ") != std::string_view::npos || gap.find("–") != std::string_view::npos;
    words.ends_clause.push_back(last || sign || language.in_list("title_break", words.tokens[i + 1].surface));
  }
  return words;
}

}  // namespace

double SampledColumn::titleness() const { return variety() * std::min(mean_words(), title_words_enough); }

std::int64_t SampledColumn::median() const {
  std::vector<std::int64_t> sorted = values;
  if (sorted.empty()) return 0;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  return sorted[sorted.size() / 2];
}

std::int64_t SampledColumn::largest() const { return values.empty() ? 0 : *std::max_element(values.begin(), values.end()); }

ColumnEvidence::ColumnEvidence(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language)
    : language_(language), rows_(sample.size()) {
  for (const std::string& name : head) add(name);
  for (std::uint32_t row = 0; row < sample.size(); ++row) {
    for (const auto& [name, cell] : sample[row]) take(columns_[add(name)], cell, row);
  }
}

std::optional<std::size_t> ColumnEvidence::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ColumnEvidence::add(const std::string& name) {
  const auto [at, added] = index_.try_emplace(name, columns_.size());
  if (added) {
    SampledColumn column;
    column.name = name;
    column.plain = plainly(name);
    column.whole = column.facet = language_.facet_of_column(name);
    column.words = without_grammar(column.whole, language_);
    if (const std::string facet = language_.facet_of_column(column.words); facet != column.words) column.facet = facet;
    columns_.push_back(std::move(column));
  }
  return at->second;
}

void ColumnEvidence::take(SampledColumn& column, const SampledCell& cell, std::uint32_t row) const {
  std::string text = plain_text(cell.text, detail_value_bytes_max);
  if (text.empty()) return;
  if (++column.filled == 1) column.example = collapse_space(text, example_bytes_max) + (text.size() > example_bytes_max ? "…" : "");
  column.nested += cell.nested;
  const auto amount = read_amount(text);
  column.amounts += amount.has_value();
  if (amount) {
    column.values.push_back(amount->value);
    column.fractions += amount->value % number_scale != 0;
  }
  if (const auto currency = amount ? currency_in(text, language_) : std::nullopt) {
    ++column.money;
    ++column.signs[*currency];
  }
  column.addresses += text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.");
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; };
  const bool letters = std::any_of(text.begin(), text.end(), is_letter);
  column.letters += letters;
  const auto spaces = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
  column.cell_words += spaces + 1;
  const bool all_digits = text.find_first_not_of(digits) == std::string::npos;
  if (all_digits) ++column.widths[text.size()];
  column.coded += all_digits || (spaces == 0 && letters && text.find_first_of(digits) != std::string::npos);
  const auto number = parse_number(text);
  column.counts_rows = column.counts_rows && number && (column.last ? number->value == *column.last + number_scale : number->value <= number_scale);
  if (number) column.last = number->value;
  column.different.insert(text);
  column.cells.emplace_back(row, std::move(text));
}

NamedInTitles ColumnEvidence::in_titles(std::size_t column, std::size_t title) const {
  std::vector<TitleWords> titles(rows_);
  for (const auto& [row, text] : columns_[title].cells) titles[row] = title_words(text, language_);
  std::size_t looked_at = 0, named = 0, first = 0, ending = 0, plural = 0;
  for (const auto& [row, text] : columns_[column].cells) {
    const TitleWords& words = titles[row];
    if (words.tokens.empty()) continue;
    ++looked_at;
    bool stands = false, begins = false, ends = false, shorter = false;
    for (const std::string_view name : alternatives(narrowest(text))) {
      const std::vector<Token> value = tokenise(name, language_);
      for (std::size_t at = 0; !value.empty() && at + value.size() <= words.tokens.size(); ++at) {
        const auto same = [](const Token& a, const Token& b) { return same_word(a.surface, b.surface); };
        if (!std::equal(value.begin(), value.end(), words.tokens.begin() + static_cast<std::ptrdiff_t>(at), same)) continue;
        const std::size_t end = at + value.size();
        stands = true;
        begins |= at == 0;
        ends |= words.ends_clause[end - 1];
        shorter |= value.back().surface.size() > words.tokens[end - 1].surface.size();
      }
    }
    named += stands;
    first += begins;
    ending += ends;
    plural += shorter;
  }
  const auto share = [looked_at](std::size_t part) { return looked_at == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(looked_at); };
  return {share(named), share(first), share(ending), share(plural)};
}

std::size_t ColumnEvidence::columns_foretold(std::size_t column) const {
  constexpr double explained_min = 0.5;  // of the variance of being filled
  constexpr double partly = 0.05;
  std::unordered_map<std::string_view, std::size_t> ids;
  std::vector<std::size_t> value_of(rows_, 0);
  for (const auto& [row, text] : columns_[column].cells) value_of[row] = ids.try_emplace(text, ids.size() + 1).first->second;
  std::vector<double> sizes(ids.size() + 1, 0);
  for (const std::size_t value : value_of) ++sizes[value];
  std::size_t foretold = 0;
  for (std::size_t other = 0; other < columns_.size(); ++other) {
    const double share = static_cast<double>(columns_[other].filled) / static_cast<double>(std::max<std::size_t>(rows_, 1));
    if (other == column || share < partly || share > 1 - partly) continue;
    std::vector<double> filled(sizes.size(), 0);
    for (const auto& [row, text] : columns_[other].cells) ++filled[value_of[row]];
    double left = 0;
    for (std::size_t value = 0; value < sizes.size(); ++value) {
      if (sizes[value] > 0) left += filled[value] * (1 - filled[value] / sizes[value]);
    }
    foretold += left <= (1 - explained_min) * share * (1 - share) * static_cast<double>(rows_);
  }
  return foretold;
}

bool ColumnEvidence::is_broader(std::size_t broad, std::size_t narrow) const {
  constexpr double same_min = 0.98;
  constexpr double narrow_per_broad_min = 1.3;
  std::vector<std::string_view> broad_of(rows_);
  for (const auto& [row, text] : columns_[broad].cells) broad_of[row] = text;
  std::map<std::string_view, std::map<std::string_view, std::size_t>> met;
  std::size_t rows = 0;
  for (const auto& [row, text] : columns_[narrow].cells) {
    if (broad_of[row].empty()) continue;
    ++met[text][broad_of[row]];
    ++rows;
  }
  std::size_t same = 0;
  for (const auto& [value, counts] : met) {
    same += std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->second;
  }
  const double per_broad = static_cast<double>(met.size()) / static_cast<double>(std::max<std::size_t>(columns_[broad].different.size(), 1));
  return rows * 2 >= rows_ && columns_[broad].different.size() >= 2 && per_broad >= narrow_per_broad_min &&
         static_cast<double>(same) >= same_min * static_cast<double>(rows);
}

bool ColumnEvidence::go_together(std::size_t amounts, std::size_t others) const {
  constexpr double together_min = 0.95;
  constexpr std::int64_t times_max = 3;
  std::vector<std::int64_t> value_of(rows_, 0);
  const auto amount_of = [](const std::string& text) { return read_amount(text).value_or(Number{}).value; };
  for (const auto& [row, text] : columns_[others].cells) value_of[row] = amount_of(text);
  std::size_t both = 0, together = 0;
  for (const auto& [row, text] : columns_[amounts].cells) {
    const std::int64_t amount = amount_of(text);
    if (value_of[row] <= 0 || amount <= 0) continue;
    ++both;
    together += amount <= value_of[row] * times_max && value_of[row] <= amount * times_max;
  }
  return both * 2 >= columns_[amounts].filled && both > 0 && static_cast<double>(together) >= together_min * static_cast<double>(both);
}

double ColumnEvidence::share_in_table(std::size_t column, std::string_view table) const {
  std::size_t members = 0;
  for (const auto& [row, text] : columns_[column].cells) members += language_.family_of(table, fold_text(text)).has_value();
  return columns_[column].share(members);
}

std::string ColumnEvidence::list_separator(std::size_t column) const {
  constexpr double lists_min = 0.2;
  constexpr double recurring_min = 0.9;
  static constexpr std::array<std::string_view, 3> separators = {";", "|", ", "};
  for (const std::string_view separator : separators) {
    std::unordered_map<std::string_view, std::size_t> counts;
    std::size_t lists = 0, pieces = 0;
    for (const auto& [row, text] : columns_[column].cells) {
      const std::string_view cell = text;
      lists += cell.find(separator) != std::string_view::npos;
      for (std::size_t at = 0; at <= cell.size();) {
        const std::size_t end = std::min(cell.find(separator, at), cell.size());
        ++counts[trimmed(cell.substr(at, end - at))];
        ++pieces;
        at = end + separator.size();
      }
    }
    std::size_t recurring = 0;
    for (const auto& [piece, count] : counts) recurring += count >= 2 ? count : 0;
    if (columns_[column].share(lists) >= lists_min && static_cast<double>(recurring) >= recurring_min * static_cast<double>(pieces)) return std::string(separator);
  }
  return {};
}

}  // namespace turnstone
