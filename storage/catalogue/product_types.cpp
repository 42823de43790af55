#include "storage/catalogue/product_types.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/title_clauses.h"

namespace turnstone {
namespace {

constexpr std::size_t type_terms_max = 4;
constexpr double seller_share_min = 0.8;       // of a node's titles that start with the node's own first words
constexpr std::uint32_t head_titles_min = 5;   // titles that must end in a word before it is a type …
constexpr double head_share_min = 0.5;         // … and their share among the titles that hold it
constexpr double collocation_share_min = 0.5;  // P(second word | first word) of a two-word type
constexpr std::uint32_t pair_ends_percent = 30;  // of the clauses with a type before a noun, titles that end so: "short sleeve" is no kind

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// A node or type as it will be a value.
struct Name {
  std::string key;
  std::string text;
};

struct Node {
  std::vector<Name> values;  // the node itself, or its alternatives
  std::vector<Name> parts;   // of "Jackets & Coats": used when the title names no type
};

// Tokens of `text` without audience words and grammar words at its ends; the text between.
std::pair<std::vector<Token>, std::string> core_of(const std::string& text, const DescribingWords& words) {
  std::vector<Token> tokens = tokenise(text, words.language());
  const auto at_edge = [&words](const Token& token) {
    return words.audiences().exact(token.term) != nullptr || (token.surface.size() > 1 && words.language().in_list("function", token.surface));
  };
  while (!tokens.empty() && at_edge(tokens.back())) tokens.pop_back();
  std::size_t first = 0;
  while (first < tokens.size() && at_edge(tokens[first])) ++first;
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first));
  if (tokens.empty()) return {};
  return {tokens, text.substr(tokens.front().begin, tokens.back().end - tokens.front().begin)};
}

