#include "storage/catalogue/column_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/row_parser.h"

namespace turnstone {
namespace {

constexpr std::size_t example_bytes_max = 48;
constexpr double identifies = 0.95;   // share of different cells from which on a column may be an id
constexpr double mostly = 0.8;
constexpr std::size_t title_words_min = 2;
constexpr double title_words_enough = 10;  // more do not make a better title
constexpr double prose_words_min = 4;

struct UseName {
  ColumnUse use;
  std::string_view name;
};
constexpr std::array use_names = {UseName{ColumnUse::id, "id"},
                                  UseName{ColumnUse::title, "title"},
                                  UseName{ColumnUse::categories, "categories"},
                                  UseName{ColumnUse::features, "features"},
                                  UseName{ColumnUse::description, "description"},
                                  UseName{ColumnUse::details, "details"},
                                  UseName{ColumnUse::store, "store"},
                                  UseName{ColumnUse::price, "price"},
                                  UseName{ColumnUse::average_rating, "average_rating"},
                                  UseName{ColumnUse::rating_number, "rating_number"},
                                  UseName{ColumnUse::attribute, "attribute"},
                                  UseName{ColumnUse::left_out, "left_out"}};

// The names of the documented shape.
std::optional<ColumnUse> use_in_shape(std::string_view column) {
  if (column == "parent_asin") return ColumnUse::id;
  for (const UseName& use : use_names) {
    if (use.name == column && use.use != ColumnUse::id && use.use != ColumnUse::attribute && use.use != ColumnUse::left_out) return use.use;
  }
  return std::nullopt;
}

// What a sample says of one column.
struct SampledColumn {
  std::string name;
  std::string whole;  // folded, joined by _
  std::string words;  // the same without currencies and grammar
  std::string facet;  // the common facet that it stands for, or `words`
  std::string plain;  // the name itself in small letters, its words joined by _
  std::size_t filled = 0, nested = 0, amounts = 0, money = 0, addresses = 0, letters = 0, cell_words = 0;
  bool counts_rows = true;  // 0, 1, 2 … or 1, 2, 3 …
  std::optional<std::int64_t> last;
  std::unordered_set<std::string> different;
  std::map<std::string, std::size_t> signs;  // of currencies
  std::vector<std::int64_t> values;
  std::string example;

