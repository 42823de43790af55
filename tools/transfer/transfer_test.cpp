#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/turn_request.h"
#include "events/testing/examples.h"
#include "replay/verify.h"
#include "tools/transfer/export_ledger.h"
#include "tools/transfer/import_ledger.h"
#include "tools/transfer/resumed_file.h"

namespace turnstone {
namespace {

using ::testing::HasSubstr;

const std::string policy_text = "a policy \xE2\x82\xAC";

// Plays an engine on a ledger; every write has a time of its own.
class Recorder {
 public:
  explicit Recorder(Ledger& ledger) : ledger_(ledger), policy_(*ledger.put_document(policy_text)) {}

  void start(const std::string& session, const std::string& profile = {}) {
    SessionStarted started;
    started.session = SessionId{session};
    started.channel = "test";
    started.policy_variant = "shopper";
    if (!profile.empty()) started.profile = ProfileId{profile};
    EngineChanged engine;
    engine.policy_to = policy_;
    EXPECT_TRUE(ledger_.start_session(started, engine, now()));
  }
  TurnNumber accept(const std::string& session, const std::string& text) {
    TurnRequest request{SessionId{session}, TurnKey{"key " + text}, text, 10, {}};
    TurnReceived received;
    received.text = text;
    const auto accepted = ledger_.accept({request.session, request.key, body_digest(request), received, now()});
    return accepted ? std::visit([](const auto& outcome) { return outcome.turn; }, *accepted) : TurnNumber{};
  }
  void raise(const std::string& session, TurnNumber turn) { EXPECT_TRUE(ledger_.raise_attempt(SessionId{session}, turn, WorkerId{"w2"}, now())); }
  void park(const std::string& session, TurnNumber turn) {
    EXPECT_TRUE(ledger_.park(SessionId{session}, turn, TurnParked{turn, "gave up", 3}, "Sorry.", "{\"parked\":true}", now()));
  }
  void complete(const std::string& session, TurnNumber turn, Attempt attempt = Attempt{1}) {
    TurnCompleted completed;
    completed.turn = turn;
    completed.attempt = attempt;
    completed.policy = policy_;
    const Sequence head = ledger_.head(stream_of(SessionId{session}))->sequence;
    CommitRequest commit{SessionId{session}, turn, attempt, {}, std::string("flight \0\xff", 9), "{\"message\":\"Ça va \xF0\x9F\x91\x9F\"}", now()};
    commit.appends = {{stream_of(SessionId{session}), head, {IntentClassified{}, ReplySent{"Hello."}, completed}}};
    const auto done = ledger_.commit(commit);
    EXPECT_TRUE(done && std::holds_alternative<Committed>(*done)) << (done ? "not committed" : done.error().detail);
  }
  void close(const std::string& session, const std::string& profile) {
    ProfileUpdated updated;
    updated.profile = ProfileId{profile};
    updated.taste = {1, -70'000, 3};
    const auto before = ledger_.head(stream_of(updated.profile));
    const auto done = ledger_.append({{stream_of(SessionId{session}), ledger_.head(stream_of(SessionId{session}))->sequence, {SessionClosed{}}},
                                      {stream_of(updated.profile), before ? before->sequence : Sequence{}, {updated}}}, now());
    EXPECT_TRUE(done && std::holds_alternative<Committed>(*done));
  }

 private:
  Timestamp now() { return Timestamp{1'700'000'000'000'000 + 1'000 * ++writes_}; }
  Ledger& ledger_;
  Fingerprint policy_;
  std::int64_t writes_ = 0;
};

// Two sessions whose turns overlap, wait, fail, are given up and stay open; one is closed into a profile.
void record(Ledger& ledger) {
  Recorder recorder(ledger);
  recorder.start("a", "user");
  recorder.start("b \xC3\xA9");
  const TurnNumber a1 = recorder.accept("a", "a dress"), b1 = recorder.accept("b \xC3\xA9", "a coat");
  const TurnNumber a2 = recorder.accept("a", "in red");
  recorder.raise("b \xC3\xA9", b1);
  recorder.complete("a", a1);
  recorder.complete("b \xC3\xA9", b1, Attempt{2});
  recorder.complete("a", a2);
  recorder.close("a", "user");
  const TurnNumber b2 = recorder.accept("b \xC3\xA9", "in blue");
  recorder.accept("b \xC3\xA9", "or green");
  recorder.park("b \xC3\xA9", b2);
  recorder.accept("b \xC3\xA9", "cheaper");
}

std::vector<std::string> exported(const Ledger& ledger, ExportSummary* summary = nullptr) {
  std::vector<std::string> lines;
  const auto done = export_ledger(
      ledger,
      [&lines](const std::string& line) {
        lines.push_back(line);
        return Status{};
      },
      [] { return fail(ErrorCode::internal, "nothing was erased"); });
  EXPECT_TRUE(done) << (done ? "" : done.error().detail);
  if (done && summary != nullptr) *summary = *done;
  return lines;
}

Result<ImportSummary> import(Ledger& ledger, const std::vector<std::string>& lines) {
  LedgerImport importing(ledger);
  for (const std::string& text : lines) {
    const auto line = read_export_line(text);
    if (!line) return tl::unexpected(line.error());
    if (auto taken = importing.take(*line); !taken) return tl::unexpected(taken.error());
  }
  return importing.finish();
}

TEST(ExportLines, EveryEventComesBackAsItWas) {
  for (const EventBody& body : testing::example_events()) {
    ExportedWrite write;
    Event event;
    event.stream = {StreamKind::profile, "p"};
    event.sequence = Sequence{7};
    event.time = Timestamp{-5};
    event.turn = TurnNumber{3};
    event.body = body;
    write.streams = {{event.stream, {event}}};
    const auto text = write_export_line(write);
    ASSERT_TRUE(text) << name_of(type_of(body)) << text.error().detail;
    const auto line = read_export_line(*text);
    ASSERT_TRUE(line) << *text << line.error().detail;
    const Event& again = std::get<ExportedWrite>(*line).streams.at(0).events.at(0);
    EXPECT_EQ(again.body, body);
    EXPECT_EQ(again.time, event.time);
  }
  TurnReceived broken;
  broken.text = "not \xff UTF-8";
  const auto text = write_export_line(ExportedWaiting{SessionId{"s"}, broken});
  ASSERT_TRUE(text);
  EXPECT_EQ(std::get<ExportedWaiting>(*read_export_line(*text)).received.text, broken.text);
}

TEST(Export, ComesBackTheSameThroughAnImport) {
  const auto source = make_memory_ledger(), target = make_memory_ledger();
  record(*source);
  ExportSummary summary;
  const auto lines = exported(*source, &summary);
  EXPECT_EQ(summary.counts.sessions, 2U);
  EXPECT_EQ(summary.counts.profiles, 1U);
  EXPECT_EQ(summary.counts.turns, 4U);
  EXPECT_EQ(summary.counts.waiting, 1U);
  EXPECT_EQ(summary.erased, 0U);

  const auto done = import(*target, lines);
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(done->read, summary.counts);
  EXPECT_EQ(done->written, summary.counts.writes);
  EXPECT_EQ(exported(*target), lines);
  const auto verified = verify_ledger(*target);
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->sound());
  EXPECT_EQ(verified->events, summary.counts.events);
  EXPECT_EQ(*target->document(*source->put_document(policy_text)), policy_text);