Name name_of(std::string_view text, const DescribingWords& words) {
  auto [tokens, kept] = core_of(std::string(text), words);
  Name name{.key = {}, .text = std::move(kept)};
  for (const Token& token : tokens) {
    if (!name.key.empty()) name.key += ' ';
    name.key += token.term;
  }
  return name;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

// "Jackets & Coats", "Shirts, Tops and Tunics" → the parts; empty when it is one.
std::vector<Name> parts_of(const std::string& text, const DescribingWords& words) {
  std::string marked = text;
  for (std::size_t at = marked.find(" and "); at != std::string::npos; at = marked.find(" and ", at)) marked.replace(at, 5, " & ");
  const auto pieces = split_at(marked, "&,");
  std::vector<Name> parts;
  if (pieces.size() < 2) return parts;
  for (const std::string_view piece : pieces) {
    Name name = name_of(piece, words);
    if (!name.key.empty() && !holds_figures(name.key)) parts.push_back(std::move(name));
  }
  return parts;
}

// `alternatives`: "Hat/beanie" names two things. Only ends of paths do; above them a slash joins what a shop keeps
// together ("Lingeries/Tights").
Node read_node(const std::string& raw, bool alternatives_allowed, const DescribingWords& words) {
  Node node;
  const std::string text = split_camel_case(raw);
  const Name whole = name_of(text, words);
  if (whole.key.empty() || holds_figures(whole.key) || words.describes_only(whole.key)) return node;
  const auto alternatives = split_at(whole.text, "/|");
  if (alternatives.size() > 1 && alternatives_allowed) {
    for (const std::string_view piece : alternatives) {
      Name name = name_of(piece, words);
      if (!name.key.empty() && !words.describes_only(name.key)) node.values.push_back(std::move(name));
    }
  } else {
    node.values.push_back(whole);
  }
  node.parts = parts_of(whole.text, words);
  return node;
}

class TypeMiner {
 public:
  TypeMiner(const Corpus& corpus, const std::vector<Column>& columns, FacetDraft& facet)
      : corpus_(corpus), columns_(columns), facet_(facet), words_(corpus.language()) {}

  void run() {
    read_stores();
    read_nodes();
    drop_seller_nodes();
    for (const auto& [raw, node] : nodes_) {
      for (const Name& name : node.values) add_type(name.key);
      for (const Name& name : node.parts) add_type(name.key);
    }
    read_type_columns();
    read_titles();
    mine_heads();
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) assign(product);
  }

 private:
  void read_stores() {
    std::unordered_map<std::string_view, std::string> keys;
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) {
      const auto [key, added] = keys.try_emplace(corpus_.row(product).store);
      if (added) key->second = term_key(key->first, words_.language());
      store_keys_.push_back(key->second);
    }
  }

  void read_nodes() {
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) {
      const auto& path = corpus_.row(product).categories;
      for (const std::string& raw : path) {
        const auto [node, added] = nodes_.try_emplace({raw, &raw == &path.back()});
        if (added) node->second = read_node(raw, node->first.second, words_);
        node_products_[node->first].push_back(product);
      }
    }
  }

  // "Jazzy Ben Shirts" → "shirt", when nearly all its titles (or stores) start with "Jazzy Ben".
  void drop_seller_nodes() {
    for (auto& [raw, node] : nodes_) {
      if (node.values.size() != 1) continue;
      const std::vector<Token> tokens = tokenise(node.values[0].text, words_.language());
      const auto& products = node_products_[raw];
      for (std::size_t prefix = tokens.size(); prefix-- > 1;) {
        if (share_starting_with(tokens, prefix, products) < seller_share_min) continue;
        const std::string text = node.values[0].text.substr(tokens[prefix].begin);
        node.values[0] = name_of(text, words_);
        node.parts.clear();
        if (node.values[0].key.empty()) node.values.clear();
        break;
      }
    }
  }

  double share_starting_with(const std::vector<Token>& tokens, std::size_t prefix, const std::vector<std::uint32_t>& products) const {
    std::string key;
    for (std::size_t i = 0; i < prefix; ++i) key += (i == 0 ? "" : " ") + tokens[i].term;
    std::size_t starting = 0;
    for (const std::uint32_t product : products) {
      const auto title = corpus_.title_terms(product);
      bool starts = title.size() > prefix;
      for (std::size_t i = 0; starts && i < prefix; ++i) starts = corpus_.term_texts()[title[i]] == tokens[i].term;
      starting += starts || store_keys_[product] == key;
    }
    return static_cast<double>(starting) / static_cast<double>(products.size());
  }

  void read_type_columns() {
    for (const Column& column : columns_) {
      if (column.facet != "category" || column.verdict < Verdict::filter) continue;
      for (const DistinctValue& value : column.distinct) {
        if (value.cell.shape != CellShape::words) continue;
        const auto [node, added] = typed_.try_emplace(std::string(value.text));
        if (!added) continue;
        node->second = read_node(node->first, true, words_);
        for (const Name& name : node->second.values) add_type(name.key);
        for (const Name& name : node->second.parts) add_type(name.key);
      }
      for (const ColumnCell& cell : column.cells) column_values_[cell.product].push_back(column.distinct[cell.distinct].text);
    }
  }

  void add_type(const std::string& key) {
    if (key.empty() || words_.describes_only(key) || static_cast<std::size_t>(std::count(key.begin(), key.end(), ' ')) >= type_terms_max) return;
    types_.insert(key);
  }

  void read_titles() {
    clauses_.reserve(corpus_.size());
    for (std::uint32_t product = 0; product < corpus_.size(); ++product) clauses_.push_back(title_clauses(corpus_.row(product).title, words_));
  }

  // Words that titles end in, and word pairs whose first word hardly stands without the second ("bow tie").
  void mine_heads() {
    std::unordered_map<std::string, std::uint32_t> titles;
    std::unordered_map<std::string, std::uint32_t> ends;
    std::unordered_map<std::string, std::uint32_t> pair_ends;
    std::unordered_map<std::string, std::uint32_t> pairs;
    for (const auto& clauses : clauses_) {
      std::set<std::string> once;
      for (const auto& clause : clauses) once.insert(clause.begin(), clause.end());
      for (const std::string& term : once) ++titles[term];
      for (const auto& clause : clauses) {
        for (std::size_t i = 1; i < clause.size(); ++i) {
          if (types_.contains(clause[i - 1])) ++pairs[join_terms(clause, i - 1, i + 1)];
        }
      }
      const auto& first = clauses.front();
      const std::size_t end = noun_end(first, words_);
      if (end == 0) continue;
      ++ends[first[end - 1]];
      if (end > 1) ++pair_ends[join_terms(first, end - 2, end)];
    }
    const std::unordered_set<std::string> brands(store_keys_.begin(), store_keys_.end());
    const std::uint32_t titles_min = std::max(head_titles_min, corpus_.size() / 10'000);
    for (const auto& [term, count] : ends) {
      const bool head = count >= titles_min && count >= head_share_min * titles[term] && term.size() > 2 && !holds_figures(term);
      if (head && !brands.contains(term)) mined_.insert(term);
    }
    const auto is_type = [this](const std::string& key) { return types_.contains(key) || mined_.contains(key); };
    for (const auto& [pair, count] : pair_ends) {
      const std::string first = pair.substr(0, pair.find(' '));
      const std::string second = pair.substr(first.size() + 1);
      if (holds_figures(pair) || !is_type(second)) continue;
      const bool bound = count >= titles_min && count >= collocation_share_min * titles[first];
      if (bound && !words_.describes(first) && !brands.contains(first)) mined_.insert(pair);
      if (bound && first.size() == 1 && is_lower(first[0])) types_.insert(pair);  // "t shirt"
    }
    // A type before a noun that titles end in: "watch band", "shirt dress".
    for (const auto& [pair, count] : pairs) {
      const std::string first = pair.substr(0, pair.find(' '));
      const std::string second = pair.substr(first.size() + 1);
      const bool ends_titles = pair_ends[pair] * 100 >= count * pair_ends_percent;
      if (count >= titles_min && ends_titles && first != second && ends[second] >= titles_min && !holds_figures(pair) && !words_.describes(second))
        types_.insert(pair);
    }
  }

  void assign(std::uint32_t product) {
    std::set<std::string> given;
    const auto give = [&](const std::string& key, std::string_view text) {
      if (!key.empty() && !words_.describes_only(key) && given.insert(key).second) facet_.add(product, key, text);
    };
    const auto& path = corpus_.row(product).categories;
    const Node* leaf = nullptr;
    const auto give_node = [&](const Node& node) {
      for (const Name& name : node.values) {
        give(name.key, name.text);
        if (node.parts.empty()) give_suffixes(name.key, give);
      }
    };
    for (const std::string& raw : path) {
      leaf = &nodes_.at({raw, &raw == &path.back()});
      give_node(*leaf);
    }
    if (const auto values = column_values_.find(product); values != column_values_.end()) {
      for (const std::string_view value : values->second) {
        const auto node = typed_.find(std::string(value));
        if (node != typed_.end()) give_node(node->second);
      }
    }
    const bool placed = !given.empty();  // mined types are for products that nothing else names
    if (give_title_type(product, placed, give) || leaf == nullptr) return;
    for (const Name& name : leaf->parts) give(name.key, name.text);
  }

  // A "dress shirt" is a shirt.
  template <class Give>
  void give_suffixes(std::string_view key, Give give) const {
    for (std::size_t space = key.find(' '); space != std::string_view::npos; space = key.find(' ')) {
      key.remove_prefix(space + 1);
      if (types_.contains(std::string(key))) give(std::string(key), {});
    }
  }

  // The last type in the first clause that has one, and the shorter types that it ends in.
  template <class Give>
  bool give_title_type(std::uint32_t product, bool placed, Give give) const {
    for (const auto& clause : clauses_[product]) {
      for (std::size_t end = clause.size(); end > 0; --end) {
        bool found = false;
        for (std::size_t size = std::min(type_terms_max, end); size > 0; --size) {
          const std::string key = join_terms(clause, end - size, end);
          if (!types_.contains(key) && (placed || !mined_.contains(key))) continue;
          give(key, {});
          found = true;
        }
        if (found) return true;
      }
    }
    return false;
  }

  const Corpus& corpus_;
  const std::vector<Column>& columns_;
  FacetDraft& facet_;
  DescribingWords words_;
  std::vector<std::string> store_keys_;          // by product
  using NodeKey = std::pair<std::string, bool>;  // raw text; whether it ends a path
  std::map<NodeKey, Node> nodes_;
  std::map<NodeKey, std::vector<std::uint32_t>> node_products_;
  std::map<std::string, Node> typed_;  // values of type columns
  std::unordered_map<std::uint32_t, std::vector<std::string_view>> column_values_;
  std::unordered_set<std::string> types_;  // named by nodes or type columns
  std::unordered_set<std::string> mined_;  // known from titles alone
  std::vector<std::vector<std::vector<std::string>>> clauses_;
};

