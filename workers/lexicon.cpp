#include "workers/lexicon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "storage/artefact/kept.h"
#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace {

constexpr std::size_t lexicons_kept = 8;
constexpr std::size_t mended_length_min = 4;
constexpr std::uint32_t dictionary_frequency_min = 3;  // rarer terms of a catalogue are as often slips as words
constexpr std::uint32_t language_weight = 400;         // language data and cues count as words met this often
constexpr std::array<std::string_view, 3> common_facets{"price", "rating", "rating_count"};

std::uint64_t letters_of(std::string_view word) {
  std::uint64_t letters = 0;
  for (const char c : word) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 'a' && u <= 'z')
      letters |= std::uint64_t{1} << (u - 'a');
    else
      letters |= std::uint64_t{1} << (26 + u % 38);
  }
  return letters;
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string words_joined(std::string_view key) {
  std::string joined;
  for (const char c : key) {
    if (c != ' ') joined.push_back(c);
  }
  return joined;
}

// Neighbours on the common Latin keyboard.
bool keys_touch(char a, char b) {
  constexpr std::array<std::string_view, 3> rows{"qwertyuiop", "asdfghjkl", "zxcvbnm"};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t at = rows[r].find(a);
    if (at == std::string_view::npos) continue;
    for (std::size_t q = r == 0 ? 0 : r - 1; q <= std::min(r + 1, rows.size() - 1); ++q) {
      const std::size_t other = rows[q].find(b);
      if (other == std::string_view::npos) continue;
      const auto distance = static_cast<long>(at) - static_cast<long>(other);
      if (q == r ? std::labs(distance) == 1 : (distance == 0 || distance == (q > r ? 1 : -1))) return true;
    }
  }
  return false;
}

bool is_vowel(char c) { return std::string_view("aeiouy").find(c) != std::string_view::npos; }

constexpr int cheapest_change = 8;  // of substitution()

int substitution(char a, char b) { return a == b ? 0 : keys_touch(a, b) ? cheapest_change : is_vowel(a) && is_vowel(b) ? 9 : 12; }

}  // namespace

int slip_cost(std::string_view from, std::string_view to, int limit) {
  constexpr std::size_t longest = 32;
  if (from.size() > longest || to.size() > longest) return limit + 1;
  std::array<std::array<int, longest + 1>, 3> rows{};
  const auto row = [&](std::size_t i) -> std::array<int, longest + 1>& { return rows[i % 3]; };
  const auto drop = [](std::string_view word, std::size_t i) { return i > 0 && word[i] == word[i - 1] ? 6 : 10; };
  row(0)[0] = 0;
  for (std::size_t j = 1; j <= to.size(); ++j) row(0)[j] = row(0)[j - 1] + drop(to, j - 1);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row(i)[0] = row(i - 1)[0] + drop(from, i - 1);
    int least = row(i)[0];
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const int first = i == 1 && j == 1 ? 4 : 0;  // the first letter is seldom wrong
      const int change = substitution(from[i - 1], to[j - 1]);
      int cost = row(i - 1)[j - 1] + change + (change > 0 ? first : 0);
      cost = std::min(cost, row(i - 1)[j] + drop(from, i - 1));
      cost = std::min(cost, row(i)[j - 1] + drop(to, j - 1));
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] && from[i - 1] != from[i - 2]) {
        cost = std::min(cost, row(i - 2)[j - 2] + 7);
      }
      row(i)[j] = cost;
      least = std::min(least, cost);
    }
    if (least > limit) return limit + 1;
  }
  const int cost = row(from.size())[to.size()];
  return cost > limit ? limit + 1 : cost;
}

class LexiconBuilder {
 public:
  LexiconBuilder(const Artefact& artefact, const Policy& policy) : artefact_(artefact), language_(artefact.language()), policy_(policy) {}

  std::shared_ptr<const Lexicon> build() {
    read_language();
    read_facets();
    read_use();
    read_concepts();
    read_openings();
    read_dictionary();
    return lexicon_;
  }

