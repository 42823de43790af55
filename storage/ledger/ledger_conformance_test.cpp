// What every body of the ledger has to do, whatever its disk is.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

struct Body {
  const char* name;
  std::function<std::unique_ptr<Bed>()> make;
};

class LedgerConformance : public testing::TestWithParam<Body> {
 protected:
  void SetUp() override {
    bed_ = GetParam().make();
    ASSERT_TRUE(ledger().start_session(started("s1"), std::nullopt, wall_time).value_or(false));
  }
  void TearDown() override {
    if (bed_ == nullptr) return;
    EXPECT_EQ(broken_chain(ledger()), "");
  }
  Ledger& ledger() { return bed_->ledger(); }

  // Accepts a turn that must be started (or wait).
  Accepted accept(std::string_view session, std::string_view key, std::string_view text = "a red dress") {
    auto outcome = ledger().accept(turn_request(session, key, text));
    EXPECT_TRUE(outcome) << outcome.error().detail;
    if (!outcome || !std::holds_alternative<Accepted>(*outcome)) {
      ADD_FAILURE() << "not accepted: " << key;
      return {};
    }
    return std::get<Accepted>(*outcome);
  }
  template <class Outcome, class Variant>
  static Outcome expect(const Result<Variant>& result) {
    EXPECT_TRUE(result) << result.error().detail;
    if (!result || !std::holds_alternative<Outcome>(*result)) {
      ADD_FAILURE() << "another outcome, alternative " << (result ? static_cast<int>(result->index()) : -1);
      return {};
    }
    return std::get<Outcome>(*result);
  }
  Committed commit(std::string_view session, const Accepted& turn, std::string_view reply = "Here you are.") {
    return expect<Committed>(ledger().commit(proposal(session, turn.turn, turn.attempt, turn.sequence, reply)));
  }
  std::vector<std::string> names(std::string_view session) {
    std::vector<std::string> found;
    auto events = ledger().read(stream_of(SessionId{std::string(session)}), Sequence{1}, 1000);
    EXPECT_TRUE(events) << events.error().detail;
    if (events) {
      for (const Event& event : *events) found.push_back(std::to_string(event.turn.value) + " " + std::string(name_of(type_of(event.body))));
    }
    return found;
  }
  template <class T>
  static ErrorCode code(const Result<T>& result) {
    EXPECT_FALSE(result);
    if (result) return ErrorCode::internal;
    EXPECT_FALSE(result.error().detail.empty());
    return result.error().code;
  }
  StreamId s1() const { return stream_of(SessionId{"s1"}); }

  std::unique_ptr<Bed> bed_;
};

// --- accept --------------------------------------------------------------------------------------------
TEST_P(LedgerConformance, AcceptRecordsTheMessageAndItsFirstAttempt) {
  const Accepted turn = accept("s1", "k1", "a red dress");
  EXPECT_EQ(turn.turn, TurnNumber{1});
  EXPECT_EQ(turn.attempt, Attempt{1});
  EXPECT_EQ(turn.sequence, Sequence{3});
  auto events = ledger().read(s1(), Sequence{2}, 10).value();
  ASSERT_EQ(events.size(), 2u);
  const auto& received = std::get<TurnReceived>(events[0].body);
  EXPECT_EQ(received.turn, TurnNumber{1});
  EXPECT_EQ(received.key, TurnKey{"k1"});
  EXPECT_EQ(received.text, "a red dress");
  EXPECT_EQ(std::get<AttemptStarted>(events[1].body), (AttemptStarted{TurnNumber{1}, Attempt{1}, {}}));
}

