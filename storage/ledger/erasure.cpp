#include "storage/ledger/erasure.h"

#include <algorithm>
#include <utility>

#include "events/chain.h"
#include "storage/ledger/describe.h"

namespace turnstone {
namespace {

constexpr std::size_t page = 1024;

bool known(const Result<StreamHead>& head) { return head || head.error().code == ErrorCode::erased; }

}  // namespace

ErasureSearch::ErasureSearch(const Ledger& ledger, ErasureScope scope) : ledger_(ledger), scope_(std::move(scope)) {
  if (scope_.session) parents_.insert(*scope_.session);  // its forks are in scope even when its own key is gone
}

Result<bool> ErasureSearch::look(std::size_t sessions) {
  if (int{scope_.session.has_value()} + int{scope_.profile.has_value()} + int{scope_.idle_since.has_value()} != 1) {
    return fail(ErrorCode::invalid_argument, "name one of a session, a profile and an age");
  }
  const auto heads = ledger_.streams(StreamKind::session, after_, sessions);
  if (!heads) return tl::unexpected(heads.error());
  for (const StreamHead& head : *heads) {
    if (auto looked = look_at(head); !looked) return tl::unexpected(looked.error());
  }
  if (heads->size() == sessions) {
    after_ = heads->back().stream.name;
    return false;
  }
  choose_forks();
  if (auto chosen = choose_named(); !chosen) return tl::unexpected(chosen.error());
  return true;
}

Status ErasureSearch::look_at(const StreamHead& head) {
  const auto first = ledger_.read(head.stream, Sequence{1}, 1);
  if (!first && first.error().code != ErrorCode::erased) return tl::unexpected(first.error());
  const auto* started = !first || first->empty() ? nullptr : std::get_if<SessionStarted>(&first->front().body);
  bool in_scope = false;
  if (scope_.idle_since) {
    const auto last = ledger_.stored(head.stream, head.sequence);
    if (!last) return tl::unexpected(last.error());
    const auto envelope = decode_envelope(last->envelope);
    if (!envelope) return fail(ErrorCode::corrupt, "the last event of " + describe(head.stream) + " is damaged; run verify");
    in_scope = envelope->time < *scope_.idle_since;
  } else if (started != nullptr) {
    in_scope = scope_.session ? started->session == *scope_.session : started->profile == scope_.profile;
  }
  if (in_scope) {
    targets_.push_back(started != nullptr ? stream_of(started->session) : head.stream);
    if (started != nullptr) parents_.insert(started->session);
  } else if (started != nullptr && started->forked_from) {
    forks_.emplace(*started->forked_from, started->session);
  }
  return {};
}

// The forks of what is in scope, theirs, and so on.
void ErasureSearch::choose_forks() {
  std::vector<SessionId> open(parents_.begin(), parents_.end());
  while (!open.empty()) {
    const auto [first, last] = forks_.equal_range(open.back());
    open.pop_back();
    for (auto fork = first; fork != last; ++fork) {
      if (!parents_.insert(fork->second).second) continue;
      targets_.push_back(stream_of(fork->second));
      open.push_back(fork->second);
    }
  }
}

// Both may be there though no session tells: an erasure that was cut short, a profile without sessions.
Status ErasureSearch::choose_named() {
  for (const auto& named : {scope_.session ? std::optional(stream_of(*scope_.session)) : std::nullopt,
                            scope_.profile ? std::optional(stream_of(*scope_.profile)) : std::nullopt}) {
    if (!named || std::find(targets_.begin(), targets_.end(), *named) != targets_.end()) continue;
    const auto head = ledger_.head(*named);
    if (!known(head) && (head.error().code != ErrorCode::not_found || targets_.empty())) return tl::unexpected(head.error());
    if (known(head)) targets_.insert(targets_.begin(), *named);
  }
  return {};
}

std::vector<StreamId> ErasureSearch::take_targets() {
  std::vector<StreamId> targets = std::exchange(targets_, {});
  std::reverse(targets.begin(), targets.end());  // a fork that is left over can still be found by its parent
  return targets;
}

Result<ErasureReport> erase_scope(Ledger& ledger, const ErasureScope& scope, const std::string& by, Timestamp now) {
  ErasureSearch search(ledger, scope);
  for (bool all = false; !all;) {
    const auto looked = search.look(page);
    if (!looked) return tl::unexpected(looked.error());
    all = *looked;
  }
  ErasureReport report;
  for (const StreamId& target : search.take_targets()) {
    const auto erased = ledger.erase(target, by, now);
    if (!erased) return tl::unexpected(erased.error());
    if (*erased) report.erased.push_back(target);
    if (!*erased) ++report.before;
  }
  return report;
}

}  // namespace turnstone
