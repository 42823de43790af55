// Setting, replacing and burying constraints; epochs.
#include <algorithm>
#include <array>
#include <set>

#include "storage/artefact/tokeniser.h"
#include "workers/revision.h"

namespace turnstone {
namespace {

bool is_number(const ConstraintSet& set) { return set.value.number.has_value(); }

// Facets of which a product has many at once: a new value stands beside the old.
bool is_many_valued(std::string_view facet) { return facet == "feature" || facet == "use_case"; }

bool is_upper(Operator op) { return op == Operator::at_most; }
bool is_lower(Operator op) { return op == Operator::at_least; }

// Both name one number, wanted or not.
bool any_exact(Operator a, Operator b) {
  const auto exact = [](Operator op) { return op == Operator::is || op == Operator::is_not; };
  return exact(a) && exact(b);
}

constexpr std::size_t narrower_share = 60;  // per cent of its products that lie in the other

}  // namespace

std::string Reviser::key(std::string_view text) const { return term_key(text, artefact_.language()); }

// What a wish names, as words: the choices of several numbers, or the one number.
ConstraintValue Reviser::choices_of(const ConstraintValue& value) {
  const bool single = value.any_of.empty() && value.number;
  return {single ? std::vector<std::string>{to_string(*value.number)} : value.any_of, std::nullopt, std::nullopt};
}

bool Reviser::overlaps(const ConstraintValue& a, const ConstraintValue& b) const {
  for (const std::string& x : a.any_of) {
    const std::string k = key(x);
    for (const std::string& y : b.any_of) {
      if (k == key(y)) return true;
    }
  }
  return false;
}

bool Reviser::equal(const ConstraintSet& a, const ConstraintSet& b) const {
  if (a.facet != b.facet || a.op != b.op || a.value.number != b.value.number || a.value.upper != b.value.upper) return false;
  if (a.value.number && a.unit != b.unit) return false;
  std::set<std::string> left;
  std::set<std::string> right;
  for (const std::string& value : a.value.any_of) left.insert(key(value));
  for (const std::string& value : b.value.any_of) right.insert(key(value));
  return left == right;
}

ConstraintSet Reviser::constraint_of(const Signal& signal, Source source) const {
  ConstraintSet set;
  set.facet = signal.facet;
  set.op = signal.op;
  set.value = signal.value;
  set.unit = signal.unit;
  set.strength = signal.strength;
  set.source = source;
  set.confidence = signal.confidence;
  set.said = signal.said;
  set.span = signal.span;
  return set;
}

std::optional<ConstraintId> Reviser::tombstone_of(const ConstraintSet& set) const {
  for (auto at = now_.tombstones.rbegin(); at != now_.tombstones.rend(); ++at) {
    if (at->turn != before_.turn && equal(at->constraint.set, set)) return at->constraint.set.id;
  }
  return std::nullopt;
}

void Reviser::bury(ConstraintId id, TombstoneReason reason, std::optional<ConstraintId> by, std::string words) {
  write(ConstraintTombstoned{id, reason, by, std::move(words)});
}

// Whether the new wish takes the old one's place.
bool Reviser::replaces(const Signal& signal, const Constraint& old) const {
  const ConstraintSet& set = old.set;
  if (set.facet != signal.facet) return false;
  const bool same_message = old.turn == before_.turn || std::find(restated_.begin(), restated_.end(), set.id) != restated_.end();
  const bool corrected = same_message && correction_at_ != 0xffffffff && set.span.begin < correction_at_ && signal.span.begin >= correction_at_;
  if (signal.value.number || is_number(set)) {
    if (is_number(set) != signal.value.number.has_value()) return !same_message || corrected;
    if (set.op == Operator::is_not || signal.op == Operator::is_not) return false;  // "16 GB", then "not 16 GB": a contradiction, see set()
    const bool opposite = (is_upper(set.op) && is_lower(signal.op)) || (is_lower(set.op) && is_upper(signal.op));
    if (!opposite) return true;
    const Number low = is_lower(set.op) ? *set.value.number : *signal.value.number;
    const Number high = is_upper(set.op) ? *set.value.number : *signal.value.number;
    return corrected || low > high;
  }
  if (signal.op != Operator::is || set.op != Operator::is) return false;
  if (same_message && !corrected) return false;
  if (signal.adds) return false;
  if (is_many_valued(signal.facet)) return corrected && set.span.end + 40 > correction_at_;
  // "Anything else?" "Also pink" after blue: both, where a product can have both.
  const bool told_more = signal.facet == "category" ? picks_a_kind(signal) && set.strength == Strength::hard : told_openly_;
  if (told_more && !same_message && held_together(set, signal)) return false;
  return same_message || reading_.corrects || !gathers(set, signal);
}

// "Or in blue", "also in blue": what is held of the facet goes on as another choice, where no product has both at once.
// Takes its values into the new wish and names it.
std::optional<ConstraintId> Reviser::widen(const Signal& signal, ConstraintSet& fresh) const {
  if (!(signal.widens || signal.adds) || fresh.op != Operator::is || is_number(fresh) || is_many_valued(fresh.facet)) return std::nullopt;
  for (auto old = now_.active.rbegin(); old != now_.active.rend(); ++old) {
    if (old->set.facet != fresh.facet || old->set.op != Operator::is || is_number(old->set)) continue;
    if (!signal.widens && held_together(old->set, signal)) return std::nullopt;
    std::vector<std::string> values = old->set.value.any_of;
    for (std::string& value : fresh.value.any_of) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    }
    fresh.value.any_of = std::move(values);
    fresh.strength = old->set.strength;
    return old->set.id;
  }
  return std::nullopt;
}

