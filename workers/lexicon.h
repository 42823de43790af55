// What the words of one catalogue mean to a reader: made once for an artefact and a cue book.
//
// Holds what a turn would otherwise compute again and again: language families by term key, names of columns,
// which columns the products of a category fill, joined spellings ("gskill"), and the dictionary against which
// slips are mended. Made lazily, kept by fingerprint; immutable and shared once made, so that reading stays a
// pure function of artefact and policy.
// Cost: one pass over terms, values and filled cells (about 50 ms at 50,000 products), then O(log n) look-ups.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/artefact/artefact.h"
#include "workers/policy.h"

namespace turnstone {

struct NumberUse {  // a numeric column among the products of a category
  FacetId facet;
  std::uint32_t filled = 0;
};

class Lexicon {
 public:
  static std::shared_ptr<const Lexicon> of(const Artefact& artefact, const Policy& policy);

  // The family of a phrase (term key) in a language table: family("color", "navy") = "blue".
  std::optional<std::string> family(std::string_view table, std::string_view key) const;
  bool in_list(std::string_view list, std::string_view key) const;
  // The facet that a phrase names ("refresh rate" → "refresh_rate", "fabric" → "material"); nullopt for none.
  std::optional<std::string> facet_named(std::string_view key, bool before_colon) const;
  std::uint32_t longest_facet_name() const { return longest_facet_name_; }
  // Columns of numbers whose names end in these words: "width" for "dimensions mm width".
  const std::vector<FacetId>& named_in_part(std::string_view key) const;
  // A phrase of a column's name as what it says, whatever word says it ("loudness" → "noise level", "mainboard" →
  // "motherboard"; table column_word, then synonym); the phrase itself when no other word is known for it.
  std::string concept_of(std::string_view key) const;
  std::uint32_t longest_concept() const { return longest_concept_; }  // in words
  // Columns whose whole name says this, concepts joined by spaces; the fullest first.
  const std::vector<FacetId>& named_alike(std::string_view concepts) const;
  // Columns with the concept in their names, and the concepts of a column's name in order.
  const std::vector<FacetId>& columns_saying(std::string_view concept_word) const;
  const std::vector<std::string>& concepts_of(FacetId facet) const { return concepts_[facet.value]; }
  // "gskill" → "g skill": the spaced key of a value of several words.
  std::optional<std::string> spaced(std::string_view joined) const;
  // Values of several words that begin with this one, a column at a time ("kindle" → "Kindle eBook"); the fullest column first.
  struct Opening {
    FacetId facet;
    std::uint32_t count = 0;  // products
    std::vector<ValueId> values;
  };
  const std::vector<Opening>& opened_by(std::string_view term) const;
  // Numeric columns that the category's products fill, most filled first; all columns for nullopt.
  const std::vector<NumberUse>& numbers_of(std::optional<ValueId> category) const;
  // Products of the category that fill a facet.
  std::uint32_t filled(ValueId category, FacetId facet) const;

  // The word that an unknown or hardly known one was meant to be; nullopt when none is near enough or two are.
  std::optional<std::string> mend(std::string_view term) const;
  bool is_known(std::string_view term) const;  // by the catalogue (often enough), the language data or the cues

 private:
  friend class LexiconBuilder;
  std::vector<std::string> concepts_in(std::string_view key) const;

  struct Entry {
    std::uint32_t weight = 0;  // how often it is met
    std::string word;
  };
  struct Shelf {  // the dictionary's words of one length; `letters` runs beside `entries` so that scanning touches little
    std::vector<std::uint64_t> letters;  // which letters occur, as bits
    std::vector<Entry> entries;
  };
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> families_;
  std::map<std::string, std::map<std::string, bool, std::less<>>, std::less<>> lists_;
  std::map<std::string, std::string, std::less<>> facet_names_;
  std::map<std::string, std::string, std::less<>> plain_facet_names_;
  std::map<std::string, std::vector<FacetId>, std::less<>> part_names_;
  std::map<std::string, std::vector<FacetId>, std::less<>> alike_;
  std::map<std::string, std::vector<FacetId>, std::less<>> columns_saying_;
  std::vector<std::vector<std::string>> concepts_;  // by facet
  std::uint32_t longest_concept_ = 1;
  std::uint32_t longest_facet_name_ = 1;
  std::map<std::string, std::string, std::less<>> spaced_;
  std::map<std::string, std::vector<Opening>, std::less<>> openings_;
  ValueId first_category_;
  std::size_t facet_count_ = 0;
  std::vector<std::vector<NumberUse>> numbers_;  // by category
  std::vector<NumberUse> all_numbers_;
  std::vector<std::uint32_t> filled_;          // category × facet
  std::vector<Shelf> by_length_;  // dictionary for mending, by number of bytes
  std::map<std::string, std::uint32_t, std::less<>> weight_;
};

// Cost of turning one word into the other, in tenths of a slip: neighbouring keys, swapped, doubled and dropped
// letters cost less (optimal string alignment; Damerau 1964). `limit` + 1 when it is more than limit.
int slip_cost(std::string_view from, std::string_view to, int limit);

}  // namespace turnstone