 private:
  void read_language() {
    for (const std::string_view table :
         {"color", "material", "size", "size_system", "size_width", "department", "recipient", "synonym", "price_level", "column_word"}) {
      auto& family = lexicon_->families_[std::string(table)];
      const bool named_by_code = table == "recipient" || table == "price_level";  // their groups are no words of the language
      for (const auto& [name, members] : language_.table(table)) {
        for (const std::string& member : members) {
          if (!(named_by_code && member == name)) family.emplace(term_key(member, language_), name);
        }
      }
      if (named_by_code) continue;
      // A group's own name belongs to the group, whatever other group lists it as a member.
      for (const auto& [name, members] : language_.table(table)) family.insert_or_assign(term_key(name, language_), name);
    }
    for (const std::string_view list : {"function", "filler", "meta"}) {
      auto& words = lexicon_->lists_[std::string(list)];
      for (const std::string& word : language_.list(list)) {
        words.emplace(word, true);
        words.emplace(term_key(word, language_), true);
      }
    }
  }

  void name_facet(std::string_view words, const std::string& facet) {
    const std::string key = term_key(words, language_);
    if (key.empty() || (has_digit(key) && key.find(' ') == std::string::npos)) return;
    const bool plain = policy_.cues().is(SpeechPart::plain_name, key);  // people use it as a plain word, too
    (plain ? lexicon_->plain_facet_names_ : lexicon_->facet_names_).emplace(key, facet);
    const auto count = static_cast<std::uint32_t>(1 + std::count(key.begin(), key.end(), ' '));
    lexicon_->longest_facet_name_ = std::max(lexicon_->longest_facet_name_, count);
  }

  void name_in_part(const Facet& facet) {
    std::string words(facet.label);
    std::replace(words.begin(), words.end(), '_', ' ');
    const std::string key = term_key(words, language_);
    for (std::size_t at = key.find(' '); at != std::string::npos; at = key.find(' ', at + 1)) {
      lexicon_->part_names_[key.substr(at + 1)].push_back(facet.id);
    }
  }

