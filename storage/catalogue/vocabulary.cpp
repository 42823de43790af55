#include "storage/catalogue/vocabulary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/category_words.h"
#include "storage/catalogue/facets.h"
#include "storage/catalogue/kind_names.h"

namespace turnstone {
namespace {

constexpr std::uint32_t joined_terms_max = 3;
constexpr std::size_t joined_bytes_min = 4;

std::uint32_t term_count(std::string_view key) { return key.empty() ? 0 : static_cast<std::uint32_t>(std::count(key.begin(), key.end(), ' ')) + 1; }

std::string without_spaces(std::string key) {
  std::erase(key, ' ');
  return key;
}

class Vocabulary {
 public:
  explicit Vocabulary(const Language& language) : language_(language) {}

  void add(const std::string& key, const Sense& sense) {
    if (key.empty() || term_count(key) > phrase_terms_max || says_nothing(key)) return;
    auto& senses = phrases_[key];
    const bool known = std::any_of(senses.begin(), senses.end(), [&sense](const Sense& s) { return s.value == sense.value; });
    if (!known) senses.push_back(sense);
  }

  bool knows(const std::string& key) const { return phrases_.contains(key); }

  std::vector<PhraseDraft> take() {
    std::vector<PhraseDraft> drafts;
    drafts.reserve(phrases_.size());
    for (auto& [key, senses] : phrases_) {
      std::sort(senses.begin(), senses.end(), [](const Sense& a, const Sense& b) {
        if (a.count != b.count) return a.count > b.count;
        return a.facet != b.facet ? a.facet < b.facet : a.value < b.value;
      });
      drafts.push_back({key, std::move(senses)});
    }
    return drafts;
  }

 private:
  bool says_nothing(const std::string& key) const {
    if (key.find_first_not_of("0123456789. ") == std::string::npos) return true;
    return term_count(key) == 1 && language_.in_list("function", key);
  }

  const Language& language_;
  std::map<std::string, std::vector<Sense>> phrases_;
};

struct Numbered {
  const FacetDraft* facet = nullptr;
  FacetId id;
  std::uint32_t first_value = 0;

  Sense sense(std::size_t i) const {
    return {id, ValueId{first_value + static_cast<std::uint32_t>(i)}, static_cast<std::uint32_t>(facet->values[i].products.size())};
  }
};

void add_joined(const Numbered& facet, Vocabulary& vocabulary) {
  for (std::size_t i = 0; i < facet.facet->values.size(); ++i) {
    const std::string& key = facet.facet->values[i].key;
    const std::uint32_t terms = term_count(key);
    if (terms < 2 || terms > joined_terms_max) continue;
    const std::string joined = singular(without_spaces(key));
    if (joined.size() >= (facet.facet->name == "brand" ? 2 : joined_bytes_min)) vocabulary.add(joined, facet.sense(i));
  }
}

// "Oak & Iron Co." is also said as "Oak and Iron Co" and "Oak and Iron": with the sign spoken, and without what the law calls the firm.
void add_spoken_brands(const Numbered& brand, const Language& language, Vocabulary& vocabulary) {
  const auto is_word_elsewhere = [&language](const std::string& key) {
    return language.family_of("color", key) || language.family_of("material", key) || language.in_list("function", key) || language.in_list("filler", key);
  };
  const auto add_short = [&](std::string key, const Sense& sense) {
    for (std::size_t space = key.rfind(' '); space != std::string::npos && language.in_list("company_form", key.substr(space + 1)); space = key.rfind(' ')) {
      key.resize(space);
      if (key.ends_with(" and")) key.resize(key.size() - 4);
      if (key.find(' ') != std::string::npos || !is_word_elsewhere(key)) vocabulary.add(key, sense);
    }
  };
  for (std::size_t i = 0; i < brand.facet->values.size(); ++i) {
    const ValueDraft& value = brand.facet->values[i];
    add_short(value.key, brand.sense(i));
    std::string spoken;
    for (const char c : value.text()) spoken += c == '&' || c == '+' ? std::string(" and ") : std::string(1, c);
    const std::string key = term_key(spoken, language);
    if (key == value.key || key.starts_with("and ") || key.ends_with(" and")) continue;
    vocabulary.add(key, brand.sense(i));
    add_short(key, brand.sense(i));
  }
}

// "cooler" → CPU Cooler: the head of a category's name, where no category is called so itself.
void add_heads(const Numbered& category, Vocabulary& vocabulary) {
  std::map<std::string, std::vector<Sense>> heads;
  for (std::size_t i = 0; i < category.facet->values.size(); ++i) {
    const std::string& key = category.facet->values[i].key;
    if (term_count(key) < 2) continue;
    const std::string head = key.substr(key.rfind(' ') + 1);
    if (head.size() > 2 && category.facet->find(head) == nullptr) heads[head].push_back(category.sense(i));
  }
  for (const auto& [head, senses] : heads) {
    for (const Sense& sense : senses) vocabulary.add(head, sense);
  }
}

void add_table_members(const Numbered& facet, const Language& language, Vocabulary& vocabulary) {
  const TableFacet* rule = table_facet(facet.facet->name);
  if (rule == nullptr) return;
  const TableMatcher table(language, rule->name);
  for (const auto& [member, match] : table.members()) {
    if (facet.facet->find(member) != nullptr) continue;
    const auto family = facet.facet->index.find(*match.family);
    if (family != facet.facet->index.end()) vocabulary.add(member, facet.sense(family->second));
  }
}

}  // namespace

std::vector<PhraseDraft> build_vocabulary(const Corpus& corpus, const FacetDrafts& facets) {
  const Language& language = corpus.language();
  Vocabulary vocabulary(language);
  std::vector<Numbered> numbered;
  std::uint32_t next_value = 0;
  for (const auto& [name, facet] : facets) {
    numbered.push_back({&facet, FacetId{static_cast<std::uint32_t>(numbered.size())}, next_value});
    next_value += static_cast<std::uint32_t>(facet.values.size());
  }
  for (const Numbered& facet : numbered) {
    if (facet.facet->verdict < Verdict::filter) continue;
    if (facet.facet->kind == FacetKind::yes_no) {
      const auto yes = facet.facet->index.find("yes");
      if (yes != facet.facet->index.end()) vocabulary.add(term_key(facet.facet->label, language), facet.sense(yes->second));
      continue;
    }
    for (std::size_t i = 0; i < facet.facet->values.size(); ++i) vocabulary.add(facet.facet->values[i].key, facet.sense(i));
  }
  for (const Numbered& facet : numbered) {
    if (facet.facet->verdict < Verdict::filter || facet.facet->kind != FacetKind::words) continue;
    add_table_members(facet, language, vocabulary);
    if (facet.facet->name == "brand" || facet.facet->name == "category") add_joined(facet, vocabulary);
    if (facet.facet->name == "brand") add_spoken_brands(facet, language, vocabulary);
    if (facet.facet->name != "category") continue;
    add_heads(facet, vocabulary);
    const auto brand = facets.find("brand");
    for (const auto& names : {kind_names(corpus, *facet.facet), category_words(corpus, *facet.facet)}) {
      for (const KindName& name : names) {
        const bool maker = brand != facets.end() && brand->second.find(name.key) != nullptr;
        if (!maker) vocabulary.add(name.key, facet.sense(name.category));
      }
    }
  }
  return vocabulary.take();
}

}  // namespace turnstone