// "The table", said of the dining table at hand.
bool Reviser::is_one_called_so(const ConstraintSet& old, const ConstraintSet& fresh) const {
  const std::string called = " " + key(fresh.said);
  const auto& values = fresh.value.any_of;
  if (!std::all_of(values.begin(), values.end(), [&](const std::string& value) { return key(value).ends_with(called); })) return false;
  return std::all_of(old.value.any_of.begin(), old.value.any_of.end(),
                     [&](const std::string& value) { return std::find(values.begin(), values.end(), value) != values.end(); });
}

void Reviser::set(const Signal& signal, Source source) {
  ConstraintSet fresh = constraint_of(signal, source);
  if (fresh.facet.empty()) return;
  // A product's name that is only wider than what is wanted says nothing new.
  if (fresh.facet == "category" && fresh.op == Operator::is && !other_product_ && !signal.widens) {
    for (const Constraint& old : now_.active) {
      if (old.set.facet != "category" || old.set.op != Operator::is || old.turn == before_.turn) continue;
      if (kinship(old.set.value.any_of, fresh.value.any_of) == Kinship::wider || (!signal.whichever && is_one_called_so(old.set, fresh)))
        return;
    }
  }
  const std::optional<ConstraintId> wider = widen(signal, fresh);
  const auto same = std::find_if(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return equal(c.set, fresh); });
  std::vector<std::pair<ConstraintId, TombstoneReason>> gone;
  std::vector<ConstraintSet> kept_parts;
  for (const Constraint& old : now_.active) {
    if (equal(old.set, fresh)) continue;
    if (old.set.id == wider || replaces(signal, old)) {
      gone.emplace_back(old.set.id, TombstoneReason::superseded);
      continue;
    }
    if (old.set.facet != fresh.facet || is_number(old.set) != is_number(fresh) || (is_number(fresh) && !any_exact(old.set.op, fresh.op))) continue;
    if (!overlaps(choices_of(old.set.value), choices_of(fresh.value))) continue;
    const bool opposite = (old.set.op == Operator::is) != (fresh.op == Operator::is);
    if (!opposite) continue;
    gone.emplace_back(old.set.id, TombstoneReason::contradicted);
    if (old.set.op != Operator::is || old.set.value.any_of.size() < 2) continue;
    // "cotton or linen", then "no linen": cotton is left.
    ConstraintSet rest = old.set;
    std::erase_if(rest.value.any_of, [&](const std::string& value) {
      return overlaps(ConstraintValue{{value}, std::nullopt, std::nullopt}, choices_of(fresh.value));
    });
    if (is_number(rest) && !rest.value.any_of.empty()) {
      rest.value.number = parse_number(rest.value.any_of.front());
      const bool only = rest.value.any_of.size() == 1;
      rest.restored_from = rest.id;
      if (only) rest.value.any_of.clear();
      kept_parts.push_back(std::move(rest));
      continue;
    }
    rest.restored_from = rest.id;
    if (!rest.value.any_of.empty()) kept_parts.push_back(std::move(rest));
  }
  const bool there = same != now_.active.end();
  if (there) restated_.push_back(same->set.id);
  fresh.id = there ? same->set.id : next(now_.last_constraint);
  for (const auto& [id, reason] : gone) bury(id, reason, fresh.id, signal.said);
  if (!there) {
    fresh.restored_from = tombstone_of(fresh);
    write(std::move(fresh));
  }
  for (ConstraintSet& rest : kept_parts) {
    rest.id = next(now_.last_constraint);
    const bool known = std::any_of(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return equal(c.set, rest); });
    if (!known) write(std::move(rest));
  }
}