  void read_openings() {
    for (const Facet& facet : artefact_.facets()) {
      const bool of_kinds = facet.name == "category" || facet.name == "brand" || facet.name == "feature" || facet.name == "department";
      if (facet.kind != FacetKind::words || facet.verdict < Verdict::filter || of_kinds) continue;
      for (const FacetValue& value : artefact_.values(facet.id)) {
        const std::string_view first = value.key.substr(0, value.key.find(' '));
        if (first.size() < 3 || first.size() == value.key.size() || has_digit(first) || lexicon_->in_list("function", first)) continue;
        auto& openings = lexicon_->openings_[std::string(first)];
        if (openings.empty() || openings.back().facet != facet.id) openings.push_back({facet.id, 0, {}});
        openings.back().count += value.count;
        openings.back().values.push_back(value.id);
      }
    }
    for (auto& [first, openings] : lexicon_->openings_) {
      std::stable_sort(openings.begin(), openings.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    }
  }

  // The names of columns as what they say, so that they are known in other words and in part.
  void read_concepts() {
    for (const auto& [member, group] : lexicon_->families_["column_word"]) {
      const auto words = static_cast<std::uint32_t>(1 + std::count(member.begin(), member.end(), ' '));
      lexicon_->longest_concept_ = std::max(lexicon_->longest_concept_, words);
    }
    std::vector<const Facet*> fullest;
    lexicon_->concepts_.resize(artefact_.facets().size());
    for (const Facet& facet : artefact_.facets()) {
      if (facet.kind == FacetKind::number || (facet.kind == FacetKind::words && facet.verdict >= Verdict::filter)) fullest.push_back(&facet);
    }
    std::stable_sort(fullest.begin(), fullest.end(), [](const Facet* a, const Facet* b) { return a->filled > b->filled; });
    for (const Facet* facet : fullest) {
      std::string words(facet->label);
      std::replace(words.begin(), words.end(), '_', ' ');
      auto& concepts = lexicon_->concepts_[facet->id.value];
      concepts = lexicon_->concepts_in(term_key(words, language_));
      std::string key;
      for (const std::string& word : concepts) {
        key += (key.empty() ? "" : " ") + word;
        auto& columns = lexicon_->columns_saying_[word];
        if (columns.empty() || columns.back() != facet->id) columns.push_back(facet->id);
      }
      lexicon_->alike_[key].push_back(facet->id);
    }
  }

  void read_facets() {
    for (const Facet& facet : artefact_.facets()) {
      const std::string name(facet.name);
      std::string words = name;
      std::replace(words.begin(), words.end(), '_', ' ');
      if (facet.verdict != Verdict::ignore || facet.kind == FacetKind::number) {
        name_facet(words, name);
        name_facet(facet.label, name);
        if (facet.kind == FacetKind::number) name_in_part(facet);
      }
    }
    for (const std::string_view word : {"color", "colour", "material", "fabric", "brand", "manufacturer", "maker", "size", "style", "department",
                                        "gender", "occasion", "budget", "price", "price range", "category", "pattern", "shade"}) {
      const std::string facet = word == "budget" || word == "price range" ? "price" : word == "shade" ? "color" : language_.facet_of_column(word);
      name_facet(word, facet);
    }
    for (const Facet& facet : artefact_.facets()) {
      if (facet.kind != FacetKind::words) continue;
      for (const FacetValue& value : artefact_.values(facet.id)) {
        if (value.count < 2 || value.key.find(' ') == std::string_view::npos || value.key.size() > 40) continue;
        lexicon_->spaced_.emplace(words_joined(value.key), std::string(value.key));
      }
    }
  }

  // Which columns the products of each category fill, and how many of them.
  void read_use() {
    const Facet* category = artefact_.facet("category");
    const auto facets = artefact_.facets();
    const std::size_t categories = category == nullptr ? 0 : category->value_count;
    lexicon_->first_category_ = category == nullptr ? ValueId{} : category->first_value;
    lexicon_->facet_count_ = facets.size();
    lexicon_->filled_.assign(categories * facets.size(), 0);
    std::vector<std::vector<std::uint32_t>> categories_of(artefact_.product_count());
    for (std::uint32_t i = 0; i < categories; ++i) {
      for (const Ordinal product : artefact_.products_with(ValueId{category->first_value.value + i})) categories_of[product.value].push_back(i);
    }
    const auto count = [&](Ordinal product, const Facet& facet) {
      for (const std::uint32_t i : categories_of[product.value]) ++lexicon_->filled_[i * facets.size() + facet.id.value];
    };
    for (const Facet& facet : facets) {
      if (facet.kind == FacetKind::number) {
        const auto rows = artefact_.number_column(facet.id);
        lexicon_->all_numbers_.push_back({facet.id, static_cast<std::uint32_t>(rows.size())});
        for (const Artefact::NumberRow& row : rows) count(row.product, facet);
      } else if (facet.verdict >= Verdict::filter) {
        for (std::uint32_t i = 0; i < facet.value_count; ++i) {
          for (const Ordinal product : artefact_.products_with(ValueId{facet.first_value.value + i})) count(product, facet);
        }
      }
    }
    const auto most_filled = [](const NumberUse& a, const NumberUse& b) { return a.filled != b.filled ? a.filled > b.filled : a.facet < b.facet; };
    std::sort(lexicon_->all_numbers_.begin(), lexicon_->all_numbers_.end(), most_filled);
    lexicon_->numbers_.resize(categories);
    for (std::size_t i = 0; i < categories; ++i) {
      for (const NumberUse& all : lexicon_->all_numbers_) {
        const std::uint32_t filled = lexicon_->filled_[i * facets.size() + all.facet.value];
        if (filled > 0) lexicon_->numbers_[i].push_back({all.facet, filled});
      }
      std::sort(lexicon_->numbers_[i].begin(), lexicon_->numbers_[i].end(), most_filled);
    }
  }

  void read_dictionary() {
    auto& weight = lexicon_->weight_;
    const std::uint32_t floor = artefact_.product_count() < 2'000 ? 1 : dictionary_frequency_min;
    for (std::uint32_t i = 0; i < artefact_.term_count(); ++i) {
      const TermId term{i};
      const std::uint32_t frequency = artefact_.document_frequency(term);
      const std::string_view text = artefact_.term_text(term);
      if (frequency >= floor && text.size() >= 3 && !has_digit(text)) weight.emplace(std::string(text), frequency);
    }
    const auto add = [&](std::string_view key) {
      for (std::size_t at = 0; at < key.size();) {
        const std::size_t end = std::min(key.find(' ', at), key.size());
        const std::string_view word = key.substr(at, end - at);
        if (word.size() >= 3 && !has_digit(word)) weight[std::string(word)] += language_weight;
        at = end + 1;
      }
    };
    for (const std::string& word : policy_.cues().words()) add(word);
    for (const auto& [table, members] : lexicon_->families_) {
      for (const auto& [key, family] : members) add(key);
    }
    for (const auto& [list, words] : lexicon_->lists_) {
      for (const auto& [key, yes] : words) add(key);
    }
    for (const auto& [name, facet] : lexicon_->facet_names_) add(name);
    for (const auto& [word, count] : weight) {
      if (word.size() >= lexicon_->by_length_.size()) lexicon_->by_length_.resize(word.size() + 1);
      lexicon_->by_length_[word.size()].letters.push_back(letters_of(word));
      lexicon_->by_length_[word.size()].entries.push_back({count, word});
    }
  }

  const Artefact& artefact_;
  const Language& language_;
  const Policy& policy_;
  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
};

std::shared_ptr<const Lexicon> Lexicon::of(const Artefact& artefact, const Policy& policy) {
  using Key = std::pair<Fingerprint, Fingerprint>;
  static Kept<Key, Lexicon> kept(lexicons_kept);
  return kept.get({artefact.fingerprint(), policy.fingerprint()}, [&] { return LexiconBuilder(artefact, policy).build(); });
}

std::optional<std::string> Lexicon::family(std::string_view table, std::string_view key) const {
  const auto members = families_.find(table);
  if (members == families_.end()) return std::nullopt;
  const auto found = members->second.find(key);
  return found == members->second.end() ? std::nullopt : std::optional(found->second);
}

bool Lexicon::in_list(std::string_view list, std::string_view key) const {
  const auto words = lists_.find(list);
  return words != lists_.end() && words->second.find(key) != words->second.end();
}

std::optional<std::string> Lexicon::facet_named(std::string_view key, bool before_colon) const {
  if (before_colon) {
    const auto plain = plain_facet_names_.find(key);
    if (plain != plain_facet_names_.end()) return plain->second;
  }
  const auto found = facet_names_.find(key);
  return found == facet_names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Lexicon::spaced(std::string_view joined) const {
  const auto found = spaced_.find(joined);
  return found == spaced_.end() ? std::nullopt : std::optional(found->second);
}

std::string Lexicon::concept_of(std::string_view key) const {
  if (auto group = family("column_word", key)) return *group;
  if (auto group = family("synonym", key)) return *group;
  return std::string(key);
}

std::vector<std::string> Lexicon::concepts_in(std::string_view key) const {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t end = std::min(key.find(' ', at), key.size());
    words.push_back(key.substr(at, end - at));
    at = end + 1;
  }
  std::vector<std::string> concepts;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t length = std::min<std::size_t>(longest_concept_, words.size() - i);
    const auto phrase = [&] {
      const auto begin = static_cast<std::size_t>(words[i].data() - key.data());
      return key.substr(begin, static_cast<std::size_t>(words[i + length - 1].data() - key.data()) + words[i + length - 1].size() - begin);
    };
    while (length > 1 && !family("column_word", phrase())) --length;
    concepts.push_back(concept_of(phrase()));
    i += length;
  }
  return concepts;
}

