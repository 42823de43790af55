// A conversation of understand and revise alone: what is held after each message, and whether the state is sound.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "events/state.h"
#include "storage/artefact/artefact.h"
#include "workers/stages.h"

namespace turnstone {

// "color is Red", "price between 20..40 $", "feature is_not glass (soft)".
std::string line_of(const ConstraintSet& set);

// What must hold of every state, as sentences about what does not: every active constraint has a span or a cause, no two
// are equal, every tombstone names a cause.
std::vector<std::string> broken_invariants(const IntentState& state);

class Conversation {
 public:
  explicit Conversation(std::shared_ptr<const Artefact> artefact) : artefact_(std::move(artefact)) {}

  void say(const std::string& text);
  // A question of the engine, with its options.
  void ask(const std::string& facet, const std::vector<std::string>& options);
  // The first products of the catalogue whose title holds the words are shown.
  void show(const std::string& words, std::size_t count);
  // Every wish, waived facet and hint that is held now; sorted.
  std::vector<std::string> lines() const;
  // The wishes alone; sorted.
  std::vector<std::string> wishes() const;
  const IntentState& state() const { return state_; }
  const Reading& last_reading() const { return reading_; }
  std::string reading() const { return describe(reading_); }

 private:
  std::shared_ptr<const Artefact> artefact_;
  IntentState state_;
  Reading reading_;
  Revision revision_;
};

}  // namespace turnstone