// --- epochs ---

void Reviser::advance(EpochReason reason, const std::vector<std::string>& carried_facets, bool carry_rejected_brands) {
  std::vector<ConstraintId> carried;
  std::vector<ConstraintId> archived;
  for (const Constraint& constraint : now_.active) {
    const bool named = std::find(carried_facets.begin(), carried_facets.end(), constraint.set.facet) != carried_facets.end();
    const bool refused = carry_rejected_brands && constraint.set.facet == "brand" && constraint.set.op == Operator::is_not;
    (named || refused ? carried : archived).push_back(constraint.set.id);
  }
  write(EpochAdvanced{now_.epoch, next(now_.epoch), reason, std::move(carried), std::move(archived)});
}

std::vector<Ordinal> Reviser::products_of(const std::string& facet_name, const std::vector<std::string>& values) const {
  const Facet* facet = artefact_.facet(facet_name);
  std::vector<Ordinal> products;
  if (facet == nullptr || facet->kind == FacetKind::number) return products;
  for (const std::string& value : values) {
    const auto id = artefact_.find_value(facet->id, key(value));
    if (!id) continue;
    const auto with = artefact_.products_with(*id);
    std::vector<Ordinal> merged;
    std::set_union(products.begin(), products.end(), with.begin(), with.end(), std::back_inserter(merged));
    products = std::move(merged);
  }
  return products;
}

// Whether some listing has a value of each.
bool Reviser::held_together(const ConstraintSet& a, const Signal& b) const {
  const auto left = products_of(a.facet, a.value.any_of);
  const auto right = products_of(b.facet, b.value.any_of);
  std::vector<Ordinal> common;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
  return !common.empty();
}

// "Vegan", then "gluten free", in a column where listings say several things at once and often both of these: one more wish.
bool Reviser::gathers(const ConstraintSet& held, const Signal& fresh) const {
  const Facet* facet = artefact_.facet(held.facet);
  if (facet == nullptr || facet->kind != FacetKind::words || facet->name == "category" || facet->name == "brand" || facet->filled == 0) return false;
  constexpr std::uint64_t pieces_least = 15;  // of tenths of a value a listing
  constexpr std::size_t together_share = 5;
  std::uint64_t pieces = 0;
  for (const FacetValue& value : artefact_.values(facet->id)) pieces += value.count;
  if (pieces * 10 < facet->filled * pieces_least) return false;
  const auto left = products_of(held.facet, held.value.any_of);
  const auto right = products_of(fresh.facet, fresh.value.any_of);
  std::vector<Ordinal> common;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
  return common.size() * together_share >= std::min(left.size(), right.size()) && !common.empty();
}

// How two sets of product names stand to each other, by the products that bear them.
Reviser::Kinship Reviser::kinship(const std::vector<std::string>& old_values, const std::vector<std::string>& new_values) const {
  if (overlaps(ConstraintValue{old_values, std::nullopt, std::nullopt}, ConstraintValue{new_values, std::nullopt, std::nullopt}))
    return Kinship::same;
  // "Sweater" and "jumper" are one thing, whatever listings call it.
  const auto family = [&](const std::string& value) { return lexicon_->family("synonym", key(value)); };
  for (const std::string& old : old_values) {
    const auto own = family(old);
    if (own && !reading_.corrects && std::any_of(new_values.begin(), new_values.end(), [&](const std::string& value) { return family(value) == own; }))
      return Kinship::wider;
  }
  const auto old_products = products_of("category", old_values);
  const auto new_products = products_of("category", new_values);
  if (old_products.empty() || new_products.empty()) return Kinship::other;
  std::vector<Ordinal> common;
  std::set_intersection(old_products.begin(), old_products.end(), new_products.begin(), new_products.end(), std::back_inserter(common));
  if (common.size() * 100 >= old_products.size() * narrower_share && old_products.size() <= new_products.size()) return Kinship::wider;
  if (common.size() * 100 >= new_products.size() * narrower_share) return Kinship::narrower;
  if (common.size() * 100 >= old_products.size() * narrower_share) return Kinship::wider;
  return Kinship::other;
}

}  // namespace turnstone
