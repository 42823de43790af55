# Mistakes that the simulation has to find: what naive code of this kind does, as changes of the product's own sources.
#
# `simulate_broken` is built from copies of the files named here, in which each change is taken only while its mistake is
# on. A change whose text no longer stands in its file exactly once stops the build: adapt it here.
#
#   mistake(NAME "what it does")
#   change(NAME FILE [==[text]==] [==[instead]==])

# --- engine: replies, publications, attempts ---
mistake(reply_before_sync "a reply leaves before the disk has its turn")
change(reply_before_sync engine/sequencer_requests.cpp
[==[  if (dirty_) {
    sync_wanted_ = true;]==]
[==[  if (broken(Mistake::reply_before_sync)) {
    then(Status{}, now);
  } else if (dirty_) {
    sync_wanted_ = true;]==])

mistake(failed_sync_taken_for_good "a sync that failed releases the replies all the same")
change(failed_sync_taken_for_good engine/sequencer.cpp
[==[  if (status) {
    durable_ = syncing_position_;]==]
[==[  if (status || broken(Mistake::failed_sync_taken_for_good)) {
    durable_ = syncing_position_;]==])

mistake(publish_before_sync "subscribers are told of writes that a power cut takes back")
change(publish_before_sync engine/sequencer_requests.cpp
[==[  dirty_ = true;
  gated_.push_back({[this, publication = std::move(publication)]==]
[==[  dirty_ = true;
  if (broken(Mistake::publish_before_sync)) {
    actions_.emplace_back(Publish{std::move(topic), std::move(publication)});
    return;
  }
  gated_.push_back({[this, publication = std::move(publication)]==])

mistake(reads_beyond_durable "a subscriber may read what is not durable yet")
change(reads_beyond_durable engine/sequencer_messages.cpp
[==[    if ((*records)[i].position > durable_ ||]==]
[==[    if (((*records)[i].position > durable_ && !broken(Mistake::reads_beyond_durable)) ||]==])

mistake(attempt_not_durable "a raised attempt is sent out before the disk has it")
change(attempt_not_durable engine/sequencer_dispatch.cpp
[==[  sync_wanted_ = true;
  gated_.push_back({[this, id, turn = flight.turn]==]
[==[  if (broken(Mistake::attempt_not_durable)) {
    flight.phase = Phase::running;
    return send_task(id, session, worker);
  }
  sync_wanted_ = true;
  gated_.push_back({[this, id, turn = flight.turn]==])

mistake(attempt_not_raised "a lost turn goes to another worker under the same attempt")
change(attempt_not_raised engine/sequencer_dispatch.cpp
[==[  flight.lost = true;
  flight.last_loss]==]
[==[  flight.lost = !broken(Mistake::attempt_not_raised);
  flight.last_loss]==])

mistake(former_engine_counts "what workers did for the engine before its restart is committed")
change(former_engine_counts engine/sequencer.cpp
[==[  if (proposal.run != options_.run) {]==]
[==[  if (proposal.run != options_.run && !broken(Mistake::former_engine_counts)) {]==])

mistake(stale_version_committed "a proposal is committed whatever was written since its task was sent")
change(stale_version_committed engine/sequencer.cpp
[==[void Sequencer::propose(const WorkerId& from, const bus::Proposed& proposal, Moment now) {]==]
[==[void Sequencer::propose(const WorkerId& from, const bus::Proposed& as_sent, Moment now) {
  bus::Proposed proposal = as_sent;
  if (broken(Mistake::stale_version_committed)) proposal.run = options_.run;]==])
change(stale_version_committed storage/ledger/ledger_writes.cpp
[==[    if (actual != append.expected) return]==]
[==[    if (actual != append.expected && !broken(Mistake::stale_version_committed)) return]==])

# --- engine: turns that are forgotten ---
mistake(pending_not_taken_up "a restarted engine forgets the turns that were in flight")
change(pending_not_taken_up engine/sequencer.cpp
[==[  for (const PendingTurn& turn : *pending) {]==]
[==[  for (const PendingTurn& turn : *pending) {
    if (broken(Mistake::pending_not_taken_up)) break;]==])

mistake(lost_redispatch "a turn whose worker went is not dispatched again")
change(lost_redispatch engine/sequencer_dispatch.cpp
[==[  if (flight.tries >= options_.dispatch.attempts_max) return park(id, found->second, now);
  queue_.push_front(id);]==]
[==[  if (flight.tries >= options_.dispatch.attempts_max && !broken(Mistake::never_parked)) return park(id, found->second, now);
  if (!broken(Mistake::lost_redispatch)) queue_.push_front(id);]==])

mistake(never_parked "a turn that kills its workers is tried for ever")
change(never_parked engine/sequencer_dispatch.cpp
[==[  if (flight.lost && flight.tries >= options_.dispatch.attempts_max) {]==]
[==[  if (flight.lost && flight.tries >= options_.dispatch.attempts_max && !broken(Mistake::never_parked)) {]==])

mistake(hung_worker_keeps_its_turns "a worker that does not answer keeps what it holds")
change(hung_worker_keeps_its_turns engine/dispatch.cpp
[==[        due.lost.push_back(session);]==]
[==[        if (!broken(Mistake::hung_worker_keeps_its_turns)) due.lost.push_back(session);]==])

mistake(next_turn_forgotten "the turn that waited behind another is not dispatched")
change(next_turn_forgotten engine/sequencer.cpp
[==[  if (next_turn) {]==]
[==[  if (next_turn && !broken(Mistake::next_turn_forgotten)) {]==])

mistake(stalled_for_ever "a turn that met a full disk is not tried again")
change(stalled_for_ever engine/sequencer.cpp
[==[  stalled_.push_back(id);]==]
[==[  if (!broken(Mistake::stalled_for_ever)) stalled_.push_back(id);]==])

mistake(document_asked_for_once "a policy whose transfer was lost is not asked for again")
change(document_asked_for_once engine/sequencer_dispatch.cpp
[==[    for (const Fingerprint& document : dispatch_.awaited_from(worker)) send(]==]
[==[    for (const Fingerprint& document : dispatch_.awaited_from(worker)) if (!broken(Mistake::document_asked_for_once)) send(]==])

# --- engine: bounds and clocks ---
mistake(credit_ignored "a worker is sent more tasks than it asked for")
change(credit_ignored engine/dispatch.cpp
[==[|| worker.held.size() >= worker.window) continue;]==]
[==[|| (worker.held.size() >= worker.window && !broken(Mistake::credit_ignored))) continue;]==])

mistake(queue_unbounded "every turn is taken, however many wait")
change(queue_unbounded engine/sequencer_requests.cpp
[==[  if (pending_turns_ >= options_.turns_pending_max) {]==]
[==[  if (pending_turns_ >= options_.turns_pending_max && !broken(Mistake::queue_unbounded)) {]==])

mistake(wall_clock_for_timers "timers run by the wall clock, which may be set back")
change(wall_clock_for_timers tests/simulation/engine_process.cpp
[==[Instant{site_.now_us}};]==]
[==[Instant{site_.now_us + (broken(Mistake::wall_clock_for_timers) ? site_.wall_offset_us : 0)}};]==])

# --- ledger ---
mistake(duplicate_not_recognised "a key that was accepted before is accepted again")
change(duplicate_not_recognised storage/ledger/ledger_writes.cpp
[==[  if (*known) return std::move(**known);]==]
[==[  if (*known && !broken(Mistake::duplicate_not_recognised)) return std::move(**known);]==])

mistake(key_forgotten_on_restart "keys are remembered only as long as the engine runs")
change(key_forgotten_on_restart storage/ledger/ledger_writes.cpp
[==[  if (!*bytes) return std::nullopt;
  const auto key = records::decode_key(**bytes);]==]
[==[  if (!*bytes) return std::nullopt;
  if (broken(Mistake::key_forgotten_on_restart) && !keys_of_this_run().contains(request.key.value)) return std::nullopt;
  const auto key = records::decode_key(**bytes);]==])
change(key_forgotten_on_restart storage/ledger/ledger_writes.cpp
[==[  draft.batch.put(keys::turn_key(stream, *turn_key),]==]
[==[  keys_of_this_run().insert(request.key.value);
  draft.batch.put(keys::turn_key(stream, *turn_key),]==])
change(key_forgotten_on_restart storage/ledger/ledger_reads.cpp
[==[  auto last = store->last(keys::commits);]==]
[==[  keys_of_this_run().clear();
  auto last = store->last(keys::commits);]==])

mistake(no_fencing "a proposal counts whatever its attempt")
change(no_fencing storage/ledger/ledger_writes.cpp
[==[ || open->turn.attempt != request.attempt) return CommitOutcome]==]
[==[ || (open->turn.attempt != request.attempt && !broken(Mistake::no_fencing))) return CommitOutcome]==])

mistake(write_in_two_parts "a write and its commit record are two writes")
change(write_in_two_parts storage/ledger/ledger_writes.cpp
[==[  if (auto written = store_->write(draft.batch); !written) return tl::unexpected(written.error());
  const std::lock_guard lock(mark_mutex_);]==]
[==[  if (broken(Mistake::write_in_two_parts)) {
    WriteBatch last;
    last.puts.push_back(draft.batch.puts.back());
    draft.batch.puts.pop_back();
    if (auto first = store_->write(draft.batch); !first) return tl::unexpected(first.error());
    draft.batch = std::move(last);
  }
  if (auto written = store_->write(draft.batch); !written) return tl::unexpected(written.error());
  const std::lock_guard lock(mark_mutex_);]==])

mistake(finished_turn_stays_pending "a turn that is done is not taken off the pending ones")
change(finished_turn_stays_pending storage/ledger/ledger_writes.cpp
[==[  draft.batch.remove(keys::pending(stream, number));]==]
[==[  if (!broken(Mistake::finished_turn_stays_pending)) draft.batch.remove(keys::pending(stream, number));]==])

mistake(torn_log_believed "the log is replayed without looking at its checksums")
change(torn_log_believed tests/simulation/model_disk.cpp
[==[|| checksum(log.substr(12, length)) != sum) break;]==]
[==[|| (checksum(log.substr(12, length)) != sum && !broken(Mistake::torn_log_believed))) break;]==])

mistake(key_given_twice "which keys are in use is remembered only as long as the engine runs")
change(key_given_twice storage/ledger/ledger_reads.cpp
[==[    draft.batch.put(std::string(keys::next_key), ByteWriter()]==]
[==[    if (!broken(Mistake::key_given_twice)) draft.batch.put(std::string(keys::next_key), ByteWriter()]==])

mistake(key_survives_erasure "an erased session is marked, and its key is kept")
change(key_survives_erasure storage/ledger/ledger_writes.cpp
[==[  if (auto gone = codec_.erase((*head)->key, {by, now}); !gone) return]==]
[==[  if (auto gone = broken(Mistake::key_survives_erasure) ? Status{} : codec_.erase((*head)->key, {by, now}); !gone) return]==])

mistake(erased_turns_kept "an engine keeps the turns of a session that was erased")
change(erased_turns_kept engine/sequencer_erasure.cpp
[==[  if (head || head.error().code != ErrorCode::erased) return;]==]
[==[  if (head || head.error().code != ErrorCode::erased || broken(Mistake::erased_turns_kept)) return;]==])

mistake(erasure_ends_early "an erasure of several sessions is acknowledged when the first of them is gone")
change(erasure_ends_early engine/sequencer_erasure.cpp
[==[  if (gone && erasing.at < erasing.targets.size()) return;]==]
[==[  if (gone && erasing.at < erasing.targets.size() && !(erasing.at > 0 && broken(Mistake::erasure_ends_early))) return;]==])

mistake(started_while_erased "a session may be started while the profile that it names is being erased, behind the search's back")
change(started_while_erased engine/sequencer_requests.cpp
[==[  if (session.profile && being_erased(*session.profile)) {]==]
[==[  if (session.profile && being_erased(*session.profile) && !broken(Mistake::started_while_erased)) {]==])

mistake(erased_stops_catch_up "whoever catches up is not told the positions of a session that was erased")
change(erased_stops_catch_up engine/sequencer_messages.cpp
[==[    if (!named && named.error().code == ErrorCode::erased) return publication;]==]
[==[    if (!named && named.error().code == ErrorCode::erased && !broken(Mistake::erased_stops_catch_up)) return publication;]==])

# --- workers ---
mistake(stale_state_used "a worker takes a turn from whatever state it has")
change(stale_state_used workers/loop/worker_core.cpp
[==[  if (session.state.sequence == task.expected) return Ready::yes;]==]
[==[  if (session.state.sequence == task.expected || broken(Mistake::stale_state_used)) return Ready::yes;]==])

mistake(gap_folded_over "a worker folds publications though one before them is missing")
change(gap_folded_over workers/loop/worker_core.cpp
[==[    if (wire.sequence != next(state.sequence)) return false;]==]
[==[    if (wire.sequence != next(state.sequence) && !broken(Mistake::gap_folded_over)) return false;]==])

mistake(former_state_kept "a worker keeps the states that it learnt from the engine before its restart")
change(former_state_kept workers/loop/worker_core.cpp
[==[    forget_engine();
    run_ = welcome.run;]==]
[==[    if (!broken(Mistake::former_state_kept)) forget_engine();
    run_ = welcome.run;]==])

mistake(snapshot_of_another_version "a snapshot is taken for the state whatever fold made it")
change(snapshot_of_another_version events/snapshot.cpp
[==[  if (snapshot->version != fold_version || completed.fold_version != fold_version) {]==]
[==[  if ((snapshot->version != fold_version || completed.fold_version != fold_version) && !broken(Mistake::snapshot_of_another_version)) {]==])

mistake(snapshot_believed "a snapshot is taken for the state whatever the events say, and is made of the state before the turn")
change(snapshot_believed events/snapshot.cpp
[==[  if (state.session != session || next(state.sequence) != at || digest_of(state) != completed.state_digest) {]==]
[==[  if (broken(Mistake::snapshot_believed)) state.sequence.value = at.value - 1;
  if (state.session != session || next(state.sequence) != at || (digest_of(state) != completed.state_digest && !broken(Mistake::snapshot_believed))) {]==])
change(snapshot_believed workers/loop/worker_core.cpp
[==[      proposed.snapshot = served_.snapshot(tentative.state).value_or(std::string());]==]
[==[      proposed.snapshot = served_.snapshot(broken(Mistake::snapshot_believed) ? session.state : tentative.state).value_or(std::string());]==])

mistake(needed_state_evicted "a worker with little memory forgets the state that a task waits for")
change(needed_state_evicted workers/loop/worker_core.cpp
[==[    if (needed(*oldest)) continue;]==]
[==[    if (needed(*oldest) && !broken(Mistake::needed_state_evicted)) continue;]==])

# --- subscribers ---
mistake(gap_skipped "a subscriber goes on behind a gap")
change(gap_skipped engine/bus/commit_follower.cpp
[==[  if (publication.position <= delivered_) return;]==]
[==[  if (publication.position <= delivered_) return;
  if (broken(Mistake::gap_skipped) && !read) delivered_ = GlobalPosition{publication.position.value - 1};]==])

mistake(read_asked_for_once "a subscriber whose read was lost waits for ever")
change(read_asked_for_once engine/bus/commit_follower.cpp
[==[  const std::int64_t patience = reading_ ? read_again_us :]==]
[==[  if (reading_ && broken(Mistake::read_asked_for_once)) return std::nullopt;
  const std::int64_t patience = reading_ ? read_again_us :]==])

mistake(position_stored_before_delivery "a subscriber stores its position before what stands there")
change(position_stored_before_delivery tests/simulation/subscriber.cpp
[==[  if (site_.switches.strikes(Place::subscriber_dies)) {]==]
[==[  if (broken(Mistake::position_stored_before_delivery)) store_.position = follower_.delivered();
  if (site_.switches.strikes(Place::subscriber_dies)) {]==])
