#include "storage/catalogue/facets.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace {

constexpr std::uint32_t value_terms_max = 8;
constexpr std::size_t value_bytes_max = 80;
constexpr std::uint32_t number_values_max = 512;  // more different numbers get no values, only the sorted column
constexpr std::uint32_t kept_beside_member_min = 3;
constexpr std::uint32_t feature_terms_max = 5;

std::vector<std::string_view> split_key(std::string_view key) {
  std::vector<std::string_view> terms;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find(' '), key.size());
    terms.push_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return terms;
}

// "Frame size" → "frame_size".
std::string words_of(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// A heading as it is written, in small letters: "Höhe" keeps its dots.
std::string lower_label(std::string_view name) {
  std::string label;
  for (const char c : name) label += c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return label;
}

// What one distinct value of a column adds to a facet, worked out once for all products that have it.
struct Meaning {
  std::string key;
  std::string spelling;  // empty: implied only
};

class WordReader {
 public:
  WordReader(const Language& language, std::string_view facet)
      : language_(language), rule_(table_facet(facet)), table_(language, rule_ ? facet : "") {}

  // `count`: products with the value; what stands there only once beside a known member is not kept as a value.
  std::vector<Meaning> read(std::string_view text, std::string_view key, std::uint32_t count) const {
    if (rule_ == nullptr || table_.empty()) return whole(text, key);
    const auto terms = split_key(key);
    const auto matches = table_.find(terms);
    std::vector<Meaning> meanings;
    if (matches.empty()) return rule_->only_members ? meanings : whole(text, key);
    const bool is_member = matches.size() == 1 && matches[0].end - matches[0].begin == terms.size();
    for (const TableMatch& match : matches) {
      if (rule_->members_are_synonyms) {
        meanings.push_back({*match.family, is_member && !rule_->only_members ? std::string(text) : *match.family_name});
        continue;
      }
      // A catalogue that knows only "BLACK" shows black.
      meanings.push_back({*match.member, !is_member ? std::string() : shouts(text) ? *match.member : std::string(text)});
      if (*match.family != *match.member) meanings.push_back({*match.family, {}});
    }
    const bool measured = std::any_of(terms.begin(), terms.end(), [](std::string_view term) { return term[0] >= '0' && term[0] <= '9'; });
    std::size_t covered = 0;
    for (const TableMatch& match : matches) covered += match.end - match.begin;
    const bool list = matches.size() > 1 && covered == terms.size();  // "black / grey"
    const bool keep_whole = !is_member && !list && !rule_->only_members && !measured && terms.size() <= 3 && count >= kept_beside_member_min;
    if (keep_whole) meanings.push_back({std::string(key), std::string(text)});
    return meanings;
  }

 private:
  static std::vector<Meaning> whole(std::string_view text, std::string_view key) {
    if (key.empty() || text.size() > value_bytes_max || std::count(key.begin(), key.end(), ' ') >= value_terms_max) return {};
    return {{std::string(key), std::string(text)}};
  }

  const Language& language_;
  const TableFacet* rule_;
  TableMatcher table_;
};

std::vector<Meaning> meanings_of(const DistinctValue& value, const WordReader& reader, const Language& language) {
  if (value.pieces.empty()) return reader.read(value.text, value.cell.key, value.count);
  std::vector<Meaning> all;
  for (const std::string_view piece : value.pieces) {
    for (Meaning& meaning : reader.read(piece, term_key(piece, language), value.count)) all.push_back(std::move(meaning));
  }
  return all;
}

void add_words(const Column& column, const WordReader& reader, const Corpus& corpus, FacetDraft& facet) {
  std::vector<std::vector<Meaning>> meanings(column.distinct.size());
  for (std::size_t i = 0; i < column.distinct.size(); ++i) {
    const CellShape shape = column.distinct[i].cell.shape;
    if (shape != CellShape::missing) meanings[i] = meanings_of(column.distinct[i], reader, corpus.language());
  }
  for (const ColumnCell& cell : column.cells) {
    for (const Meaning& meaning : meanings[cell.distinct]) facet.add(cell.product, meaning.key, meaning.spelling);
  }
}

void add_yes_no(const Column& column, FacetDraft& facet) {
  for (const ColumnCell& cell : column.cells) {
    const CellShape shape = column.distinct[cell.distinct].cell.shape;
    // "Active" says yes, and how.
    if (shape == CellShape::yes || shape == CellShape::words || shape == CellShape::number) facet.add(cell.product, "yes", "yes");
    if (shape == CellShape::no) facet.add(cell.product, "no", "no");
  }
}

std::string with_unit(Number number, const std::string& unit) { return unit.empty() ? to_string(number) : to_string(number) + " " + unit; }

void add_numbers(const Column& column, const WordReader& reader, const Corpus& corpus, FacetDraft& facet) {
  const Language& language = corpus.language();
  const Unit* from = language.unit(column.unit);
  const Unit* to = language.unit(facet.unit);
  std::set<std::int64_t> different;
  for (const ColumnCell& cell : column.cells) {
    const DistinctValue& value = column.distinct[cell.distinct];
    if (value.cell.shape != CellShape::number) {
      if (value.cell.shape != CellShape::words) continue;
      for (const Meaning& meaning : meanings_of(value, reader, language)) facet.add(cell.product, meaning.key, meaning.spelling);
      continue;
    }
    Number number = value.cell.measure->number;
    if (column.unit != facet.unit && from != nullptr && to != nullptr) {
      const auto converted = convert(number, *from, *to);
      if (!converted) continue;
      number = *converted;
    }
    facet.add_number(cell.product, number);
    if (!value.words.empty()) facet.add(cell.product, term_key(value.words, language), value.words);
    different.insert(number.value);
  }
  if (different.size() > number_values_max) return;
  for (const auto& row : facet.numbers) facet.add(row.product.value, to_string(row.number), with_unit(row.number, facet.unit));
}

// A column of an audience facet ("Department: Jersey") that seldom speaks of an audience is a facet of its own;
// where it does speak ("Kids Boy Jersey"), its products take the audience from it.
void part_from_table(const Corpus& corpus, Column& column, FacetDrafts& facets) {
  const TableFacet* rule = table_facet(column.facet);
  if (rule == nullptr || !rule->only_members) return;
  const TableMatcher table(corpus.language(), column.facet);
  std::uint64_t speaking = 0;
  for (const DistinctValue& value : column.distinct) {
    if (!table.find(split_key(value.cell.key)).empty()) speaking += value.count;
  }
  if (speaking * 2 >= column.filled) return;
  add_words(column, WordReader(corpus.language(), column.facet), corpus, facet_named(facets, column.facet));
  const std::string own = words_of(column.folded);
  column.facet = own == column.facet ? own + "_group" : own;
}

// What the values of a column are, seen by a table of words.
struct TableShares {
  double members = 0;  // cells that are one, or end in one ("Metallic Blue")
  double exact = 0;    // cells that are one and nothing else
  double names = 0;    // cells that end in a family's own name ("blue", not "navy")
  std::size_t families = 0;
};

TableShares shares_in_table(const Column& column, const TableMatcher& table) {
  std::uint64_t members = 0;
  std::uint64_t exact = 0;
  std::uint64_t names = 0;
  std::set<std::string> families;
  for (const DistinctValue& value : column.distinct) {
    if (value.cell.shape != CellShape::words) continue;
    const auto terms = split_key(value.cell.key);
    const auto matches = table.find(terms);
    if (matches.empty() || matches.back().end != terms.size()) continue;
    const bool name = *matches.back().member == *matches.back().family;
    members += value.count;
    exact += matches.size() == 1 && matches[0].begin == 0 ? value.count : 0;
    names += name ? value.count : 0;
    if (name) families.insert(*matches.back().family);
  }
  const auto share = [&column](std::uint64_t part) { return column.filled == 0 ? 0.0 : static_cast<double>(part) / column.filled; };
  return {share(members), share(exact), share(names), families.size()};
}

// A heading of its own over colours or audiences ("Paint", "Colour/Finish", "For whom"): told by what stands in its cells. Where cherries
// and lemons are flavours no family's own name does.
bool speaks_of(const TableFacet& rule, const TableShares& shares) {
  constexpr double only_members_min = 0.8;
  constexpr double members_min = 0.5;
  constexpr double names_min = 0.25;
  if (rule.only_members) return shares.exact >= only_members_min && shares.families >= 2;
  return shares.members >= members_min && shares.names >= names_min && shares.families >= 4;
}

// Facets that a whole product has one of, so that one column tells it under any heading. Parts are made of materials and come in sizes.
constexpr std::string_view told_by_values[] = {"color", "department"};

// The heading stands for no common facet.
bool has_own_name(const Column& column) {
  const auto letters = [](std::string_view text) {
    std::string kept;
    for (const char c : text) {
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) kept += c;
    }
    return kept;
  };
  return letters(column.folded) == letters(column.facet);
}

