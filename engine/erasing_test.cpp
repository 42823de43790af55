// Erasing a session while its turns are being taken.
#include <gtest/gtest.h>

#include "engine/bus/codec.h"
#include "engine/virtual_world.h"

namespace turnstone {
namespace {

using testing::Reply;
using testing::VirtualWorld;
using ErasureDone = ConversationService::ErasureDone;

const SessionId s1{"s1"};

ErrorCode code_of(const Reply& reply) { return *reply && !**reply ? (*reply)->error().code : ErrorCode::internal; }

std::optional<Result<ErasureDone>> erase_in(VirtualWorld& world, const ErasureScope& scope) {
  auto outcome = std::make_shared<std::optional<Result<ErasureDone>>>();
  world.sequencer().erase(scope, "desk", [outcome](Result<ErasureDone> done) { *outcome = std::move(done); });
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

TEST(Erasing, AWorkerTakesNothingBackThatArrivesLate) {
  const bus::RunId run{1};
  const Served served = testing::scripted();
  WorkerCoreOptions options;
  options.sessions_max = 2;
  WorkerCore core(options, served);
  core.on_message(bus::Welcome{bus::protocol_version, run, "memory", GlobalPosition{1}}, 1);
  const bus::ProposedEvent received = bus::to_wire(EventBody{TurnReceived{}}).value();
  const bus::ProposedEvent started = bus::to_wire(EventBody{SessionStarted{}}).value();
  bus::Task task{run, s1, TurnNumber{1}, Attempt{1}, Sequence{3}, Attempt{0}, {served.artefacts[0], served.policies[0].fingerprint, decision_version},
                 received.schema_version, received.payload};
  const bus::WireEvent first{Sequence{1}, Timestamp{1}, {}, started.type, started.schema_version, started.payload};
  const bus::Events events{bus::StreamType::session, "s1", Sequence{1}, Sequence{3}, {first}};
  core.on_message(task, 1);
  while (core.work(1)) continue;  // asks for the events
  ASSERT_TRUE(core.holds(s1));
  ASSERT_EQ(core.counters().reads, 1U);

  const bus::ProposedEvent erased = bus::to_wire(EventBody{SessionErased{"desk"}}).value();
  const bus::WireEvent last{Sequence{4}, Timestamp{2}, {}, erased.type, erased.schema_version, erased.payload};
  core.on_published({run, GlobalPosition{9}, {{bus::StreamType::session, "s1", {last}}}, ""});
  EXPECT_FALSE(core.holds(s1));
  EXPECT_TRUE(core.drained()) << "a task of it is still held";
  core.on_message(events, 2);
  EXPECT_FALSE(core.holds(s1)) << "the answer to the read of before brings it back";
  task.attempt = Attempt{2};
  core.on_message(task, 3);
  core.on_message(events, 3);
  while (core.work(3)) continue;
  EXPECT_FALSE(core.holds(s1)) << "a task that was sent before brings it back";
  EXPECT_TRUE(core.drained());
  EXPECT_EQ(core.counters().failures, 2U);
}

// A sequencer alone, its ticks counted one by one.
class ErasingByTicks : public ::testing::Test {
 protected:
  bool create(const std::string& session, const std::optional<ProfileId>& profile) {
    NewSession wanted;
    wanted.session = SessionId{session};
    wanted.profile = profile;
    refusal.reset();
    sequencer.create_session(
        wanted,
        [this](const Result<ConversationService::SessionCreated>& created) {
          if (!created) refusal = created.error().code;
        },
        now);
    run();
    return !refusal;
  }
  void erase(const ErasureScope& scope) {
    sequencer.erase(scope, "desk", [this](const Result<ErasureDone>& done) { outcomes.push_back(done); });
    run();
  }
  void tick() {
    sequencer.on_tick(now);
    run();
  }
  void run() {
    sequencer.flush(now);
    for (auto actions = sequencer.take_actions(); !actions.empty(); actions = sequencer.take_actions()) {
      for (auto& action : actions) {
        if (auto* answer = std::get_if<Sequencer::Answer>(&action)) answer->run();
        if (auto* sync = std::get_if<Sequencer::Sync>(&action)) sequencer.on_synced(sync->ticket, {}, now);
      }
      sequencer.flush(now);
    }
  }
  const std::unique_ptr<Ledger> ledger = make_memory_ledger();
  SequencerOptions options = [] {
    SequencerOptions few;
    few.erasures_max = 2;
    few.erasure_page = 10;
    return few;
  }();
  Sequencer sequencer{*ledger, options};
  Moment now{Timestamp{1}, Instant{1}};
  std::vector<Result<ErasureDone>> outcomes;
  std::optional<ErrorCode> refusal;
};

TEST_F(ErasingByTicks, ATickLooksAtAPageOrErasesOneStream) {
  for (int i = 0; i < 45; ++i) ASSERT_TRUE(create("s" + std::to_string(i), i < 3 ? std::optional(ProfileId{"p"}) : std::nullopt));
  erase({std::nullopt, ProfileId{"p"}, std::nullopt});
  for (int looking = 0; looking < 5; ++looking) tick();
  EXPECT_EQ(sequencer.counters().streams_erased, 0U);
  for (std::uint64_t erased = 1; erased <= 3; ++erased) {
    EXPECT_TRUE(outcomes.empty());
    tick();
    EXPECT_EQ(sequencer.counters().streams_erased, erased);
  }
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes.front()->erased.size(), 3U);
  EXPECT_GT(sequencer.next_due(), now.instant) << "there is nothing left to do at once";
}

TEST_F(ErasingByTicks, NoSessionIsStartedWhoseProfileIsBeingErased) {
  const ProfileId profile{"p"};
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(create("s" + std::to_string(i), profile));
  erase({SessionId{"s0"}, std::nullopt, std::nullopt});
  erase({std::nullopt, profile, std::nullopt});  // begins when the other is done
  while (outcomes.size() < 2) {
    EXPECT_FALSE(create("meanwhile", profile));
    EXPECT_EQ(refusal, ErrorCode::busy);
    EXPECT_TRUE(create("of another", ProfileId{"q"}));
    tick();
  }
  ASSERT_TRUE(outcomes.back());
  EXPECT_EQ(outcomes.back()->erased.size(), 24U);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(ledger->head(stream_of(SessionId{"s" + std::to_string(i)})).error().code, ErrorCode::erased);
  EXPECT_TRUE(ledger->head(stream_of(SessionId{"of another"})));
}

TEST_F(ErasingByTicks, OneMoreThanTheBoundIsBusy) {
  ASSERT_TRUE(create("s1", std::nullopt));
  for (int i = 0; i < 3; ++i) erase({s1, std::nullopt, std::nullopt});
  ASSERT_EQ(outcomes.size(), 1U) << "the third is answered at once";
  EXPECT_EQ(outcomes.front().error().code, ErrorCode::busy);
  for (int i = 0; i < 8; ++i) tick();
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[1]->erased.size() + outcomes[2]->erased.size(), 1U);
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
    sequencer.erase({session, std::nullopt, std::nullopt}, "desk", [&](const auto& done) { order += done ? 'e' : 'E'; });
    for (int tick = 0; tick < 2; ++tick) sequencer.on_tick(now);  // looks for it, erases it
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
