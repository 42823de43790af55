// What is taken back: everything, the last change, or a product left for another.
#include <algorithm>

#include "workers/revision.h"

namespace turnstone {

void Reviser::begin_again() {
  const auto is_wish = [](const Signal& s) { return s.kind == SignalKind::wish; };
  const bool wishes = std::any_of(reading_.signals.begin(), reading_.signals.end(), is_wish);
  if (said(Act::start_over)) {
    if (!before_.active.empty() || !before_.waived.empty() || before_.turn.value > 1) advance(EpochReason::started_over, {}, false);
  } else if (said(Act::revoke_all)) {
    advance(EpochReason::wishes_revoked, {"category", "department"}, false);
  } else if ((said(Act::undo) || said(Act::retract)) && !wishes) {
    restore_last_change();
  } else if (const Signal* retraction = said(Act::retract) ? act(Act::retract) : act(Act::rethink); retraction != nullptr && wishes) {
    const Signal& first = *std::find_if(reading_.signals.begin(), reading_.signals.end(), is_wish);
    const bool of_this_message = first.span.begin < retraction->span.begin;  // "red, no, scratch that, blue"
    if (!of_this_message && !corrects_a_facet(*retraction)) advance(EpochReason::wishes_revoked, {"category", "department"}, false);
  }
}

// Whether a wish behind the retraction says otherwise of a facet that is held: then that is what is taken back, else all is.
bool Reviser::corrects_a_facet(const Signal& retraction) const {
  const auto corrects = [&](const Signal& s, const Constraint& old) {
    if (old.set.facet != s.facet) return false;
    if (s.value.number || old.set.value.number) return !(s.value.number == old.set.value.number && s.op == old.set.op);
    return !says_the_same(old.set.value, s.value);
  };
  return std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& s) {
    if (s.kind != SignalKind::wish || s.span.begin < retraction.span.begin || s.facet == "feature") return false;
    return std::any_of(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return corrects(s, c); });
  });
}

// "Cotton" and "100% cotton": the words of one stand in the other.
bool Reviser::says_the_same(const ConstraintValue& a, const ConstraintValue& b) const {
  for (const std::string& x : a.any_of) {
    for (const std::string& y : b.any_of) {
      const std::string left = " " + key(x) + " ";
      const std::string right = " " + key(y) + " ";
      if (left.find(right) != std::string::npos || right.find(left) != std::string::npos) return true;
    }
  }
  return false;
}

// The turn in which a wish was first said; a wish that was restored keeps it.
TurnNumber Reviser::said_in(const Constraint& constraint) const {
  TurnNumber turn = constraint.turn;
  for (std::optional<ConstraintId> from = constraint.set.restored_from; from;) {
    const auto origin =
        std::find_if(now_.tombstones.begin(), now_.tombstones.end(), [&](const Tombstone& t) { return t.constraint.set.id == *from; });
    if (origin == now_.tombstones.end()) break;
    turn = origin->constraint.turn;
    from = origin->constraint.set.restored_from;
  }
  return turn;
}

// Whether a tombstone is no longer a change to go back behind: what it buried was restored, or it took back itself.
bool Reviser::is_undone(const Tombstone& tombstone) const {
  const auto restores = [&](const Constraint& c) { return c.set.restored_from == tombstone.constraint.set.id; };
  if (std::any_of(now_.active.begin(), now_.active.end(), restores)) return true;
  if (std::any_of(now_.tombstones.begin(), now_.tombstones.end(), [&](const Tombstone& t) { return restores(t.constraint); })) return true;
  return tombstone.by.by == tombstone.constraint.set.id;
}

void Reviser::restore(const Constraint& old) {
  ConstraintSet restored = old.set;
  restored.restored_from = restored.id;
  restored.id = next(now_.last_constraint);
  const bool there = std::any_of(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return equal(c.set, restored); });
  if (!there) write(std::move(restored));
}