void name_by_values(const Corpus& corpus, std::vector<Column>& columns) {
  for (const std::string_view name : told_by_values) {
    const TableFacet* rule = table_facet(name);
    const TableMatcher table(corpus.language(), name);
    std::uint32_t named = 0;  // cells of columns whose headings say so
    Column* best = nullptr;
    for (Column& column : columns) {
      if (column.facet == name) named = std::max(named, column.filled);
      if (column.facet == name || !has_own_name(column) || column.kind != FacetKind::words || column.verdict < Verdict::filter ||
          (best != nullptr && best->filled >= column.filled))
        continue;
      if (speaks_of(*rule, shares_in_table(column, table))) best = &column;
    }
    if (best != nullptr && best->filled > 2 * named) best->facet = name;
  }
}

}  // namespace

const TableFacet* table_facet(std::string_view name) {
  const auto* found = std::find_if(std::begin(table_facets), std::end(table_facets), [name](const TableFacet& f) { return f.name == name; });
  return found == std::end(table_facets) ? nullptr : found;
}

void add_column_facets(const Corpus& corpus, std::vector<Column>& columns, FacetDrafts& facets) {
  for (Column& column : columns) part_from_table(corpus, column, facets);
  name_by_values(corpus, columns);
  // The facet takes kind and unit of its fullest good column.
  std::map<std::string, const Column*> leading;
  for (const Column& column : columns) {
    const Column*& lead = leading[column.facet];
    const bool better =
        lead == nullptr || std::pair(column.verdict >= Verdict::filter, column.filled) > std::pair(lead->verdict >= Verdict::filter, lead->filled);
    if (better) lead = &column;
  }
  for (const auto& [name, lead] : leading) {
    FacetDraft& facet = facet_named(facets, name);
    facet.kind = lead->kind;
    facet.unit = lead->kind == FacetKind::number ? lead->unit : "";
    const auto spelling = corpus.language().family_of("spelling", lead->folded);
    if (words_of(lead->folded) == name || spelling == name) facet.label = lower_label(lead->name);
  }
  for (const Column& column : columns) {
    FacetDraft& facet = facet_named(facets, column.facet);
    facet.raise(column.verdict, column.reason);
    if (column.verdict < Verdict::filter) {
      facet.stated = std::max(facet.stated, column.filled);
      continue;
    }
    const WordReader reader(corpus.language(), column.facet);
    if (facet.kind == FacetKind::yes_no && column.kind == FacetKind::yes_no) {
      add_yes_no(column, facet);
    } else if (facet.kind == FacetKind::number && column.kind == FacetKind::number) {
      add_numbers(column, reader, corpus, facet);
    } else {
      add_words(column, reader, corpus, facet);
    }
  }
}