const std::vector<Lexicon::Opening>& Lexicon::opened_by(std::string_view term) const {
  static const std::vector<Opening> none;
  const auto found = openings_.find(term);
  return found == openings_.end() ? none : found->second;
}

const std::vector<FacetId>& Lexicon::named_alike(std::string_view concepts) const {
  static const std::vector<FacetId> none;
  const auto found = alike_.find(concepts);
  return found == alike_.end() ? none : found->second;
}

const std::vector<FacetId>& Lexicon::columns_saying(std::string_view concept_word) const {
  static const std::vector<FacetId> none;
  const auto found = columns_saying_.find(concept_word);
  return found == columns_saying_.end() ? none : found->second;
}

const std::vector<FacetId>& Lexicon::named_in_part(std::string_view key) const {
  static const std::vector<FacetId> none;
  const auto found = part_names_.find(key);
  return found == part_names_.end() ? none : found->second;
}

const std::vector<NumberUse>& Lexicon::numbers_of(std::optional<ValueId> category) const {
  static const std::vector<NumberUse> none;
  if (!category) return all_numbers_;
  const std::size_t i = category->value - first_category_.value;
  return i < numbers_.size() ? numbers_[i] : none;
}

std::uint32_t Lexicon::filled(ValueId category, FacetId facet) const {
  const std::size_t i = (category.value - first_category_.value) * facet_count_ + facet.value;
  return category >= first_category_ && i < filled_.size() ? filled_[i] : 0;
}

