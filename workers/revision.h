// Turns the signals of one message into events, against a running state in which they are already folded.
//
// Order: what is said about the talk (start over, undo, ignore all), whom it is for, what is taken back, waived,
// another product, wishes, relative wishes, references, answers. Invariants of the result: every constraint has a
// span or a cause, no two active constraints are equal, every tombstone names the words that caused it.
// One Reviser revises one turn; linear in signals × active constraints; undoing is quadratic in the
// tombstones that are kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/lexicon.h"
#include "workers/reading.h"
#include "workers/stages.h"

namespace turnstone {

class Reviser {
 public:
  Reviser(const IntentState& state, const Reading& reading, const Artefact& artefact, const Policy& policy);
  Revision run();

 private:
  enum class Kinship : std::uint8_t { same, narrower, wider, other };

  // --- revise.cpp: the order of things ---
  void write(EventBody event);
  bool said(Act act) const;
  const Signal* act(Act act) const;
  void set_recipient();
  void take_back();
  void waive();
  void change_product();
  bool names_another_product(const Signal& signal) const;
  bool picks_a_kind(const Signal& signal) const;
  void set_wishes();
  void note_other_currency(const Signal& signal);
  void set_levels();
  bool said_in_figures(const Signal& level, Number bound);
  void resolve_references();
  void answer_question();
  void classify();
  void small_talk();

  // --- revise_undo.cpp ---
  void begin_again();
  bool corrects_a_facet(const Signal& retraction) const;
  bool says_the_same(const ConstraintValue& a, const ConstraintValue& b) const;
  void restore_last_change();
  TurnNumber said_in(const Constraint& constraint) const;
  bool is_undone(const Tombstone& tombstone) const;
  void restore(const Constraint& old);
  void restore_column(const Signal& signal);
  void restore_wishes_of(const Tombstone& product);

  // --- revise_constraints.cpp ---
  bool is_one_called_so(const ConstraintSet& old, const ConstraintSet& fresh) const;
  void set(const Signal& signal, Source source);
  std::optional<ConstraintId> widen(const Signal& signal, ConstraintSet& fresh) const;
  void bury(ConstraintId id, TombstoneReason reason, std::optional<ConstraintId> by, std::string words);
  bool replaces(const Signal& signal, const Constraint& old) const;
  bool equal(const ConstraintSet& a, const ConstraintSet& b) const;
  static ConstraintValue choices_of(const ConstraintValue& value);
  bool overlaps(const ConstraintValue& a, const ConstraintValue& b) const;
  std::string key(std::string_view text) const;
  ConstraintSet constraint_of(const Signal& signal, Source source) const;
  std::optional<ConstraintId> tombstone_of(const ConstraintSet& set) const;
  void advance(EpochReason reason, const std::vector<std::string>& carried_facets, bool carry_rejected_brands);
  Kinship kinship(const std::vector<std::string>& old_values, const std::vector<std::string>& new_values) const;
  std::vector<Ordinal> products_of(const std::string& facet, const std::vector<std::string>& values) const;
  bool gathers(const ConstraintSet& held, const Signal& fresh) const;
  bool held_together(const ConstraintSet& a, const Signal& b) const;

  // --- revise_relative.cpp ---
  void move(const Signal& signal);
  bool tighten(Signal& wish, bool up);
  std::vector<Number> shown_numbers(const std::string& facet, std::uint32_t place) const;
  std::optional<Number> quantile(const std::string& facet, Permille share) const;
  std::optional<Number> number_of(Ordinal product, const std::string& facet) const;
  std::optional<Number> step_from(const std::string& facet, Number from, bool up) const;
  void refer(const Signal& signal);
  void same_facet(const Signal& signal);
  std::optional<Ordinal> shown_at(std::uint32_t place) const;
  std::optional<ValueId> category_at_hand() const;

  const IntentState& before_;
  const Reading& reading_;
  const Artefact& artefact_;
  std::shared_ptr<const Lexicon> lexicon_;
  IntentState now_;  // constraints, tombstones, waived, epoch, asked: what revising looks at
  std::uint32_t correction_at_ = 0xffffffff;
  std::vector<ConstraintId> restated_;  // said again in this message: no value of it replaces them
  bool other_product_ = false;          // the epoch advanced for another product
  bool told_openly_ = false;            // an open question waits, and the message only answers it
  Revision revision_;
};

}  // namespace turnstone
