#include "storage/catalogue/category_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace turnstone {
namespace {

constexpr std::uint32_t products_min = 5;      // of the category
constexpr std::uint64_t borne_percent = 50;    // of its titles hold the word
constexpr std::uint64_t own_percent = 95;      // of what holds the word is of the category
constexpr std::size_t stem_bytes_min = 4;
constexpr std::size_t ending_bytes_max = 2;
constexpr std::size_t alone_bytes_min = 4;

bool is_other_form(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() != b.size() && a.size() >= stem_bytes_min && b.size() - a.size() <= ending_bytes_max && b.starts_with(a);
}

std::vector<std::string_view> words_of(std::string_view key) {
  std::vector<std::string_view> words;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find(' '), key.size());
    words.push_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return words;
}

class CategoryWords {
 public:
  CategoryWords(const Corpus& corpus, const FacetDraft& category) : corpus_(corpus), category_(category) {
    for (std::uint32_t i = 0; i < category.values.size(); ++i) keys_.push_back(words_of(category.values[i].key));
  }

  std::vector<KindName> run() {
    for (std::uint32_t i = 0; i < category_.values.size(); ++i) {
      if (category_.values[i].products.size() >= products_min) look_at(i);
    }
    count_everywhere();
    std::map<std::string, std::uint32_t> names;  // of two categories the smaller
    for (const Candidate& candidate : candidates_) {
      const std::uint32_t everywhere = candidate.alone ? listings_[candidate.term] : titles_[candidate.term];
      if (candidate.titles * std::uint64_t{100} < everywhere * own_percent) continue;
      const auto [name, added] = names.emplace(candidate.key, candidate.category);
      if (!added && size(candidate.category) < size(name->second)) name->second = candidate.category;
    }
    std::vector<KindName> kept;
    for (const auto& [key, named] : names) kept.push_back({key, named});
    return kept;
  }

 private:
  struct Candidate {
    std::string key;
    std::uint32_t category = 0;
    std::uint32_t term = 0;
    std::uint32_t titles = 0;  // of the category, that hold the term
    bool alone = false;        // a first word, rather than another form
  };

  std::size_t size(std::uint32_t category) const { return category_.values[category].products.size(); }

  void look_at(std::uint32_t category) {
    std::map<std::uint32_t, std::uint32_t> titles;  // by term
    for (const std::uint32_t product : category_.values[category].products) {
      std::set<std::uint32_t> once;
      for (const std::uint32_t term : corpus_.title_terms(product)) once.insert(term);
      for (const std::uint32_t term : once) ++titles[term];
    }
    for (const auto& [term, count] : titles) {
      if (count * std::uint64_t{100} < size(category) * borne_percent) continue;
      const std::string_view word = corpus_.term_texts()[term];
      const auto& key = keys_[category];
      if (key.size() == 2 && key[0] == word && word.size() >= alone_bytes_min && !says_something_else(word)) add(std::string(word), category, term, count, true);
      for (std::size_t at = 0; at < key.size(); ++at) {
        if (!is_other_form(key[at], word)) continue;
        std::string other;
        for (std::size_t i = 0; i < key.size(); ++i) other += (i > 0 ? " " : "") + std::string(i == at ? word : key[i]);
        add(std::move(other), category, term, count, false);
      }
    }
  }

  void add(std::string key, std::uint32_t category, std::uint32_t term, std::uint32_t titles, bool alone) {
    if (category_.find(key) == nullptr) candidates_.push_back({std::move(key), category, term, titles, alone});
  }

  bool says_something_else(std::string_view word) const {
    const Language& language = corpus_.language();
    const std::string text(word);
    const bool listed = language.in_list("function", text) || language.in_list("filler", text) || language.in_list("meta", text);
    return listed || language.family_of("color", text) || language.family_of("material", text) || language.family_of("size", text) ||
           language.family_of("department", text) || language.family_of("recipient", text);
  }

  // Titles and listings that hold each candidate's term.
  void count_everywhere() {
    for (const Candidate& candidate : candidates_) {
      titles_.emplace(candidate.term, 0);
      if (candidate.alone) listings_.emplace(candidate.term, 0);
    }
    if (titles_.empty()) return;
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) {
      std::set<std::uint32_t> in_title;
      for (const std::uint32_t term : corpus_.title_terms(product)) {
        if (titles_.contains(term)) in_title.insert(term);
      }
      for (const std::uint32_t term : in_title) ++titles_[term];
      if (listings_.empty()) continue;
      std::set<std::uint32_t> anywhere;
      for (const CorpusPart& part : corpus_.parts(product)) {
        for (const std::uint32_t term : corpus_.terms(part)) {
          if (listings_.contains(term)) anywhere.insert(term);
        }
      }
      for (const std::uint32_t term : anywhere) ++listings_[term];
    }
  }

  const Corpus& corpus_;
  const FacetDraft& category_;
  std::vector<std::vector<std::string_view>> keys_;
  std::vector<Candidate> candidates_;
  std::map<std::uint32_t, std::uint32_t> titles_;
  std::map<std::uint32_t, std::uint32_t> listings_;
};

}  // namespace

std::vector<KindName> category_words(const Corpus& corpus, const FacetDraft& category) { return CategoryWords(corpus, category).run(); }

}  // namespace turnstone