void add_field_facets(const Corpus& corpus, const std::string& currency, FacetDrafts& facets) {
  const Language& language = corpus.language();
  FacetDraft& brand = facet_named(facets, "brand");
  FacetDraft& price = facet_named(facets, "price");
  FacetDraft& rating = facet_named(facets, "rating");
  FacetDraft& rating_count = facet_named(facets, "rating_count");
  for (FacetDraft* facet : {&price, &rating, &rating_count}) facet->kind = FacetKind::number;
  if (!currency.empty()) price.unit = currency;
  if (price.unit.empty()) price.unit = "$";
  std::unordered_map<std::string_view, std::string> keys;
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    const ProductRow& row = corpus.row(product);
    if (row.price) price.add_number(product, *row.price);
    if (row.average_rating) rating.add_number(product, *row.average_rating);
    if (row.rating_number) rating_count.add_number(product, whole_number(*row.rating_number));
    if (row.store.empty() || row.store.size() > value_bytes_max) continue;
    auto [key, added] = keys.try_emplace(row.store);
    if (added) key->second = language.in_list("missing_value", fold_text(row.store)) ? std::string() : term_key(row.store, language);
    brand.add(product, key->second, row.store);
  }
  const std::uint32_t ask_min = ask_filled_min(corpus.size());
  const auto judge = [&](FacetDraft& facet, Verdict best, std::string_view reason) {
    const auto has = facet.holders(corpus.size());
    const auto filled = std::count(has.begin(), has.end(), true);
    if (filled == 0)
      facet.raise(Verdict::ignore, "no product has it");
    else
      facet.raise(static_cast<std::uint32_t>(filled) >= ask_min ? best : std::min(best, Verdict::filter), reason);
  };
  judge(brand, Verdict::ask, "brands of the store field and brand columns");
  judge(price, Verdict::ask, "the price field");
  judge(rating, Verdict::filter, "the average_rating field");
  judge(rating_count, Verdict::filter, "the rating_number field");
}

