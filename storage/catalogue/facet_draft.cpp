#include "storage/catalogue/facet_draft.h"

#include <algorithm>

#include "storage/catalogue/column_audit.h"

namespace turnstone {

bool shouts(std::string_view text) {
  const auto upper = std::count_if(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool lower = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return upper >= 4 && !lower;
}

std::string ValueDraft::text() const {
  // "Shirt" rather than "SHIRT", if anybody writes it so.
  constexpr std::uint32_t shouted_per_plain_max = 20;
  const std::pair<const std::string, std::uint32_t>* best = nullptr;
  for (const auto& spelling : spellings) {
    const auto weight = [](const auto& s) { return std::uint64_t{s.second} * (shouts(s.first) ? 1 : shouted_per_plain_max); };
    if (best == nullptr || weight(spelling) > weight(*best)) best = &spelling;
  }
  return best == nullptr ? key : best->first;
}

ValueDraft& FacetDraft::value(std::string_view key) {
  const auto [found, added] = index.try_emplace(std::string(key), static_cast<std::uint32_t>(values.size()));
  if (added) {
    values.emplace_back();
    values.back().key = key;
  }
  return values[found->second];
}

const ValueDraft* FacetDraft::find(std::string_view key) const {
  const auto found = index.find(std::string(key));
  return found == index.end() ? nullptr : &values[found->second];
}

void FacetDraft::add(std::uint32_t product, std::string_view key, std::string_view spelling) {
  if (key.empty()) return;
  ValueDraft& draft = value(key);
  draft.products.push_back(product);
  if (spelling.empty()) return;
  const auto known = draft.spellings.find(spelling);
  if (known != draft.spellings.end()) {
    ++known->second;
  } else {
    draft.spellings.emplace(spelling, 1);
  }
}

void FacetDraft::raise(Verdict to, std::string_view why) {
  if (to < verdict || (to == verdict && !reason.empty())) return;
  verdict = to;
  reason = why;
}

std::vector<bool> FacetDraft::holders(std::uint32_t product_count) const {
  std::vector<bool> has(product_count, false);
  for (const ValueDraft& draft : values) {
    for (const std::uint32_t product : draft.products) has[product] = true;
  }
  for (const auto& row : numbers) has[row.product.value] = true;
  return has;
}

void FacetDraft::finish(std::uint32_t product_count) {
  for (ValueDraft& draft : values) {
    std::sort(draft.products.begin(), draft.products.end());
    draft.products.erase(std::unique(draft.products.begin(), draft.products.end()), draft.products.end());
  }
  std::erase_if(values, [](const ValueDraft& draft) { return draft.products.empty(); });
  std::sort(values.begin(), values.end(), [](const ValueDraft& a, const ValueDraft& b) {
    return a.products.size() != b.products.size() ? a.products.size() > b.products.size() : a.key < b.key;
  });
  index.clear();
  for (std::uint32_t i = 0; i < values.size(); ++i) index.emplace(values[i].key, i);

  // One number a product: the first given.
  std::stable_sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.product < b.product; });
  numbers.erase(std::unique(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.product == b.product; }), numbers.end());

  const std::vector<bool> has = holders(product_count);
  filled = std::max(stated, static_cast<std::uint32_t>(std::count(has.begin(), has.end(), true)));
  std::vector<std::uint32_t> counts;
  for (const ValueDraft& draft : values) counts.push_back(static_cast<std::uint32_t>(draft.products.size()));
  if (kind == FacetKind::number) {
    std::map<std::int64_t, std::uint32_t> by_number;
    for (const auto& row : numbers) ++by_number[row.number.value];
    counts.clear();
    for (const auto& [number, count] : by_number) counts.push_back(count);
  }
  entropy = entropy_millibits(counts);
}

FacetDraft& facet_named(FacetDrafts& facets, std::string_view name) {
  const auto found = facets.find(name);
  if (found != facets.end()) return found->second;
  FacetDraft& facet = facets[std::string(name)];
  facet.name = name;
  facet.label = name;
  std::replace(facet.label.begin(), facet.label.end(), '_', ' ');
  return facet;
}

}  // namespace turnstone