TEST_P(LedgerConformance, ResendWhileInFlightAfterDoneAndAfterReopening) {
  const Accepted turn = accept("s1", "k1");
  EXPECT_EQ(expect<InFlight>(ledger().accept(turn_request("s1", "k1"))).turn, turn.turn);
  bed_->reopen();
  EXPECT_EQ(expect<InFlight>(ledger().accept(turn_request("s1", "k1"))).turn, turn.turn);
  commit("s1", turn, "Two match.");
  EXPECT_EQ(expect<Done>(ledger().accept(turn_request("s1", "k1"))).reply, "Two match.");
  bed_->reopen();
  const Done done = expect<Done>(ledger().accept(turn_request("s1", "k1")));
  EXPECT_EQ(done.turn, turn.turn);
  EXPECT_EQ(done.reply, "Two match.");
  EXPECT_EQ(names("s1").size(), 6u);  // five sends, one turn
}

TEST_P(LedgerConformance, ResendAfterParkingGivesTheParkedReply) {
  const Accepted turn = accept("s1", "k1");
  expect<Committed>(ledger().park(SessionId{"s1"}, turn.turn, TurnParked{{}, "three attempts failed", 3}, "Sorry.", "{sorry}", wall_time));
  EXPECT_EQ(expect<Done>(ledger().accept(turn_request("s1", "k1"))).reply, "{sorry}");
  bed_->reopen();
  EXPECT_EQ(expect<Done>(ledger().accept(turn_request("s1", "k1"))).reply, "{sorry}");
  EXPECT_EQ(ledger().turn(SessionId{"s1"}, turn.turn)->state, TurnRecord::State::parked);
}

TEST_P(LedgerConformance, SameKeyWithAnotherBodyIsReused) {
  const Accepted turn = accept("s1", "k1", "red");
  EXPECT_EQ(expect<KeyReused>(ledger().accept(turn_request("s1", "k1", "blue"))).turn, turn.turn);
  commit("s1", turn);
  EXPECT_EQ(expect<KeyReused>(ledger().accept(turn_request("s1", "k1", "blue"))).turn, turn.turn);
  bed_->reopen();
  EXPECT_EQ(expect<KeyReused>(ledger().accept(turn_request("s1", "k1", "blue"))).turn, turn.turn);
}

TEST_P(LedgerConformance, KeysBelongToTheirSession) {
  ASSERT_TRUE(ledger().start_session(started("s2"), std::nullopt, wall_time).value());
  EXPECT_EQ(accept("s1", "k1", "red").turn, TurnNumber{1});
  EXPECT_EQ(accept("s2", "k1", "blue").turn, TurnNumber{1});
}

TEST_P(LedgerConformance, UnknownSessionsAndTurnsAreNotFound) {
  EXPECT_EQ(code(ledger().accept(turn_request("nobody", "k"))), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().commit(proposal("nobody", TurnNumber{1}, Attempt{1}, Sequence{3}))), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().commit(proposal("s1", TurnNumber{9}, Attempt{1}, Sequence{1}))), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().raise_attempt(SessionId{"s1"}, TurnNumber{9}, WorkerId{"w"}, wall_time)), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().park(SessionId{"s1"}, TurnNumber{9}, {}, "", "", wall_time)), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().head(stream_of(SessionId{"nobody"}))), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().read(stream_of(SessionId{"nobody"}), Sequence{1}, 1)), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().turn(SessionId{"s1"}, TurnNumber{1})), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().document(Fingerprint{})), ErrorCode::not_found);
  EXPECT_EQ(code(ledger().stored(s1(), Sequence{2})), ErrorCode::not_found);
}

// --- commit --------------------------------------------------------------------------------------------
TEST_P(LedgerConformance, CommitStoresEventsReplyAndFlightRecordTogether) {
  const Accepted turn = accept("s1", "k1");
  const Committed done = commit("s1", turn, "Two match.");
  EXPECT_EQ(done.sequence, Sequence{6});
  EXPECT_EQ(done.position, ledger().position());
  EXPECT_FALSE(done.next);
  const TurnRecord record = ledger().turn(SessionId{"s1"}, turn.turn).value();
  EXPECT_EQ(record.state, TurnRecord::State::done);
  EXPECT_EQ(record.attempt, Attempt{1});
  EXPECT_EQ(record.reply, "Two match.");
  EXPECT_EQ(record.flight_record, "flight of Two match.");
  EXPECT_TRUE(ledger().pending()->empty());
  EXPECT_EQ(ledger().head(s1())->sequence, Sequence{6});
}

