#include "workers/liked.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

Wording words_of_listing(Ordinal product, const Artefact& artefact) {
  Wording wording;
  for (std::uint32_t p = 0; p < artefact.part_count(product); ++p) {
    const ListingPart part = artefact.part(product, p);
    if (part.field != ListingField::title && part.field != ListingField::categories) continue;
    for (const TermId term : part.terms) {
      if (wording.words.size() == wording_words_max) return wording;
      const std::int64_t weight = artefact.is_function_word(term) ? 0 : artefact.idf(term);
      wording.words.push_back({term, weight});
      wording.weight += weight;
    }
  }
  return wording;
}

}  // namespace

bool Liked::is_kind(Ordinal product, const Artefact& artefact) const {
  if (kinds.empty()) return false;
  const auto values = artefact.values_of(product, artefact.value(kinds.front()).facet);
  return std::any_of(values.begin(), values.end(), [&](ValueId value) { return std::binary_search(kinds.begin(), kinds.end(), value); });
}

Liked compile_liked(const Guidance& guidance, const Artefact& artefact, const Variant& variant) {
  Liked liked;
  const auto product = guidance.like ? artefact.find(guidance.like->value) : std::nullopt;
  if (!product) return liked;
  liked.words = words_of_listing(*product, artefact);
  const Facet* category = artefact.facet("category");
  if (category == nullptr) return liked;
  for (const ValueId value : artefact.values_of(*product, category->id)) {
    const std::int64_t information = fixed_point::log2_millibits(std::max<std::uint64_t>(1, category->filled)) -
                                     fixed_point::log2_millibits(std::max<std::uint64_t>(1, artefact.value(value).count));
    if (information >= variant.retrieve.broad_type) liked.kinds.push_back(value);
  }
  return liked;
}

}  // namespace turnstone
