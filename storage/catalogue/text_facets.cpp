// What running text says of facets, for products whose own columns are silent.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/facets.h"

namespace turnstone {
namespace {

constexpr std::uint32_t own_value_products_min = 5;  // a column's value that is looked for in other products' titles
constexpr std::size_t own_value_bytes_min = 4;
constexpr std::size_t text_values_max = 4;  // of one facet in one product
constexpr std::uint32_t brand_products_min = 2;
constexpr std::size_t brand_terms_max = 4;
// Facets whose columns' values are worth finding in titles and features; the rest speaks of one kind of product.
constexpr std::string_view shared_facets[] = {"pattern", "style", "use_case"};

using Terms = std::vector<std::string_view>;

Terms terms_of(const Corpus& corpus, const CorpusPart& part) {
  Terms terms;
  for (const std::uint32_t term : corpus.terms(part)) terms.push_back(corpus.term_texts()[term]);
  return terms;
}

// One term that is also a grammar word ("down", "s") says too little in running text.
bool says_little(const std::string& key, const Language& language) {
  return key.find(' ') == std::string::npos && (key.size() < 3 || language.in_list("function", key) || language.in_list("filler", key));
}

class TableText {
 public:
  TableText(const Corpus& corpus, const TableFacet& rule, FacetDraft& facet)
      : corpus_(corpus), rule_(rule), facet_(facet), table_(corpus.language(), rule.name) {}

  void run() {
    if (table_.empty()) return;
    const std::vector<bool> has = facet_.holders(corpus_.size());
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) {
      if (!has[product]) read(product);
    }
  }

 private:
  // The title first; then the categories; only when they are silent the features, then the description. An
  // audience is a matter of title and categories together.
  void read(std::uint32_t product) {
    const bool title = read_fields(product, ListingField::title, true);
    if (title && !rule_.only_members) return;
    if (rule_.members_are_synonyms && !rule_.only_members) return;
    if (read_fields(product, ListingField::categories, rule_.only_members) || title || !rule_.body_text) return;
    if (read_fields(product, ListingField::features, false)) return;
    read_fields(product, ListingField::description, false);
  }

  // A size word ("full", "medium", "s") means the size at the end of a title, beside a number or the word itself.
  bool is_size(const Terms& terms, const TableMatch& match) const {
    const auto speaks = [this](std::string_view term) { return term == rule_.name || (term[0] >= '0' && term[0] <= '9'); };
    if (match.end == terms.size()) return match.end - match.begin < terms.size();
    return (match.begin > 0 && speaks(terms[match.begin - 1])) || speaks(terms[match.end]);
  }

  // "Peach yogurt" with the flavour Peach: the column says what the word means here.
  bool stands_in_other_column(std::uint32_t product, const Terms& terms, const TableMatch& match) const {
    constexpr std::size_t value_terms = 3;
    for (const CorpusPart& part : corpus_.parts(product)) {
      if (part.field != ListingField::details || part.term_count > part.key_terms + value_terms) continue;
      const auto all = terms_of(corpus_, part);
      const auto value = all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(part.key_terms, all.size()));
      if (std::search(value, all.end(), terms.begin() + match.begin, terms.begin() + match.end) != all.end()) return true;
    }
    return false;
  }

  bool read_fields(std::uint32_t product, ListingField field, bool any_member) {
    const bool sizes = rule_.members_are_synonyms && !rule_.only_members;
    std::size_t found = 0;
    for (const CorpusPart& part : corpus_.parts(product)) {
      if (part.field != field) continue;
      const Terms terms = terms_of(corpus_, part);
      for (const TableMatch& match : table_.find(terms)) {
        const bool family = *match.member == *match.family;
        if (sizes) {
          if (is_size(terms, match) && found++ < text_values_max) facet_.add(product, *match.family, {});
          continue;
        }
        // In body text "stone" and "natural" are seldom colours: there only a group's own name or several words count.
        if (!any_member && !family && match.end - match.begin < 2) continue;
        if (says_little(*match.member, corpus_.language()) && !rule_.only_members) continue;
        if (!rule_.only_members && stands_in_other_column(product, terms, match)) continue;
        if (found++ >= text_values_max) return true;
        if (!rule_.members_are_synonyms && !family) facet_.add(product, *match.member, {});
        facet_.add(product, *match.family, facet_.find(*match.family) == nullptr ? *match.family_name : std::string());
      }
    }
    return found > 0;
  }

  const Corpus& corpus_;
  const TableFacet& rule_;
  FacetDraft& facet_;
  TableMatcher table_;
};