TEST_P(LedgerConformance, OfTwoCommitsForOneTurnOneIsCommitted) {
  const Accepted turn = accept("s1", "k1");
  commit("s1", turn, "first");
  EXPECT_EQ(expect<Fenced>(ledger().commit(proposal("s1", turn.turn, turn.attempt, turn.sequence, "second"))).current, Attempt{1});
  EXPECT_EQ(expect<Fenced>(ledger().commit(proposal("s1", turn.turn, turn.attempt, Sequence{6}, "second"))).current, Attempt{1});
  EXPECT_EQ(ledger().turn(SessionId{"s1"}, turn.turn)->reply, "first");
}

TEST_P(LedgerConformance, TheAttemptIsCheckedBeforeTheSequence) {
  const Accepted turn = accept("s1", "k1");
  const auto raised = ledger().raise_attempt(SessionId{"s1"}, turn.turn, WorkerId{"w2"}, wall_time).value();
  EXPECT_EQ(raised.attempt, Attempt{2});
  EXPECT_EQ(raised.sequence, Sequence{4});
  // Late, with the old head, the new head and a head that never was: always fenced, never a conflict.
  for (const Sequence expected : {turn.sequence, raised.sequence, Sequence{99}}) {
    EXPECT_EQ(expect<Fenced>(ledger().commit(proposal("s1", turn.turn, Attempt{1}, expected))).current, Attempt{2});
  }
  EXPECT_EQ(expect<Fenced>(ledger().commit(proposal("s1", turn.turn, Attempt{3}, raised.sequence))).current, Attempt{2});
  expect<Committed>(ledger().commit(proposal("s1", turn.turn, Attempt{2}, raised.sequence)));
  EXPECT_EQ(expect<Fenced>(ledger().commit(proposal("s1", turn.turn, Attempt{1}, turn.sequence))).current, Attempt{2});
}

TEST_P(LedgerConformance, AnotherHeadIsAConflictAndWritesNothing) {
  const Accepted turn = accept("s1", "k1");
  const GlobalPosition before = ledger().position();
  for (const Sequence expected : {Sequence{0}, Sequence{2}, Sequence{4}}) {
    const Conflict conflict = expect<Conflict>(ledger().commit(proposal("s1", turn.turn, turn.attempt, expected)));
    EXPECT_EQ(conflict.actual, Sequence{3});
    EXPECT_EQ(conflict.stream, s1());
  }
  EXPECT_EQ(ledger().position(), before);
  commit("s1", turn);
}

TEST_P(LedgerConformance, LateProposalsForAParkedTurnAreFenced) {
  const Accepted turn = accept("s1", "k1");
  expect<Committed>(ledger().park(SessionId{"s1"}, turn.turn, TurnParked{{}, "three attempts failed", 3}, "Sorry.", "{}", wall_time));
  expect<Fenced>(ledger().commit(proposal("s1", turn.turn, turn.attempt, turn.sequence)));
  expect<Fenced>(ledger().park(SessionId{"s1"}, turn.turn, {}, "again", "again", wall_time));
  EXPECT_EQ(code(ledger().raise_attempt(SessionId{"s1"}, turn.turn, WorkerId{"w"}, wall_time)), ErrorCode::invalid_argument);
  EXPECT_EQ(names("s1"), (std::vector<std::string>{"0 SessionStarted", "1 TurnReceived", "1 AttemptStarted", "1 TurnParked", "1 ReplySent"}));
}