namespace {

// A bullet that is but a colour, a brand or a kind of product says nothing that its facet does not say.
bool known_elsewhere(const std::string& key, const FacetDrafts& facets) {
  static constexpr std::string_view others[] = {"brand", "category", "color", "department", "material", "pattern", "size"};
  return std::any_of(std::begin(others), std::end(others), [&](std::string_view name) {
    const auto facet = facets.find(name);
    return facet != facets.end() && facet->second.find(key) != nullptr;
  });
}

}  // namespace

void add_feature_facet(const Corpus& corpus, FacetDrafts& facets) {
  struct Bullet {
    std::vector<std::uint32_t> products;
    std::string text;
  };
  // By the terms of the bullet: "Machine wash" and "machine washes" are one.
  std::unordered_map<std::string, std::uint32_t> ids;
  std::vector<Bullet> bullets;
  std::vector<std::string> keys;
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    for (const CorpusPart& part : corpus.parts(product)) {
      if (part.field != ListingField::features || part.term_count == 0 || part.term_count > feature_terms_max || part.text.size() > value_bytes_max)
        continue;
      std::string key;
      for (const std::uint32_t term : corpus.terms(part)) {
        if (!key.empty()) key += ' ';
        key += corpus.term_texts()[term];
      }
      const auto [id, added] = ids.try_emplace(key, static_cast<std::uint32_t>(bullets.size()));
      if (added) {
        bullets.emplace_back();
        bullets.back().text = part.text;
        keys.push_back(key);
      }
      bullets[id->second].products.push_back(product);
    }
  }
  const std::uint32_t recurring_min = std::max(2u, corpus.size() / 10'000);
  FacetDraft* facet = nullptr;
  for (std::size_t i = 0; i < bullets.size(); ++i) {
    if (bullets[i].products.size() < recurring_min || known_elsewhere(keys[i], facets)) continue;
    if (facet == nullptr) facet = &facet_named(facets, "feature");
    for (const std::uint32_t product : bullets[i].products) facet->add(product, keys[i], bullets[i].text);
  }
  if (facet == nullptr) return;
  const auto has = facet->holders(corpus.size());
  const auto filled = static_cast<std::uint32_t>(std::count(has.begin(), has.end(), true));
  facet->raise(filled >= ask_filled_min(corpus.size()) ? Verdict::ask : Verdict::filter, "features that recur");
}

}  // namespace turnstone
