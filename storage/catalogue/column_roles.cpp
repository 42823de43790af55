#include "storage/catalogue/column_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/column_evidence.h"

namespace turnstone {
namespace {

constexpr double identifies = 0.95;   // share of different cells from which on a column may be an id
constexpr double mostly = 0.8;
constexpr std::size_t title_words_min = 2;
constexpr std::size_t rows_to_judge_by = 20;  // fewer rows tell nothing that the columns' names do not say
constexpr double recurs = 0.2;              // share of different cells up to which a column sorts products into groups
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

class Guess {
 public:
  Guess(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language)
      : language_(language), evidence_(head, sample, language), columns_(evidence_.columns()), rows_(evidence_.rows()), uses_(columns_.size()), reasons_(columns_.size()) {}

  Status set_named(const std::vector<NamedColumn>& named) {
    for (const NamedColumn& name : named) {
      const auto found = evidence_.find(name.column);
      if (!found) return fail(ErrorCode::invalid_argument, fmt::format("there is no column {}; the columns are {}", name.column, column_names()));
      set(*found, name.use, "as you said");
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
      pick_ratings();
      pick_lists();
    }
    if (auto picked = need_title(); !picked) return tl::unexpected(picked.error());
    if (!shaped && rows_ >= rows_to_judge_by) {
      pick_kinds_by_rows();
      pick_store_by_rows();
    }
    pick_id();
    return answer(shaped);
  }

 private:
  bool listed(std::size_t i, std::string_view list) const {
    return language_.in_list(list, spaced(columns_[i].words)) || language_.in_list(list, spaced(columns_[i].whole));
  }
  std::string last_word(std::size_t i) const { return columns_[i].words.substr(columns_[i].words.rfind('_') + 1); }
  bool last_word_listed(std::size_t i, std::string_view list) const { return language_.in_list(list, last_word(i)); }
  // "Brand name", "colour name": names of something that is no title.
  bool is_known_part(std::size_t i) const {
    return columns_[i].facet != columns_[i].words || listed(i, "category_column") || listed(i, "store_column");
  }
  bool holds_objects(std::size_t i) const { return columns_[i].filled > 0 && columns_[i].share(columns_[i].nested) >= 0.5; }
  // An empty column says nothing of the file's shape, unless the products' ids are called as documented, too.
  bool holds_details(std::size_t i) const { return columns_[i].filled == 0 ? evidence_.find("parent_asin").has_value() : holds_objects(i); }
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

  // A name that says so, alone ("Title") or at its end ("Book title"), unless the cells name few products and another column's do.
  void pick_titles() {
    if (taken(ColumnUse::title)) return;
    const auto better = [&](std::size_t a, std::size_t b) { return columns_[a].titleness() > columns_[b].titleness(); };
    const auto named = best(
        [&](std::size_t i) {
          const bool ends_so = last_word_listed(i, "title_column") && !is_known_part(i) && columns_[i].variety() >= 0.5;
          return (listed(i, "title_column") || ends_so) && columns_[i].share(columns_[i].letters) >= mostly && !is_address(i);
        },
        better);
    if (!named) return;
    const bool names_few = rows_ >= rows_to_judge_by && columns_[*named].variety() <= recurs;
    if (names_few && best([&](std::size_t i) { return is_wordy(i); }, better)) return;  // need_title takes it
    set(*named, ColumnUse::title, "its name");
  }

  bool is_wordy(std::size_t i) const {
    return columns_[i].share(columns_[i].letters) >= mostly && columns_[i].mean_words() >= static_cast<double>(title_words_min) &&
           columns_[i].mean_words() <= 40 && columns_[i].variety() >= 0.5 && !is_address(i) && columns_[i].nested == 0;
  }

  void pick_price() {
    const auto priced = [&](std::size_t i) {
      return (columns_[i].facet == "price" || listed(i, "price_column")) && columns_[i].share(columns_[i].amounts) >= mostly;
    };
    const auto leave_others_out = [&] {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!uses_[i] && columns_[i].filled > 0 && (priced(i) || follows_price(i))) set(i, ColumnUse::left_out, "another price");
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
    if (!found) return;
    set(*found, ColumnUse::price, "its cells are amounts of money");
    leave_others_out();
  }
  // Money that is of the order of the price in row after row.
  bool follows_price(std::size_t i) const {
    if (rows_ < rows_to_judge_by || columns_[i].share(columns_[i].money) < mostly) return false;
    const auto price = std::find(uses_.begin(), uses_.end(), ColumnUse::price);
    return price != uses_.end() && evidence_.go_together(i, static_cast<std::size_t>(price - uses_.begin()));
  }

