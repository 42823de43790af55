// What a sample of rows says of its columns, whatever they are called: how full and various each is, what its cells look like, and how
// the cells of two columns of one row go together.
//
// A kind of product is named in titles behind their first word and decides which other columns are filled; a maker opens the titles; a
// second price follows the first; a broader kind is the same in all rows of a narrower one. Pure; each question is linear in the sample.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/artefact/language.h"
#include "storage/catalogue/column_roles.h"

namespace turnstone {

struct SampledColumn {
  std::string name;
  std::string whole;  // folded, joined by _
  std::string words;  // the same without currencies and grammar
  std::string facet;  // the common facet that it stands for, or `words`
  std::string plain;  // the name itself in small letters, its words joined by _
  std::size_t filled = 0, nested = 0, amounts = 0, money = 0, addresses = 0, letters = 0, cell_words = 0, coded = 0, fractions = 0;
  bool counts_rows = true;  // 0, 1, 2 … or 1, 2, 3 …
  std::optional<std::int64_t> last;
  std::unordered_set<std::string> different;
  std::map<std::string, std::size_t> signs;   // of currencies
  std::map<std::size_t, std::size_t> widths;  // of cells of digits alone
  std::vector<std::int64_t> values;
  std::vector<std::pair<std::uint32_t, std::string>> cells;  // by row
  std::string example;

  double share(std::size_t part) const { return filled == 0 ? 0 : static_cast<double>(part) / static_cast<double>(filled); }
  double variety() const { return share(different.size()); }
  double mean_words() const { return share(cell_words); }
  double titleness() const;
  std::int64_t median() const;
  std::int64_t largest() const;
};

// How the cells of a column stand in the titles of their rows; shares of the cells that titles were found for.
struct NamedInTitles {
  double named = 0;   // the title holds the cell's words
  double first = 0;   // it begins with them
  double ending = 0;  // its first clause ends in them
  double plural = 0;  // it holds them in a shorter form: "Sofas", "a sofa"
};

class ColumnEvidence {
 public:
  // `head`: the columns of a table; without it they come in the order in which the sample shows them.
  ColumnEvidence(const std::vector<std::string>& head, const std::vector<SampledRow>& sample, const Language& language);

  const std::vector<SampledColumn>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  std::optional<std::size_t> find(const std::string& name) const;

  NamedInTitles in_titles(std::size_t column, std::size_t title) const;
  // How many other columns are filled in some of the column's values and empty in the others.
  std::size_t columns_foretold(std::size_t column) const;
  // Rows of one value of `narrow` have one value of `broad`, and that has several of `narrow`.
  bool is_broader(std::size_t broad, std::size_t narrow) const;
  // Nearly all rows have an amount of the order of the other's.
  bool go_together(std::size_t amounts, std::size_t others) const;
  // Share of the cells that are a member of the language's table.
  double share_in_table(std::size_t column, std::string_view table) const;
  // The sign that divides the column's cells into pieces which recur ("Sat nav; Tow bar"); empty: none does.
  std::string list_separator(std::size_t column) const;

 private:
  std::size_t add(const std::string& name);
  void take(SampledColumn& column, const SampledCell& cell, std::uint32_t row) const;

  const Language& language_;
  std::size_t rows_;
  std::vector<SampledColumn> columns_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace turnstone
