// BM25F impacts of every term in every product, quantised to 16 bits with one scale for the whole catalogue.
//
//     impact(t, d) = idf(t) · w / (k1 + w),   w = Σ over fields: weight(field) · occurrences of t in the field
//
// (Robertson, Zaragoza, Taylor 2004, "Simple BM25 extension to multiple weighted fields"), with b = 0: no
// normalisation by length, because rich listings are not worse answers. idf = log2((N + 1) / (df + 0.5)), ≥ 0.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/catalogue/corpus.h"

namespace turnstone {

inline constexpr double bm25_k1 = 1.2;
// In the order of ListingField: title, categories, features, details, store, description.
inline constexpr std::array<double, listing_field_count> field_weights{6.0, 4.0, 2.5, 2.5, 1.5, 1.0};

double inverse_document_frequency(std::uint64_t products, std::uint64_t document_frequency);

struct Postings {
  std::vector<Posting> postings;     // term after term, by ordinal
  std::vector<std::uint32_t> first;  // term_count + 1
  std::vector<std::uint32_t> idf;    // 1000 · idf, rounded
  std::vector<std::uint16_t> impact_max;
};

Postings build_postings(const Corpus& corpus);

}  // namespace turnstone