TEST_P(LedgerConformance, CommitsOfAnotherShapeAreRefused) {
  const Accepted turn = accept("s1", "k1");
  const CommitRequest good = proposal("s1", turn.turn, turn.attempt, turn.sequence);
  CommitRequest bad = good;
  bad.appends[0].events.pop_back();  // no TurnCompleted
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  bad.appends[0].events.emplace_back(TurnReceived{});
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  bad.appends[0].stream.name = "s2";
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  bad.appends.push_back(bad.appends[0]);
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  bad.appends[0].events.clear();
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  std::get<TurnCompleted>(bad.appends[0].events.back()).attempt = Attempt{2};
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::invalid_argument);
  bad = good;
  bad.reply.assign(2 * 1024 * 1024, 'x');
  EXPECT_EQ(code(ledger().commit(bad)), ErrorCode::limit_exceeded);
  expect<Committed>(ledger().commit(good));
}

TEST_P(LedgerConformance, ACommitOverTwoStreamsIsOneWrite) {
  const StreamId profile = stream_of(ProfileId{"user-7"});
  const ProfileUpdated update{ProfileId{"user-7"}, {1, 2, 3}, Permille{100}, Permille{800}};
  Accepted turn = accept("s1", "k1");
  CommitRequest both = proposal("s1", turn.turn, turn.attempt, turn.sequence);
  both.appends[0].events.emplace_back(SessionClosed{CloseReason::said_goodbye});
  both.appends.push_back({profile, Sequence{5}, {update}});
  const Conflict conflict = expect<Conflict>(ledger().commit(both));  // the profile is at 0: neither stream moves
  EXPECT_EQ(conflict.stream, profile);
  EXPECT_EQ(conflict.actual, Sequence{0});
  EXPECT_EQ(ledger().head(s1())->sequence, turn.sequence);
  both.appends[1].expected = Sequence{0};
  const Committed done = expect<Committed>(ledger().commit(both));
  EXPECT_EQ(ledger().head(s1())->sequence, done.sequence);
  EXPECT_EQ(ledger().head(profile)->sequence, Sequence{1});
  const auto record = ledger().commits(done.position, 1).value().at(0);
  ASSERT_EQ(record.ranges.size(), 2u);
  EXPECT_EQ(ledger().named(record.ranges[0].stream).value(), s1());
  EXPECT_EQ(ledger().named(record.ranges[1].stream).value(), profile);
  EXPECT_NE(record.ranges[0].stream, s1()) << "the id stands in no record";
  EXPECT_EQ(record.turn, turn.turn);
  EXPECT_EQ(record.turn_hash, ledger().turn_hash(SessionId{"s1"}, turn.turn).value());
  EXPECT_EQ(record.ranges[1].head, ledger().head(profile)->hash);
}

