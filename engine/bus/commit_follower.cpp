#include "engine/bus/commit_follower.h"

#include <algorithm>
#include <utility>

namespace turnstone::bus {

void CommitFollower::keep(Publication publication, bool read) {
  known_end_ = std::max(known_end_, publication.position);
  if (publication.position <= delivered_) return;
  // What is far ahead will be read when its turn comes.
  if (ahead_.size() >= ahead_max && publication.position > ahead_.rbegin()->first) return;
  const bool fresh = ahead_.emplace(publication.position, std::move(publication)).second;
  if (fresh && read) ++gaps_filled_;
  if (ahead_.size() > ahead_max) ahead_.erase(std::prev(ahead_.end()));
}

void CommitFollower::on_published(Publication publication) { keep(std::move(publication), false); }

void CommitFollower::on_commits(const Commits& answer) {
  reading_ = false;
  known_end_ = std::max(known_end_, answer.position);
  for (const Publication& commit : answer.commits) keep(commit, true);
}

std::optional<ReadCommits> CommitFollower::wanted(std::int64_t now_us) {
  const bool behind = known_end_ > delivered_ && !ahead_.contains(next(delivered_));
  const std::int64_t patience = reading_ ? read_again_us : (behind ? 0 : ask_every_us);
  if (now_us - read_at_us_ < patience) return std::nullopt;
  read_at_us_ = now_us;
  reading_ = true;
  return ReadCommits{next(delivered_), static_cast<std::uint32_t>(range_events_max)};
}

std::vector<Publication> CommitFollower::take() {
  std::vector<Publication> due;
  for (auto first = ahead_.begin(); first != ahead_.end() && first->first == next(delivered_); first = ahead_.erase(first)) {
    delivered_ = first->first;
    due.push_back(std::move(first->second));
  }
  return due;
}

}  // namespace turnstone::bus
