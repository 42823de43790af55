// The wishes of a state, compiled once a stage against an artefact: facet values as ids, words as terms.
//
// Every active constraint is a Requirement. Its words come in one or more wordings (the shopper's own, the
// canonical value's); a listing is held against each and the best one counts. Function and filler words keep
// their place (phrases stay intact) and weigh nothing.
// Plain values, order of constraint id; same state and artefact, same requirements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/state.h"
#include "storage/artefact/artefact.h"
#include "workers/variant.h"

namespace turnstone {

struct Retrieval;

struct WordOfWording {
  std::optional<TermId> term;  // none: the catalogue does not know the word; it keeps its place
  std::int64_t weight = 0;     // millibits; 0 for function, filler and unknown words
};

struct Wording {
  std::vector<WordOfWording> words;
  std::int64_t weight = 0;     // of all words
};

// The bounds that a number must lie in; nullopt = open on that side. `about` is a quarter either way.
struct NumberBounds {
  std::optional<Number> least;
  std::optional<Number> most;
  bool holds(Number number) const { return (!least || number >= *least) && (!most || number <= *most); }
};
// Whether one of the ranges holds it.
inline bool holds(const std::vector<NumberBounds>& ranges, Number number) {
  return std::any_of(ranges.begin(), ranges.end(), [number](const NumberBounds& range) { return range.holds(number); });
}

struct Requirement {
  const ConstraintSet* set = nullptr;  // lives as long as the state
  const Facet* facet = nullptr;        // nullptr: no such column, words only
  std::vector<ValueId> values;         // resolved, ascending
  std::int64_t information = 0;        // millibits that the values tell: log2(filled / products that have them)
  std::vector<NumberBounds> ranges;    // of a number: ranges_of its wish
  std::vector<Wording> wordings;
  std::int64_t share = 1000;           // permille that it counts: strength, withdrawn or not
  bool rejected = false;               // op is is_not
  bool withdrawn = false;              // comes from a tombstone
  bool is_type = false;                // says what kind of product
  bool is_yes_no() const { return facet != nullptr && facet->kind == FacetKind::yes_no; }  // its column alone decides
  bool holds(Number number) const { return turnstone::holds(ranges, number); }
  bool is_number() const { return facet != nullptr && facet->kind == FacetKind::number && set->value.number.has_value(); }
};

struct Wishes {
  std::vector<Requirement> requirements;
  std::vector<ValueId> department;     // implied by the recipient; empty = none
  const Facet* department_facet = nullptr;
  std::vector<TermId> tags;            // words of the profile's preference tags
};

inline constexpr std::size_t wording_words_max = 64;
inline constexpr std::size_t wordings_max = 64;  // over all requirements

// The values of a column that these words mean: the value itself, its special cases ("dark blue" is blue, "running shoes"
// are shoes; names of makers have none), its family ("navy") and other spellings ("grey" for "gray"). Ascending; O(values looked through).
std::vector<ValueId> values_meant(const Facet& facet, std::string_view words, const Artefact& artefact);

Wishes compile_wishes(const IntentState& state, const Artefact& artefact, const Variant& variant);
// Those that retrieval compiled, or compiled now where it has none.
std::shared_ptr<const Wishes> wishes_of(const IntentState& state, const Retrieval& retrieval, const Artefact& artefact, const Variant& variant);

// Whether the wish is one that a listing satisfies or not: the shopper's own, positive, and decided by a column or by few words.
inline constexpr std::size_t clause_words_max = 4;  // longer wordings are evidence, not a condition
std::size_t weighing_words(const Wording& wording);
bool is_condition(const Requirement& requirement);
// Whether the listing satisfies a condition: its column says so, or is silent while its words say so (but for the product type,
// which the index reads off titles); a number that few listings leave out must be there.
bool satisfies(const Requirement& requirement, Ordinal product, const Artefact& artefact);

// How a listing stands to a requirement on a facet.
enum class Match : std::uint8_t {
  yes,            // its column says so
  mentioned,      // the column is silent, its words say so
  silent,         // nothing is known: never a violation
  otherwise_mentioned,  // the column says otherwise, its words hold the value all the same
  no,             // the column says otherwise
};
// Whether the listing's column holds one of the requirement's values.
bool has_value(const Requirement& requirement, Ordinal product, const Artefact& artefact);
// For requirements with values or a number; `rejected` is not looked at: yes means "has the value".
Match match_of(const Requirement& requirement, Ordinal product, const Artefact& artefact);
// Whether the listing holds every weighing word of one of the requirement's wordings, of those of at most `words_max` such words.
bool mentions(const Requirement& requirement, Ordinal product, const Artefact& artefact, std::size_t words_max = wording_words_max);
// Whether a listing without this number may still fit: unless nearly all listings state it.
bool silence_is_unknown(const Facet& numbers, const Artefact& artefact);
// What a wish for a number holds to: one range, or one for each choice ("16 or 32 GB"), ascending.
std::vector<NumberBounds> ranges_of(const ConstraintSet& set);

}  // namespace turnstone
