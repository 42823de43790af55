// The index artefact: one memory-mapped, read-only file that a turn decides from.
//
// Everything is an integer or a byte string; nothing is computed at open but pointers. Product ordinals are
// assigned in byte order of product id, so that "by score, then ordinal" is a total order that does not
// depend on the input's order. The fingerprint is the BLAKE2b-256 of the file's content.
// Thread safety: immutable after open; share freely. Views live as long as the Artefact.
// Layout: storage/artefact/FORMAT.md.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"
#include "events/types.h"
#include "events/number.h"
#include "storage/artefact/language.h"

namespace turnstone {

using Ordinal = Named<struct OrdinalTag, std::uint32_t>;   // a product in this artefact; never stored in events
using TermId = Named<struct TermIdTag, std::uint32_t>;
using FacetId = Named<struct FacetIdTag, std::uint32_t>;
using ValueId = Named<struct ValueIdTag, std::uint32_t>;   // unique over all facets

// Where in a listing a piece of text stands.
enum class ListingField : std::uint8_t { title = 0, categories = 1, features = 2, details = 3, store = 4, description = 5 };
inline constexpr std::size_t listing_field_count = 6;

// One fact of a listing: the title, one category, one feature bullet, one details pair …
struct ListingPart {
  ListingField field = ListingField::title;
  std::uint16_t position = 0;      // within its field: 0, 1, 2 …
  std::string_view key;            // details: the column's name as written; else empty
  std::string_view text;           // as in the catalogue, white space collapsed
  std::span<const TermId> terms;   // tokens of (key and) text, in order: details are indexed as "key value"
};

struct PartEnd {
  ListingField field = ListingField::title;
  std::uint32_t end = 0;           // how many of the product's terms stand up to the end of this part
};

struct Posting {
  Ordinal product;
  std::uint16_t impact = 0;  // quantised BM25F contribution of the term in this product, 1..65535
  std::uint16_t fields = 0;  // bit f: the term stands in ListingField f of this product

  bool stands_in(ListingField field) const { return (fields >> static_cast<unsigned>(field) & 1U) != 0; }
};

enum class FacetKind : std::uint8_t { words = 0, number = 1, yes_no = 2 };
enum class Verdict : std::uint8_t { ignore = 0, search_only = 1, filter = 2, ask = 3 };  // each includes the one before

struct Facet {
  FacetId id;
  std::string_view name;      // "color", "screen_size"
  std::string_view label;     // for people: "colour group", "screen size"
  FacetKind kind = FacetKind::words;
  Verdict verdict = Verdict::ignore;
  std::string_view verdict_reason;
  std::string_view unit;      // numbers: canonical unit, may be empty
  std::uint32_t filled = 0;   // products that have it
  ValueId first_value;        // its values are [first_value, first_value + value_count)
  std::uint32_t value_count = 0;
  Millibits entropy;          // of its value distribution over filled products
};

struct FacetValue {
  ValueId id;
  FacetId facet;
  std::string_view key;      // folded term key, unique within the facet
  std::string_view text;     // most frequent spelling, for display and for events
  std::uint32_t count = 0;   // products that have it
};

// What a word or phrase means in this catalogue.
struct Sense {
  FacetId facet;
  ValueId value;
  std::uint32_t count = 0;   // products behind this reading
};

// Fewer prices than this say nothing about what is cheap in a category.
inline constexpr std::uint32_t price_quantile_count_min = 20;

class Artefact {
 public:
  // Errors: not_found, corrupt (checksum, truncated), unsupported (other format version).
  static Result<std::shared_ptr<const Artefact>> open(const std::string& directory);
  ~Artefact();
  Artefact(const Artefact&) = delete;
  Artefact& operator=(const Artefact&) = delete;

  const Fingerprint& fingerprint() const;
  const Language& language() const;
  std::string_view audit_json() const;  // the column audit, as printed by `turnstone index --audit`

  // --- products ---
  std::uint32_t product_count() const;
  std::string_view product_id(Ordinal product) const;
  std::optional<Ordinal> find(std::string_view product_id) const;   // O(log n)
  std::string_view title(Ordinal product) const;
  std::string_view store(Ordinal product) const;                    // empty = missing
  std::optional<Number> price(Ordinal product) const;
  std::optional<Number> rating(Ordinal product) const;
  std::optional<std::uint32_t> rating_count(Ordinal product) const;
  std::uint32_t popularity(Ordinal product) const;  // 0..65535, monotone in log2(1 + rating_count), fixed point
  std::uint32_t part_count(Ordinal product) const;
  ListingPart part(Ordinal product, std::uint32_t index) const;
  std::span<const TermId> terms(Ordinal product) const;  // all parts' terms, in order, concatenated
  void part_ends(Ordinal product, std::vector<PartEnd>& ends) const;  // of its parts, in order; for those who walk all its terms

  // --- terms ---
  std::uint32_t term_count() const;
  std::optional<TermId> term(std::string_view term) const;          // hash look-up
  std::string_view term_text(TermId term) const;
  std::string_view term_surface(TermId term) const;                 // most frequent unstemmed form
  std::uint32_t document_frequency(TermId term) const;
  std::uint32_t idf(TermId term) const;                             // 1000 · log2((N + 1) / (df + 0.5)), ≥ 0
  bool is_function_word(TermId term) const;
  std::span<const Posting> postings(TermId term) const;             // by ordinal
  std::uint16_t impact_max(TermId term) const;

  // --- facets ---
  std::span<const Facet> facets() const;
  const Facet* facet(std::string_view name) const;                  // nullptr when there is none
  const Facet& facet(FacetId id) const;
  const FacetValue& value(ValueId id) const;
  std::span<const FacetValue> values(FacetId facet) const;          // by falling count, then key
  std::optional<ValueId> find_value(FacetId facet, std::string_view key) const;  // by folded term key
  std::span<const Ordinal> products_with(ValueId value) const;      // ascending
  std::span<const ValueId> values_of(Ordinal product, FacetId facet) const;  // ascending
  std::span<const ValueId> values_of(Ordinal product) const;                 // of all facets, ascending
  std::optional<Number> number_of(Ordinal product, FacetId facet) const;  // numeric facets, price and rating among them
  // Share of values ≤ x etc. are asked through the sorted column: (number, product) ascending.
  struct NumberRow {
    Number number;
    Ordinal product;
    std::uint32_t reserved = 0;  // written out: padding would make equal artefacts differ in bytes
  };
  std::span<const NumberRow> number_column(FacetId facet) const;
  std::span<const NumberRow> numbers_by_product(FacetId facet) const;  // the same rows, by ordinal

  // --- vocabulary ---
  // Readings of a phrase given as term key ("cooler master"); most products first. Empty when unknown.
  std::span<const Sense> senses(std::string_view term_key) const;
  std::uint32_t longest_phrase() const;                             // in terms
  std::uint32_t phrase_count() const;                               // phrases that have senses …
  std::string_view phrase(std::uint32_t index) const;               // … by byte order of their term key
  // The p-quantile (0..1000) of the prices of products in a category value; nullopt under 20 prices.
  std::optional<Number> price_quantile(ValueId category, Permille p) const;

 private:
  friend class ArtefactFile;
  Artefact();
  struct Mapped;
  std::unique_ptr<Mapped> mapped_;
};

}  // namespace turnstone
