#include "storage/ledger/erasure.h"

#include <algorithm>
#include <set>

#include "events/chain.h"
#include "storage/ledger/describe.h"

namespace turnstone {
namespace {

constexpr std::size_t page = 1024;

struct KnownSession {
  StreamId stream;                        // as it is kept
  std::optional<SessionStarted> started;  // nullopt: its key is erased already
  Timestamp last_event;
};

Result<KnownSession> look_at(const Ledger& ledger, const StreamHead& head) {
  KnownSession session{head.stream, std::nullopt, {}};
  const auto last = ledger.stored(head.stream, head.sequence);
  if (!last) return tl::unexpected(last.error());
  const auto envelope = decode_envelope(last->envelope);
  if (!envelope) return fail(ErrorCode::corrupt, "the last event of " + describe(head.stream) + " is damaged; run verify");
  session.last_event = envelope->time;
  const auto first = ledger.read(head.stream, Sequence{1}, 1);
  if (!first && first.error().code == ErrorCode::erased) return session;
  if (!first) return tl::unexpected(first.error());
  if (const auto* started = first->empty() ? nullptr : std::get_if<SessionStarted>(&first->front().body)) session.started = *started;
  return session;
}

Result<std::vector<KnownSession>> known_sessions(const Ledger& ledger) {
  std::vector<KnownSession> sessions;
  std::optional<std::string> after;
  for (;;) {
    const auto heads = ledger.streams(StreamKind::session, after, page);
    if (!heads) return tl::unexpected(heads.error());
    if (heads->empty()) return sessions;
    for (const StreamHead& head : *heads) {
      auto session = look_at(ledger, head);
      if (!session) return tl::unexpected(session.error());
      sessions.push_back(std::move(*session));
    }
    after = heads->back().stream.name;
  }
}

bool in_scope(const KnownSession& session, const ErasureScope& scope) {
  if (scope.idle_since) return session.last_event < *scope.idle_since;
  if (!session.started) return false;
  return scope.session ? session.started->session == *scope.session : session.started->profile == scope.profile;
}

// What is in scope, then its forks, theirs, and so on.
std::vector<StreamId> targets_of(const std::vector<KnownSession>& sessions, const ErasureScope& scope) {
  std::vector<StreamId> targets;
  std::set<StreamId> chosen;
  std::set<SessionId> parents;
  if (scope.session) parents.insert(*scope.session);  // its forks are in scope even when its own key is gone
  const auto choose = [&](const KnownSession& session) {
    if (!chosen.insert(session.stream).second) return false;
    targets.push_back(session.started ? stream_of(session.started->session) : session.stream);
    if (session.started) parents.insert(session.started->session);
    return true;
  };
  for (const KnownSession& session : sessions) {
    if (in_scope(session, scope)) choose(session);
  }
  for (bool more = true; more;) {
    more = false;
    for (const KnownSession& session : sessions) {
      const bool fork = session.started && session.started->forked_from && parents.contains(*session.started->forked_from);
      if (fork && choose(session)) more = true;
    }
  }
  return targets;
}

}  // namespace

Result<std::vector<StreamId>> erasure_targets(const Ledger& ledger, const ErasureScope& scope) {
  if (int{scope.session.has_value()} + int{scope.profile.has_value()} + int{scope.idle_since.has_value()} != 1) {
    return fail(ErrorCode::invalid_argument, "name one of a session, a profile and an age");
  }
  const auto sessions = known_sessions(ledger);
  if (!sessions) return tl::unexpected(sessions.error());
  std::vector<StreamId> targets = targets_of(*sessions, scope);
  // Both may be there though no session tells: an erasure that was cut short, a profile without sessions.
  for (const auto& named : {scope.session ? std::optional(stream_of(*scope.session)) : std::nullopt,
                            scope.profile ? std::optional(stream_of(*scope.profile)) : std::nullopt}) {
    if (!named || std::find(targets.begin(), targets.end(), *named) != targets.end()) continue;
    const auto head = ledger.head(*named);
    const bool known = head || head.error().code == ErrorCode::erased;
    if (!known && (head.error().code != ErrorCode::not_found || targets.empty())) return tl::unexpected(head.error());
    if (known) targets.insert(targets.begin(), *named);
  }
  std::reverse(targets.begin(), targets.end());  // a fork that is left over can still be found by its parent
  return targets;
}

Result<ErasureReport> erase_scope(Ledger& ledger, const ErasureScope& scope, const std::string& by, Timestamp now) {
  const auto targets = erasure_targets(ledger, scope);
  if (!targets) return tl::unexpected(targets.error());
  ErasureReport report;
  for (const StreamId& target : *targets) {
    const auto erased = ledger.erase(target, by, now);
    if (!erased) return tl::unexpected(erased.error());
    if (*erased) report.erased.push_back(target);
    if (!*erased) ++report.before;
  }
  return report;
}

}  // namespace turnstone