  double share(std::size_t part) const { return filled == 0 ? 0 : static_cast<double>(part) / static_cast<double>(filled); }
  double variety() const { return share(different.size()); }
  double mean_words() const { return share(cell_words); }
  double titleness() const { return variety() * std::min(mean_words(), title_words_enough); }
  std::int64_t median() const {
    std::vector<std::int64_t> sorted = values;
    if (sorted.empty()) return 0;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

// The currency that a cell names before or behind its number: "1.299,00 €", "EUR 20", "US$5 - US$9".
std::optional<std::string> currency_in(std::string_view text, const Language& language) {
  static constexpr std::string_view digits = "0123456789";
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

class Guess {
 public:
  Guess(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language)
      : language_(language), rows_(sample.size()) {
    for (const std::string& name : head) add(name);
    for (const SampledRow& row : sample) {
      for (const auto& [name, cell] : row) take(columns_[add(name)], cell);
    }
    uses_.resize(columns_.size());
    reasons_.resize(columns_.size());
  }

  Status set_named(const std::vector<NamedColumn>& named) {
    for (const NamedColumn& name : named) {
      const auto found = index_.find(name.column);
      if (found == index_.end()) {
        return fail(ErrorCode::invalid_argument, fmt::format("there is no column {}; the columns are {}", name.column, column_names()));
      }
      set(found->second, name.use, "as you said");
    }
    return {};
  }

  Result<ColumnRoles> decide() {
    take_documented();
    take_nearly_documented();
    const bool shaped = is_documented_shape();
    pick_titles();
    pick_store();
    if (!shaped) {
      pick_nested();
      pick_price();
      pick_by_facet("rating", ColumnUse::average_rating);
      pick_by_facet("rating_count", ColumnUse::rating_number);
      pick_lists();
    }
    if (auto picked = need_title(); !picked) return tl::unexpected(picked.error());
    pick_id();
    return answer(shaped);
  }

 private:
  std::size_t add(const std::string& name) {
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

  void take(SampledColumn& column, const SampledCell& cell) const {
    const std::string text = collapse_space(cell.text, detail_value_bytes_max);
    if (text.empty()) return;
    if (++column.filled == 1) column.example = collapse_space(text, example_bytes_max) + (text.size() > example_bytes_max ? "…" : "");
    column.nested += cell.nested;
    const auto amount = read_amount(text);
    column.amounts += amount.has_value();
    if (amount) column.values.push_back(amount->value);
    if (const auto currency = amount ? currency_in(text, language_) : std::nullopt) {
      ++column.money;
      ++column.signs[*currency];
    }
    column.addresses += text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.");
    column.letters += std::any_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; });
    column.cell_words += static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
    const auto number = parse_number(text);
    column.counts_rows = column.counts_rows && number && (column.last ? number->value == *column.last + number_scale : number->value <= number_scale);
    if (number) column.last = number->value;
    column.different.insert(text);
  }

  bool listed(std::size_t i, std::string_view list) const {
    return language_.in_list(list, spaced(columns_[i].words)) || language_.in_list(list, spaced(columns_[i].whole));
  }
  bool holds_objects(std::size_t i) const { return columns_[i].filled > 0 && columns_[i].share(columns_[i].nested) >= 0.5; }
  // An empty column says nothing of the file's shape, unless the products' ids are called as documented, too.
  bool holds_details(std::size_t i) const { return columns_[i].filled == 0 ? index_.contains("parent_asin") : holds_objects(i); }
  bool is_various(std::size_t i) const { return columns_[i].variety() >= identifies && columns_[i].filled * 100 >= rows_ * 95 && !is_address(i); }
  bool reads_as_prose(std::size_t i) const {
    return columns_[i].share(columns_[i].letters) >= mostly && !is_address(i) &&
           (columns_[i].mean_words() >= prose_words_min || (columns_[i].mean_words() >= 2 && columns_[i].variety() >= 0.5));
  }
  bool is_address(std::size_t i) const { return columns_[i].share(columns_[i].addresses) >= 0.5; }
  bool taken(ColumnUse use) const { return std::find(uses_.begin(), uses_.end(), use) != uses_.end(); }
  static bool single(ColumnUse use) {
    return use != ColumnUse::categories && use != ColumnUse::features && use != ColumnUse::description && use != ColumnUse::details &&
           use != ColumnUse::attribute && use != ColumnUse::left_out;
  }
  void set(std::size_t i, ColumnUse use, std::string reason) {
    uses_[i] = use;
    reasons_[i] = std::move(reason);
  }

  // The free column for which `fits` holds and `better` than the others is.
  template <class Fits, class Better>
  std::optional<std::size_t> best(Fits fits, Better better) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (uses_[i] || columns_[i].filled == 0 || !fits(i)) continue;
      if (!found || better(i, *found)) found = i;
    }
    return found;
  }
  bool fuller(std::size_t a, std::size_t b) const { return columns_[a].filled > columns_[b].filled; }
  bool more_various(std::size_t a, std::size_t b) const { return columns_[a].different.size() > columns_[b].different.size(); }

  // Names written as the shape is documented: nothing is asked of their cells.
  void take_documented() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto use = use_in_shape(columns_[i].name);
      if (!use || uses_[i] || (*use == ColumnUse::details && !holds_details(i)) || (single(*use) && taken(*use))) continue;
      set(i, *use, "its name");
    }
  }