// --- turns that wait -------------------------------------------------------------------------------------
TEST_P(LedgerConformance, LaterTurnsWaitAndEnterTheStreamInOrder) {
  const Accepted first = accept("s1", "k1", "one");
  const Accepted second = accept("s1", "k2", "two");
  const Accepted third = accept("s1", "k3", "three");
  EXPECT_EQ(second.turn, TurnNumber{2});
  EXPECT_EQ(second.attempt, Attempt{0});
  EXPECT_EQ(second.sequence, Sequence{0});
  EXPECT_EQ(third.turn, TurnNumber{3});
  EXPECT_EQ(ledger().head(s1())->sequence, first.sequence);
  EXPECT_EQ(expect<InFlight>(ledger().accept(turn_request("s1", "k2", "two"))).turn, second.turn);

  auto pending = ledger().pending().value();
  ASSERT_EQ(pending.size(), 3u);
  EXPECT_EQ(pending[0].attempt, Attempt{1});
  EXPECT_EQ(pending[0].head, first.sequence);
  EXPECT_EQ(pending[0].received.text, "one");
  EXPECT_EQ(pending[2].attempt, Attempt{0});
  EXPECT_EQ(pending[2].received.text, "three");

  // A turn that waits can be neither committed, raised nor parked.
  expect<Fenced>(ledger().commit(proposal("s1", second.turn, Attempt{1}, first.sequence)));
  expect<Fenced>(ledger().commit(proposal("s1", second.turn, Attempt{0}, first.sequence)));
  EXPECT_EQ(code(ledger().raise_attempt(SessionId{"s1"}, second.turn, WorkerId{"w"}, wall_time)), ErrorCode::invalid_argument);
  EXPECT_EQ(code(ledger().park(SessionId{"s1"}, second.turn, {}, "", "", wall_time)), ErrorCode::invalid_argument);

  bed_->reopen();
  const Committed one = commit("s1", first);
  ASSERT_TRUE(one.next);
  EXPECT_EQ(one.next->turn, second.turn);
  EXPECT_EQ(one.next->attempt, Attempt{1});
  EXPECT_EQ(one.next->head, one.sequence);
  EXPECT_EQ(one.next->received.text, "two");
  EXPECT_EQ(one.next->received.key, TurnKey{"k2"});
  // Parking the second starts the third.
  const Committed two = expect<Committed>(ledger().park(SessionId{"s1"}, second.turn, TurnParked{{}, "no", 3}, "Sorry.", "{}", wall_time));
  ASSERT_TRUE(two.next);
  EXPECT_EQ(two.next->received.text, "three");
  bed_->reopen();
  EXPECT_EQ(ledger().pending()->at(0).head, two.next->head);
  const Committed last = commit("s1", {two.next->turn, two.next->attempt, two.next->head});
  EXPECT_FALSE(last.next);
  EXPECT_TRUE(ledger().pending()->empty());
  EXPECT_EQ(names("s1"), (std::vector<std::string>{"0 SessionStarted", "1 TurnReceived", "1 AttemptStarted", "1 IntentClassified", "1 ReplySent",
                                                   "1 TurnCompleted", "2 TurnReceived", "2 AttemptStarted", "2 TurnParked", "2 ReplySent",
                                                   "3 TurnReceived", "3 AttemptStarted", "3 IntentClassified", "3 ReplySent", "3 TurnCompleted"}));
}

TEST_P(LedgerConformance, WaitingTurnsAreBounded) {
  Accepted turn = accept("s1", "first");
  for (std::uint32_t i = 0; i < waiting_turns_max; ++i) accept("s1", "w" + std::to_string(i));
  EXPECT_EQ(code(ledger().accept(turn_request("s1", "one too many"))), ErrorCode::busy);
  expect<InFlight>(ledger().accept(turn_request("s1", "w3")));  // a known key is answered all the same
  commit("s1", turn);
  EXPECT_EQ(accept("s1", "one too many").turn, TurnNumber{waiting_turns_max + 2});
}

TEST_P(LedgerConformance, TurnsAcceptedBeforeTheSessionClosesStillRun) {
  const Accepted first = accept("s1", "k1", "bye");
  accept("s1", "k2", "one more");
  CommitRequest goodbye = proposal("s1", first.turn, first.attempt, first.sequence);
  goodbye.appends[0].events.emplace_back(SessionClosed{CloseReason::said_goodbye});
  const Committed closed = expect<Committed>(ledger().commit(goodbye));
  ASSERT_TRUE(closed.next);
  EXPECT_EQ(code(ledger().accept(turn_request("s1", "k3"))), ErrorCode::closed);
  commit("s1", {closed.next->turn, closed.next->attempt, closed.next->head});
}

// --- appends between turns -------------------------------------------------------------------------------
TEST_P(LedgerConformance, AppendsBetweenTurnsOnly) {
  const Accepted turn = accept("s1", "k1");
  const std::vector<StreamAppend> change = {{s1(), turn.sequence, {EngineChanged{}}}};
  EXPECT_EQ(code(ledger().append(change, wall_time)), ErrorCode::busy);
  const Committed done = commit("s1", turn);
  EXPECT_EQ(expect<Conflict>(ledger().append(change, wall_time)).actual, done.sequence);
  const Committed changed = expect<Committed>(ledger().append({{s1(), done.sequence, {EngineChanged{}}}}, wall_time));
  EXPECT_EQ(changed.sequence, next(done.sequence));
  EXPECT_EQ(code(ledger().append({{s1(), changed.sequence, {TurnCompleted{}}}}, wall_time)), ErrorCode::invalid_argument);
  EXPECT_EQ(code(ledger().append({}, wall_time)), ErrorCode::invalid_argument);
  EXPECT_EQ(code(ledger().append({{stream_of(SessionId{"s9"}), Sequence{0}, {EngineChanged{}}}}, wall_time)), ErrorCode::not_found);
}

