#include "engine/bus/commit_follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace turnstone::bus {
namespace {

Publication at(std::uint64_t position) { return {RunId{1}, GlobalPosition{position}, {}, ""}; }

// Answers as the engine does: at most `limit` from `from` on.
Commits answer(const ReadCommits& read, std::uint64_t end, std::size_t limit = 100) {
  Commits commits{read.from, GlobalPosition{end}, {}};
  for (std::uint64_t p = read.from.value; p <= end && commits.commits.size() < limit; ++p) commits.commits.push_back(at(p));
  return commits;
}

TEST(CommitFollower, DeliversInOrderWhatComesInOrder) {
  CommitFollower follower(GlobalPosition{0});
  follower.on_published(at(1));
  follower.on_published(at(2));
  const auto due = follower.take();
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[1].position, GlobalPosition{2});
  EXPECT_EQ(follower.gaps_filled(), 0U);
}

TEST(CommitFollower, FillsAGapByReading) {
  CommitFollower follower(GlobalPosition{0});
  EXPECT_TRUE(follower.wanted(0));  // catches up first
  follower.on_commits({GlobalPosition{1}, GlobalPosition{0}, {}});
  follower.on_published(at(1));
  follower.on_published(at(4));
  EXPECT_EQ(follower.take().size(), 1U);
  const auto read = follower.wanted(10);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->from, GlobalPosition{2});
  EXPECT_FALSE(follower.wanted(20));  // one at a time
  EXPECT_TRUE(follower.wanted(10 + CommitFollower::read_again_us));
  follower.on_commits(answer(*read, 4));
  EXPECT_EQ(follower.take().size(), 3U);
  EXPECT_EQ(follower.gaps_filled(), 2U);  // 2 and 3; 4 was there
}

TEST(CommitFollower, AsleepDuringAHundredThousandEndsWithAllOfThem) {
  constexpr unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::uint64_t end = 100'000;
  CommitFollower follower(GlobalPosition{0});
  std::uint64_t expected = 0;
  std::int64_t now = 0;
  for (std::uint64_t p = 1; p <= end; ++p) {  // most are lost, some come twice, some late
    const unsigned fate = random() % 10;
    if (fate < 3) follower.on_published(at(p));
    if (fate == 1) follower.on_published(at(p));
    if (fate == 2 && p > 5) follower.on_published(at(p - 5));
  }
  while (expected < end) {
    now += CommitFollower::ask_every_us;
    if (const auto read = follower.wanted(now)) follower.on_commits(answer(*read, end, 512));
    for (const Publication& publication : follower.take()) ASSERT_EQ(publication.position.value, ++expected);
  }
  EXPECT_EQ(follower.delivered(), GlobalPosition{end});
}

TEST(CommitFollower, GoesOnWhereItWas) {
  CommitFollower follower(GlobalPosition{40});
  follower.on_published(at(39));
  EXPECT_TRUE(follower.take().empty());
  const auto read = follower.wanted(0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->from, GlobalPosition{41});
}

}  // namespace
}  // namespace turnstone::bus