// "The first budget was right": what was held of a column before is held again, in place of what came after it.
void Reviser::restore_column(const Signal& signal) {
  const Tombstone* found = nullptr;
  for (const Tombstone& tombstone : before_.tombstones) {
    const bool fits = tombstone.constraint.set.facet == signal.facet && tombstone.constraint.set.op != Operator::is_not && tombstone.epoch == now_.epoch && tombstone.by.reason != TombstoneReason::archived;
    const bool held = std::any_of(now_.active.begin(), now_.active.end(), [&](const Constraint& c) { return equal(c.set, tombstone.constraint.set); });
    if (fits && !held && (found == nullptr || signal.place != 1)) found = &tombstone;
  }
  if (found == nullptr) return;
  const ConstraintSet& back = found->constraint.set;
  std::vector<ConstraintId> gone;
  for (const Constraint& constraint : now_.active) {
    const ConstraintSet& set = constraint.set;
    if (set.facet != back.facet) continue;
    const bool refuses_it = set.value.number && back.value.number ? overlaps(choices_of(set.value), choices_of(back.value)) : overlaps(set.value, back.value);
    const bool other_end = (set.op == Operator::at_least && back.op == Operator::at_most && *set.value.number <= *back.value.number) ||
                           (set.op == Operator::at_most && back.op == Operator::at_least && *set.value.number >= *back.value.number);
    if (set.op == Operator::is_not ? refuses_it : !other_end) gone.push_back(set.id);
  }
  const ConstraintId by = next(now_.last_constraint);
  const Constraint old = found->constraint;
  for (const ConstraintId id : gone) bury(id, TombstoneReason::superseded, by, signal.said);
  restore(old);
}

// What the last change set is buried, what it buried is restored. Said again, it goes one change further back.
void Reviser::restore_last_change() {
  TurnNumber last;
  for (const Constraint& constraint : now_.active) last = std::max(last, said_in(constraint));
  for (const Tombstone& tombstone : now_.tombstones) {
    if (!is_undone(tombstone)) last = std::max(last, tombstone.turn);
  }
  if (last.value == 0) return;
  const std::string words = (said(Act::undo) ? act(Act::undo) : act(Act::retract))->said;
  std::vector<Constraint> back;
  bool other_epoch = false;
  for (const Tombstone& tombstone : now_.tombstones) {
    if (tombstone.turn != last || said_in(tombstone.constraint) == last || is_undone(tombstone)) continue;
    back.push_back(tombstone.constraint);
    other_epoch = other_epoch || tombstone.by.reason == TombstoneReason::archived;
  }
  std::vector<ConstraintId> set_then;
  for (const Constraint& constraint : now_.active) {
    if (said_in(constraint) == last) set_then.push_back(constraint.set.id);
  }
  if (back.empty() && set_then.size() == now_.active.size()) return;  // nothing stood before it
  // Buried by itself: nothing took its place, so that undoing once more does not bring it back.
  for (const ConstraintId id : set_then) bury(id, TombstoneReason::revoked, id, words);
  if (other_epoch) {
    std::vector<ConstraintId> carried;
    for (const Constraint& constraint : now_.active) carried.push_back(constraint.set.id);
    write(EpochAdvanced{now_.epoch, next(now_.epoch), EpochReason::returned, carried, {}});
  }
  for (const Constraint& constraint : back) restore(constraint);
}

// What else was wished for when the product was left for another.
void Reviser::restore_wishes_of(const Tombstone& product) {
  std::vector<Constraint> back;
  for (const Tombstone& tombstone : before_.tombstones) {
    const std::string& facet = tombstone.constraint.set.facet;
    if (tombstone.turn != product.turn || tombstone.by.reason != TombstoneReason::archived || facet == "category") continue;
    const bool said_anew = std::any_of(reading_.signals.begin(), reading_.signals.end(),
                                       [&](const Signal& s) { return s.facet == facet && facet != "feature" && s.kind != SignalKind::act; });
    if (!said_anew) back.push_back(tombstone.constraint);
  }
  for (const Constraint& constraint : back) restore(constraint);
}

}  // namespace turnstone