// Phrases by their first term, longest first.
class PhraseFinder {
 public:
  explicit PhraseFinder(const std::vector<ValueDraft>& values, const Language& language) {
    for (const ValueDraft& value : values) {
      if (value.products.size() < own_value_products_min || value.key.size() < own_value_bytes_min || says_little(value.key, language)) continue;
      if (value.key.find_first_not_of("0123456789. ") == std::string::npos) continue;
      by_first_[value.key.substr(0, value.key.find(' '))].push_back(value.key);
    }
    for (auto& [first, keys] : by_first_) {
      std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    }
  }

  // Appends the phrases that stand in `terms`, up to the limit.
  void find(const Terms& terms, std::vector<std::string>& found) const {
    for (std::size_t i = 0; i < terms.size() && found.size() < text_values_max; ++i) {
      const auto candidates = by_first_.find(std::string(terms[i]));
      if (candidates == by_first_.end()) continue;
      for (const std::string& key : candidates->second) {
        if (!stands_at(terms, i, key)) continue;
        if (std::find(found.begin(), found.end(), key) == found.end()) found.push_back(key);
        break;
      }
    }
  }

 private:
  static bool stands_at(const Terms& terms, std::size_t at, std::string_view key) {
    for (; !key.empty(); ++at) {
      const std::size_t end = std::min(key.find(' '), key.size());
      if (at >= terms.size() || terms[at] != key.substr(0, end)) return false;
      key.remove_prefix(std::min(end + 1, key.size()));
    }
    return true;
  }

  std::unordered_map<std::string, std::vector<std::string>> by_first_;
};

void add_shared_values(const Corpus& corpus, FacetDraft& facet) {
  const std::vector<bool> has = facet.holders(corpus.size());
  const PhraseFinder finder(facet.values, corpus.language());
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    if (has[product]) continue;
    std::vector<std::string> found;
    for (const CorpusPart& part : corpus.parts(product)) {
      if (part.field == ListingField::title) finder.find(terms_of(corpus, part), found);
      if (part.field != ListingField::features) continue;
      // One word of a sentence ("you will love") is no value; several in a row are.
      std::vector<std::string> phrases;
      finder.find(terms_of(corpus, part), phrases);
      for (std::string& key : phrases) {
        if (found.size() < text_values_max && (key.find(' ') != std::string::npos || part.term_count <= 2)) found.push_back(std::move(key));
      }
    }
    for (const std::string& key : found) facet.add(product, key, {});
  }
}

// A product without a brand of its own, whose title starts with a brand of others, is of that brand.
void add_title_brands(const Corpus& corpus, FacetDraft& brand) {
  const std::vector<bool> has = brand.holders(corpus.size());
  const TableMatcher colors(corpus.language(), "color");
  const TableMatcher audiences(corpus.language(), "department");
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    if (has[product]) continue;
    const auto title = corpus.title_terms(product);
    std::string key;
    std::string best;
    for (std::size_t i = 0; i < std::min(title.size(), brand_terms_max); ++i) {
      if (i > 0) key += ' ';
      key += corpus.term_texts()[title[i]];
      const ValueDraft* known = brand.find(key);
      if (known == nullptr || known->products.size() < brand_products_min || says_little(key, corpus.language())) continue;
      if (colors.exact(key) == nullptr && audiences.exact(key) == nullptr) best = key;
    }
    if (!best.empty()) brand.add(product, best, {});
  }
}

}  // namespace

void add_text_facets(const Corpus& corpus, FacetDrafts& facets) {
  const std::uint32_t ask_min = ask_filled_min(corpus.size());
  const auto judge = [&](FacetDraft& facet) {
    if (facet.values.empty()) facet.raise(Verdict::ignore, "no product speaks of it");
    if (facet.values.empty() || facet.verdict >= Verdict::ask) return;
    const auto has = facet.holders(corpus.size());
    const auto filled = static_cast<std::uint32_t>(std::count(has.begin(), has.end(), true));
    facet.raise(filled >= ask_min && facet.values.size() >= 2 ? Verdict::ask : Verdict::filter, "found in titles, categories and texts");
  };
  for (const TableFacet& rule : table_facets) {
    FacetDraft& facet = facet_named(facets, rule.name);
    if (facet.kind != FacetKind::words) continue;
    TableText(corpus, rule, facet).run();
    judge(facet);
  }
  for (const std::string_view name : shared_facets) {
    const auto facet = facets.find(name);
    if (facet == facets.end() || facet->second.kind != FacetKind::words || facet->second.verdict < Verdict::filter) continue;
    add_shared_values(corpus, facet->second);
  }
  add_title_brands(corpus, facet_named(facets, "brand"));
}

}  // namespace turnstone
