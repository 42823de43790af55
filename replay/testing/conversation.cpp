#include "replay/testing/conversation.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "events/chain.h"
#include "replay/session_reader.h"
#include "storage/catalogue/catalogue.h"
#include "tools/generate/generator.h"
#include "workers/turn.h"

namespace turnstone::testing {
namespace {

namespace fs = std::filesystem;

constexpr Timestamp wall_time{1'700'000'000'000'000};
constexpr std::uint64_t rows = 600;
constexpr std::uint64_t seed = 11;

std::shared_ptr<const Artefact> build() {
  std::string pattern = (fs::temp_directory_path() / "turnstone-replay-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return nullptr;
  const fs::path directory = pattern;
  const auto generator = CatalogueGenerator::make("fashion", seed);
  std::ofstream catalogue(directory / "catalogue.jsonl");
  for (std::uint64_t i = 0; i < rows; ++i) catalogue << generator->row(i) << '\n';
  catalogue.close();
  IndexOptions options;
  options.write_sqlite = false;
  const auto report = build_index((directory / "catalogue.jsonl").string(), (directory / "index").string(), options);
  EXPECT_TRUE(report) << (report ? "" : report.error().detail);
  auto artefact = Artefact::open((directory / "index").string());
  EXPECT_TRUE(artefact) << (artefact ? "" : artefact.error().detail);
  fs::remove_all(directory);  // the mapping stays
  return artefact ? *artefact : nullptr;
}

}  // namespace

std::shared_ptr<const Artefact> generated_artefact() {
  static const std::shared_ptr<const Artefact> artefact = build();
  return artefact;
}

const std::vector<std::string>& messages() {
  static const std::vector<std::string> said{"I need a jacket for women under $90",
                                             "it should be cotton",
                                             "make it black",
                                             "actually blue instead of black",
                                             "no polyester please",
                                             "any brand is fine",
                                             "show me more",
                                             "forget that, I want running shoes",
                                             "start over, a jacket"};
  return said;
}

Conversation::Conversation(Ledger& ledger, std::shared_ptr<const Artefact> artefact, std::string session)
    : ledger_(ledger), artefact_(std::move(artefact)), session_(std::move(session)) {
  SessionStarted started;
  started.session = session_;
  started.channel = "test";
  started.policy_variant = "shopper";
  const auto policy = Policy::standard();
  EXPECT_TRUE(ledger_.put_document(policy->source()));
  EngineChanged engine;
  engine.artefact_to = artefact_->fingerprint();
  engine.policy_to = policy->fingerprint();
  engine.decision_to = decision_version;
  EXPECT_TRUE(ledger_.start_session(started, engine, wall_time));
}

void Conversation::say(const std::string& message) { decide(begin(message)); }

TurnNumber Conversation::begin(const std::string& message) {
  AcceptRequest request;
  request.session = session_;
  request.key = TurnKey{"k" + std::to_string(++keys_)};
  request.body_mac = blake2b(message);
  request.received.text = message;
  request.now = wall_time;
  const auto accepted = ledger_.accept(request);
  EXPECT_TRUE(accepted && std::holds_alternative<Accepted>(*accepted)) << (accepted ? "not accepted" : accepted.error().detail);
  return std::get<Accepted>(*accepted).turn;
}

void Conversation::decide(TurnNumber turn) {
  const auto start = read_turn_start(ledger_, session_, turn);
  ASSERT_TRUE(start) << start.error().detail;
  const Proposal proposal = take_turn(start->state, start->input, *artefact_, *Policy::standard());
  CommitRequest request;
  request.session = session_;
  request.turn = turn;
  request.attempt = start->input.attempt;
  request.appends = {{stream_of(session_), start->state.sequence, proposal.events}};
  request.flight_record = proposal.flight_bytes;
  request.reply = proposal.reply;
  request.now = wall_time;
  const auto committed = ledger_.commit(request);
  ASSERT_TRUE(committed && std::holds_alternative<Committed>(*committed)) << (committed ? "not committed" : committed.error().detail);
}

void Conversation::fail_attempt(TurnNumber turn) { ASSERT_TRUE(ledger_.raise_attempt(session_, turn, WorkerId{"another"}, wall_time)); }

void Conversation::park(TurnNumber turn) {
  ASSERT_TRUE(ledger_.park(session_, turn, TurnParked{turn, "three attempts gave no result", 3}, "Sorry, please try again.", "{}", wall_time));
}

std::unique_ptr<Ledger> recorded_ledger(const std::string& session) {
  auto ledger = make_memory_ledger();
  Conversation conversation(*ledger, generated_artefact(), session);
  for (const std::string& message : messages()) conversation.say(message);
  return ledger;
}

}  // namespace turnstone::testing