std::string surface_of(std::string_view key, const Corpus& corpus) {
  std::string text;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find(' '), key.size());
    const std::uint32_t term = corpus.find(key.substr(0, end));
    if (!text.empty()) text += ' ';
    text += term == Corpus::no_term ? key.substr(0, end) : std::string_view(corpus.term_surfaces()[term]);
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return text;
}

}  // namespace

std::string split_camel_case(std::string_view word) {
  if (word.find(' ') != std::string_view::npos) return std::string(word);
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool hump =
        i >= 2 && is_upper(word[i]) && (is_lower(word[i - 1]) || (is_upper(word[i - 1]) && i + 1 < word.size() && is_lower(word[i + 1])));
    if (hump) out += ' ';
    out += word[i];
  }
  return out;
}

void add_category_facet(const Corpus& corpus, const std::vector<Column>& columns, FacetDrafts& facets) {
  // Type columns were read as plain words before; here their values are taken apart like nodes.
  FacetDraft& facet = facet_named(facets, "category");
  facet = FacetDraft{};
  facet.name = facet.label = "category";
  TypeMiner(corpus, columns, facet).run();
  // A mined type without a spelling of its own is shown as titles most often write it ("sunglasses").
  for (ValueDraft& value : facet.values) {
    if (value.spellings.empty()) value.spellings.emplace(surface_of(value.key, corpus), 1);
  }
  facet.raise(facet.values.size() >= 2 ? Verdict::ask : Verdict::filter, "category paths and product types");
  if (facet.values.empty()) facet.verdict = Verdict::ignore;
}

}  // namespace turnstone
