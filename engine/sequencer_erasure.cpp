// Erasing while turns are taken: the ledger destroys the keys, and nothing of the streams stays in the engine.
#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"
#include "engine/sequencer.h"

namespace turnstone {

void Sequencer::erase(ErasureScope scope, std::string by, ConversationService::Callback<ConversationService::ErasureDone> done) {
  if (draining_ || erasing_.size() >= options_.erasures_max) {
    ++counters_.refused_busy;
    Error busy{ErrorCode::busy, draining_ ? "the engine is shutting down; try again in a moment"
                                          : std::to_string(erasing_.size()) + " erasures are under way; try again when one of them is done"};
    actions_.emplace_back(Answer{[done = std::move(done), busy = std::move(busy)] { done(tl::unexpected(busy)); }});
    return;
  }
  erasing_.push_back({ErasureSearch(ledger_, std::move(scope)), std::move(by), std::move(done)});
}

bool Sequencer::being_erased(const ProfileId& profile) const {
  return std::any_of(erasing_.begin(), erasing_.end(), [&](const Erasing& erasing) { return erasing.search.scope().profile == profile; });
}

// One step: a page of the search, or one stream.
void Sequencer::erase_next(Moment now) {
  if (erasing_.empty()) return;
  Erasing& erasing = erasing_.front();
  Status gone;
  if (!erasing.searched) {
    const auto all = erasing.search.look(options_.erasure_page);
    if (all && !*all) return;
    if (all) erasing.targets = erasing.search.take_targets();
    if (!all) gone = tl::unexpected(all.error());
    erasing.searched = true;
  } else if (erasing.at < erasing.targets.size()) {
    gone = erase_one(erasing, erasing.targets[erasing.at++], now);
  }
  if (gone && erasing.at < erasing.targets.size()) return;
  Result<ConversationService::ErasureDone> result = std::move(erasing.so_far);
  if (!gone) result = tl::unexpected(gone.error());
  ++open_replies_;
  when_durable(  // behind the replies and publications of what was written before it
      [this, done = std::move(erasing.done), result = std::move(result)](const Status& synced, Moment) mutable {
        --open_replies_;
        if (result && !synced) result = tl::unexpected(synced.error());
        actions_.emplace_back(Answer{[done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); }});
      },
      now);
  erasing_.pop_front();
}

Status Sequencer::erase_one(Erasing& erasing, const StreamId& stream, Moment now) {
  const GlobalPosition before = ledger_.position();
  const auto erased = ledger_.erase(stream, erasing.by, now.wall);
  if (erased && *erased) {
    ++counters_.streams_erased;
    erasing.so_far.erased.push_back(stream);
  } else if (erased) {
    ++erasing.so_far.before;
  }
  if (ledger_.position() != before) publish_erasure(stream, erasing.by, now);          // also one whose sync failed
  if (stream.kind == StreamKind::session) forget_erased(SessionId{stream.name}, now);  // a failed one may have lost its key
  return erased ? Status{} : tl::unexpected(erased.error());
}

// Subscribers are told which stream it was, so that they can erase theirs; whoever catches up later is told the position alone.
void Sequencer::publish_erasure(const StreamId& stream, const std::string& by, Moment now) {
  bus::Publication publication{options_.run, ledger_.position(), {}, ""};
  const auto records = ledger_.commits(publication.position, 1);
  auto wire = bus::to_wire(EventBody{SessionErased{by}});
  if (wire && records && !records->empty() && !records->front().ranges.empty()) {
    const Sequence sequence = records->front().ranges.front().last;
    publication.ranges.push_back(
        {bus::type_of(stream.kind), stream.name, {{sequence, now.wall, {}, wire->type, wire->schema_version, std::move(wire->payload)}}});
  }
  publish_when_durable(std::move(publication), bus::topic_of(stream));
  sync_wanted_ = true;
}

// Whoever waits for one of the session's turns is told that there is none any more; a proposal that is still to come is fenced.
void Sequencer::forget_erased(const SessionId& id, Moment now) {
  const auto head = ledger_.head(stream_of(id));
  if (head || head.error().code != ErrorCode::erased) return;
  const auto tell = [&](TurnDone& waiter) {
    actions_.emplace_back(Answer{[waiter = std::move(waiter), error = head.error()] { waiter(tl::unexpected(error)); }});
  };
  const auto its = std::stable_partition(unstarted_.begin(), unstarted_.end(), [&](const Unstarted& turn) { return turn.request.session != id; });
  std::for_each(its, unstarted_.end(), [&](Unstarted& turn) { tell(turn.done); });
  unstarted_.erase(its, unstarted_.end());
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  for (auto& [turn, waiters] : session.pending) std::for_each(waiters.begin(), waiters.end(), tell);
  pending_turns_ -= session.pending.size();
  if (session.flight) {
    dispatch_.release(id, now.instant);
    --flights_;
  }
  sessions_.erase(found);
}

}  // namespace turnstone
