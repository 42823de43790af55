// Erasing a session while its turns are being taken.
#include <gtest/gtest.h>

#include "engine/virtual_world.h"
#include "storage/ledger/erasure.h"

namespace turnstone {
namespace {

using testing::Reply;
using testing::VirtualWorld;
using ErasureDone = ConversationService::ErasureDone;

const SessionId s1{"s1"};

ErrorCode code_of(const Reply& reply) { return *reply && !**reply ? (*reply)->error().code : ErrorCode::internal; }

std::optional<Result<ErasureDone>> erase_in(VirtualWorld& world, const ErasureScope& scope) {
  auto targets = erasure_targets(world.ledger(), scope);
  if (!targets) return tl::unexpected(targets.error());
  auto outcome = std::make_shared<std::optional<Result<ErasureDone>>>();
  world.sequencer().erase(std::move(*targets), "desk", [outcome](Result<ErasureDone> done) { *outcome = std::move(done); });
  world.run_until([&] { return outcome->has_value(); }, 1'000);
  return *outcome;
}

class ErasingLive : public ::testing::Test {
 protected:
  void SetUp() override {
    worker = world.start_worker("w");
    world.run_for(10);
    for (const char* session : {"s1", "s2"}) ASSERT_TRUE(world.create(session));
  }
  std::optional<Result<ErasureDone>> erase(const SessionId& session) { return erase_in(world, {session, std::nullopt, std::nullopt}); }
  VirtualWorld world;
  WorkerId worker;
};

TEST_F(ErasingLive, WhoeverWaitsIsToldAndOthersGoOn) {
  world.pause(worker);
  const Reply in_flight = world.take("s1", "k1");
  const Reply waiting = world.take("s1", "k2");
  const Reply again = world.take("s1", "k1");
  world.run_for(20);
  const auto erased = erase(s1);
  ASSERT_TRUE(erased && *erased) << (erased ? erased->error().detail : "no answer");
  EXPECT_EQ((*erased)->erased, std::vector<StreamId>{stream_of(s1)});
  world.run_for(20);
  for (const Reply& reply : {in_flight, waiting, again}) EXPECT_EQ(code_of(reply), ErrorCode::erased);
  EXPECT_EQ(world.counters().in_flight + world.counters().waiting, 0U);
  EXPECT_EQ(world.counters().streams_erased, 1U);

  world.pause(worker, false);  // and proposes what nobody wants any more
  const Reply other = world.take("s2", "k1");
  EXPECT_TRUE(world.run_until([&] { return other->has_value(); }, 3'000));
  EXPECT_TRUE((*other)->has_value());
  world.run_for(100);
  const Reply late = world.take("s1", "k3");
  world.run_for(20);
  EXPECT_EQ(code_of(late), ErrorCode::erased);
  EXPECT_EQ(world.ledger().read(stream_of(s1), Sequence{1}, 1).error().code, ErrorCode::erased);
  EXPECT_TRUE(world.ledger().pending()->empty());
}

TEST_F(ErasingLive, ALateProposalIsFenced) {
  world.kill_worker(worker);
  const WorkerId slow = world.start_worker("w", testing::scripted(), 200'000);
  world.run_for(10);
  const Reply reply = world.take("s1", "k1");
  world.run_for(20);
  ASSERT_TRUE(erase(s1).value());
  EXPECT_TRUE(world.run_until([&] { return world.counters().fenced == 1; }, 1'000));
  EXPECT_EQ(code_of(reply), ErrorCode::erased);
  EXPECT_EQ(world.core(slow).counters().proposals, 1U);
}

TEST_F(ErasingLive, AWorkerThatHasToReadItGivesUp) {
  const Reply first = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return first->has_value(); }, 500));
  world.kill_worker(worker);
  const WorkerId fresh = world.start_worker("w");
  world.run_for(10);
  world.pause(fresh);
  const Reply reply = world.take("s1", "k2");
  world.run_for(5);  // the task is on its way
  ASSERT_TRUE(erase(s1).value());
  world.pause(fresh, false);
  world.run_for(2'000);
  EXPECT_LE(world.core(fresh).counters().reads, 1U) << "it asks again and again for what is gone";
  EXPECT_TRUE(world.core(fresh).drained()) << "it holds on to a task of nobody";
  EXPECT_EQ(code_of(reply), ErrorCode::erased);
}

TEST_F(ErasingLive, TwiceIsOnceAndAStrangerIsNotFound) {
  ASSERT_TRUE(erase(s1).value());
  const auto again = erase(s1);
  ASSERT_TRUE(again && *again);
  EXPECT_TRUE((*again)->erased.empty());
  EXPECT_EQ((*again)->before, 1U);
  EXPECT_EQ(erase(SessionId{"nobody"})->error().code, ErrorCode::not_found);
  EXPECT_FALSE(world.create("s1")->has_value()) << "its id cannot be used again";
}

TEST_F(ErasingLive, AProfileThatWasErasedStartsNoSession) {
  const ProfileId profile{"p1"};
  ASSERT_TRUE(world.ledger().append({{stream_of(profile), Sequence{0}, {ProfileUpdated{profile, {1, 2}, Permille{}, Permille{}}}}}, Timestamp{1}));
  const auto start = [&](const std::string& session) {
    auto outcome = std::make_shared<std::optional<Result<ConversationService::SessionCreated>>>();
    NewSession wanted;
    wanted.session = SessionId{session};
    wanted.profile = profile;
    world.sequencer().create_session(
        wanted, [outcome](auto result) { *outcome = std::move(result); }, Moment{Timestamp{2}, Instant{2}});
    world.run_until([&] { return outcome->has_value(); }, 1'000);
    return outcome->value();
  };
  ASSERT_TRUE(start("before"));
  const auto erased = erase_in(world, {std::nullopt, profile, std::nullopt});
  ASSERT_TRUE(erased && *erased);
  EXPECT_EQ((*erased)->erased, (std::vector<StreamId>{stream_of(SessionId{"before"}), stream_of(profile)}));
  const auto refused = start("after");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::erased);
  EXPECT_EQ(world.ledger().head(stream_of(SessionId{"after"})).error().code, ErrorCode::not_found);
}

TEST(Erasing, WhoeverWaitsForTheFirstWorkerIsTold) {
  VirtualWorld world;
  for (const char* session : {"s1", "s2"}) ASSERT_TRUE(world.create(session));
  const Reply first = world.take("s1", "k1");
  const Reply other = world.take("s2", "k1");
  const Reply second = world.take("s1", "k2");
  ASSERT_EQ(world.counters().waiting, 3U);
  ASSERT_TRUE(erase_in(world, {s1, std::nullopt, std::nullopt}).value());
  world.run_for(20);
  for (const Reply& reply : {first, second}) EXPECT_EQ(code_of(reply), ErrorCode::erased);
  EXPECT_EQ(world.counters().waiting, 1U);
  world.start_worker("w");
  EXPECT_TRUE(world.run_until([&] { return other->has_value(); }, 3'000));
  EXPECT_TRUE((*other)->has_value());
}

TEST(Erasing, ItsAnswerLeavesBehindWhatWasWrittenBefore) {
  const auto ledger = make_memory_ledger();
  Sequencer sequencer(*ledger, {});
  const Moment now{Timestamp{1}, Instant{1}};
  std::string order;  // c: a session was created, p: a publication, e: it was erased, E: it was not
  const auto settle = [&](const Status& status) {
    std::uint64_t ticket = 0;
    for (int round = 0; round < 2; ++round) {
      for (auto& action : sequencer.take_actions()) {
        if (auto* answer = std::get_if<Sequencer::Answer>(&action)) answer->run();
        if (std::holds_alternative<Sequencer::Publish>(action)) order += 'p';
        if (auto* sync = std::get_if<Sequencer::Sync>(&action)) ticket = sync->ticket;
      }
      if (round == 0) {
        EXPECT_EQ(order, "") << "before the sync";
        sequencer.on_synced(ticket, status, now);
      }
    }
    return std::exchange(order, {});
  };
  const auto create = [&](const SessionId& session) {
    NewSession wanted;
    wanted.session = session;
    sequencer.create_session(
        wanted, [&](const auto&) { order += 'c'; }, now);
  };
  const auto erase = [&](const SessionId& session) {
    sequencer.erase({stream_of(session)}, "desk", [&](const auto& done) { order += done ? 'e' : 'E'; });
    sequencer.on_tick(now);
    sequencer.flush(now);
  };
  create(s1);
  sequencer.flush(now);
  EXPECT_EQ(settle({}), "pc");
  create(SessionId{"s2"});
  erase(s1);
  EXPECT_EQ(settle({}), "pcpe");
  erase(SessionId{"s2"});
  EXPECT_EQ(settle(fail(ErrorCode::io, "the disk fails")), "E") << "it is asked for again";
}

}  // namespace
}  // namespace turnstone