bool Lexicon::is_known(std::string_view term) const { return weight_.find(term) != weight_.end(); }

std::optional<std::string> Lexicon::mend(std::string_view term) const {
  if (term.size() < mended_length_min || term.size() > 24 || has_digit(term)) return std::nullopt;
  const auto own = weight_.find(term);
  const std::uint32_t own_weight = own == weight_.end() ? 0 : own->second;
  const bool hardly_known = own_weight > 0;
  if (own_weight > 6) return std::nullopt;
  const int limit = hardly_known ? 10 : term.size() == 4 ? 10 : term.size() <= 6 ? 14 : 20;
  const std::uint64_t letters = letters_of(term);
  const int letters_differ = 2 * (limit / cheapest_change);  // a changed letter differs in two bits, any other slip in fewer
  struct Found {
    int cost = 1000;
    std::uint32_t weight = 0;
    const std::string* word = nullptr;
  };
  Found best;
  Found second;
  for (std::size_t size = term.size() - std::min<std::size_t>(2, term.size()); size <= term.size() + 2 && size < by_length_.size(); ++size) {
    const Shelf& shelf = by_length_[size];
    for (std::size_t i = 0; i < shelf.letters.size(); ++i) {
      if (std::popcount(shelf.letters[i] ^ letters) > letters_differ) continue;
      const Entry& entry = shelf.entries[i];
      if (hardly_known && entry.weight < 60 * own_weight) continue;
      if (entry.word == term) continue;
      const int cost = slip_cost(term, entry.word, limit);
      if (cost > limit) continue;
      const Found found{cost, entry.weight, &entry.word};
      // A slip less costs as much as being met eight times as often.
      const auto rank = [](const Found& f) { return f.cost * 2 - 2 * static_cast<int>(std::bit_width(f.weight)); };
      if (best.word == nullptr || rank(found) < rank(best)) {
        second = best;
        best = found;
      } else if (second.word == nullptr || rank(found) < rank(second)) {
        second = found;
      }
    }
  }
  if (best.word == nullptr) return std::nullopt;
  if (second.word != nullptr && second.cost <= best.cost && second.weight * 2 > best.weight) return std::nullopt;
  return *best.word;
}

}  // namespace turnstone
