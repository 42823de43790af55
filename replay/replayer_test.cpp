#include "replay/replayer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "events/chain.h"
#include "events/codec.h"
#include "replay/replay_report.h"
#include "replay/session_reader.h"
#include "replay/testing/conversation.h"

namespace turnstone {
namespace {

using testing::Conversation;
using testing::generated_artefact;
using testing::messages;
using testing::recorded_ledger;

const SessionId s1{"s1"};

ArtefactLookup this_artefact() {
  return [](const Fingerprint& fingerprint) { return generated_artefact()->fingerprint() == fingerprint ? generated_artefact() : nullptr; };
}
PolicyLookup standard_policy() {
  return [](const Fingerprint& fingerprint) { return Policy::standard()->fingerprint() == fingerprint ? Policy::standard() : nullptr; };
}

SessionReplay replay(const Recording& recording, const ReplayOptions& options = {}) { return replay_recording(recording, this_artefact(), options); }

const Recording& recorded() {
  static const Recording recording = *record_session(*recorded_ledger(), s1);
  return recording;
}

std::vector<ReplayOutcome> outcomes(const SessionReplay& session) {
  std::vector<ReplayOutcome> list;
  for (const TurnReplay& turn : session.turns) list.push_back(turn.outcome);
  return list;
}

const TurnReplay& first_diverged(const SessionReplay& session) {
  for (const TurnReplay& turn : session.turns) {
    if (turn.outcome == ReplayOutcome::diverged) return turn;
  }
  static const TurnReplay none;
  return none;
}

// Puts another flight record in a recorded turn, with the digest that TurnCompleted names.
void rerecord(Recording& recording, TurnNumber turn, const std::function<void(FlightRecord&)>& change) {
  RecordedTurn& recorded_turn = recording.turns.at(turn);
  FlightRecord flight = *decode_flight_record(recorded_turn.flight_record);
  change(flight);
  recorded_turn.flight_record = *encode_flight_record(flight);
  for (Event& event : recording.events) {
    auto* completed = std::get_if<TurnCompleted>(&event.body);
    if (completed != nullptr && completed->turn == turn) completed->flight_digest = blake2b(recorded_turn.flight_record);
  }
}

TEST(Replay, AConversationIsIdentical) {
  const SessionReplay session = replay(recorded());
  for (const TurnReplay& turn : session.turns) EXPECT_EQ(turn.outcome, ReplayOutcome::identical) << replay_line(s1, turn);
  EXPECT_EQ(session.turns.size(), messages().size());
  EXPECT_EQ(replay_exit_code({session}), 0);
  EXPECT_EQ(replay_line(s1, session.turns[2]), "turn 3 identical");
}

TEST(Replay, TheRecordCheckExecutesNoTurn) {
  ReplayOptions options;
  options.check_only = true;
  options.execute = [](const IntentState&, const TurnInput&, const Artefact&, const Policy&) -> Proposal { throw std::logic_error("executed"); };
  const SessionReplay session = replay(recorded(), options);
  EXPECT_EQ(outcomes(session), std::vector(messages().size(), ReplayOutcome::identical));
}

TEST(Replay, ARecordCutAfterEveryEventIsIncompleteOrWholeNeverDiverged) {
  std::size_t whole = 0;
  for (std::size_t k = 0; k <= recorded().events.size(); ++k) {
    Recording cut = recorded();
    cut.events.resize(k);
    const bool open = k > 0 && [&] {
      bool in_turn = false;
      for (const Event& event : cut.events) {
        if (std::holds_alternative<TurnReceived>(event.body)) in_turn = true;
        if (std::holds_alternative<TurnCompleted>(event.body)) in_turn = false;
      }
      return in_turn;
    }();
    ReplayOptions options;
    options.check_only = k % 5 != 0;  // executing every prefix would cost seconds
    const SessionReplay session = replay(cut, options);
    for (std::size_t i = 0; i < session.turns.size(); ++i) {
      const bool last = i + 1 == session.turns.size();
      EXPECT_EQ(session.turns[i].outcome, last && open ? ReplayOutcome::incomplete : ReplayOutcome::identical) << "cut after " << k;
      if (last && open) {
        EXPECT_EQ(session.turns[i].after, Sequence{k});
        EXPECT_EQ(replay_exit_code({session}), 4);
      }
    }
    whole += open ? 0 : 1;
  }
  EXPECT_GE(whole, messages().size());
}

// A mutation of each stage: what it decided reads otherwise than recorded. Replay must name the stage.
class ReplayNamesTheStage : public ::testing::TestWithParam<Stage> {};

TEST_P(ReplayNamesTheStage, ThatDecidedOtherwise) {
  ReplayOptions options;
  options.execute = [stage = GetParam()](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
    Proposal proposal = take_turn(state, input, artefact, policy);
    if (input.received.turn != TurnNumber{2}) return proposal;
    for (StageRecord& record : proposal.flight.stages) {
      if (record.stage != stage || record.decided.empty()) continue;
      FlightValue& value = record.decided.front().value;
      if (auto* number = std::get_if<std::int64_t>(&value)) {
        ++*number;
      } else {
        value = "decided otherwise";
      }
    }
    return proposal;
  };
  const SessionReplay session = replay(recorded(), options);
  ASSERT_EQ(replay_exit_code({session}), 1);
  const TurnReplay& turn = first_diverged(session);
  EXPECT_EQ(turn.turn, TurnNumber{2});
  EXPECT_EQ(turn.divergence->stage, to_string(GetParam()));
  EXPECT_NE(turn.divergence->recorded, turn.divergence->replayed);
  const std::string line = replay_line(s1, turn);
  for (const char* part : {"session s1", "turn 2", "recorded=", "replayed="}) EXPECT_NE(line.find(part), std::string::npos) << line;
  EXPECT_EQ(session.turns.size(), messages().size()) << "the turns behind a divergence are judged on their own record";
}

TEST_P(ReplayNamesTheStage, ThatIsMissingOnEitherSide) {
  const auto drop = [stage = GetParam()](FlightRecord& flight) {
    std::erase_if(flight.stages, [&](const StageRecord& r) { return r.stage == stage; });
  };
  Recording recording = recorded();
  rerecord(recording, TurnNumber{2}, drop);
  EXPECT_EQ(first_diverged(replay(recording)).turn, TurnNumber{2});
  ReplayOptions options;
  options.execute = [&](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
    Proposal proposal = take_turn(state, input, artefact, policy);
    drop(proposal.flight);
    return proposal;
  };
  const TurnReplay turn = first_diverged(replay(recorded(), options));
  EXPECT_EQ(turn.divergence->stage, to_string(GetParam()));
  EXPECT_EQ(turn.divergence->field, "stage");
}

INSTANTIATE_TEST_SUITE_P(AllStages, ReplayNamesTheStage,
                         ::testing::Values(Stage::understand, Stage::revise, Stage::retrieve, Stage::rank, Stage::gate, Stage::ask, Stage::reply),
                         [](const auto& one) { return std::string(to_string(one.param)); });

// The same with stages that really decide otherwise: one number of the policy is another.
struct Mutation {
  Stage stage;
  std::string number;  // its name in the policy
  std::string value;   // instead of what stands there
};
void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.number << " = " << mutation.value; }

// The policy's source with the first line "NUMBER = …" replaced; empty when there is none.
std::string mutated_source(const Mutation& mutation) {
  std::string source = Policy::standard()->source();
  const std::size_t at = source.find('\n' + mutation.number + " = ");
  if (at == std::string::npos) return "";
  return source.replace(at + 1, source.find('\n', at + 1) - at - 1, mutation.number + " = " + mutation.value);
}

class ReplayNamesTheMutatedStage : public ::testing::TestWithParam<Mutation> {};

TEST_P(ReplayNamesTheMutatedStage, OfAnotherPolicy) {
  const auto mutated = Policy::parse(mutated_source(GetParam()));
  ASSERT_TRUE(mutated) << mutated.error().detail;
  ASSERT_NE((*mutated)->fingerprint(), Policy::standard()->fingerprint()) << "the policy has no such number, or this value already";
  ReplayOptions options;
  options.execute = [&](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy&) {
    return take_turn(state, input, artefact, **mutated);
  };
  const SessionReplay session = replay(recorded(), options);
  ASSERT_EQ(replay_exit_code({session}), 1) << replay_summary({session});
  // Not every turn meets the altered rule; where one does first, its stage is named.
  bool named = false;
  for (const TurnReplay& turn : session.turns) named = named || (turn.divergence && turn.divergence->stage == to_string(GetParam().stage));
  EXPECT_TRUE(named) << replay_line(s1, first_diverged(session));
}

INSTANTIATE_TEST_SUITE_P(Policies, ReplayNamesTheMutatedStage,
                         ::testing::Values(Mutation{Stage::retrieve, "route_depth", "1"}, Mutation{Stage::rank, "word_anywhere", "1"},
                                           Mutation{Stage::gate, "products_max", "2"}, Mutation{Stage::ask, "questions_max", "0"}),
                         [](const auto& one) { return std::string(to_string(one.param.stage)); });

TEST(Replay, AnotherMessageIsNoticedInUnderstand) {
  ReplayOptions options;
  options.execute = [](const IntentState& state, TurnInput input, const Artefact& artefact, const Policy& policy) {
    if (input.received.turn == TurnNumber{3}) input.received.text = "make it white";
    return take_turn(state, input, artefact, policy);
  };
  const TurnReplay turn = first_diverged(replay(recorded(), options));
  EXPECT_EQ(turn.turn, TurnNumber{3});
  EXPECT_EQ(turn.divergence->stage, "understand") << replay_line(s1, turn);
}

TEST(Replay, OneEventMoreAndOneLessAreNamedInBothDirections) {
  for (const bool more : {true, false}) {
    ReplayOptions options;
    options.execute = [more](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
      Proposal proposal = take_turn(state, input, artefact, policy);
      if (input.received.turn != TurnNumber{1}) return proposal;
      if (more) {
        proposal.events.emplace_back(SessionClosed{});
      } else {
        proposal.events.pop_back();
      }
      return proposal;
    };
    const TurnReplay turn = first_diverged(replay(recorded(), options));
    ASSERT_TRUE(turn.divergence);
    EXPECT_EQ(more ? turn.divergence->recorded : turn.divergence->replayed, absent) << replay_line(s1, turn);
  }
}

TEST(Replay, AnotherReplyIsNamedByItsPath) {
  Recording recording = recorded();
  auto document = nlohmann::json::parse(recording.turns.at(TurnNumber{1}).reply);
  document["epoch"] = 7;
  recording.turns.at(TurnNumber{1}).reply = document.dump();
  const TurnReplay turn = first_diverged(replay(recording));
  EXPECT_EQ(*turn.divergence, (Divergence{"reply", "reply/epoch", "7", "1"})) << replay_line(s1, turn);
}

TEST(Replay, ARecordThatContradictsItselfIsDivergedWithoutExecution) {
  ReplayOptions options;
  options.check_only = true;
  Recording recording = recorded();
  recording.turns.at(TurnNumber{2}).flight_record += '\0';
  EXPECT_EQ(first_diverged(replay(recording, options)).divergence->field, "flight_digest");
  recording = recorded();
  for (Event& event : recording.events) {
    if (auto* shown = std::get_if<ProductsShown>(&event.body); shown != nullptr && event.turn == TurnNumber{2}) ++shown->matching;
    if (auto* intent = std::get_if<IntentClassified>(&event.body); intent != nullptr && event.turn == TurnNumber{2}) intent->confidence.value ^= 1;
    if (auto* shown = std::get_if<ProductsShown>(&event.body); shown != nullptr && event.turn == TurnNumber{2})
      shown->products.push_back({ProductId{"X"}, {}, {}});
  }
  EXPECT_EQ(first_diverged(replay(recording, options)).divergence->field, "state_digest");
  recording = recorded();
  for (Event& event : recording.events) {
    if (auto* started = std::get_if<AttemptStarted>(&event.body); started != nullptr && started->turn == TurnNumber{2}) started->attempt = Attempt{2};
  }
  EXPECT_EQ(first_diverged(replay(recording, options)).divergence->field, "attempt");
  recording = recorded();
  recording.turns.erase(TurnNumber{2});
  EXPECT_EQ(first_diverged(replay(recording, options)).divergence->field, "flight_record");
}

TEST(Replay, AnotherIndexPolicyOrDecisionVersionIsRefusedUnlessWhatIf) {
  const ArtefactLookup none = [](const Fingerprint&) { return nullptr; };
  SessionReplay session = replay_recording(recorded(), none, {});
  EXPECT_EQ(outcomes(session), std::vector(messages().size(), ReplayOutcome::refused));
  EXPECT_EQ(replay_exit_code({session}), 4);
  EXPECT_NE(session.turns[0].reason.find("index"), std::string::npos);

  Recording recording = recorded();
  recording.policies.clear();
  session = replay(recording);
  EXPECT_EQ(session.turns[0].outcome, ReplayOutcome::refused);
  EXPECT_NE(session.turns[0].reason.find("policy"), std::string::npos);

  ReplayOptions what_if;
  what_if.what_if = WhatIf{generated_artefact(), Policy::standard()};
  session = replay_recording(recording, none, what_if);
  EXPECT_EQ(outcomes(session), std::vector(messages().size(), ReplayOutcome::identical));
  EXPECT_TRUE(session.turns[0].what_if);
  EXPECT_EQ(replay_line(s1, session.turns[0]), "turn 1 identical (what-if)");

  recording = recorded();
  for (Event& event : recording.events) {
    if (auto* completed = std::get_if<TurnCompleted>(&event.body)) completed->decision_version = decision_version + 1;
  }
  session = replay(recording);
  EXPECT_EQ(session.turns[0].outcome, ReplayOutcome::refused);
  EXPECT_NE(session.turns[0].reason.find("decision version"), std::string::npos);
  EXPECT_EQ(outcomes(replay(recording, what_if)), std::vector(messages().size(), ReplayOutcome::identical));
}

std::shared_ptr<const Policy> other_policy() {
  std::string source = Policy::standard()->source();
  const std::string from = "trusted_pool = 10", to = "trusted_pool = 9";
  source.replace(source.find(from), from.size(), to);
  return Policy::parse(source).value();
}

TEST(Replay, APolicyThatWasChosenDecidesThoughTheRecordedOneIsAtHand) {
  ReplayOptions options;
  options.what_if = WhatIf{generated_artefact(), other_policy(), true};
  std::vector<Fingerprint> used;
  options.execute = [&used](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
    used.push_back(policy.fingerprint());
    return take_turn(state, input, artefact, policy);
  };
  const SessionReplay session = replay(recorded(), options);
  EXPECT_TRUE(session.turns[0].what_if);
  EXPECT_EQ(used, std::vector(messages().size(), other_policy()->fingerprint()));
  used.clear();
  options.what_if->policy_chosen = false;
  EXPECT_FALSE(replay(recorded(), options).turns[0].what_if);
  EXPECT_EQ(used, std::vector(messages().size(), Policy::standard()->fingerprint()));
  options.what_if = WhatIf{generated_artefact(), Policy::standard(), true};  // the recorded one itself
  EXPECT_FALSE(replay(recorded(), options).turns[0].what_if);
}

TEST(Replay, ParkedTurnsAndLaterAttemptsAreReplayed) {
  auto ledger = make_memory_ledger();
  Conversation conversation(*ledger, generated_artefact(), "s1");
  conversation.say("a dress");
  TurnNumber turn = conversation.begin("in red");
  conversation.fail_attempt(turn);
  conversation.decide(turn);
  turn = conversation.begin("under $50");
  conversation.fail_attempt(turn);
  conversation.fail_attempt(turn);
  conversation.park(turn);
  conversation.say("cotton");
  conversation.begin("and blue");
  const SessionReplay session = replay_session(*ledger, s1, this_artefact(), standard_policy(), {});
  EXPECT_EQ(outcomes(session), (std::vector{ReplayOutcome::identical, ReplayOutcome::identical, ReplayOutcome::parked, ReplayOutcome::identical,
                                            ReplayOutcome::incomplete}));
  EXPECT_EQ(replay_exit_code({session}), 4);
}

// A ledger of which nothing beyond an event may be read.
class GuardedLedger final : public Ledger {
 public:
  GuardedLedger(const Ledger& ledger, Sequence last) : ledger_(ledger), last_(last) {}
  Result<std::vector<Event>> read(const StreamId& stream, Sequence from, std::size_t limit) const override {
    EXPECT_LE(from.value + limit - 1, last_.value) << "an event beyond the turn was read";
    return ledger_.read(stream, from, limit);
  }
  Result<TurnRecord> turn(const SessionId& session, TurnNumber turn) const override { return ledger_.turn(session, turn); }
  Result<std::string> document(const Fingerprint& fingerprint) const override { return ledger_.document(fingerprint); }
  Result<bool> start_session(const SessionStarted&, const std::optional<EngineChanged>&, Timestamp) override { return refuse(); }
  Result<AcceptOutcome> accept(const AcceptRequest&) override { return refuse(); }
  Result<CommitOutcome> commit(const CommitRequest&) override { return refuse(); }
  Result<RaisedAttempt> raise_attempt(const SessionId&, TurnNumber, const WorkerId&, Timestamp) override { return refuse(); }
  Result<CommitOutcome> park(const SessionId&, TurnNumber, const TurnParked&, const std::string&, const std::string&, Timestamp) override {
    return refuse();
  }
  Result<CommitOutcome> append(const std::vector<StreamAppend>&, Timestamp) override { return refuse(); }
  Result<bool> erase(const StreamId&, const std::string&, Timestamp) override { return refuse(); }
  Status sync() override { return refuse(); }
  Result<StreamId> named(const StreamId&) const override { return refuse(); }
  Result<StreamHead> head(const StreamId&) const override { return refuse(); }
  Result<Digest> turn_hash(const SessionId&, TurnNumber) const override { return refuse(); }
  Result<std::optional<Snapshot>> snapshot(const SessionId&) const override { return refuse(); }
  Result<std::vector<PendingTurn>> pending() const override { return refuse(); }
  Result<std::vector<StreamHead>> streams(StreamKind, std::optional<std::string>, std::size_t) const override { return refuse(); }
  Result<std::vector<CommitRecord>> commits(GlobalPosition, std::size_t) const override { return refuse(); }
  GlobalPosition position() const override { return {}; }
  Result<Fingerprint> put_document(std::string_view) override { return refuse(); }
  Result<StoredEvent> stored(const StreamId&, Sequence) const override { return refuse(); }
  Result<std::vector<StoredEvent>> stored_range(const StreamId&, Sequence, std::size_t) const override { return refuse(); }

