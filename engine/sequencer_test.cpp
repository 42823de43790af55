// The rules of sequencer and dispatch, each under virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/bus/codec.h"
#include "engine/session_views.h"
#include "engine/virtual_world.h"

namespace turnstone {
namespace {

using ::testing::HasSubstr;
using testing::Reply;
using testing::scripted;
using testing::VirtualWorld;

bool answered(const Reply& reply) { return reply->has_value(); }
bool good(const Reply& reply) { return reply->has_value() && (*reply)->has_value(); }
ErrorCode code_of(const Reply& reply) { return (*reply)->error().code; }

template <class T>
std::size_t count_events(VirtualWorld& world, const std::string& session) {
  std::size_t count = 0;
  const auto events = world.ledger().read(stream_of(SessionId{session}), Sequence{1}, 10'000);
  if (!events) return 0;
  for (const Event& event : *events) count += std::holds_alternative<T>(event.body) ? 1 : 0;
  return count;
}

TEST(Sequencer, AnswersATurnOnceItIsDurable) {
  VirtualWorld world;
  world.sync_us = 20'000;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const auto syncs = world.counters().syncs;
  const Reply reply = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return world.counters().turns_committed == 1; }, 100));
  world.run_for(15);
  EXPECT_FALSE(answered(reply));  // committed, but the sync is still under way
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 100));
  EXPECT_THAT((*reply)->value().document, HasSubstr("turn 1 says red with 0 before"));
  EXPECT_EQ(world.counters().syncs, syncs + 1);  // one sync a turn
}

TEST(Sequencer, TellsTheStreamWhatDecides) {
  VirtualWorld world;
  ASSERT_TRUE(world.create("early"));  // before any worker: the first turn settles it
  const Reply waits = world.take("early", "k1");
  world.run_for(20);
  EXPECT_FALSE(answered(waits));
  EXPECT_FALSE(world.sequencer().readiness().ready);
  world.start_worker("w");
  ASSERT_TRUE(world.run_until([&] { return good(waits); }, 500));
  ASSERT_TRUE(world.create("late"));
  for (const char* session : {"early", "late"}) {
    const auto events = world.ledger().read(stream_of(SessionId{session}), Sequence{1}, 2);
    ASSERT_TRUE(events);
    EXPECT_TRUE(std::holds_alternative<SessionStarted>((*events)[0].body)) << session;
    ASSERT_TRUE(std::holds_alternative<EngineChanged>((*events)[1].body)) << session;
    EXPECT_EQ(std::get<EngineChanged>((*events)[1].body).artefact_to, testing::fingerprint_of("artefact one"));
  }
  EXPECT_TRUE(world.ledger().document(testing::fingerprint_of("policy one")));  // the policy is stored whole
}

TEST(Sequencer, RefusesWhatBreaksTheRules) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  EXPECT_EQ(code_of(world.take("nobody", "k1")), ErrorCode::not_found);
  EXPECT_EQ(code_of(world.take("s1", "")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(world.take("s1", std::string(201, 'k'))), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(world.take("s1", "k1", std::string(turn_text_bytes_max + 1, 'x'))), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(world.take("s1", "k1", " ")), ErrorCode::invalid_argument);
  EXPECT_EQ(count_events<TurnReceived>(world, "s1"), 0U);
}

TEST(Sequencer, OneTurnInFlightTheOthersWaitInOrder) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 20'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  std::vector<Reply> replies;
  for (int i = 1; i <= 50; ++i) replies.push_back(world.take("s1", "k" + std::to_string(i)));
  EXPECT_EQ(world.counters().in_flight, 1U);
  EXPECT_EQ(world.counters().waiting, 49U);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(world.run_until([&] { return answered(replies[i]); }, 200)) << i;
    ASSERT_TRUE(good(replies[i]));
    EXPECT_EQ((*replies[i])->value().turn.value, static_cast<std::uint32_t>(i + 1));
    EXPECT_THAT((*replies[i])->value().document, HasSubstr("with " + std::to_string(i) + " before"));
  }
  EXPECT_EQ(world.counters().redispatched, 0U);
}

