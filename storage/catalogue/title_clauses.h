// Titles as a reader takes them apart: clauses, and the noun that a clause ends in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/artefact/language.h"
#include "storage/catalogue/table_matcher.h"

namespace turnstone {

// Words that describe a product instead of naming it. Refers to the language; safe to share between threads.
class DescribingWords {
 public:
  explicit DescribingWords(const Language& language);

  const Language& language() const { return language_; }
  const TableMatcher& audiences() const { return audiences_; }
  bool describes(const std::string& term) const;
  // A colour, a size, a letter: no name of anything. A material may be, for fabrics are sold, too, and so may what lends its
  // name to a shade ("chocolate", "coffee").
  bool describes_only(const std::string& key) const;

 private:
  const Language& language_;
  TableMatcher audiences_;
  TableMatcher colors_;
  TableMatcher materials_;
  TableMatcher sizes_;
};

// The title's terms cut into clauses: at punctuation that separates and at words like "with", "for", "by". At least
// one clause, which may be empty.
std::vector<std::vector<std::string>> title_clauses(const std::string& title, const DescribingWords& words);

// Where the noun of a clause ends: numbers, the word behind a number ("3 pack") and describing words trail it.
std::size_t noun_end(const std::vector<std::string>& clause, const DescribingWords& words);

// Terms [begin, end) as a key.
std::string join_terms(const std::vector<std::string>& terms, std::size_t begin, std::size_t end);

bool holds_figures(std::string_view key);

}  // namespace turnstone
