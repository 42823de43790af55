// The catalogue as the index sees it: rows in byte order of their id, cut into parts, each part into terms.
//
// Term ids are ranks in byte order of the term's text, so that they depend on the catalogue's content alone.
// Building runs on two threads over halves of the rows; the result is the same on one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/artefact/language.h"
#include "storage/catalogue/catalogue.h"

namespace turnstone {

struct CorpusPart {
  ListingField field = ListingField::title;
  std::uint16_t position = 0;
  std::string_view key;  // views into the rows
  std::string_view text;
  std::uint32_t first_term = 0;  // in forward
  std::uint32_t term_count = 0;
  std::uint32_t key_terms = 0;  // of them, those of the key come first
};

class Corpus {
 public:
  Corpus(std::vector<ProductRow> rows, const Language& language, const Progress& progress);
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  const Language& language() const { return language_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  const ProductRow& row(std::uint32_t product) const { return rows_[product]; }
  std::span<const CorpusPart> parts() const { return parts_; }
  std::span<const CorpusPart> parts(std::uint32_t product) const {
    return std::span(parts_).subspan(first_part_[product], first_part_[product + 1] - first_part_[product]);
  }
  std::uint32_t first_part(std::uint32_t product) const { return first_part_[product]; }
  std::span<const std::uint32_t> forward() const { return forward_; }
  std::span<const std::uint32_t> terms(const CorpusPart& part) const { return std::span(forward_).subspan(part.first_term, part.term_count); }
  std::span<const std::uint32_t> title_terms(std::uint32_t product) const { return terms(parts_[first_part_[product]]); }
  const std::vector<std::string>& term_texts() const { return term_texts_; }
  const std::vector<std::string>& term_surfaces() const { return term_surfaces_; }
  // Rank of a term; no_term when no product has it.
  std::uint32_t find(std::string_view term) const;
  static constexpr std::uint32_t no_term = 0xFFFFFFFF;

 private:
  std::vector<ProductRow> rows_;
  const Language& language_;
  std::vector<CorpusPart> parts_;
  std::vector<std::uint32_t> first_part_;  // size() + 1
  std::vector<std::uint32_t> forward_;
  std::vector<std::string> term_texts_;
  std::vector<std::string> term_surfaces_;
};

}  // namespace turnstone