TEST(Sequencer, ARepeatedKeyGetsTheOneTurnsReply) {
  VirtualWorld world;
  int executed = 0;
  world.start_worker("w", scripted("one", [&](const LoopInput&) { ++executed; }), 50'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  std::vector<Reply> replies;
  for (int i = 0; i < 5; ++i) replies.push_back(world.take("s1", "k1"));
  const Reply other = world.take("s1", "k1", "another message");
  ASSERT_TRUE(answered(other));
  EXPECT_EQ(code_of(other), ErrorCode::key_reused);
  ASSERT_TRUE(world.run_until([&] { return std::all_of(replies.begin(), replies.end(), good); }, 500));
  const Reply after = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return good(after); }, 100));
  for (const Reply& reply : replies) EXPECT_EQ((*reply)->value().document, (*after)->value().document);
  EXPECT_FALSE((*replies[0])->value().repeated);
  EXPECT_TRUE((*after)->value().repeated);
  EXPECT_EQ(executed, 1);
  EXPECT_EQ(count_events<TurnCompleted>(world, "s1"), 1U);
}

TEST(Sequencer, AKilledWorkersTurnIsTriedElsewhereWithin250Ms) {
  VirtualWorld world;
  const WorkerId first = world.start_worker("w", scripted(), 400'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply reply = world.take("s1", "k1");
  world.run_for(30);
  ASSERT_EQ(world.tasks.size(), 1U);
  world.start_worker("v");
  world.run_for(5);
  world.kill_worker(first);
  const std::int64_t killed_ms = world.now_ms();
  ASSERT_TRUE(world.run_until([&] { return world.tasks.size() == 2; }, 1'000));
  EXPECT_LE(world.now_ms() - killed_ms, 250);
  EXPECT_EQ(world.tasks[1].second.attempt, Attempt{2});
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 500));
  EXPECT_EQ(world.counters().redispatched, 1U);
  EXPECT_EQ(world.counters().workers, 1U);
}

TEST(Sequencer, ARedispatchLeavesOnlyAfterItsAttemptIsDurable) {
  VirtualWorld world;
  const WorkerId first = world.start_worker("w", scripted(), 400'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  (void)world.take("s1", "k1");
  world.run_for(10);
  world.start_worker("v");
  world.run_for(5);
  world.sync_us = 300'000;
  world.kill_worker(first);
  world.run_for(200);
  EXPECT_EQ(world.tasks.size(), 1U);
  EXPECT_EQ(count_events<AttemptStarted>(world, "s1"), 2U);
  ASSERT_TRUE(world.run_until([&] { return world.tasks.size() == 2; }, 400));
}

TEST(Sequencer, APausedWorkersTurnMovesWithinOneSecondAndItsLateProposalIsFenced) {
  VirtualWorld world;
  const WorkerId first = world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  world.pause(first);
  const Reply reply = world.take("s1", "k1");
  const std::int64_t asked_ms = world.now_ms();
  world.start_worker("v");
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 2'000));
  EXPECT_LE(world.now_ms() - asked_ms, 1'000);
  EXPECT_EQ(world.counters().workers_hung, 1U);
  world.pause(first, false);
  world.run_for(300);
  EXPECT_EQ(world.counters().fenced, 1U);
  EXPECT_EQ(count_events<TurnCompleted>(world, "s1"), 1U);
  EXPECT_EQ(world.counters().workers, 2U);  // it is heard again
}

TEST(Sequencer, AWorkerThatAnswersPingsButFinishesNothingIsHung) {
  VirtualWorld world;
  const WorkerId first = world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  world.network.set_plan([&](const bus::FrameOnItsWay& frame) {
    return frame.kind == bus::Kind::task && frame.worker == first ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{0};
  });
  const Reply reply = world.take("s1", "k1");
  world.start_worker("v");
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 1'000));
}

TEST(Sequencer, QueuedTurnsOfASlowWorkerRunOnce) {
  SequencerOptions options;
  options.dispatch.task_ms_max = 5'000;
  VirtualWorld world(options);
  int executed = 0;
  world.start_worker("w", scripted("one", [&](const LoopInput&) { ++executed; }), 3'000'000);
  world.run_for(10);
  std::vector<Reply> replies;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(world.create("s" + std::to_string(i)));
    replies.push_back(world.take("s" + std::to_string(i), "k"));
  }
  ASSERT_TRUE(world.run_until([&] { return std::all_of(replies.begin(), replies.end(), good); }, 30'000));
  EXPECT_EQ(executed, 6);  // patience counts from when a turn can have begun
  EXPECT_EQ(world.counters().redispatched, 0U);
}

TEST(Sequencer, ATurnThatKillsItsWorkersIsParkedAndOthersGoOn) {
  VirtualWorld world;
  std::vector<WorkerId> doomed;
  const auto deadly = [&](const LoopInput& input) {
    if (input.received.text == "poison") throw std::runtime_error("cannot");
  };
  world.start_worker("w", scripted("one", deadly));
  world.run_for(10);
  ASSERT_TRUE(world.create("bad"));
  ASSERT_TRUE(world.create("fine"));
  const Reply poisoned = world.take("bad", "k1", "poison");
  const Reply behind = world.take("bad", "k2", "red");
  const Reply other = world.take("fine", "k1", "blue");
  ASSERT_TRUE(world.run_until([&] { return good(poisoned) && good(behind) && good(other); }, 3'000));
  EXPECT_TRUE((*poisoned)->value().parked);
  EXPECT_THAT((*poisoned)->value().document, HasSubstr("\"recommendations\":[]"));
  EXPECT_FALSE((*behind)->value().parked);
  EXPECT_EQ(count_events<AttemptStarted>(world, "bad"), 4U);  // three and one
  EXPECT_EQ(count_events<TurnParked>(world, "bad"), 1U);
  const Reply again = world.take("bad", "k1", "poison");
  ASSERT_TRUE(world.run_until([&] { return good(again); }, 100));
  EXPECT_TRUE((*again)->value().parked);
  EXPECT_EQ((*again)->value().document, (*poisoned)->value().document);
}

TEST(Sequencer, ABrokenWorkerDoesNotParkWhatAnotherCanDo) {
  VirtualWorld world;
  world.start_worker("broken", scripted("one", [](const LoopInput&) { throw std::runtime_error("my disk is gone"); }));
  world.start_worker("sound", scripted("one"));
  world.run_for(10);
  std::vector<Reply> replies;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world.create("s" + std::to_string(i)));
    replies.push_back(world.take("s" + std::to_string(i), "k"));
  }
  ASSERT_TRUE(world.run_until([&] { return std::all_of(replies.begin(), replies.end(), good); }, 2'000));
  EXPECT_EQ(world.counters().turns_parked, 0U);
  EXPECT_GT(world.counters().failed, 0U);
}

TEST(Sequencer, WorkersThatDieOnATurnDoNotTakeTheOthersAlong) {
  VirtualWorld world;
  const WorkerId names[] = {world.start_worker("a", scripted(), 100'000), world.start_worker("b", scripted(), 100'000),
                            world.start_worker("c", scripted(), 100'000)};
  world.run_for(10);
  ASSERT_TRUE(world.create("bad"));
  const Reply reply = world.take("bad", "k1");
  for (int death = 0; death < 3; ++death) {  // whoever takes it dies of it
    ASSERT_TRUE(world.run_until([&] { return world.sequencer().dispatch().holder(SessionId{"bad"}).has_value(); }, 1'000));
    world.run_for(20);
    world.kill_worker(*world.sequencer().dispatch().holder(SessionId{"bad"}));
    world.run_for(60);
  }
  (void)names;
  ASSERT_TRUE(good(reply));
  EXPECT_TRUE((*reply)->value().parked);
  EXPECT_EQ(world.counters().workers, 0U);
}

TEST(Sequencer, TakesUpPendingTurnsAfterARestart) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 200'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  (void)world.take("s1", "k1");
  (void)world.take("s1", "k2");
  world.run_for(20);
  world.kill_engine();  // between accept and reply, one turn in flight and one waiting
  world.run_for(50);
  world.start_engine();
  const Reply first = world.take("s1", "k1");
  const Reply second = world.take("s1", "k2");
  ASSERT_TRUE(world.run_until([&] { return good(first) && good(second); }, 3'000));
  EXPECT_EQ((*first)->value().turn, TurnNumber{1});
  EXPECT_EQ((*second)->value().turn, TurnNumber{2});
  EXPECT_EQ(count_events<TurnCompleted>(world, "s1"), 2U);
  EXPECT_EQ(count_events<TurnReceived>(world, "s1"), 2U);
}

TEST(Sequencer, WhatAFormerRunDispatchedIsVoid) {
  VirtualWorld world;
  const WorkerId worker = world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  bus::Proposed stale;
  stale.run = bus::RunId{77};
  stale.session = SessionId{"s1"};
  stale.turn = TurnNumber{1};
  stale.attempt = Attempt{1};
  world.sequencer().on_message(worker, stale, world.now());
  EXPECT_EQ(world.counters().stale, 1U);
  EXPECT_EQ(world.counters().turns_committed, 0U);
}

TEST(Sequencer, RejectsProposalsThatBreakARule) {
  VirtualWorld world;
  Served lying = scripted();
  int lies = 0;
  lying.turn = [&lies](const IntentState& state, const LoopInput& input) {
    auto proposal = testing::scripted_proposal(state, input);
    if (++lies == 1) proposal->events.insert(proposal->events.begin(), EventBody{SessionErased{"me"}});
    if (lies == 2) proposal->events.pop_back();
    return proposal;
  };
  world.start_worker("w", lying);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply reply = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 500));
  EXPECT_EQ(world.counters().rejected, 2U);
  EXPECT_EQ(count_events<SessionErased>(world, "s1"), 0U);
  EXPECT_EQ(count_events<AttemptStarted>(world, "s1"), 3U);
}

TEST(Sequencer, ListsAWorkerThatCameBackAHundredTimesOnce) {
  VirtualWorld world;
  for (int i = 0; i < 100; ++i) {
    const WorkerId worker = world.start_worker("w");
    world.run_for(3);
    if (i < 99) world.kill_worker(worker);
  }
  world.run_for(5);
  EXPECT_EQ(world.sequencer().dispatch().status().size(), 1U);
  EXPECT_EQ(world.counters().workers, 1U);
}

TEST(Sequencer, ADrainingWorkerFinishesAndGetsNoMore) {
  VirtualWorld world;
  const WorkerId first = world.start_worker("w", scripted(), 50'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply held = world.take("s1", "k1");
  world.run_for(5);
  world.core(first).drain();
  world.run_for(60);
  ASSERT_TRUE(good(held));
  const Reply next = world.take("s1", "k2");
  world.run_for(100);
  EXPECT_FALSE(answered(next));
  world.start_worker("v");
  ASSERT_TRUE(world.run_until([&] { return good(next); }, 300));
  EXPECT_EQ(world.counters().redispatched, 0U);
}

TEST(Sequencer, ASessionMovesToAnotherArtefactOnlyBetweenTurns) {
  VirtualWorld world;
  const WorkerId old = world.start_worker("w", scripted("one"), 30'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply first = world.take("s1", "k1");
  const Reply second = world.take("s1", "k2");
  const Reply third = world.take("s1", "k3");
  world.start_worker("v", scripted("two"));
  world.run_for(20);
  world.core(old).drain();  // while turn 1 runs and two wait
  ASSERT_TRUE(world.run_until([&] { return good(first) && good(second) && good(third); }, 1'000));
  const auto events = world.ledger().read(stream_of(SessionId{"s1"}), Sequence{1}, 100);
  ASSERT_TRUE(events);
  std::vector<std::string> order;
  for (const Event& event : *events) {
    if (const auto* changed = std::get_if<EngineChanged>(&event.body)) {
      order.push_back(changed->artefact_to == testing::fingerprint_of("artefact two") ? "to two" : "to one");
    } else if (const auto* completed = std::get_if<TurnCompleted>(&event.body)) {
      order.push_back(completed->artefact == testing::fingerprint_of("artefact two") ? "by two" : "by one");
    }
  }
  // The proposal of turn 1 was ahead of the goodbye, so turn 2 had begun under the old artefact.
  EXPECT_THAT(order, ::testing::ElementsAre("to one", "by one", "by one", "to two", "by two"));
}

TEST(Sequencer, ATurnWhoseArtefactNobodyServesIsParkedInTime) {
  VirtualWorld world;
  const WorkerId old = world.start_worker("w", scripted("one"), 200'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply reply = world.take("s1", "k1");
  world.run_for(10);
  world.start_worker("v", scripted("two"));
  world.run_for(10);
  world.kill_worker(old);
  world.run_for(5'000);
  EXPECT_FALSE(answered(reply));
  ASSERT_TRUE(world.run_until([&] { return good(reply); }, 6'000));
  EXPECT_TRUE((*reply)->value().parked);
  const Reply next = world.take("s1", "k2");
  ASSERT_TRUE(world.run_until([&] { return good(next); }, 500));
  EXPECT_FALSE((*next)->value().parked);
}

TEST(Sequencer, ProposalsAtHandShareOneSync) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 0, 64);
  world.run_for(10);
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(world.create("s" + std::to_string(i)));
  const auto before = world.counters().syncs;
  std::vector<Reply> replies;
  for (int i = 0; i < 32; ++i) replies.push_back(world.take("s" + std::to_string(i), "k"));
  ASSERT_TRUE(world.run_until([&] { return std::all_of(replies.begin(), replies.end(), good); }, 500));
  EXPECT_LE(world.counters().syncs - before, 2U);
}

TEST(Sequencer, AFailedSyncReleasesNothing) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  world.run_for(20);
  const std::size_t published = world.published.size();
  world.sync_status = fail(ErrorCode::no_space, "the disk is full");
  const Reply refused = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return answered(refused); }, 500));
  EXPECT_EQ(code_of(refused), ErrorCode::no_space);
  EXPECT_EQ(world.published.size(), published);
  world.sync_status = Status{};
  const Reply again = world.take("s1", "k1");
  ASSERT_TRUE(world.run_until([&] { return good(again); }, 1'000));
  EXPECT_EQ(count_events<TurnCompleted>(world, "s1"), 1U);
  EXPECT_GT(world.published.size(), published);
}

TEST(Sequencer, PublishesEveryWriteOnceInOrderOfPosition) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 2'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  std::vector<Reply> replies;
  for (int i = 0; i < 10; ++i) replies.push_back(world.take("s1", "k" + std::to_string(i)));
  ASSERT_TRUE(world.run_until([&] { return good(replies.back()); }, 1'000));
  world.run_for(10);
  std::uint64_t position = 0;
  std::uint64_t sequence = 0;
  for (const bus::Publication& publication : world.published) {
    EXPECT_EQ(publication.position.value, ++position);
    for (const bus::Range& range : publication.ranges) {
      for (const bus::WireEvent& event : range.events) {
        EXPECT_EQ(event.sequence.value, ++sequence);
        const auto stored = world.ledger().read(stream_of(SessionId{"s1"}), event.sequence, 1);
        ASSERT_TRUE(stored);
        const auto wire = bus::to_wire((*stored)[0]);
        ASSERT_TRUE(wire);
        EXPECT_EQ(event, *wire);  // what was published is what is stored
      }
    }
  }
  EXPECT_EQ(position, world.ledger().position().value);
}

TEST(Sequencer, ATasksSizeDoesNotGrowWithTheSession) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  for (int i = 1; i <= 300; ++i) {
    const Reply reply = world.take("s1", "key" + std::to_string(1'000 + i));
    ASSERT_TRUE(world.run_until([&] { return good(reply); }, 200));
  }
  const auto first = bus::encode(world.tasks[9].second);
  const auto last = bus::encode(world.tasks.back().second);
  ASSERT_TRUE(first && last);
  EXPECT_LE(last->size(), first->size() + 16);  // wider numbers, nothing else
}

TEST(Sequencer, RefusesNewTurnsWhileDrainingAndFinishesTheOld) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 50'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  const Reply held = world.take("s1", "k1");
  world.sequencer().refuse_new();
  EXPECT_EQ(code_of(world.take("s1", "k2")), ErrorCode::busy);
  EXPECT_GT(world.sequencer().unfinished(), 0U);
  ASSERT_TRUE(world.run_until([&] { return good(held); }, 300));
  EXPECT_EQ(world.sequencer().unfinished(), 0U);
}

TEST(Sequencer, RefusesAWorkerOfAnotherProtocolVersion) {
  VirtualWorld world;
  const auto peer = world.network.connect(WorkerId{"old-1"});
  bus::Hello hello;
  hello.worker = WorkerId{"old-1"};
  hello.protocol = bus::protocol_version + 1;
  peer->send(hello);
  world.run_for(2);
  const auto answer = peer->receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<bus::Refusal>(*answer).fault, bus::Fault::unsupported_protocol);
  EXPECT_EQ(world.counters().workers, 0U);
}

TEST(Sequencer, HostileFramesAreDroppedAndCounted) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  for (const std::string& bytes :
       {std::string(), std::string("TS"), std::string("garbage"), std::string(1'000, '\xff'), std::string("TS\x02\x06\xdd\xff\xff\xff\xff", 9)}) {
    world.network.inject(WorkerId{"stranger"}, bytes);
  }
  world.run_for(5);
  EXPECT_EQ(world.bus().traffic().dropped_frames, 5U);
  const Reply reply = world.take("s1", "k1");
  EXPECT_TRUE(world.run_until([&] { return good(reply); }, 100));
}

TEST(Sequencer, AHotSessionDoesNotHoldUpTheOthers) {
  VirtualWorld world;
  world.start_worker("w", scripted(), 5'000);
  world.run_for(10);
  ASSERT_TRUE(world.create("hot"));
  for (int s = 0; s < 10; ++s) ASSERT_TRUE(world.create("s" + std::to_string(s)));
  std::vector<Reply> hot;
  for (int i = 0; i < 60; ++i) hot.push_back(world.take("hot", "k" + std::to_string(i)));
  world.run_for(20);
  const auto done = [](const std::vector<Reply>& replies) { return std::count_if(replies.begin(), replies.end(), good); };
  const auto ahead = done(hot);
  std::vector<Reply> others;
  for (int s = 0; s < 10; ++s) others.push_back(world.take("s" + std::to_string(s), "k"));
  ASSERT_TRUE(world.run_until([&] { return done(others) == 10; }, 500));
  EXPECT_LE(done(hot) - ahead, 11);  // at most one between any two of them
  ASSERT_TRUE(world.run_until([&] { return done(hot) == 60; }, 1'000));
}

TEST(Sequencer, TellsFrontEndsToComeBackBeforeMemoryGrows) {
  SequencerOptions options;
  options.turns_pending_max = 100;
  VirtualWorld world(options);
  const WorkerId worker = world.start_worker("w");
  world.run_for(10);
  for (int s = 0; s < 150; ++s) ASSERT_TRUE(world.create("s" + std::to_string(s)));
  world.pause(worker);
  std::vector<Reply> replies;
  for (int s = 0; s < 150; ++s) replies.push_back(world.take("s" + std::to_string(s), "k"));
  for (std::size_t s = 100; s < 150; ++s) {
    ASSERT_TRUE(answered(replies[s])) << s;
    EXPECT_EQ(code_of(replies[s]), ErrorCode::busy);
  }
  EXPECT_EQ(world.counters().refused_busy, 50U);
  EXPECT_EQ(world.counters().turns_accepted, 100U);
  world.pause(worker, false);
  replies.resize(100);
  ASSERT_TRUE(world.run_until([&] { return std::all_of(replies.begin(), replies.end(), good); }, 1'000));
  const Reply later = world.take("s149", "k");  // whoever was refused comes back under the same key
  EXPECT_TRUE(world.run_until([&] { return good(later); }, 100));
}

TEST(Sequencer, ASessionThatIsToldTooMuchIsBusyAndOthersAreNot) {
  VirtualWorld world;
  const WorkerId worker = world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("hot"));
  ASSERT_TRUE(world.create("calm"));
  world.pause(worker);
  std::vector<Reply> replies;
  for (int i = 0; i < 100; ++i) replies.push_back(world.take("hot", "k" + std::to_string(i)));
  EXPECT_EQ(std::count_if(replies.begin(), replies.end(), answered), 100 - 1 - 64);  // one in flight, 64 behind it
  EXPECT_EQ(code_of(replies.back()), ErrorCode::busy);
  world.pause(worker, false);
  const Reply calm = world.take("calm", "k");
  EXPECT_TRUE(world.run_until([&] { return good(calm); }, 100));
}

TEST(SessionViews, FoldTheSessionUpToATurn) {
  VirtualWorld world;
  world.start_worker("w");
  world.run_for(10);
  ASSERT_TRUE(world.create("s1"));
  for (int i = 1; i <= 3; ++i) {
    const Reply reply = world.take("s1", "k" + std::to_string(i));
    ASSERT_TRUE(world.run_until([&] { return good(reply); }, 200));
  }
  const auto second = state_at(world.ledger(), SessionId{"s1"}, TurnNumber{2});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->active.size(), 2U);
  EXPECT_EQ(second->turn, TurnNumber{2});
  EXPECT_EQ(state_at(world.ledger(), SessionId{"s1"}, TurnNumber{9}).error().code, ErrorCode::not_found);
  EXPECT_EQ(state_at(world.ledger(), SessionId{"nobody"}, std::nullopt).error().code, ErrorCode::not_found);
  EXPECT_THAT(*state_document_at(world.ledger(), SessionId{"s1"}, std::nullopt), HasSubstr("\"turn\":3"));
}

}  // namespace
}  // namespace turnstone