 private:
  static tl::unexpected<Error> refuse() { return fail(ErrorCode::internal, "replay has no business here"); }
  const Ledger& ledger_;
  Sequence last_;
};

TEST(Replay, OfOneTurnExecutesItAloneAndReadsNothingBeyond) {
  const auto ledger = recorded_ledger();
  Sequence end;
  for (const Event& event : recorded().events) {
    const auto* completed = std::get_if<TurnCompleted>(&event.body);
    if (completed != nullptr && completed->turn == TurnNumber{4}) end = event.sequence;
  }
  const GuardedLedger guarded(*ledger, end);
  ReplayOptions options;
  options.only_turn = TurnNumber{4};
  int executed = 0;
  options.execute = [&](const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
    ++executed;
    return take_turn(state, input, artefact, policy);
  };
  const SessionReplay session = replay_session(guarded, s1, this_artefact(), standard_policy(), options);
  ASSERT_EQ(session.turns.size(), 1U);
  EXPECT_EQ(session.turns[0].turn, TurnNumber{4});
  EXPECT_EQ(session.turns[0].outcome, ReplayOutcome::identical) << replay_line(s1, session.turns[0]);
  EXPECT_EQ(executed, 1);
  options.only_turn = TurnNumber{99};
  EXPECT_EQ(replay_session(*ledger, s1, this_artefact(), standard_policy(), options).error->code, ErrorCode::not_found);
}

TEST(Replay, ManySessionsAreReplayedInParallelAndReportedInOrder) {
  auto ledger = make_memory_ledger();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Conversation conversation(*ledger, generated_artefact(), name);
    for (std::size_t i = 0; i < 3; ++i) conversation.say(messages()[i]);
  }
  const auto sessions = all_sessions(*ledger);
  ASSERT_TRUE(sessions);
  std::size_t done = 0;
  const auto replays = replay_sessions(*ledger, *sessions, this_artefact(), policies_of(*ledger), {}, 3, [&](const SessionReplay&) { ++done; });
  ASSERT_EQ(replays.size(), 5U);
  EXPECT_EQ(done, 5U);
  EXPECT_EQ(replays[3].session, SessionId{"d"});
  EXPECT_EQ(replay_exit_code(replays), 0);
  const auto document = replay_document(replays);
  EXPECT_EQ(document["outcome"], "identical");
  EXPECT_EQ(document["turns"]["identical"], 15);
}

