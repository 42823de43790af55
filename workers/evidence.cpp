#include "workers/evidence.h"

#include <algorithm>
#include <bit>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::uint32_t never = 0;
constexpr std::size_t known_terms = 16'384;  // a power of two

std::size_t hash_of(TermId term) { return static_cast<std::size_t>(term.value * 2654435761U) >> 7; }

std::int64_t weight_of(const Wording& wording, std::uint64_t mask) {
  std::int64_t weight = 0;
  for (; mask != 0; mask &= mask - 1) weight += wording.words[static_cast<std::size_t>(std::countr_zero(mask))].weight;
  return weight;
}

}  // namespace

EvidenceMeter::EvidenceMeter(std::vector<const Wording*> wordings, const Artefact& artefact)
    : wordings_(std::move(wordings)), artefact_(artefact) {
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

const EvidenceWalk::Known& EvidenceMeter::known(TermId term, EvidenceWalk& walk) const {
  EvidenceWalk::Known& entry = walk.known[term.value & (known_terms - 1)];
  if (entry.term != term) {
    const Slot* slot = slot_of(term);
    entry.term = term;
    entry.weight = artefact_.is_function_word(term) ? 0 : artefact_.idf(term);
    entry.slot = slot == nullptr ? 0 : static_cast<std::uint32_t>(slot - slots_.data()) + 1;
  }
  return entry;
}

void EvidenceMeter::visit(const Slot& slot, EvidenceWalk& walk, ListingEvidence& out) const {
  // From the last place backwards, so that a doubled word does not continue the run that it itself just began.
  for (std::uint32_t i = slot.count; i-- > 0;) {
    const Place& place = places_[slot.first + i];
    const bool goes_on = walk.seen_at[place.flat - 1] != never && walk.seen_at[place.flat - 1] + 1 == walk.token;
    walk.run[place.flat] = place.weight + (goes_on ? walk.run[place.flat - 1] : 0);
    walk.seen_at[place.flat] = walk.token;
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
  ++walk.token;  // runs do not cross parts
}

void EvidenceMeter::measure(Ordinal product, EvidenceWalk& walk, ListingEvidence& out) const {
  out.wordings.assign(wordings_.size(), Evidence{});
  out.matched = 0;
  out.total = 0;
  walk.token = 1;
  walk.anywhere.assign(wordings_.size(), 0);
  walk.here.assign(wordings_.size(), 0);
  walk.seen_at.assign(flat_count_ + 1, never);
  walk.run.assign(flat_count_ + 1, 0);
  walk.known.resize(known_terms);
  const std::uint32_t parts = artefact_.part_count(product);
  for (std::uint32_t p = 0; p < parts; ++p) {
    const ListingPart part = artefact_.part(product, p);
    std::int64_t part_total = 0;
    for (const TermId term : part.terms) {
      ++walk.token;
      const EvidenceWalk::Known& word = known(term, walk);
      part_total += word.weight;
      if (word.slot != 0) {
        const Slot& slot = slots_[word.slot - 1];
        visit(slot, walk, out);
        if (slot.weighs) out.matched += word.weight;
      }
    }
    out.total += part_total;
    close_part(walk, p, part_total, part.field == ListingField::title, out);
  }
  for (std::size_t w = 0; w < wordings_.size(); ++w) out.wordings[w].anywhere = weight_of(*wordings_[w], walk.anywhere[w]);
}

}  // namespace turnstone
