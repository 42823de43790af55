// How much of each wording a listing holds, and how well it holds together.
//
// For a wording with words w1 … wn and a listing made of parts (title, one category, one bullet, one details
// pair …), measured in millibits of IDF:
//   anywhere   words that stand anywhere in the listing
//   together   words that stand in the one part that holds most of the wording
//   run        the longest run of the wording's words that stands intact in one part
//   fill       permille of that best part (by IDF) that is the wording: 1,000 = the part says nothing else
//   part       which part that is, counted from the listing's first
// There is no normalisation by document length in any of them.
//
// Thread safety: immutable after construction; measure() only reads. O(terms of the listing) a product.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "workers/requirement.h"

namespace turnstone {

struct Evidence {
  std::int64_t anywhere = 0;
  std::int64_t together = 0;
  std::int64_t run = 0;
  std::int64_t fill = 0;
  std::uint32_t part = 0;
  bool in_title = false;       // any weighing word stands in the title
  bool head_in_title = false;  // the last weighing word does
};

struct ListingEvidence {
  std::vector<Evidence> wordings;  // in the order given
  std::int64_t matched = 0;        // IDF of the listing's words that are evidence, each counted once a place
  std::int64_t total = 0;          // IDF of all its words
};

// What is remembered while a listing's words pass by; kept by the caller so that its memory is reused.
struct EvidenceWalk {
  std::vector<std::uint64_t> anywhere;   // by wording: words seen
  std::vector<std::uint64_t> here;       // … in this part
  std::vector<std::uint16_t> touched;    // wordings with a word in this part
  std::vector<std::uint32_t> seen_at;    // by flat place: token at which it was seen last
  std::vector<std::int64_t> run;         // by flat place: weight of the run that ends there
  std::vector<PartEnd> parts;            // of the listing
};

class EvidenceMeter {
 public:
  // At most wordings_max wordings of at most wording_words_max words; the wordings must outlive the meter. A walk is one meter's.
  EvidenceMeter(std::vector<const Wording*> wordings, const Artefact& artefact);
  void measure(Ordinal product, EvidenceWalk& walk, ListingEvidence& out) const;

 private:
  struct Place {
    std::uint16_t wording = 0;
    std::uint16_t word = 0;
    std::uint32_t flat = 0;      // place over all wordings; neighbours in a wording differ by one
    std::int64_t weight = 0;
  };
  struct Slot {
    TermId term;
    std::uint32_t first = 0;
    std::uint32_t count = 0;     // 0 = free
    bool weighs = false;
  };
  // Most words of a listing are of no wording: one bit tells them, and a few others.
  static constexpr std::uint32_t mark_bits = 1U << 14;
  bool may_be_wanted(TermId term) const { return (marks_[term.value % mark_bits / 64] >> (term.value % 64) & 1) != 0; }
  const Slot* slot_of(TermId term) const;
  void visit(const Slot& slot, std::uint32_t token, EvidenceWalk& walk, ListingEvidence& out) const;
  void close_part(EvidenceWalk& walk, std::uint32_t part, std::int64_t part_total, bool title, ListingEvidence& out) const;

  std::vector<const Wording*> wordings_;
  const Artefact& artefact_;
  std::shared_ptr<const std::vector<std::uint32_t>> weights_;  // by term
  std::array<std::uint64_t, mark_bits / 64> marks_{};
  std::vector<Place> places_;    // grouped by term
  std::vector<Slot> slots_;      // open addressing, a power of two
  std::uint32_t flat_count_ = 0;
};

}  // namespace turnstone