  // The same names in other letters ("Average Rating"), when the cells bear them out. Several columns may stand for the title and the
  // brand: those are chosen among all that do.
  void take_nearly_documented() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto use = use_in_shape(columns_[i].plain);
      if (!use || uses_[i] || *use == ColumnUse::title || *use == ColumnUse::store || (single(*use) && taken(*use))) continue;
      if (bears_out(i, *use)) set(i, *use, "its name");
    }
  }
  bool bears_out(std::size_t i, ColumnUse use) const {
    switch (use) {
      case ColumnUse::id:
        return is_various(i);
      case ColumnUse::price:
      case ColumnUse::average_rating:
      case ColumnUse::rating_number:
        return columns_[i].share(columns_[i].amounts) >= mostly;
      case ColumnUse::details:
        return holds_objects(i);
      default:
        return columns_[i].filled > 0 && !holds_objects(i);
    }
  }

  // Its attributes stand in a column that is called `details`; one that somebody named so is no sign of the rest.
  bool is_documented_shape() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (uses_[i] == ColumnUse::details && columns_[i].plain == "details" && holds_details(i)) return true;
    }
    return false;
  }

  // Objects hold attributes whatever they are called; lists of objects (pictures, prices by size) come as objects, too.
  void pick_nested() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!uses_[i] && listed(i, "details_column") && holds_objects(i)) {
        set(i, ColumnUse::details, "its name, and it holds objects");
      }
    }
  }

  void pick_titles() {
    if (taken(ColumnUse::title)) return;
    const auto named = best([&](std::size_t i) { return listed(i, "title_column") && columns_[i].share(columns_[i].letters) >= mostly && !is_address(i); },
                            [&](std::size_t a, std::size_t b) { return columns_[a].titleness() > columns_[b].titleness(); });
    if (named) set(*named, ColumnUse::title, "its name");
  }

  void pick_price() {
    const auto priced = [&](std::size_t i) {
      return (columns_[i].facet == "price" || listed(i, "price_column")) && columns_[i].share(columns_[i].amounts) >= mostly;
    };
    const auto leave_others_out = [&] {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!uses_[i] && columns_[i].filled > 0 && priced(i)) set(i, ColumnUse::left_out, "another price");
      }
    };
    if (taken(ColumnUse::price)) return leave_others_out();
    std::size_t most = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!uses_[i] && priced(i)) most = std::max(most, columns_[i].filled);
    }
    // Of several prices what is paid is the lowest.
    auto found = best([&](std::size_t i) { return priced(i) && columns_[i].filled * 2 >= most; },
                      [&](std::size_t a, std::size_t b) { return columns_[a].median() < columns_[b].median(); });
    if (found) {
      set(*found, ColumnUse::price, "its name");
      return leave_others_out();
    }
    found = best([&](std::size_t i) { return columns_[i].share(columns_[i].money) >= mostly; }, [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    if (found) set(*found, ColumnUse::price, "its cells are amounts of money");
  }

  void pick_by_facet(std::string_view facet, ColumnUse use) {
    if (taken(use)) return;
    const auto found = best([&](std::size_t i) { return columns_[i].facet == facet && columns_[i].share(columns_[i].amounts) >= mostly; },
                            [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    if (found) set(*found, use, "its name");
  }

  void pick_store() {
    if (taken(ColumnUse::store)) return;
    const auto fits = [&](std::size_t i) { return columns_[i].share(columns_[i].letters) >= 0.5; };
    auto found = best([&](std::size_t i) { return columns_[i].words == "brand" && fits(i); }, [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    if (!found) {
      found = best([&](std::size_t i) { return columns_[i].facet == "brand" && fits(i); }, [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    }
    if (!found) found = best([&](std::size_t i) { return listed(i, "store_column") && fits(i); }, [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    if (found) set(*found, ColumnUse::store, "its name");
  }

  void pick_lists() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (uses_[i] || columns_[i].filled == 0) continue;
      if (listed(i, "category_column")) set(i, ColumnUse::categories, "its name");
      else if (listed(i, "feature_column")) set(i, ColumnUse::features, "its name");
      else if (listed(i, "description_column") && reads_as_prose(i))
        set(i, ColumnUse::description, "its name");
    }
  }

  // Without a name that says so: words that seldom recur.
  Status need_title() {
    if (taken(ColumnUse::title)) return {};
    const auto wordy = [&](std::size_t i) {
      return columns_[i].share(columns_[i].letters) >= mostly && columns_[i].mean_words() >= static_cast<double>(title_words_min) &&
             columns_[i].mean_words() <= 40 && columns_[i].variety() >= 0.5 && !is_address(i) && columns_[i].nested == 0;
    };
    const auto found = best(wordy, [&](std::size_t a, std::size_t b) { return columns_[a].titleness() > columns_[b].titleness(); });
    if (found) {
      set(*found, ColumnUse::title, "several words that seldom recur");
      return {};
    }
    if (taken(ColumnUse::features) || taken(ColumnUse::details) || taken(ColumnUse::description) || taken(ColumnUse::categories)) return {};
    return fail(ErrorCode::invalid_argument, fmt::format("none of its columns ({}) looks like a title; say which one is: --column title=NAME", column_names()));
  }

  void pick_id() {
    if (taken(ColumnUse::id)) return;
    const auto identifier = [&](std::size_t i) {
      const std::string padded = " " + spaced(columns_[i].words) + " ";
      for (const std::string& phrase : language_.list("identifier_column")) {
        if (padded.find(" " + phrase + " ") != std::string::npos) return true;
      }
      return columns_[i].words == "asin" || columns_[i].words == "handle";
    };
    const auto found =
        best([&](std::size_t i) { return identifier(i) && is_various(i); }, [&](std::size_t a, std::size_t b) { return more_various(a, b); });
    if (found) set(*found, ColumnUse::id, "its name, and it differs in every row");
  }

  // What the prices are in: told by the column's name ("price_eur"), its cells, or a column that says one currency for all.
  std::string currency() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (uses_[i] != ColumnUse::price) continue;
      const std::string& name = columns_[i].plain;
      for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        if (const auto sign = language_.currency(name.substr(at, end - at))) return *sign;
        at = end + 1;
      }
      const auto most =
          std::max_element(columns_[i].signs.begin(), columns_[i].signs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most != columns_[i].signs.end()) return most->first;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!listed(i, "currency_column") || columns_[i].different.size() != 1) continue;
      if (const auto sign = language_.currency(fold_text(*columns_[i].different.begin()))) return *sign;
    }
    return {};
  }

  static std::string spaced(std::string words) {
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
  }
  std::string column_names() const {
    std::string names;
    for (const SampledColumn& column : columns_) {
      if (names.size() > 300) return names + " …";
      names += (names.empty() ? "" : ", ") + column.name;
    }
    return names;
  }

  ColumnRoles answer(bool shaped) {
    ColumnRoles roles;
    roles.others = shaped ? ColumnUse::left_out : ColumnUse::attribute;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!uses_[i]) {
        if (shaped) set(i, ColumnUse::left_out, "attributes stand in `details`");
        else if (columns_[i].filled == 0) set(i, ColumnUse::left_out, "empty");
        else if (columns_[i].counts_rows && columns_[i].filled == rows_ && rows_ > 1) set(i, ColumnUse::left_out, "it numbers the rows");
        else set(i, ColumnUse::attribute, "any other column");
      }
      const auto permille = rows_ == 0 ? 0 : static_cast<std::uint32_t>(columns_[i].filled * 1000 / rows_);
      roles.columns.push_back({columns_[i].name, *uses_[i], reasons_[i], permille, columns_[i].example});
    }
    for (const ColumnRole& documented : documented_roles().columns) {  // which only later rows may have
      if (!index_.contains(documented.column) && !taken(documented.use)) roles.columns.push_back(documented);
    }
    roles.made_ids = !taken(ColumnUse::id);
    roles.currency = currency();
    return roles;
  }

  const Language& language_;
  const std::size_t rows_;
  std::vector<SampledColumn> columns_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::optional<ColumnUse>> uses_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::string_view to_string(ColumnUse use) {
  for (const UseName& name : use_names) {
    if (name.use == use) return name.name;
  }
  return "unknown";
}

ColumnRoles documented_roles() {
  ColumnRoles roles;
  roles.columns.push_back({"parent_asin", ColumnUse::id, {}, 0, {}});
  for (const UseName& use : use_names) {
    const std::string name(use.name);
    if (const auto documented = use_in_shape(name)) roles.columns.push_back({name, *documented, {}, 0, {}});
  }
  return roles;
}

Result<NamedColumn> parse_named_column(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos && equals + 1 < text.size()) {
    for (const UseName& name : use_names) {
      if (name.name == text.substr(0, equals)) return NamedColumn{name.use, std::string(text.substr(equals + 1))};
    }
  }
  std::string known;
  for (const UseName& name : use_names) known += (known.empty() ? "" : ", ") + std::string(name.name);
  return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" does not say what a column is for; write USE=COLUMN, where USE is one of {}", text, known));
}

Result<ColumnRoles> guess_roles(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language,
                                const std::vector<NamedColumn>& named) {
  Guess guess(head, sample, language);
  if (auto set = guess.set_named(named); !set) return tl::unexpected(set.error());
  return guess.decide();
}

}  // namespace turnstone
