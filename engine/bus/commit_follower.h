// Follows every durable write of the ledger, each once, in order of its global position.
//
// Publications are hints that may be lost, doubled or late; what is missing is read. The follower is a state machine:
// feed it publications and COMMITS answers, send the reads it asks for, take what has become due. It starts after
// any position (0: from the beginning), so a subscriber that was away goes on where it was.
// Thread safety: none. Memory: at most ahead_max publications that are ahead of a gap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/bus/protocol.h"

namespace turnstone::bus {

class CommitFollower {
 public:
  static constexpr std::size_t ahead_max = 1'024;
  static constexpr std::int64_t read_again_us = 200'000;   // an unanswered read
  static constexpr std::int64_t ask_every_us = 1'000'000;  // without news: something may have been lost at the end

  explicit CommitFollower(GlobalPosition after) : delivered_(after) {}

  void on_published(Publication publication);
  void on_commits(const Commits& answer);
  // The read to send now, if any.
  std::optional<ReadCommits> wanted(std::int64_t now_us);
  // What follows the last one taken, in order.
  std::vector<Publication> take();

  GlobalPosition delivered() const { return delivered_; }
  std::uint64_t gaps_filled() const { return gaps_filled_; }  // publications that a read brought

 private:
  void keep(Publication publication, bool read);

  GlobalPosition delivered_;
  std::map<GlobalPosition, Publication> ahead_;
  GlobalPosition known_end_;  // the furthest position heard of
  std::int64_t read_at_us_ = INT64_MIN / 2;
  bool reading_ = false;
  std::uint64_t gaps_filled_ = 0;
};

}  // namespace turnstone::bus
