#include <algorithm>

#include "events/state.h"

namespace turnstone {
namespace {

template <class T>
void drop_oldest(std::vector<T>& items, std::size_t kept) {
  if (items.size() > kept) items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(kept));
}

auto find_active(std::vector<Constraint>& active, ConstraintId id) {
  const auto at = std::lower_bound(active.begin(), active.end(), id, [](const Constraint& c, ConstraintId wanted) { return c.set.id < wanted; });
  return at != active.end() && at->set.id == id ? at : active.end();
}

// One event applied to a state; `turn` is the causing turn.
class Folder {
 public:
  Folder(IntentState& state, TurnNumber turn) : state_(state), turn_(turn) {}

  void operator()(const SessionStarted& e) {
    state_.session = e.session;
    state_.policy_variant = e.policy_variant;
    state_.profile = e.profile;
    state_.taste = e.taste;
    state_.preference_tags = e.preference_tags;
  }
  void operator()(const TurnReceived& e) {
    state_.turn = e.turn;
    state_.relaxed.clear();
  }
  void operator()(const IntentClassified& e) {
    state_.intent = e.intent;
    state_.intent_confidence = e.confidence;
  }
  void operator()(const ConstraintSet& e) {
    Constraint constraint{e, turn_, state_.epoch};
    auto& active = state_.active;
    const auto at = std::lower_bound(active.begin(), active.end(), e.id, [](const Constraint& c, ConstraintId id) { return c.set.id < id; });
    if (at != active.end() && at->set.id == e.id) {
      *at = std::move(constraint);
    } else {
      active.insert(at, std::move(constraint));
    }
    state_.last_constraint = std::max(state_.last_constraint, e.id);
    state_.waived.erase(e.facet);
    if (active.size() > active_kept) bury({active.front().set.id, TombstoneReason::archived, std::nullopt, ""});
  }
  void operator()(const ConstraintTombstoned& e) { bury(e); }
  void operator()(const PreferenceWaived& e) {
    state_.waived.insert_or_assign(e.facet, e.words);
    if (state_.waived.size() > waived_kept)
      state_.waived.erase(state_.waived.begin()->first == e.facet ? std::next(state_.waived.begin()) : state_.waived.begin());
  }
  void operator()(const RecipientSet& e) {
    state_.recipient = e.recipient;
    state_.recipient_department = e.department;
  }
  void operator()(const ProductRejected& e) {
    state_.rejected.insert(e.product);
    if (state_.rejected.size() > rejected_kept)
      state_.rejected.erase(*state_.rejected.begin() == e.product ? std::next(state_.rejected.begin()) : state_.rejected.begin());
  }
  void operator()(const EpochAdvanced& e) {
    for (const ConstraintId id : e.archived) bury({id, TombstoneReason::archived, std::nullopt, ""});
    state_.epoch = e.to;
    state_.shown.clear();
    state_.asked.clear();
    state_.relaxed.clear();
    state_.waived.clear();
    if (e.reason == EpochReason::started_over) {
      state_.recipient.clear();
      state_.recipient_department.clear();
    }
  }
  void operator()(const ClauseRelaxed& e) {
    state_.relaxed.push_back(e.constraint);
    drop_oldest(state_.relaxed, active_kept);
  }
  void operator()(const QuestionAsked& e) {
    state_.asked.push_back({e, turn_, std::nullopt});
    drop_oldest(state_.asked, asked_kept);
  }
  void operator()(const QuestionAnswered& e) {
    const auto latest = std::find_if(state_.asked.rbegin(), state_.asked.rend(), [&](const AskedQuestion& a) { return a.question.facet == e.facet; });
    if (latest != state_.asked.rend()) latest->outcome = e.outcome;
  }
  void operator()(const ProductsShown& e) {
    state_.last_route = e.route;
    if (e.products.empty()) return;
    state_.last_shown = e.products;
    state_.last_shown_turn = turn_;
    for (const ShownProduct& product : e.products) {
      if (std::find(state_.shown.begin(), state_.shown.end(), product.id) == state_.shown.end()) state_.shown.push_back(product.id);
    }
    drop_oldest(state_.shown, shown_kept);
  }
  void operator()(const TurnCompleted& e) { state_.completed = e.turn; }
  void operator()(const TurnParked& e) { state_.completed = e.turn; }
  void operator()(const EngineChanged& e) { state_.engine = e; }
  void operator()(const SessionClosed&) { state_.closed = true; }
  void operator()(const SessionErased&) {
    IntentState erased;
    erased.session = state_.session;
    erased.sequence = state_.sequence;
    erased.erased = true;
    state_ = std::move(erased);
  }
  void operator()(const AttemptStarted&) {}
  void operator()(const ReferenceResolved&) {}
  void operator()(const ReplySent&) {}
  void operator()(const ProfileUpdated&) {}

 private:
  void bury(const ConstraintTombstoned& by) {
    const auto at = find_active(state_.active, by.id);
    if (at == state_.active.end()) return;
    state_.tombstones.push_back({std::move(*at), by, turn_, state_.epoch});
    state_.active.erase(at);
    drop_oldest(state_.tombstones, tombstones_kept);
  }

  IntentState& state_;
  TurnNumber turn_;
};

}  // namespace

void fold(IntentState& state, const Event& event) {
  state.sequence = event.sequence;
  std::visit(Folder(state, event.turn), event.body);
}

void fold(IntentState& state, const EventBody& body, TurnNumber turn) {
  state.sequence = next(state.sequence);
  std::visit(Folder(state, turn), body);
}

}  // namespace turnstone
