#include "workers/evidence.h"

#include <algorithm>
#include <bit>

#include "storage/artefact/kept.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::uint32_t never = 0;
constexpr std::size_t weights_kept = 8;

std::size_t hash_of(TermId term) { return static_cast<std::size_t>(term.value * 2654435761U) >> 7; }

std::int64_t weight_of(const Wording& wording, std::uint64_t mask) {
  std::int64_t weight = 0;
  for (; mask != 0; mask &= mask - 1) weight += wording.words[static_cast<std::size_t>(std::countr_zero(mask))].weight;
  return weight;
}

// What each term weighs in a listing: its IDF, nothing for function words. 4 bytes a term, shared by all who use the artefact.
std::shared_ptr<const std::vector<std::uint32_t>> term_weights(const Artefact& artefact) {
  static Kept<Fingerprint, std::vector<std::uint32_t>> kept(weights_kept);
  return kept.get(artefact.fingerprint(), [&] {
    auto weights = std::make_shared<std::vector<std::uint32_t>>();
    weights->reserve(artefact.term_count());
    for (std::uint32_t t = 0; t < artefact.term_count(); ++t) {
      weights->push_back(artefact.is_function_word(TermId{t}) ? 0 : artefact.idf(TermId{t}));
    }
    return weights;
  });
}

}  // namespace

EvidenceMeter::EvidenceMeter(std::vector<const Wording*> wordings, const Artefact& artefact)
    : wordings_(std::move(wordings)), artefact_(artefact), weights_(term_weights(artefact)) {
  std::vector<std::pair<TermId, Place>> all;
  for (std::size_t w = 0; w < wordings_.size(); ++w) {
    ++flat_count_;  // a gap before each wording: its first word continues nothing
    for (std::size_t i = 0; i < wordings_[w]->words.size(); ++i, ++flat_count_) {
      const WordOfWording& word = wordings_[w]->words[i];
      if (word.term) all.push_back({*word.term, {static_cast<std::uint16_t>(w), static_cast<std::uint16_t>(i), flat_count_, word.weight}});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  slots_.resize(std::bit_ceil(all.size() * 2 + 2));
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    bool weighs = false;
    for (; end < all.size() && all[end].first == all[i].first; ++end) weighs |= all[end].second.weight > 0;
    std::size_t at = hash_of(all[i].first) & (slots_.size() - 1);
    while (slots_[at].count != 0) at = (at + 1) & (slots_.size() - 1);
    marks_[all[i].first.value % mark_bits / 64] |= std::uint64_t{1} << (all[i].first.value % 64);
    slots_[at] = {all[i].first, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end - i), weighs};
    i = end;
  }
  for (const auto& [term, place] : all) places_.push_back(place);
}

const EvidenceMeter::Slot* EvidenceMeter::slot_of(TermId term) const {
  for (std::size_t at = hash_of(term) & (slots_.size() - 1); slots_[at].count != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].term == term) return &slots_[at];
  }
  return nullptr;
}

void EvidenceMeter::visit(const Slot& slot, std::uint32_t token, EvidenceWalk& walk, ListingEvidence& out) const {
  // From the last place backwards, so that a doubled word does not continue the run that it itself just began.
  for (std::uint32_t i = slot.count; i-- > 0;) {
    const Place& place = places_[slot.first + i];
    const bool goes_on = walk.seen_at[place.flat - 1] != never && walk.seen_at[place.flat - 1] + 1 == token;
    walk.run[place.flat] = place.weight + (goes_on ? walk.run[place.flat - 1] : 0);
    walk.seen_at[place.flat] = token;
    Evidence& evidence = out.wordings[place.wording];
    evidence.run = std::max(evidence.run, walk.run[place.flat]);
    if (walk.here[place.wording] == 0) walk.touched.push_back(place.wording);
    walk.here[place.wording] |= std::uint64_t{1} << place.word;
  }
}

void EvidenceMeter::close_part(EvidenceWalk& walk, std::uint32_t part, std::int64_t part_total, bool title, ListingEvidence& out) const {
  for (const std::uint16_t w : walk.touched) {
    const Wording& wording = *wordings_[w];
    Evidence& evidence = out.wordings[w];
    const std::int64_t weight = weight_of(wording, walk.here[w]);
    const std::int64_t fill = std::min(fixed_point::whole, fixed_point::permille_of(weight, part_total));
    if (weight > evidence.together || (weight == evidence.together && fill > evidence.fill)) {
      evidence.together = weight;
      evidence.fill = fill;
      evidence.part = part;
    }
    if (title && weight > 0) {
      evidence.in_title = true;
      for (std::size_t i = wording.words.size(); i-- > 0;) {
        if (wording.words[i].weight == 0) continue;
        evidence.head_in_title = (walk.here[w] >> i & 1) != 0;
        break;
      }
    }
    walk.anywhere[w] |= walk.here[w];
    walk.here[w] = 0;
  }
  walk.touched.clear();
}

void EvidenceMeter::measure(Ordinal product, EvidenceWalk& walk, ListingEvidence& out) const {
  out.wordings.assign(wordings_.size(), Evidence{});
  out.matched = 0;
  out.total = 0;
  walk.anywhere.assign(wordings_.size(), 0);
  walk.here.assign(wordings_.size(), 0);
  walk.seen_at.assign(flat_count_ + 1, never);
  walk.run.assign(flat_count_ + 1, 0);
  artefact_.part_ends(product, walk.parts);
  const std::span<const TermId> terms = artefact_.terms(product);
  const std::span<const std::uint32_t> weights = *weights_;
  std::size_t at = 0;
  for (std::uint32_t p = 0; p < walk.parts.size(); ++p) {
    const std::size_t end = std::min<std::size_t>(walk.parts[p].end, terms.size());
    std::int64_t part_total = 0;
    for (; at < end; ++at) {
      const TermId term = terms[at];
      part_total += weights[term.value];
      if (!may_be_wanted(term)) continue;
      const Slot* slot = slot_of(term);
      if (slot == nullptr) continue;
      visit(*slot, static_cast<std::uint32_t>(at) + p + 2, walk, out);  // a step between parts: runs do not cross them
      if (slot->weighs) out.matched += weights[term.value];
    }
    out.total += part_total;
    close_part(walk, p, part_total, walk.parts[p].field == ListingField::title, out);
  }
  for (std::size_t w = 0; w < wordings_.size(); ++w) out.wordings[w].anywhere = weight_of(*wordings_[w], walk.anywhere[w]);
}

}  // namespace turnstone