TEST_P(LedgerConformance, AClosedSessionAnswersKnownKeysAndRefusesTheRest) {
  const Accepted turn = accept("s1", "k1");
  const Committed done = commit("s1", turn, "Two match.");
  const ProfileUpdated update{ProfileId{"user-7"}, {1}, Permille{1}, Permille{2}};
  expect<Committed>(ledger().append({{s1(), done.sequence, {SessionClosed{}}}, {stream_of(ProfileId{"user-7"}), Sequence{0}, {update}}}, wall_time));
  bed_->reopen();
  EXPECT_EQ(expect<Done>(ledger().accept(turn_request("s1", "k1"))).reply, "Two match.");
  EXPECT_EQ(code(ledger().accept(turn_request("s1", "k2"))), ErrorCode::closed);
  EXPECT_EQ(code(ledger().append({{s1(), next(done.sequence), {EngineChanged{}}}}, wall_time)), ErrorCode::closed);
  EXPECT_EQ(code(ledger().append({{s1(), next(done.sequence), {SessionErased{"operator"}}}}, wall_time)), ErrorCode::invalid_argument);
  EXPECT_TRUE(ledger().erase(s1(), "operator", wall_time).value());
  EXPECT_EQ(code(ledger().accept(turn_request("s1", "k1"))), ErrorCode::erased);
}

// --- names -----------------------------------------------------------------------------------------------
TEST_P(LedgerConformance, NamesThatLookAlikeAreDistinct) {
  const std::vector<std::string> ids = {"1",  "01", "1 ", " 1", "\"1\"", "a/b", "a:b", "..",         ".",           "🙂",
                                        "é", "e\xcc\x81",  "A",  "a",  "s10",    "s",   "%00", "a\\0b", std::string(200, 'x'), std::string(199, 'x')};
  std::size_t made = 0;
  for (const std::string& id : ids) {
    EXPECT_TRUE(ledger().start_session(started(id), std::nullopt, wall_time).value_or(false)) << id;
    commit(id, accept(id, "k", id), "reply to " + id);
    ++made;
  }
  bed_->reopen();
  for (const std::string& id : ids) {
    EXPECT_EQ(names(id).size(), 6u) << id;
    EXPECT_EQ(ledger().read(stream_of(SessionId{id}), Sequence{1}, 1)->at(0).body, EventBody{started(id)});
    EXPECT_EQ(expect<Done>(ledger().accept(turn_request(id, "k", id))).reply, "reply to " + id);
  }
  EXPECT_EQ(names("s1").size(), 1u);  // s1 reads neither s10 nor s
  auto heads = ledger().streams(StreamKind::session, std::nullopt, 1000).value();
  EXPECT_EQ(heads.size(), made + 1);
  for (std::size_t i = 1; i < heads.size(); ++i) EXPECT_LT(heads[i - 1].stream.name, heads[i].stream.name);
}

TEST_P(LedgerConformance, NamesThatCannotBeShownAreRefused) {
  using namespace std::string_literals;
  for (const std::string& id : {""s, "a\0b"s, "\0"s, "a\nb"s, "\x7f"s, "\xc2\x85"s, "\xff"s, "\xc3"s, "\xed\xa0\x80"s}) {
    EXPECT_EQ(code(ledger().start_session(started(id), std::nullopt, wall_time)), ErrorCode::invalid_argument);
    EXPECT_EQ(code(ledger().accept(turn_request(id, "k"))), ErrorCode::invalid_argument);
    EXPECT_EQ(code(ledger().accept(turn_request("s1", id))), ErrorCode::invalid_argument);
    EXPECT_EQ(code(ledger().append({{{StreamKind::profile, id}, Sequence{0}, {ProfileUpdated{}}}}, wall_time)), ErrorCode::invalid_argument);
  }
  EXPECT_EQ(code(ledger().start_session(started(std::string(201, 'x')), std::nullopt, wall_time)), ErrorCode::limit_exceeded);
  EXPECT_EQ(code(ledger().accept(turn_request("s1", std::string(201, 'x')))), ErrorCode::limit_exceeded);
}

