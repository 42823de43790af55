// Language data that both indexing and reading use: units, currencies, number words, colour families, size
// systems, materials, recipients, column names, synonyms, function words. TOML files under storage/language,
// compiled in as defaults, extended by `turnstone index --language DIR`; kept whole in the artefact, so that
// a turn reads what the index was built with. Format: storage/language/README.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"
#include "events/number.h"

namespace turnstone {

struct Unit {
  std::string name;       // canonical: "gb", "inch", "mm", "w"
  std::string kind;       // "storage", "length", "mass", "power", "frequency", "time" …
  Number factor;          // in base units of its kind (length: mm; storage: gb; …)
};

class Language {
 public:
  // The compiled-in defaults.
  static const Language& standard();
  // TOML text (several files concatenated are allowed: tables merge, later entries win).
  static Result<Language> parse(std::string_view toml);

  const std::string& source() const { return source_; }  // the TOML it was read from

  // Keys are folded forms as written by people: "gb", "gigabytes", "\"", "inches". nullptr when unknown.
  const Unit* unit(std::string_view folded) const;
  const std::map<std::string, Unit, std::less<>>& units() const { return units_; }
  // Currency sign, code or word → its sign ("dollars" → "$"). nullopt when it is none.
  std::optional<std::string> currency(std::string_view folded) const;
  // "twenty" → 20, "dozen" → 12 … single words only; composition is the reader's work.
  std::optional<std::int64_t> number_word(std::string_view folded) const;
  // Groups of words under a table, e.g. group("color", "blue") = {"navy", "azure" …}; family_of("color","navy") = "blue".
  const std::set<std::string>* group(std::string_view table, std::string_view name) const;
  std::optional<std::string> family_of(std::string_view table, std::string_view member) const;
  // All names and members of a table ("color", "material", "size" …), folded, may hold several words.
  const std::map<std::string, std::set<std::string>, std::less<>>& table(std::string_view table) const;
  // A word list ("function", "filler", "recipient" …). Empty when there is none.
  const std::set<std::string, std::less<>>& list(std::string_view name) const;
  bool in_list(std::string_view name, std::string_view folded) const { return list(name).contains(folded); }
  // Common facet that a catalogue column stands for ("colour group" → "color"), or its own name in snake case.
  std::string facet_of_column(std::string_view column) const;

 private:
  friend class LanguageReader;
  std::string source_;
  std::map<std::string, Unit, std::less<>> units_;
  std::map<std::string, std::string, std::less<>> currencies_;
  std::map<std::string, std::int64_t, std::less<>> number_words_;
  std::map<std::string, std::map<std::string, std::set<std::string>, std::less<>>, std::less<>> tables_;
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> member_of_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> lists_;
  std::map<std::string, std::string, std::less<>> columns_;
};

}  // namespace turnstone
