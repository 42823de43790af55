// The bytes of an artefact file, as writer and reader share them. Explained with an example in FORMAT.md.
//
// Everything is little-endian and naturally aligned; sections start at multiples of 8. Records are plain
// integers, copied from and pointed at in the mapped file.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "events/types.h"

namespace turnstone::format {

static_assert(std::endian::native == std::endian::little, "the artefact is mapped as it is: little-endian machines only");

inline constexpr std::array<char, 8> magic{'T', 'S', 'A', 'R', 'T', 'E', 'F', '\n'};
inline constexpr std::uint32_t version = 2;
inline constexpr std::string_view file_name = "artefact.tsx";

enum class Section : std::uint32_t {
  language = 0,             // TOML text
  audit = 1,                // JSON text
  text = 2,                 // every other string; each byte string stands once
  meta = 3,                 // one Meta
  products = 4,             // Product[product_count + 1], the last one closes the ranges
  parts = 5,                // Part[]
  forward = 6,              // TermId[]: the parts' terms, product after product
  terms = 7,                // Term[], by byte order of their text
  term_table = 8,           // u32[]: open-addressing table over terms
  postings = 9,             // Posting[]: 8 bytes each, term after term
  facets = 10,              // Facet[]
  values = 11,              // Value[]: facet after facet, by falling count, then key
  value_table = 12,         // u32[]: table over (facet, key)
  value_products = 13,      // u32 ordinals, value after value
  product_values = 14,      // u32 value ids, product after product, ascending
  phrases = 15,             // Phrase[], by byte order of their key
  phrase_table = 16,        // u32[]: table over keys
  senses = 17,              // Sense[]
  numbers = 18,             // NumberRow[]: facet after facet, by (number, ordinal)
  numbers_by_product = 19,  // NumberRow[]: the same rows, by ordinal
  prices = 20,              // i64[]: value after value, ascending
};
inline constexpr std::size_t section_count = 21;

std::string_view section_name(Section section);

struct SectionEntry {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Digest digest{};  // BLAKE2b-256 of the section's bytes
};

struct Header {
  std::array<char, 8> magic_bytes = magic;
  std::uint32_t format_version = version;
  std::uint32_t sections = section_count;
  std::uint64_t file_size = 0;
  Digest fingerprint{};  // BLAKE2b-256 of magic_bytes, format_version, sections, file_size and the section table
};
static_assert(sizeof(Header) == 56 && sizeof(SectionEntry) == 48);

struct Text {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct Meta {
  std::uint32_t product_count = 0;
  std::uint32_t longest_phrase = 0;
  std::uint64_t token_count = 0;
};

inline constexpr std::int64_t no_number = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint32_t no_count = 0xFFFFFFFF;

struct Product {
  Text id;
  Text title;
  Text store;
  std::int64_t price = no_number;
  std::int64_t rating = no_number;
  std::uint32_t rating_count = no_count;
  std::uint32_t popularity = 0;
  std::uint32_t first_part = 0;
  std::uint32_t first_term = 0;
  std::uint32_t first_value = 0;  // in product_values
  std::uint32_t reserved = 0;
};
static_assert(sizeof(Product) == 64);

struct Part {
  Text key;
  Text text;
  std::uint32_t first_term = 0;
  std::uint16_t position = 0;
  std::uint8_t field = 0;
  std::uint8_t reserved = 0;
};
static_assert(sizeof(Part) == 24);

struct Term {
  Text text;
  Text surface;
  std::uint32_t document_frequency = 0;
  std::uint32_t idf = 0;
  std::uint32_t first_posting = 0;
  std::uint16_t impact_max = 0;
  std::uint16_t flags = 0;  // bit 0: function word
};
static_assert(sizeof(Term) == 32);

struct Facet {
  Text name;
  Text label;
  Text reason;
  Text unit;
  std::uint8_t kind = 0;
  std::uint8_t verdict = 0;
  std::uint16_t reserved = 0;
  std::uint32_t filled = 0;
  std::uint32_t first_value = 0;
  std::uint32_t value_count = 0;
  std::int64_t entropy = 0;
  std::uint32_t first_number = 0;
  std::uint32_t number_count = 0;
};
static_assert(sizeof(Facet) == 64);

struct Value {
  Text key;
  Text text;
  std::uint32_t facet = 0;
  std::uint32_t count = 0;
  std::uint32_t first_product = 0;  // in value_products
  std::uint32_t first_price = 0;    // in prices
  std::uint32_t price_count = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(Value) == 40);

struct Phrase {
  Text key;
  std::uint32_t first_sense = 0;
  std::uint32_t sense_count = 0;
};
static_assert(sizeof(Phrase) == 16);

inline constexpr std::uint32_t empty_slot = 0xFFFFFFFF;

// FNV-1a (64 bit) with a final avalanche (splitmix64), so that short keys spread over all bits.
constexpr std::uint64_t hash_key(std::string_view key, std::uint64_t seed = 0) {
  std::uint64_t h = 0xcbf29ce484222325ull ^ seed;
  for (const char c : key) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ull;
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

// Size of the table for n keys: a power of two, at most half full.
constexpr std::uint64_t table_size(std::uint64_t n) { return std::bit_ceil(n * 2 + 2); }

}  // namespace turnstone::format
