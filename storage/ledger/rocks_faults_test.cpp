// What happens to the ledger's files: bits flip, logs vanish, tails tear, two engines start. A ledger opens with
// every acknowledged turn or is refused by name; it never opens "OK" with fewer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "storage/ledger/anchor.h"
#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;
namespace fs = std::filesystem;

constexpr LedgerOptions existing{Durability::synced, OpenMode::read_write, false, false};
constexpr LedgerOptions reading{Durability::synced, OpenMode::read_only, false, false};
constexpr LedgerOptions giving_up{Durability::synced, OpenMode::read_write, false, true};

void take_turn(Ledger& ledger, const std::string& session, const std::string& key, const std::string& document = "{}") {
  auto accepted = ledger.accept(turn_request(session, key));
  ASSERT_TRUE(accepted) << accepted.error().detail;
  const Accepted turn = std::get<Accepted>(*accepted);
  CommitRequest request = proposal(session, turn.turn, turn.attempt, turn.sequence);
  request.reply = document;
  auto done = ledger.commit(request);
  ASSERT_TRUE(done) << done.error().detail;
  ASSERT_TRUE(std::holds_alternative<Committed>(*done));
}

// A closed ledger of `turns` acknowledged turns: all in the log, or (with `tables`) the first half in tables.
void fill(const std::string& directory, int turns, bool tables = false) {
  auto ledger = open_ledger(directory, {}).value();
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  for (int i = 1; i <= turns; ++i) {
    take_turn(*ledger, "s1", "k" + std::to_string(i));
    if (tables && i == turns / 2) {
      ledger.reset();
      ledger = open_ledger(directory, {}).value();  // recovery writes tables
    }
  }
  ASSERT_TRUE(ledger->sync());
}

std::vector<fs::path> files_with(const fs::path& directory, std::string_view part) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename().string().find(part) != std::string::npos && fs::file_size(entry.path()) > 0) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void copy(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::copy(from, to, fs::copy_options::recursive);
}

void flip(const fs::path& file, std::uintmax_t offset, int bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ (1 << bit)));
}

// Opens (both ways), and holds: refused by name, or an error on reading, or everything is there.
void expect_complete_or_refused(const std::string& directory, std::uint64_t acknowledged, const std::string& what, int& refused) {
  for (const LedgerOptions& options : {reading, existing}) {
    auto opened = open_ledger(directory, options);
    if (!opened) {
      ++refused;
      EXPECT_EQ(opened.error().code, ErrorCode::corrupt) << what << ": " << opened.error().detail;
      EXPECT_NE(opened.error().detail.find("restore a backup"), std::string::npos) << what << ": " << opened.error().detail;
      continue;
    }
    EXPECT_GE((*opened)->position().value, acknowledged) << what;
    const std::string broken = broken_chain(**opened);
    if (!broken.empty()) {
      ++refused;
      continue;
    }
    EXPECT_EQ((*opened)->head(stream_of(SessionId{"s1"}))->sequence.value, 1 + (acknowledged - 1) / 2 * 5) << what;
  }
}

class RocksFaults : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  TemporaryDirectory directory_;
};

