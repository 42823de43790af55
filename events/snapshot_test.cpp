#include "events/snapshot.h"

#include <gtest/gtest.h>

#include "events/codec.h"
#include "events/fuzz/snapshot_trial.h"
#include "events/testing/random_events.h"

namespace turnstone {
namespace {


struct Kept {
  IntentState state;
  TurnCompleted completed;
  Sequence at;
};

// The state after a random stream, and the TurnCompleted that would follow it.
Kept after_random_events(std::uint64_t seed, std::size_t events) {
  testing::Random random(seed);
  Kept kept;
  for (const Event& event : testing::random_stream(random, events)) fold(kept.state, event);
  kept.completed.fold_version = fold_version;
  kept.completed.state_digest = digest_of(kept.state);
  kept.at = next(kept.state.sequence);
  return kept;
}

TEST(Snapshot, FoldingOnFromItIsFoldingFromTheFirstEvent) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Random random(seed);
    const std::vector<Event> events = testing::random_stream(random, 120);
    const std::size_t cut = random.below(events.size());
    IntentState whole;
    IntentState resumed;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i == cut) {
        TurnCompleted completed;
        completed.fold_version = fold_version;
        completed.state_digest = digest_of(whole);
        auto bytes = encode_snapshot(whole);
        ASSERT_TRUE(bytes) << bytes.error().detail;
        auto opened = open_snapshot(*bytes, whole.session, next(whole.sequence), completed);
        ASSERT_TRUE(opened) << opened.error().detail;
        resumed = std::move(*opened);
        EXPECT_EQ(resumed, whole);
      }
      fold(whole, events[i]);
      if (i >= cut) fold(resumed, events[i]);
    }
    EXPECT_EQ(resumed, whole);
  }
}

TEST(Snapshot, OfAnotherFoldVersionIsRefused) {
  const Kept kept = after_random_events(1, 40);
  const auto later = open_snapshot(*encode_snapshot(kept.state, fold_version + 1), kept.state.session, kept.at, kept.completed);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::unsupported);
  TurnCompleted of_another = kept.completed;
  of_another.fold_version = fold_version + 1;
  EXPECT_FALSE(open_snapshot(*encode_snapshot(kept.state), kept.state.session, kept.at, of_another));
}

TEST(Snapshot, OfAnotherStatePlaceOrSessionIsRefused) {
  const Kept kept = after_random_events(2, 40);
  const std::string bytes = *encode_snapshot(kept.state);
  ASSERT_TRUE(open_snapshot(bytes, kept.state.session, kept.at, kept.completed));
  EXPECT_FALSE(open_snapshot(bytes, SessionId{"another"}, kept.at, kept.completed));
  EXPECT_FALSE(open_snapshot(bytes, kept.state.session, next(kept.at), kept.completed));
  IntentState altered = kept.state;
  altered.recipient += "x";
  const auto refused = open_snapshot(*encode_snapshot(altered), kept.state.session, kept.at, kept.completed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
}

TEST(Snapshot, EveryFlippedByteIsRefused) {
  const Kept kept = after_random_events(3, 30);
  const std::string bytes = *encode_snapshot(kept.state);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
    const auto opened = open_snapshot(flipped, kept.state.session, kept.at, kept.completed);
    EXPECT_TRUE(!opened || *opened == kept.state) << "byte " << i;
    EXPECT_FALSE(open_snapshot(bytes.substr(0, i), kept.state.session, kept.at, kept.completed)) << "cut at " << i;
  }
}

// The fuzzer's trial (events/fuzz/snapshot_fuzz.cpp), bounded: streams as it reads them, with bytes changed, cut and spliced.
TEST(Snapshot, MutatedStreamsFoldAlikeBothWays) {
  constexpr std::uint64_t seed = 20'263;
  testing::Random random(seed);
  std::vector<std::string> inputs;
  for (int i = 0; i < 40; ++i) {
    std::string input(1, static_cast<char>(random.below(20)));
    for (const Event& event : testing::random_stream(random, 40)) {
      const auto payload = encode_payload(event.body);
      if (!payload || payload->size() > 255) continue;
      input += static_cast<char>(*alternative_of(type_of(event.body)));
      input += static_cast<char>(payload->size());
      input += *payload;
    }
    inputs.push_back(std::move(input));
  }
  for (int i = 0; i < 3'000; ++i) {
    std::string input = inputs[random.below(inputs.size())];
    for (std::uint64_t changes = random.below(6); changes > 0; --changes) {
      const std::size_t at = random.below(input.size());
      if (random.one_in(3)) input = input.substr(0, at) + inputs[random.below(inputs.size())].substr(1);
      else input[at] = static_cast<char>(random.bits());
    }
    ASSERT_EQ(snapshot_trial(input), "") << "seed " << seed << ", input " << i;
  }
}

}  // namespace
}  // namespace turnstone