  // Keys answer as they did, and what was open goes on.
  Recorder later(*target);
  const TurnRequest known{SessionId{"a"}, TurnKey{"key in red"}, "in red", 10, {}};
  const auto repeated = target->accept({known.session, known.key, body_digest(known), {}, Timestamp{1}});
  ASSERT_TRUE(repeated && std::holds_alternative<Done>(*repeated));
  EXPECT_EQ(std::get<Done>(*repeated).reply, source->turn(known.session, TurnNumber{2})->reply);
  const auto pending = target->pending();
  ASSERT_EQ(pending->size(), 2U);
  EXPECT_EQ(pending->at(0).received.text, "or green");
  EXPECT_EQ(pending->at(1).received.text, "cheaper");
}

TEST(Export, WhatWasErasedIsNotInItAndStaysErased) {
  const auto source = make_memory_ledger(), target = make_memory_ledger();
  record(*source);
  const auto before = exported(*source);
  ASSERT_TRUE(source->erase(stream_of(SessionId{"a"}), "test", Timestamp{1}));
  ExportSummary summary;
  const auto after = exported(*source, &summary);
  EXPECT_EQ(summary.erased, 1U);
  EXPECT_EQ(summary.counts.sessions, 1U);
  EXPECT_EQ(summary.counts.profiles, 1U) << "the profile is another stream";
  for (const std::string& line : after) {
    EXPECT_EQ(line.find("a dress"), std::string::npos);
    EXPECT_EQ(line.find("in red"), std::string::npos);
  }
  ASSERT_TRUE(import(*target, after));
  EXPECT_EQ(exported(*target), after);

  // The file of before does not bring it back.
  const auto again = import(*source, before);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->left_erased, 1U);
  EXPECT_EQ(again->written, 0U);
  EXPECT_EQ(source->read(stream_of(SessionId{"a"}), Sequence{1}, 1).error().code, ErrorCode::erased);
  EXPECT_EQ(exported(*source), after);
}

TEST(Export, HoldsNothingOfWhatIsErasedMeanwhile) {
  const auto whole = make_memory_ledger();
  record(*whole);
  for (std::size_t erased_at = 0; erased_at + 1 < exported(*whole).size(); ++erased_at) {  // the last line is only put when all is still there
    const auto ledger = make_memory_ledger();
    record(*ledger);
    std::vector<std::string> lines;
    std::size_t put = 0, started_over = 0;
    const auto put_line = [&](const std::string& line) {
      lines.push_back(line);
      if (put++ == erased_at) {
        EXPECT_TRUE(ledger->erase(stream_of(SessionId{"a"}), "test", Timestamp{1}));
      }
      return Status{};
    };
    const auto take_back = [&] {
      lines.clear();
      ++started_over;
      return Status{};
    };
    const auto summary = export_ledger(*ledger, put_line, take_back);
    ASSERT_TRUE(summary) << summary.error().detail;
    EXPECT_EQ(lines, exported(*ledger)) << "erased after line " << erased_at;
    EXPECT_EQ(summary->erased, 1U);
    EXPECT_LE(started_over, 1U);
  }
}

TEST(Export, EndsWhenWhatWasPutCannotBeTakenBack) {
  const auto ledger = make_memory_ledger();
  record(*ledger);
  std::size_t put = 0;
  const auto done = export_ledger(
      *ledger,
      [&](const std::string&) {
        if (++put == 5) {
          EXPECT_TRUE(ledger->erase(stream_of(SessionId{"a"}), "test", Timestamp{1}));
        }
        return Status{};
      },
      [] { return fail(ErrorCode::refused, "it is in a pipe"); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().detail, "it is in a pipe");
}

TEST(Import, GoesOnWhereItStopped) {
  const auto source = make_memory_ledger();
  record(*source);
  const auto lines = exported(*source);
  for (std::size_t cut = 0; cut < lines.size(); ++cut) {
    const auto target = make_memory_ledger();
    const auto first = import(*target, {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(cut)});
    ASSERT_FALSE(first);
    EXPECT_THAT(first.error().detail, HasSubstr("run it again"));
    const auto second = import(*target, lines);
    ASSERT_TRUE(second) << "after " << cut << " lines: " << second.error().detail;
    EXPECT_EQ(second->written + second->had, second->read.writes);
    EXPECT_EQ(exported(*target), lines) << "after " << cut << " lines";
  }
}

TEST(Import, RefusesWhatDoesNotFit) {
  const auto source = make_memory_ledger(), target = make_memory_ledger();
  record(*source);
  auto lines = exported(*source);
  Recorder(*target).start("a");  // another session of that name
  const auto other = import(*target, lines);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::refused);
  EXPECT_THAT(other.error().detail, HasSubstr("session a"));

  const auto refusal = [](const std::vector<std::string>& some) {
    const auto empty = make_memory_ledger();
    const auto done = import(*empty, some);
    return done ? std::string() : done.error().detail;
  };
  auto missing = lines;
  missing.erase(missing.begin() + 4);
  EXPECT_THAT(refusal(missing), ::testing::AnyOf(HasSubstr("missing"), HasSubstr("no session"), HasSubstr("there is no")));
  missing = lines;
  missing.erase(missing.end() - 2);  // the turn that waits
  EXPECT_THAT(refusal(missing), HasSubstr("lines are missing"));
  EXPECT_NE(refusal({lines.begin() + 1, lines.end()}), "");
  for (const char* text : {"", "{}", "[1]", "{\"write\":{}}", "{\"write\":{\"streams\":[]}}", "{\"export\":{\"format\":2}}", "{\"end\":{}}",
                           "{\"write\":{\"streams\":[{\"kind\":\"s\",\"id\":\"x\",\"events\":[]}]}}"}) {
    EXPECT_FALSE(read_export_line(text)) << text;
  }
  EXPECT_EQ(read_export_line("{\"export\":{\"format\":2}}").error().code, ErrorCode::unsupported);
  for (std::string& line : lines) {  // any byte may be another one: an error, never a crash
    for (std::size_t at = 0; at < line.size(); at += 7) {
      std::string changed = line;
      changed[at] = static_cast<char>(changed[at] ^ 0x11);
      [[maybe_unused]] const auto read = read_export_line(changed);
    }
  }
}

TEST(ResumedFile, GoesOnAtEveryPlaceWhereItCanBeTorn) {
  std::string folder = (std::filesystem::temp_directory_path() / "turnstone-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/out";
  const std::vector<std::string> lines = {"first", "", "the third", "4"};
  const std::string whole = "first\n\nthe third\n4\n";
  const auto content = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (std::size_t torn = 0; torn <= whole.size() + 5; ++torn) {
    std::ofstream(path + ".partial") << (whole + "more!").substr(0, torn);
    auto file = ResumedFile::open(path);
    ASSERT_TRUE(file) << file.error().detail;
    if (torn % 2 == 1) {  // what it wrote so far was erased
      for (const char* line : {"first", "gone", "and this"}) (void)(*file)->line(line);
      ASSERT_TRUE((*file)->start_over());
      EXPECT_EQ(content(path + ".partial"), "");
    }
    for (const std::string& line : lines) ASSERT_TRUE((*file)->line(line)) << torn;
    ASSERT_TRUE((*file)->finish());
    EXPECT_EQ(content(path), whole) << "torn after " << torn;
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
    std::filesystem::remove(path);
  }
  std::ofstream(path + ".partial") << "other\n";
  auto file = ResumedFile::open(path);
  const auto refused = (*file)->line("first");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_EQ(content(path + ".partial"), "other\n");
  std::filesystem::remove_all(folder);
}

TEST(ResumedFile, WritesIntoNothingThatAnotherUserMayHavePutThere) {
  std::string folder = (std::filesystem::temp_directory_path() / "turnstone-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/out";
  const std::string theirs = folder + "/theirs";
  std::ofstream(theirs) << "kept\n";
  const auto refused = [&] {
    const auto file = ResumedFile::open(path);
    EXPECT_EQ(file ? ErrorCode::internal : file.error().code, ErrorCode::refused);
    std::filesystem::remove(path + ".partial");
  };
  std::filesystem::create_symlink(theirs, path + ".partial");
  refused();
  ASSERT_EQ(::mkfifo((path + ".partial").c_str(), 0600), 0);
  refused();
  if (::geteuid() == 0) {
    std::ofstream(path + ".partial") << "";
    ASSERT_EQ(::chown((path + ".partial").c_str(), 1, 1), 0);
    refused();
  }
  EXPECT_EQ(std::filesystem::file_size(theirs), 5U);
  EXPECT_TRUE(ResumedFile::open(path));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace turnstone
