// The score of one product: a sum of named parts, in millibits. rank and score_parts share this one function,
// so that the parts sum to the score exactly.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workers/evidence.h"
#include "workers/liked.h"
#include "workers/requirement.h"
#include "workers/stages.h"

namespace turnstone {

class Scorer {
 public:
  Scorer(std::shared_ptr<const Wishes> wishes, const Guidance& guidance, const Artefact& artefact, const Variant& variant);
  // With `parts`, every part that is not 0 is named there. O(terms of the listing + requirements).
  std::int64_t score(Ordinal product, std::vector<ScorePart>* parts = nullptr) const;

 private:
  class Sum;
  std::vector<const Wording*> all_wordings() const;
  void score_words(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Sum& sum) const;
  void score_facet(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product, Sum& sum) const;
  void score_type(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product, Sum& sum) const;
  void score_number(const Requirement& requirement, Ordinal product, Sum& sum) const;
  void score_rejection(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product,
                       Sum& sum) const;
  void score_person(Ordinal product, Sum& sum) const;

  const Artefact& artefact_;
  const Variant::Rank& weights_;
  std::shared_ptr<const Wishes> shared_wishes_;
  const Wishes& wishes_;
  Liked liked_;
  EvidenceMeter meter_;
  mutable EvidenceWalk walk_;         // kept between calls for their memory only: one scorer is one thread's
  mutable ListingEvidence evidence_;
};

}  // namespace turnstone
