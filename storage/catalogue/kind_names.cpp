#include "storage/catalogue/kind_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/title_clauses.h"

namespace turnstone {
namespace {

constexpr std::size_t name_terms_max = 3;
constexpr std::uint32_t titles_least = 5;          // titles whose first clause ends in a name, at least …
constexpr std::uint32_t products_a_title = 5'000;  // … and one more for so many products of the catalogue
constexpr std::uint64_t ends_percent = 85;         // of the first clauses that hold it
constexpr std::uint64_t category_percent = 95;     // of the titles that hold it are of the category
constexpr std::uint64_t called_percent = 2;        // of the category's products bear the name
constexpr std::uint64_t whole_percent = 50;        // a category with more of the catalogue than this tells no kind
constexpr std::uint64_t bound_percent = 90;        // of the titles with a short name hold the longer: "power supply"

struct Use {
  std::uint32_t titles = 0;                           // that hold it
  std::uint32_t first_clauses = 0;                    // that hold it
  std::uint32_t ends = 0;                             // first clauses that end in it
  std::map<std::uint32_t, std::uint32_t> categories;  // titles by category
};

class NameMiner {
 public:
  NameMiner(const Corpus& corpus, const FacetDraft& category) : corpus_(corpus), category_(category), words_(corpus.language()) {
    categories_of_.resize(corpus.size());
    for (std::uint32_t i = 0; i < category.values.size(); ++i) {
      for (const std::uint32_t product : category.values[i].products) categories_of_[product].push_back(i);
    }
    std::unordered_set<std::string_view> stores;
    for (std::uint32_t product = 0; product < corpus.size(); ++product) stores.insert(corpus.row(product).store);
    for (const std::string_view store : stores) store_keys_.insert(term_key(store, corpus.language()));
    for (std::uint32_t product = 0; product < corpus.size(); ++product) clauses_.push_back(title_clauses(corpus.row(product).title, words_));
  }

  std::vector<KindName> run() {
    find_ends();
    count_uses();
    std::map<std::string, std::uint32_t> names;
    for (const auto& [key, use] : uses_) {
      if (const auto named = category_of(use)) names.emplace(key, *named);
    }
    std::vector<KindName> kept;
    for (const auto& [key, named] : names) {
      if (!ends_in_name(key, names)) kept.push_back({key, named});
    }
    return kept;
  }

 private:
  std::uint32_t titles_min() const { return std::max(titles_least, corpus_.size() / products_a_title); }

  bool may_be_name(const std::vector<std::string>& clause, std::size_t begin, std::size_t end) const {
    if (words_.describes(clause[begin]) || words_.describes(clause[end - 1])) return false;
    const std::string key = join_terms(clause, begin, end);
    return key.size() > 2 && !holds_figures(key) && category_.find(key) == nullptr && !store_keys_.contains(key);
  }

  // What first clauses end in: later ones tell what comes with the product ("with long cable").
  void find_ends() {
    std::unordered_map<std::string, std::uint32_t> ends;
    for (const auto& clauses : clauses_) {
      const auto& clause = clauses.front();
      const std::size_t end = noun_end(clause, words_);
      // "Dark roast coffee": the product's own name stands behind, though it is a colour's, too.
      const auto is_category = [&](const std::string& term) { return category_.find(term) != nullptr; };
      if (std::any_of(clause.begin() + static_cast<std::ptrdiff_t>(end), clause.end(), is_category)) continue;
      for (std::size_t size = 1; size <= std::min(name_terms_max, end); ++size) {
        if (may_be_name(clause, end - size, end)) ++ends[join_terms(clause, end - size, end)];
      }
    }
    for (const auto& [key, count] : ends) {
      if (count < titles_min()) continue;
      uses_[key].ends = count;
      last_words_.insert(key.substr(key.rfind(' ') + 1));
    }
  }

  std::set<Use*> uses_in(const std::vector<std::string>& clause) {
    std::set<Use*> found;
    for (std::size_t end = 1; end <= clause.size(); ++end) {
      if (!last_words_.contains(clause[end - 1])) continue;
      for (std::size_t size = 1; size <= std::min(name_terms_max, end); ++size) {
        const auto use = uses_.find(join_terms(clause, end - size, end));
        if (use != uses_.end()) found.insert(&use->second);
      }
    }
    return found;
  }

  void count_uses() {
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) {
      std::set<Use*> once = uses_in(clauses_[product].front());
      for (Use* use : once) ++use->first_clauses;
      for (std::size_t i = 1; i < clauses_[product].size(); ++i) once.merge(uses_in(clauses_[product][i]));
      for (Use* use : once) {
        ++use->titles;
        for (const std::uint32_t category : categories_of_[product]) ++use->categories[category];
      }
    }
  }

  // The smallest category that nearly all titles with the name are of.
  std::optional<std::uint32_t> category_of(const Use& use) const {
    if (use.ends * std::uint64_t{100} < use.first_clauses * ends_percent) return std::nullopt;
    std::optional<std::uint32_t> best;
    const auto size = [this](std::uint32_t category) { return category_.values[category].products.size(); };
    for (const auto& [category, titles] : use.categories) {
      if (titles * std::uint64_t{100} < use.titles * category_percent) continue;
      if (titles * std::uint64_t{100} < size(category) * called_percent || size(category) * 100 > corpus_.size() * whole_percent) continue;
      if (!best || size(category) < size(*best)) best = category;
    }
    return best;
  }

  // Ends in a name that stands alone often enough to be understood by itself.
  bool ends_in_name(std::string_view key, const std::map<std::string, std::uint32_t>& names) const {
    const std::uint64_t titles = uses_.at(std::string(key)).titles;
    for (std::size_t space = key.find(' '); space != std::string_view::npos; space = key.find(' ')) {
      key.remove_prefix(space + 1);
      if (category_.find(key) != nullptr) return true;
      const auto shorter = names.find(std::string(key));
      if (shorter != names.end() && titles * 100 < uses_.at(shorter->first).titles * bound_percent) return true;
    }
    return false;
  }

  const Corpus& corpus_;
  const FacetDraft& category_;
  DescribingWords words_;
  std::vector<std::vector<std::uint32_t>> categories_of_;  // by product
  std::unordered_set<std::string> store_keys_;
  std::vector<std::vector<std::vector<std::string>>> clauses_;  // by product
  std::map<std::string, Use> uses_;
  std::unordered_set<std::string> last_words_;
};

}  // namespace

std::vector<KindName> kind_names(const Corpus& corpus, const FacetDraft& category) { return NameMiner(corpus, category).run(); }

}  // namespace turnstone