TEST(Recording, IsTheSameAfterWritingAndReading) {
  std::stringstream file;
  ASSERT_TRUE(write_recording(file, recorded()));
  ASSERT_TRUE(write_recording(file, recorded()));
  const auto read = read_recordings(file);
  ASSERT_TRUE(read) << read.error().detail;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(outcomes(replay(read->back())), std::vector(messages().size(), ReplayOutcome::identical));
  EXPECT_EQ(read->front().policies, recorded().policies);
  EXPECT_EQ(read->front().events.size(), recorded().events.size());
}

TEST(Recording, BrokenFilesAreRefusedByLine) {
  std::stringstream good;
  ASSERT_TRUE(write_recording(good, recorded()));
  const std::string text = good.str();
  const auto code = [](const std::string& content) {
    std::stringstream file(content);
    const auto read = read_recordings(file);
    return read ? std::string("read") : std::string(to_string(read.error().code));
  };
  EXPECT_EQ(code(text), "read");
  EXPECT_EQ(code("not json\n"), "corrupt");
  EXPECT_EQ(code("[]\n"), "corrupt");
  EXPECT_EQ(code(text.substr(text.find('\n') + 1)), "corrupt") << "events before their session";
  EXPECT_EQ(code(text.substr(0, text.size() / 2)), "corrupt");
  EXPECT_EQ(code(R"({"recording":{"format":2,"session":"s","policies":{}}})"), "unsupported");
  std::string swapped = text;
  const std::size_t at = swapped.find("\"sequence\":2");
  swapped.replace(at, 12, "\"sequence\":3");
  EXPECT_EQ(code(swapped), "corrupt");
}

}  // namespace
}  // namespace turnstone
