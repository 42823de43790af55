#include "storage/catalogue/corpus.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "storage/artefact/tokeniser.h"

namespace turnstone {
namespace {

constexpr std::size_t memo_text_bytes_max = 120;  // longer texts hardly ever return
constexpr std::uint32_t parts_of_a_field_max = 0xFFFF;

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

// Terms of a share of the rows, numbered in order of appearance.
class Shard {
 public:
  explicit Shard(const Language& language) : language_(language) {}

  void add_row(const ProductRow& row) {
    first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
    add(ListingField::title, 0, {}, row.title);
    add_list(ListingField::categories, row.categories);
    add_list(ListingField::features, row.features);
    std::uint32_t position = 0;
    for (const auto& [key, value] : row.details) add(ListingField::details, position++, key, value);
    if (!row.store.empty()) add(ListingField::store, 0, {}, row.store);
    add_list(ListingField::description, row.description);
  }

  struct Surface {
    std::string text;
    std::uint32_t count = 0;
  };
  struct LocalTerm {
    std::string text;
    std::vector<Surface> surfaces;
  };
  std::vector<std::uint32_t> first_part_;
  std::vector<CorpusPart> parts_;
  std::vector<std::uint32_t> forward_;
  std::vector<LocalTerm> terms_;

 private:
  void add_list(ListingField field, const std::vector<std::string>& texts) {
    std::uint32_t position = 0;
    for (const std::string& text : texts) add(field, position++, {}, text);
  }

  void add(ListingField field, std::uint32_t position, std::string_view key, std::string_view text) {
    if (position > parts_of_a_field_max) return;
    CorpusPart part{.field = field, .position = static_cast<std::uint16_t>(position), .key = key, .text = text};
    part.first_term = static_cast<std::uint32_t>(forward_.size());
    if (!key.empty()) append_terms(key);
    part.key_terms = static_cast<std::uint32_t>(forward_.size()) - part.first_term;
    append_terms(text);
    part.term_count = static_cast<std::uint32_t>(forward_.size()) - part.first_term;
    parts_.push_back(part);
  }

  void append_terms(std::string_view text) {
    if (text.size() > memo_text_bytes_max) {
      append(tokenise(text, language_), nullptr);
      return;
    }
    auto known = memo_.find(text);
    if (known == memo_.end()) {
      known = memo_.emplace(std::string(text), std::vector<TermUse>{}).first;
      append(tokenise(text, language_), &known->second);
      return;
    }
    for (const TermUse use : known->second) {
      forward_.push_back(use.term);
      ++terms_[use.term].surfaces[use.surface].count;
    }
  }

  struct TermUse {
    std::uint32_t term;
    std::uint32_t surface;
  };

  void append(std::vector<Token> tokens, std::vector<TermUse>* uses) {
    for (Token& token : tokens) {
      auto [entry, added] = ids_.try_emplace(token.term, static_cast<std::uint32_t>(terms_.size()));
      if (added) terms_.push_back({token.term, {}});
      LocalTerm& term = terms_[entry->second];
      auto surface = std::find_if(term.surfaces.begin(), term.surfaces.end(), [&token](const Surface& s) { return s.text == token.surface; });
      if (surface == term.surfaces.end()) surface = term.surfaces.insert(term.surfaces.end(), {std::move(token.surface), 0});
      ++surface->count;
      forward_.push_back(entry->second);
      if (uses != nullptr) uses->push_back({entry->second, static_cast<std::uint32_t>(surface - term.surfaces.begin())});
    }
  }

  const Language& language_;
  std::unordered_map<std::string, std::uint32_t, StringHash, std::equal_to<>> ids_;
  std::unordered_map<std::string, std::vector<TermUse>, StringHash, std::equal_to<>> memo_;
};

std::string most_frequent(std::vector<Shard::Surface>& surfaces) {
  std::sort(surfaces.begin(), surfaces.end(), [](const auto& a, const auto& b) { return a.text < b.text; });
  std::string best;
  std::uint32_t best_count = 0;
  for (std::size_t i = 0; i < surfaces.size();) {
    std::uint32_t count = 0;
    const std::size_t first = i;
    for (; i < surfaces.size() && surfaces[i].text == surfaces[first].text; ++i) count += surfaces[i].count;
    if (count > best_count) {
      best = surfaces[first].text;
      best_count = count;
    }
  }
  return best;
}

}  // namespace

Corpus::Corpus(std::vector<ProductRow> rows, const Language& language, const Progress& progress) : rows_(std::move(rows)), language_(language) {
  std::sort(rows_.begin(), rows_.end(), [](const ProductRow& a, const ProductRow& b) { return a.id < b.id; });

  const std::size_t middle = rows_.size() / 2;
  Shard first(language_);
  Shard second(language_);
  std::thread other([&] {
    for (std::size_t i = middle; i < rows_.size(); ++i) second.add_row(rows_[i]);
  });
  for (std::size_t i = 0; i < middle; ++i) {
    first.add_row(rows_[i]);
    if (progress && i % 1024 == 0) progress("tokenising", static_cast<int>(i * 1000 / middle));
  }
  other.join();

  // One vocabulary of both halves, in byte order.
  struct Source {
    std::uint32_t shard;
    std::uint32_t id;
  };
  const std::array<Shard*, 2> shards{&first, &second};
  std::vector<Source> sources;
  for (std::uint32_t s = 0; s < 2; ++s) {
    for (std::uint32_t id = 0; id < shards[s]->terms_.size(); ++id) sources.push_back({s, id});
  }
  const auto text_of = [&shards](Source source) -> const std::string& { return shards[source.shard]->terms_[source.id].text; };
  std::sort(sources.begin(), sources.end(), [&](Source a, Source b) {
    const int order = text_of(a).compare(text_of(b));
    return order != 0 ? order < 0 : a.shard < b.shard;
  });
  std::array<std::vector<std::uint32_t>, 2> rank{std::vector<std::uint32_t>(first.terms_.size()), std::vector<std::uint32_t>(second.terms_.size())};
  for (std::size_t i = 0; i < sources.size();) {
    std::vector<Shard::Surface> surfaces;
    const std::size_t begin = i;
    for (; i < sources.size() && text_of(sources[i]) == text_of(sources[begin]); ++i) {
      auto& local = shards[sources[i].shard]->terms_[sources[i].id];
      surfaces.insert(surfaces.end(), local.surfaces.begin(), local.surfaces.end());
      rank[sources[i].shard][sources[i].id] = static_cast<std::uint32_t>(term_texts_.size());
    }
    term_texts_.push_back(text_of(sources[begin]));
    term_surfaces_.push_back(most_frequent(surfaces));
  }

  parts_.reserve(first.parts_.size() + second.parts_.size());
  forward_.reserve(first.forward_.size() + second.forward_.size());
  for (std::uint32_t s = 0; s < 2; ++s) {
    const auto part_base = static_cast<std::uint32_t>(parts_.size());
    const auto term_base = static_cast<std::uint32_t>(forward_.size());
    for (const std::uint32_t start : shards[s]->first_part_) first_part_.push_back(part_base + start);
    for (CorpusPart part : shards[s]->parts_) {
      part.first_term += term_base;
      parts_.push_back(part);
    }
    for (const std::uint32_t id : shards[s]->forward_) forward_.push_back(rank[s][id]);
  }
  first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

std::uint32_t Corpus::find(std::string_view term) const {
  const auto found = std::lower_bound(term_texts_.begin(), term_texts_.end(), term);
  return found != term_texts_.end() && *found == term ? static_cast<std::uint32_t>(found - term_texts_.begin()) : no_term;
}

}  // namespace turnstone