  // By the name, or by its end ("Customer score", "Anzahl Bewertungen") where the cells bear it out.
  void pick_ratings() {
    constexpr std::int64_t best_rating = 10 * number_scale;
    const auto fuller_one = [&](std::size_t a, std::size_t b) { return fuller(a, b); };
    const auto numbers = [&](std::size_t i) { return columns_[i].share(columns_[i].amounts) >= mostly; };
    const auto ends_as = [&](std::size_t i, std::string_view facet) { return language_.facet_of_column(last_word(i)) == facet; };
    const auto averages = [&](std::size_t i) { return numbers(i) && columns_[i].letters == 0 && columns_[i].fractions > 0 && columns_[i].largest() <= best_rating; };
    const auto counts = [&](std::size_t i) { return numbers(i) && columns_[i].letters == 0 && columns_[i].fractions == 0; };
    const auto pick = [&](ColumnUse use, std::string_view facet, auto bears_out) {
      if (taken(use)) return;
      auto found = best([&](std::size_t i) { return columns_[i].facet == facet && numbers(i); }, fuller_one);
      if (!found) found = best([&](std::size_t i) { return ends_as(i, facet) && bears_out(i); }, fuller_one);
      if (found) set(*found, use, "its name");
    };
    pick(ColumnUse::average_rating, "rating", averages);
    pick(ColumnUse::rating_number, "rating_count", counts);
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
    const auto found = best([&](std::size_t i) { return is_wordy(i); },
                            [&](std::size_t a, std::size_t b) { return columns_[a].titleness() > columns_[b].titleness(); });
    if (found) {
      set(*found, ColumnUse::title, "several words that seldom recur");
      return {};
    }
    if (taken(ColumnUse::features) || taken(ColumnUse::details) || taken(ColumnUse::description) || taken(ColumnUse::categories)) return {};
    return fail(ErrorCode::invalid_argument, fmt::format("none of its columns ({}) looks like a title; say which one is: --column title=NAME", column_names()));
  }

  // Words that recur, one or few a cell, and are no measure, colour, material or audience.
  bool sorts_products(std::size_t i) const {
    constexpr double words_max = 6;
    if (columns_[i].share(columns_[i].letters) < mostly || columns_[i].different.size() < 2 || columns_[i].variety() > recurs || columns_[i].nested > 0 ||
        columns_[i].mean_words() > words_max || columns_[i].share(columns_[i].amounts) >= 0.5 || (is_known_part(i) && columns_[i].facet != "category"))
      return false;
    for (const std::string_view table : {"color", "material", "size", "department"}) {
      if (columns_[i].facet == table || evidence_.share_in_table(i, table) >= 0.5) return false;
    }
    return true;
  }
  std::optional<std::size_t> title() const {
    const auto found = std::find(uses_.begin(), uses_.end(), ColumnUse::title);
    return found == uses_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - uses_.begin()));
  }

  // What titles call their products: its words stand in them, and it is more than one of many qualities.
  void pick_kinds_by_rows() {
    constexpr double named_min = 0.6;
    if (taken(ColumnUse::categories) || !title()) return;
    std::map<std::size_t, double> kinds;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (uses_[i] || columns_[i].filled * 2 < rows_ || !sorts_products(i)) continue;
      const NamedInTitles stands = evidence_.in_titles(i, *title());
      const std::size_t foretold = evidence_.columns_foretold(i);
      if (stands.named < named_min || (stands.plural < 0.3 && stands.ending < 0.5 && foretold < 2)) continue;
      if (stands.first < 0.5 || stands.plural >= 0.3 || foretold >= 2) kinds[i] = stands.named;
    }
    const auto found = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (found == kinds.end()) return;
    set(found->first, ColumnUse::categories, "titles call their products so");
    for (std::size_t i = 0; i < found->first; ++i) {  // a path is told from its widest node on
      if (!uses_[i] && sorts_products(i) && evidence_.is_broader(i, found->first)) set(i, ColumnUse::categories, "its groups hold those of " + columns_[found->first].name);
    }
  }

  // Whoever made a product opens its title.
  void pick_store_by_rows() {
    if (taken(ColumnUse::store) || !title()) return;
    const auto found = best([&](std::size_t i) { return sorts_products(i) && evidence_.in_titles(i, *title()).first >= 0.5; },
                            [&](std::size_t a, std::size_t b) { return fuller(a, b); });
    if (found) set(*found, ColumnUse::store, "titles begin with it");
  }

  // Codes, or numbers of as many digits in every row.
  bool identifies_by_cells(std::size_t i) const {
    constexpr std::size_t digits_min = 4;
    const SampledColumn& column = columns_[i];
    if (rows_ < rows_to_judge_by || column.filled < rows_ || column.different.size() < rows_ || column.coded < rows_) return false;
    const bool one_width = column.widths.size() == 1 && column.widths.begin()->first >= digits_min && column.widths.begin()->second == rows_;
    return column.widths.empty() || one_width;
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
    if (found) return set(*found, ColumnUse::id, "its name, and it differs in every row");
    const auto codes = best([&](std::size_t i) { return identifies_by_cells(i); }, [](std::size_t, std::size_t) { return false; });
    if (codes) set(*codes, ColumnUse::id, "a code that differs in every row");
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
      const std::string separator = uses_[i] == ColumnUse::features ? evidence_.list_separator(i) : std::string();
      roles.columns.push_back({columns_[i].name, *uses_[i], reasons_[i], permille, columns_[i].example, separator});
    }
    for (const ColumnRole& documented : documented_roles().columns) {  // which only later rows may have
      if (!evidence_.find(documented.column) && !taken(documented.use)) roles.columns.push_back(documented);
    }
    roles.made_ids = !taken(ColumnUse::id);
    roles.currency = currency();
    const auto& hundredths = language_.list("currency_hundredth");
    roles.hundredths.assign(hundredths.begin(), hundredths.end());
    return roles;
  }

  const Language& language_;
  const ColumnEvidence evidence_;
  const std::vector<SampledColumn>& columns_;
  const std::size_t rows_;
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
  roles.columns.push_back({"parent_asin", ColumnUse::id, {}, 0, {}, {}});
  for (const UseName& use : use_names) {
    const std::string name(use.name);
    if (const auto documented = use_in_shape(name)) roles.columns.push_back({name, *documented, {}, 0, {}, {}});
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