// --- reads -----------------------------------------------------------------------------------------------
TEST_P(LedgerConformance, StartingASessionTwiceWritesNothing) {
  const GlobalPosition before = ledger().position();
  EXPECT_FALSE(ledger().start_session(started("s1"), EngineChanged{}, wall_time).value());
  EXPECT_EQ(ledger().position(), before);
  EXPECT_TRUE(ledger().start_session(started("s2"), EngineChanged{}, wall_time).value());
  EXPECT_EQ(names("s2"), (std::vector<std::string>{"0 SessionStarted", "0 EngineChanged"}));
}

TEST_P(LedgerConformance, ReloadingGivesTheSameCounts) {
  for (int i = 1; i <= 20; ++i) commit("s1", accept("s1", "k" + std::to_string(i)));
  const auto before = names("s1");
  const GlobalPosition position = ledger().position();
  EXPECT_EQ(before.size(), 1u + 20 * 5);
  for (int i = 0; i < 3; ++i) {
    bed_->reopen();
    EXPECT_EQ(names("s1"), before);
    EXPECT_EQ(ledger().position(), position);
    EXPECT_EQ(ledger().commits(GlobalPosition{1}, 1000)->size(), position.value);
  }
}

TEST_P(LedgerConformance, AClockSetBackChangesNoOrder) {
  for (int i = 1; i <= 4; ++i) {
    AcceptRequest request = turn_request("s1", "k" + std::to_string(i), "message " + std::to_string(i));
    request.now.value -= i * 3'600'000'000;
    const Accepted turn = expect<Accepted>(ledger().accept(request));
    CommitRequest done = proposal("s1", turn.turn, turn.attempt, turn.sequence);
    done.now = request.now;
    expect<Committed>(ledger().commit(done));
  }
  bed_->reopen();
  std::uint32_t turn = 0;
  const std::vector<Event> events = ledger().read(s1(), Sequence{2}, 100).value();
  for (const Event& event : events) {
    const auto* received = std::get_if<TurnReceived>(&event.body);
    if (received == nullptr) continue;
    EXPECT_EQ(received->text, "message " + std::to_string(++turn));
  }
  EXPECT_EQ(turn, 4u);
}

TEST_P(LedgerConformance, RangesEndWhereTheyAreAskedTo) {
  for (int i = 1; i <= 3; ++i) commit("s1", accept("s1", "k" + std::to_string(i)));
  EXPECT_EQ(ledger().read(s1(), Sequence{4}, 5)->front().sequence, Sequence{4});
  EXPECT_EQ(ledger().read(s1(), Sequence{4}, 5)->back().sequence, Sequence{8});
  EXPECT_EQ(ledger().read(s1(), Sequence{15}, 5)->size(), 2u);
  EXPECT_TRUE(ledger().read(s1(), Sequence{17}, 5)->empty());
  EXPECT_TRUE(ledger().read(s1(), Sequence{1}, 0)->empty());
  EXPECT_EQ(code(ledger().read(s1(), Sequence{0}, 1)), ErrorCode::invalid_argument);
  EXPECT_EQ(ledger().commits(GlobalPosition{3}, 2)->front().position, GlobalPosition{3});
  EXPECT_EQ(ledger().commits(GlobalPosition{3}, 2)->size(), 2u);
  EXPECT_TRUE(ledger().commits(next(ledger().position()), 9)->empty());
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(ledger().start_session(started(id), std::nullopt, wall_time));
  const auto all = ledger().streams(StreamKind::session, std::nullopt, 9).value();
  ASSERT_EQ(all.size(), 4u);
  const auto page = ledger().streams(StreamKind::session, all[0].stream.name, 2).value();
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].stream, all[1].stream);
  EXPECT_EQ(page[1].stream, all[2].stream);
  std::vector<std::string> named;
  for (const StreamHead& head : all) named.push_back(ledger().named(head.stream)->name);
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (std::vector<std::string>{"a", "b", "c", "s1"}));
  EXPECT_TRUE(ledger().streams(StreamKind::profile, std::nullopt, 9)->empty());
}

