// Names of columns in other words ("loudness" for "noise level", "storage size" for "capacity") and with words left out
// ("pcie 8 pin" for "power connectors pcie 8 pin").
//
// Both are compared by what their words say (Lexicon::concept_of). Only together with a value of the column is such a
// name one: the value decides which of several columns is meant.
#include <algorithm>

#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::size_t name_concepts_max = 8;

}  // namespace

// What the words from i on say, one concept after the other, up to a gap or a small word.
std::vector<Interpreter::Concept> Interpreter::concepts_from(std::size_t i) const {
  std::vector<Concept> concepts;
  while (i < m_.size() && concepts.size() < name_concepts_max) {
    const Word& word = m_.words[i];
    if ((!concepts.empty() && word.gap > Gap::hyphen) || (word.function && !word.counts) || !word.currency.empty()) break;
    std::size_t length = 1;
    std::string phrase = m_.terms[i];
    std::string said = lexicon_.concept_of(phrase);
    for (std::size_t n = 1; n < lexicon_.longest_concept() && i + n < m_.size() && m_.words[i + n].gap <= Gap::hyphen; ++n) {
      phrase += " " + m_.terms[i + n];
      if (auto group = lexicon_.family("column_word", phrase)) {
        said = std::move(*group);
        length = n + 1;
      }
    }
    i += length;
    concepts.push_back({std::move(said), i});
  }
  return concepts;
}

// A column's whole name from word i on, said in whatever words.
Interpreter::ColumnName Interpreter::name_in_other_words(std::size_t i) const {
  ColumnName best;
  std::string key;
  for (const Concept& said : concepts_from(i)) {
    key += (key.empty() ? "" : " ") + said.word;
    const auto& columns = lexicon_.named_alike(key);
    if (columns.empty()) continue;
    best.length = said.end - i;
    best.columns.clear();
    for (const FacetId column : columns) best.columns.push_back(&artefact_.facet(column));
  }
  return best;
}

// Of these columns, as far as the category fills them, the one whose products of the category hold the number most often.
std::optional<FacetId> Interpreter::holding(const std::vector<FacetId>& columns, Number number) const {
  constexpr std::ptrdiff_t rows_looked_at = 256;
  std::optional<FacetId> best;
  std::pair<std::ptrdiff_t, std::uint32_t> best_rank;
  for (const FacetId facet : columns) {
    if (!is_filled(facet)) continue;
    const auto rows = artefact_.number_column(facet);
    const auto first = std::lower_bound(rows.begin(), rows.end(), number, [](const auto& row, Number bound) { return row.number < bound; });
    std::ptrdiff_t here = 0;
    for (auto row = first; row != rows.end() && row - first < rows_looked_at && row->number == number; ++row) {
      const auto kinds = artefact_.values_of(row->product, category_facet_->id);
      here += std::find(kinds.begin(), kinds.end(), *category_) != kinds.end() ? 1 : 0;
    }
    const std::pair rank{here, lexicon_.filled(*category_, facet)};
    if (here > 0 && (!best || rank > best_rank)) {
      best = facet;
      best_rank = rank;
    }
  }
  return best;
}

// At least two words of a column's name, in its order and half of it, beside a value.
void Interpreter::find_shortened_names() {
  constexpr std::size_t concepts_least = 2;
  for (std::size_t i = 0; i < m_.size(); ++i) {
    if (pair_at_[i] != 0 || named_[i]) continue;
    const std::vector<Concept> said = concepts_from(i);
    if (said.size() < concepts_least) continue;
    std::vector<std::vector<FacetId>> by_length(said.size() + 1);  // columns by how many concepts are theirs
    for (const FacetId column : lexicon_.columns_saying(said.front().word)) {
      if (!is_filled(column)) continue;
      const auto& name = lexicon_.concepts_of(column);
      std::size_t matched = 0;
      for (auto at = name.begin(); matched < said.size(); ++matched) {
        at = std::find(at, name.end(), said[matched].word);
        if (at == name.end()) break;
        ++at;
      }
      for (std::size_t n = concepts_least; n <= matched; ++n) {
        if (n * 2 >= name.size()) by_length[n].push_back(column);
      }
    }
    for (std::size_t n = said.size(); n >= concepts_least; --n) {
      if (!by_length[n].empty() && pair_free(i, said[n - 1].end) && pair_shortened(by_length[n], i, said[n - 1].end)) break;
    }
  }
}

// Pairs the name [first, end) with the value beside it, in the column that has it.
bool Interpreter::pair_shortened(const std::vector<FacetId>& columns, std::size_t first, std::size_t end) {
  for (const FacetId column : columns) {
    const Facet& facet = artefact_.facet(column);
    const std::size_t before = pairs_.size();
    for (const bool said : {true, false}) {
      if (pairs_.size() == before) pair_said_behind(facet, first, end, said);
      if (pairs_.size() == before) pair_said_before(facet, first, end, said);
    }
    if (pairs_.size() == before) continue;
    Pair& pair = pairs_[before];
    if (pair.amount) {
      if (const auto better = holding(columns, pair.amount->value)) pair.facet = *better;
    }
    return true;
  }
  return false;
}

}  // namespace turnstone