TEST_F(RocksFaults, AFlippedByteAnywhereIsRefusedOrHarmless) {
  constexpr unsigned seed = 20231;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  fill(path("good"), 8, true);
  const std::uint64_t acknowledged = 1 + 2 * 8;
  for (const std::string_view kind : {".log", ".sst", "MANIFEST", "CURRENT"}) {
    int refused = 0;
    const auto files = files_with(path("good") + "/db", kind);
    ASSERT_FALSE(files.empty()) << kind;
    for (int round = 0; round < 24; ++round) {
      copy(path("good"), path("bad"));
      const fs::path file = files[random() % files.size()];
      const std::uintmax_t offset = random() % fs::file_size(file);
      const int bit = static_cast<int>(random() % 8);
      flip(fs::path(path("bad")) / "db" / file.filename(), offset, bit);
      expect_complete_or_refused(path("bad"), acknowledged, file.filename().string() + " byte " + std::to_string(offset) + " bit " + std::to_string(bit), refused);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(refused, 0) << kind << ": no flip was seen at all";
  }
}

// Each byte of a small ledger that is all in its log, one at a time.
TEST_F(RocksFaults, EachByteOfLogManifestAnchorAndKeysIsRefusedOrHarmless) {
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr std::uintmax_t step = 1;
#else
  constexpr std::uintmax_t step = 7;  // builds that watch every access look at fewer
#endif
  fill(path("l"), 1);
  const std::uint64_t acknowledged = 1 + 2;
  std::vector<fs::path> files{path("l") + "/ANCHOR", path("l") + "/KEYS"};
  for (const std::string_view kind : {".log", "MANIFEST", "CURRENT"}) {
    const auto found = files_with(path("l") + "/db", kind);
    files.insert(files.end(), found.begin(), found.end());
  }
  std::uintmax_t flipped = 0;
  for (const fs::path& file : files) {
    std::uint64_t refused = 0;
    const bool keys = file.filename() == "KEYS";  // its slots beyond the first are alike and unused
    const std::uintmax_t end = std::min<std::uintmax_t>(fs::file_size(file), keys ? 4096 + 128 : 20'000);
    for (std::uintmax_t offset = 0; offset < end; offset += step) {
      if (offset >= 88 && offset < 4096 && file.filename() == "ANCHOR") continue;  // between its slots
      if (offset >= 160 && offset < 4096 && keys) continue;                        // the header's padding
      flip(file, offset, static_cast<int>(offset % 8));
      ++flipped;
      const std::string what = file.filename().string() + " byte " + std::to_string(offset);
      if (auto opened = open_ledger(path("l"), reading); !opened) {
        ++refused;
        EXPECT_NE(opened.error().code, ErrorCode::internal) << what;
        EXPECT_GT(opened.error().detail.size(), 20U) << what;
      } else if (broken_chain(**opened).empty()) {
        EXPECT_EQ((*opened)->position().value, acknowledged) << what;
        EXPECT_EQ((*opened)->turn(SessionId{"s1"}, TurnNumber{1})->reply, "{}") << what;
      } else {
        ++refused;
      }
      flip(file, offset, static_cast<int>(offset % 8));
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    if (file.filename() != "ANCHOR") {
      EXPECT_GT(refused, (keys ? 100 : end / 4) / step) << file.filename() << ": hardly a flip was seen";
    }
  }
  EXPECT_GT(flipped, 1'500U / step);
  EXPECT_TRUE(open_ledger(path("l"), existing)) << "as it was, it opens";
}

TEST_F(RocksFaults, AFlippedLogByteNamesTheFirstMissingPosition) {
  fill(path("l"), 100);
  const fs::path log = files_with(path("l") + "/db", ".log").at(0);
  flip(log, fs::file_size(log) / 2, 3);
  for (int attempt = 0; attempt < 2; ++attempt) {  // the refusal is the same the second time
    auto opened = open_ledger(path("l"), existing);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
    std::uint64_t first = 0;
    ASSERT_EQ(std::sscanf(opened.error().detail.substr(opened.error().detail.find("positions ")).c_str(), "positions %lu to 201", &first), 1) << opened.error().detail;
    EXPECT_GT(first, 50u);
    EXPECT_LT(first, 150u);
    EXPECT_FALSE(files_with(path("l") + "/quarantine", ".log").empty());
  }
  // The way out keeps what can be read, and the files as they were.
  auto opened = open_ledger(path("l"), giving_up);
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_GT((*opened)->position().value, 50u);
  EXPECT_LT((*opened)->position().value, 150u);
  EXPECT_EQ(broken_chain(**opened), "");
  const GlobalPosition kept = (*opened)->position();
  opened->reset();
  EXPECT_TRUE(fs::exists(path("l") + "/quarantine-kept-1"));
  opened = open_ledger(path("l"), existing);
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_EQ((*opened)->position(), kept);
  EXPECT_FALSE(fs::exists(path("l") + "/quarantine"));
}

TEST_F(RocksFaults, ADeletedLogIsRefused) {
  fill(path("l"), 20, true);
  for (const fs::path& log : files_with(path("l") + "/db", ".log")) fs::remove(log);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto opened = open_ledger(path("l"), existing);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
    EXPECT_NE(opened.error().detail.find("positions 22 to 41 were acknowledged and are missing"), std::string::npos) << opened.error().detail;
    EXPECT_FALSE(open_ledger(path("l"), reading));
  }
}

TEST_F(RocksFaults, ADatabaseThatVanishedIsRefusedAndNotCreatedAnew) {
  fill(path("l"), 3);
  fs::rename(path("l") + "/db/CURRENT", path("l") + "/current-elsewhere");
  auto opened = open_ledger(path("l"), {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
  fs::rename(path("l") + "/current-elsewhere", path("l") + "/db/CURRENT");
  ASSERT_TRUE(open_ledger(path("l"), {}));
  fs::remove_all(path("l") + "/db");
  opened = open_ledger(path("l"), {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
  EXPECT_NE(opened.error().detail.find("positions 1 to 7 "), std::string::npos) << opened.error().detail;
  EXPECT_FALSE(fs::exists(path("l") + "/db"));
}

TEST_F(RocksFaults, ATornTailOpensUnlessItWasAcknowledged) {
  auto ledger = open_ledger(path("live"), {}).value();
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  for (int i = 1; i <= 10; ++i) take_turn(*ledger, "s1", "k" + std::to_string(i));
  ASSERT_TRUE(ledger->sync());
  const std::uint64_t acknowledged = ledger->position().value;
  const std::uintmax_t acknowledged_bytes = fs::file_size(files_with(path("live") + "/db", ".log").at(0));
  take_turn(*ledger, "s1", "not acknowledged");
  const std::uintmax_t all_bytes = fs::file_size(files_with(path("live") + "/db", ".log").at(0));
  ASSERT_GT(all_bytes, acknowledged_bytes);
  for (std::uintmax_t size = acknowledged_bytes - 80; size <= all_bytes; size += 37) {
    copy(path("live"), path("torn"));  // as a power cut leaves it
    fs::resize_file(files_with(path("torn") + "/db", ".log").at(0), size);
    auto opened = open_ledger(path("torn"), existing);
    if (size < acknowledged_bytes) {
      ASSERT_FALSE(opened) << size;
      EXPECT_NE(opened.error().detail.find("positions 21 to 21 "), std::string::npos) << opened.error().detail;
    } else {
      ASSERT_TRUE(opened) << size << ": " << opened.error().detail;
      EXPECT_GE((*opened)->position().value, acknowledged);
      EXPECT_EQ(broken_chain(**opened), "");
    }
  }
}

TEST_F(RocksFaults, ALedgerWithoutItsAnchorIsRefused) {
  fill(path("l"), 2);
  copy(path("l"), path("torn"));
  fs::remove(path("l") + "/ANCHOR");
  for (const LedgerOptions& options : {LedgerOptions{}, existing, reading}) {
    auto opened = open_ledger(path("l"), options);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
  }
  ASSERT_TRUE(open_ledger(path("l"), giving_up));
  ASSERT_TRUE(open_ledger(path("l"), existing));

  flip(path("torn") + "/ANCHOR", 20, 0);  // one slot torn: the other one holds
  ASSERT_TRUE(open_ledger(path("torn"), reading));
  flip(path("torn") + "/ANCHOR", 4096 + 20, 0);
  auto opened = open_ledger(path("torn"), existing);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
}

TEST_F(RocksFaults, AnotherHistoryThanTheAnchorsIsRefused) {
  fill(path("a"), 3);
  fs::create_directories(path("b"));
  ASSERT_TRUE(copy_key_files(path("a"), path("b")));
  fill(path("b"), 4);  // another ledger that is long enough
  fs::copy_file(path("a") + "/ANCHOR", path("b") + "/ANCHOR", fs::copy_options::overwrite_existing);
  ASSERT_TRUE(open_ledger(path("b"), existing)) << "equal turns give equal commits: the same history";
  {
    auto ledger = open_ledger(path("c"), {}).value();
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(ledger->start_session(started("other" + std::to_string(i)), std::nullopt, wall_time));
  }
  fs::copy_file(path("a") + "/ANCHOR", path("c") + "/ANCHOR", fs::copy_options::overwrite_existing);
  auto opened = open_ledger(path("c"), existing);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().detail.find("another commit at position 7"), std::string::npos) << opened.error().detail;
}

TEST_F(RocksFaults, TheSecondEngineIsToldWhoHasTheLedger) {
  auto ledger = open_ledger(path("l"), {}).value();
  auto second = open_ledger(path("l"), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::locked);
  EXPECT_NE(second.error().detail.find("pid " + std::to_string(getpid())), std::string::npos) << second.error().detail;
  EXPECT_NE(second.error().detail.find(path("l")), std::string::npos) << second.error().detail;
  ledger.reset();
  EXPECT_TRUE(open_ledger(path("l"), {}));
}

TEST_F(RocksFaults, ReadOnlyIsAViewOfOneMomentBesideALiveEngine) {
  EXPECT_EQ(open_ledger(path("l"), reading).error().code, ErrorCode::not_found);
  auto live = open_ledger(path("l"), {}).value();
  ASSERT_TRUE(live->start_session(started("s1"), std::nullopt, wall_time));
  take_turn(*live, "s1", "k1");
  auto view = open_ledger(path("l"), reading);
  ASSERT_TRUE(view) << view.error().detail;
  take_turn(*live, "s1", "k2");
  EXPECT_EQ((*view)->position().value, 3u);
  EXPECT_EQ((*view)->head(stream_of(SessionId{"s1"}))->sequence, Sequence{6});
  EXPECT_EQ((*view)->accept(turn_request("s1", "k3")).error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE((*view)->sync());
  EXPECT_EQ(open_ledger(path("l"), reading).value()->position().value, 5u);
  take_turn(*live, "s1", "k3");
  EXPECT_EQ(broken_chain(*live), "");
}

TEST_F(RocksFaults, ViewsOpenedWhileTablesAreWrittenAreComplete) {
  auto live = open_ledger(path("l"), {}).value();
  ASSERT_TRUE(live->start_session(started("s1"), std::nullopt, wall_time));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::mt19937 random(7);
    for (int i = 0; !stop && i < 200; ++i) {
      std::string document(400'000, ' ');  // large, so that tables are written often
      for (std::size_t at = 0; at < document.size(); at += 100) document[at] = static_cast<char>('!' + random() % 90);
      take_turn(*live, "s1", std::to_string(i), document);
    }
  });
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = live->position().value;
    auto view = open_ledger(path("l"), reading);
    if (!view) {
      EXPECT_EQ(view.error().code, ErrorCode::busy) << view.error().detail;
      continue;
    }
    EXPECT_GE((*view)->position().value, before);
    EXPECT_EQ(broken_chain(**view), "");
  }
  stop = true;
  writer.join();
}

TEST_F(RocksFaults, AMissingLedgerIsCreatedOnlyWhenAsked) {
  auto opened = open_ledger(path("none"), existing);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::not_found);
  EXPECT_FALSE(fs::exists(path("none")));
  EXPECT_TRUE(open_ledger(path("none"), {}));
}

// What `turnstone checkpoint` signs beside a running engine.
TEST_F(RocksFaults, WhatIsAcknowledgedIsNotWhatIsMerelyWritten) {
  EXPECT_EQ(acknowledged_in(path("l")).error().code, ErrorCode::not_found);
  const auto ledger = open_ledger(path("l"), {}).value();
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  ASSERT_TRUE(ledger->sync());
  ASSERT_TRUE(ledger->start_session(started("s2"), std::nullopt, wall_time));
  const auto durable = acknowledged_in(path("l"));
  ASSERT_TRUE(durable) << durable.error().detail;
  EXPECT_EQ(durable->position, GlobalPosition{1});
  EXPECT_EQ(durable->commit_hash, open_ledger(path("l"), reading).value()->commits(GlobalPosition{1}, 1)->front().hash);
  EXPECT_EQ(ledger->position(), GlobalPosition{2});
}

TEST(AnchorFile, TheNewestSoundSlotCounts) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/ANCHOR";
  EXPECT_EQ(AnchorFile::read(file).error().code, ErrorCode::not_found);
  auto anchor = AnchorFile::open(file, {}, false).value();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(anchor->note({GlobalPosition{i}, body(std::to_string(i))}));
    EXPECT_EQ(AnchorFile::read(file)->position.value, i);
    EXPECT_EQ(AnchorFile::read(file)->commit_hash, body(std::to_string(i)));
  }
  anchor = AnchorFile::open(file, {}, false).value();  // opening again goes on after the newest slot
  ASSERT_TRUE(anchor->note({GlobalPosition{6}, {}}));
  EXPECT_EQ(AnchorFile::read(file)->position.value, 6u);
  int sound = 0;
  for (std::uintmax_t offset = 0; offset < 88; ++offset) {  // every byte of either slot is covered
    for (const std::uintmax_t slot : {std::uintmax_t{0}, std::uintmax_t{4096}}) {
      flip(file, slot + offset, 1);
      const auto read = AnchorFile::read(file);
      sound += read && (read->position.value == 5 || read->position.value == 6);
      flip(file, slot + offset, 1);
    }
  }
  EXPECT_EQ(sound, 2 * 88);
  EXPECT_EQ(AnchorFile::read(file)->position.value, 6u);
}

}  // namespace
}  // namespace turnstone