TEST_P(LedgerConformance, DocumentsAreKeptByTheirFingerprint) {
  const Fingerprint fingerprint = ledger().put_document("a policy").value();
  const GlobalPosition position = ledger().position();
  EXPECT_EQ(ledger().put_document("a policy").value(), fingerprint);
  EXPECT_EQ(ledger().position(), position);
  EXPECT_NE(ledger().put_document("another").value(), fingerprint);
  bed_->reopen();
  EXPECT_EQ(ledger().document(fingerprint).value(), "a policy");
}

TEST_P(LedgerConformance, PendingTurnsAreFoundBySessionThenTurn) {
  for (const char* id : {"b", "a"}) {
    ASSERT_TRUE(ledger().start_session(started(id), std::nullopt, wall_time));
    accept(id, "k1");
    accept(id, "k2");
  }
  ASSERT_TRUE(ledger().raise_attempt(SessionId{"b"}, TurnNumber{1}, WorkerId{"w"}, wall_time));
  bed_->reopen();
  std::vector<std::string> found;
  const std::vector<PendingTurn> pending = ledger().pending().value();
  for (const PendingTurn& turn : pending) {
    found.push_back(turn.session.value + std::to_string(turn.turn.value) + "/" + std::to_string(turn.attempt.value) + "@" + std::to_string(turn.head.value));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"a1/1@3", "a2/0@0", "b1/2@4", "b2/0@0"}));
}

// --- many threads ----------------------------------------------------------------------------------------
TEST_P(LedgerConformance, ThreadsShareTheLedgerWithoutGaps) {
  constexpr int threads = 8, turns = 12;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([this, t] {
      const std::string id = "t" + std::to_string(t);
      ASSERT_TRUE(ledger().start_session(started(id), std::nullopt, wall_time));
      for (int i = 0; i < turns; ++i) {
        commit(id, accept(id, std::to_string(i)));
        ASSERT_TRUE(ledger().sync());
        ASSERT_EQ(ledger().read(stream_of(SessionId{id}), Sequence{1}, 1000)->size(), 1u + (i + 1) * 5);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(ledger().position().value, 1u + threads * (1 + 2 * turns));
}

TEST_P(LedgerConformance, RacingCommitsOfOneTurnGiveOneWinner) {
  const Accepted turn = accept("s1", "k1");
  std::atomic<int> winners = 0, fenced = 0;
  std::vector<std::thread> running;
  for (int t = 0; t < 8; ++t) {
    running.emplace_back([&, t] {
      auto outcome = ledger().commit(proposal("s1", turn.turn, turn.attempt, turn.sequence, "reply " + std::to_string(t)));
      ASSERT_TRUE(outcome);
      winners += std::holds_alternative<Committed>(*outcome);
      fenced += std::holds_alternative<Fenced>(*outcome);
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(fenced, 7);
}

INSTANTIATE_TEST_SUITE_P(Bodies, LedgerConformance, testing::Values(Body{"memory", [] { return std::make_unique<MemoryBed>(); }},
                                         Body{"rocksdb_synced", [] { return std::make_unique<RocksBed>(Durability::synced); }},
                                         Body{"rocksdb_fast", [] { return std::make_unique<RocksBed>(Durability::fast); }}),
                         [](const auto& body) { return std::string(body.param.name); });

}  // namespace
}  // namespace turnstone
