// Erasure, at the interface of both bodies and at the bytes on the disk.
//
// The decisive test plays the adversary: with a copy of every file and the master key it unwraps whatever key is to be found at any
// offset of any file, and tries each at every offset of every file (and of every value of every table) as the beginning of sealed bytes.
#include "storage/ledger/erasure.h"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <sodium.h>

#include <fstream>
#include <iterator>
#include <set>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;
namespace fs = std::filesystem;

const Timestamp later{wall_time.value + 10};

TurnNumber take(Ledger& ledger, const std::string& session, const std::string& key, const std::string& text, const std::string& reply) {
  const auto accepted = std::get<Accepted>(ledger.accept(turn_request(session, key, text)).value());
  EXPECT_TRUE(std::holds_alternative<Committed>(ledger.commit(proposal(session, accepted.turn, accepted.attempt, accepted.sequence, reply)).value()));
  return accepted.turn;
}

template <class T>
ErrorCode code(const Result<T>& result) {
  return result ? ErrorCode::internal : result.error().code;
}

struct Body {
  const char* name;
  std::unique_ptr<Bed> (*make)();
};
class Erasing : public testing::TestWithParam<Body> {
 protected:
  Ledger& ledger() { return bed_->ledger(); }
  void start(const std::string& session, std::optional<std::string> parent = {}, std::optional<std::string> profile = {}) {
    SessionStarted event = started(session);
    if (parent) event.forked_from = SessionId{*parent};
    if (profile) event.profile = ProfileId{*profile};
    ASSERT_TRUE(ledger().start_session(event, std::nullopt, wall_time).value());
  }
  std::set<std::string> erased(const ErasureScope& scope) {
    std::set<std::string> names;
    const auto report = erase_scope(ledger(), scope, "desk", later);
    if (!report) return {std::string(to_string(report.error().code))};
    for (const StreamId& stream : report->erased) names.insert((stream.kind == StreamKind::profile ? "profile " : "") + stream.name);
    return names;
  }
  bool gone(const std::string& session) { return code(ledger().read(stream_of(SessionId{session}), Sequence{1}, 1)) == ErrorCode::erased; }
  std::unique_ptr<Bed> bed_ = GetParam().make();
};

TEST_P(Erasing, EverythingAnswersErasedAndTheChainsHold) {
  start("s1"), start("s2");
  const TurnNumber done = take(ledger(), "s1", "k1", "a red dress", "Two match.");
  take(ledger(), "s2", "k1", "a red dress", "Two match.");
  const auto flight = std::get<Accepted>(ledger().accept(turn_request("s1", "k2")).value());
  ASSERT_TRUE(ledger().accept(turn_request("s1", "k3")));
  ASSERT_EQ(ledger().pending()->size(), 2U);
  const StreamId s1 = stream_of(SessionId{"s1"});
  EXPECT_TRUE(ledger().erase(s1, "desk", later).value());
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(ledger().erase(s1, "desk", later).value()) << "once is enough";
    EXPECT_EQ(code(ledger().accept(turn_request("s1", "k1"))), ErrorCode::erased);
    EXPECT_EQ(code(ledger().accept(turn_request("s1", "new"))), ErrorCode::erased);
    EXPECT_EQ(code(ledger().start_session(started("s1"), std::nullopt, later)), ErrorCode::erased);
    EXPECT_EQ(code(ledger().read(s1, Sequence{1}, 9)), ErrorCode::erased);
    EXPECT_EQ(code(ledger().head(s1)), ErrorCode::erased);
    EXPECT_EQ(code(ledger().turn(SessionId{"s1"}, done)), ErrorCode::erased);
    EXPECT_EQ(code(ledger().raise_attempt(SessionId{"s1"}, flight.turn, WorkerId{"w"}, later)), ErrorCode::erased);
    EXPECT_EQ(code(ledger().append({{s1, Sequence{9}, {EngineChanged{}}}}, later)), ErrorCode::erased);
    EXPECT_TRUE(std::holds_alternative<Fenced>(ledger().commit(proposal("s1", flight.turn, flight.attempt, flight.sequence)).value()));
    EXPECT_TRUE(std::holds_alternative<Fenced>(ledger().park(SessionId{"s1"}, flight.turn, {}, "", "", later).value()));
    EXPECT_TRUE(ledger().pending()->empty());
    EXPECT_EQ(broken_chain(ledger()), "");
    EXPECT_EQ(ledger().turn(SessionId{"s2"}, TurnNumber{1})->reply, "Two match.") << "nobody else is touched";
    bed_->reopen();
  }
  EXPECT_EQ(code(ledger().erase(stream_of(SessionId{"nobody"}), "desk", later)), ErrorCode::not_found);
}

TEST_P(Erasing, ForksGoWithTheirParentAndAProfileWithItsSessions) {
  start("a"), start("b", "a"), start("c", "b"), start("d"), start("e", {}, "user-7"), start("f", "e"), start("g", {}, "user-8");
  ASSERT_TRUE(ledger().append({{stream_of(ProfileId{"user-7"}), Sequence{0}, {ProfileUpdated{ProfileId{"user-7"}, {}, {}, {}}}}}, wall_time));
  EXPECT_EQ(erased({.session = SessionId{"a"}, .profile = {}, .idle_since = {}}), (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(erased({.session = SessionId{"a"}, .profile = {}, .idle_since = {}}), (std::set<std::string>{}));
  EXPECT_EQ(erased({.session = {}, .profile = ProfileId{"user-7"}, .idle_since = {}}), (std::set<std::string>{"e", "f", "profile user-7"}));
  EXPECT_EQ(erased({.session = SessionId{"zz"}, .profile = {}, .idle_since = {}}), (std::set<std::string>{"not_found"}));
  EXPECT_EQ(erased({.session = {}, .profile = {}, .idle_since = {}}), (std::set<std::string>{"invalid_argument"}));
  EXPECT_FALSE(gone("d") || gone("g"));
  start("h"), start("i", "h"), start("j", "i");
  ASSERT_TRUE(ledger().erase(stream_of(SessionId{"h"}), "desk", later).value());
  EXPECT_EQ(erased({.session = SessionId{"h"}, .profile = {}, .idle_since = {}}), (std::set<std::string>{"i", "j"})) << "also of a parent that is gone";
  EXPECT_EQ(code(ledger().head(stream_of(ProfileId{"user-7"}))), ErrorCode::erased);
}

TEST_P(Erasing, ByAgeTakesWhatHasBeenSilentLonger) {
  start("old"), start("young");
  AcceptRequest request = turn_request("young", "k");
  request.now.value += 1'000;
  ASSERT_TRUE(ledger().accept(request));
  EXPECT_EQ(erased({.session = {}, .profile = {}, .idle_since = wall_time}), (std::set<std::string>{}));
  EXPECT_EQ(erased({.session = {}, .profile = {}, .idle_since = Timestamp{wall_time.value + 500}}), (std::set<std::string>{"old"}));
  EXPECT_FALSE(gone("young"));
}

std::string name_of_body(const testing::TestParamInfo<Body>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Bodies, Erasing,
                         testing::Values(Body{"memory", [] { return std::unique_ptr<Bed>(new MemoryBed); }},
                                         Body{"rocksdb", [] { return std::unique_ptr<Bed>(new RocksBed(Durability::fast)); }}),
                         name_of_body);

// --- the adversary ----------------------------------------------------------------------------------------
using Key = std::array<unsigned char, 32>;

const unsigned char* raw(const std::string& text, std::size_t at) { return reinterpret_cast<const unsigned char*>(text.data()) + at; }

// Every file below `folder`, and besides each table's values as RocksDB unpacks them.
std::vector<std::string> everything_in(const fs::path& folder) {
  std::vector<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (entry.path().extension() != ".sst") continue;
    rocksdb::SstFileReader reader{rocksdb::Options()};
    EXPECT_TRUE(reader.Open(entry.path().string()).ok()) << entry.path();
    const std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator(rocksdb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) all.push_back(it->key().ToString() + it->value().ToString());
  }
  return all;
}

Key master_key(const fs::path& folder) {
  std::string hex;
  std::ifstream(folder / "MASTER") >> hex;
  Key key{};
  EXPECT_EQ(sodium_hex2bin(key.data(), key.size(), hex.data(), hex.size(), nullptr, nullptr, nullptr), 0);
  return key;
}

// Keys that are wrapped anywhere; of the made ahead only the first few, which are those that sessions use.
std::set<Key> keys_in(const std::vector<std::string>& files, const Key& master, unsigned used) {
  std::set<Key> keys;
  for (const std::string& bytes : files) {
    for (std::size_t at = 8; at + 72 <= bytes.size(); ++at) {
      const unsigned char* slot = raw(bytes, at - 4);
      if (slot[0] != 0 || slot[1] != 0 || slot[2] != 0 || slot[3] == 0 || slot[3] > used) continue;
      Key key{};
      if (crypto_aead_xchacha20poly1305_ietf_decrypt(key.data(), nullptr, nullptr, raw(bytes, at + 24), 48, slot, 4, raw(bytes, at), master.data()) ==
          0)
        keys.insert(key);
    }
  }
  return keys;
}

// Whether any of the keys, tried at any offset, gives a text with `word`.
bool recovers(const std::vector<std::string>& files, const std::set<Key>& keys, const std::string& word) {
  std::string plain(160, '\0');
  for (const Key& key : keys) {
    const SecretKey encryption = derive_slot_keys(key).encryption;
    for (const std::string& bytes : files) {
      for (std::size_t at = 0; at + 24 + word.size() <= bytes.size(); ++at) {
        const std::size_t size = std::min(plain.size(), bytes.size() - at - 24);
        crypto_stream_xchacha20_xor_ic(reinterpret_cast<unsigned char*>(plain.data()), raw(bytes, at + 24), size, raw(bytes, at), 1,
                                       encryption.data());
        if (std::string_view(plain.data(), size).find(word) != std::string_view::npos) return true;
      }
    }
  }
  return false;
}

bool stands_in(const std::vector<std::string>& files, const std::string& word) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& bytes) { return bytes.find(word) != std::string::npos; });
}

constexpr const char* forgotten = "forgotten-session-id";
constexpr const char* kept = "lasting-session-id";
const std::vector<std::string> words = {forgotten, kept, "canaryturnkey", "canarymessage", "canaryreply", "lastingmessage", "canarywaiting"};

void fill_with_canaries(const std::string& path) {
  auto ledger = open_ledger(path, {}).value();
  for (const char* session : {forgotten, kept}) ASSERT_TRUE(ledger->start_session(started(session), std::nullopt, wall_time));
  take(*ledger, forgotten, "canaryturnkey", "canarymessage please", "canaryreply");
  take(*ledger, kept, "k", "lastingmessage please", "ok");
  ASSERT_TRUE(ledger->sync());
}

TEST(ErasureOnDisk, ACopyOfEveryFileAndTheMasterKeyDecryptNothingOfIt) {
  const TemporaryDirectory directory;
  const fs::path live = fs::path(directory.path()) / "live";
  fill_with_canaries(live.string());
  {
    auto ledger = open_ledger(live.string(), {}).value();  // what was in the log is now in a table, too
    ASSERT_TRUE(ledger->accept(turn_request(forgotten, "k2", "canarymessage again")));
    ASSERT_TRUE(ledger->accept(turn_request(forgotten, "k3", "canarywaiting")));
    ASSERT_TRUE(ledger->sync());
    fs::copy(live, directory.path() + "/older", fs::copy_options::recursive);
  }
  // An old state of the database in a kept quarantine: erased all the same, because the keys are not in it.
  fs::copy(fs::path(directory.path()) / "older/db", live / "quarantine-kept-1", fs::copy_options::recursive);
  const auto before = everything_in(live);
  const Key master = master_key(live);
  const auto keys_before = keys_in(before, master, 2);
  ASSERT_EQ(keys_before.size(), 2U);
  for (const std::string& word : words) EXPECT_FALSE(stands_in(before, word)) << word << " stands in clear before the erasure";
  for (const char* word : {"canarymessage", "canaryreply", "canarywaiting", "lastingmessage"}) {
    EXPECT_TRUE(recovers(before, keys_before, word)) << "the adversary cannot even find " << word << " where it is";
  }
  {
    auto ledger = open_ledger(live.string(), {}).value();
    ASSERT_TRUE(erase_scope(*ledger, {.session = SessionId{forgotten}, .profile = {}, .idle_since = {}}, "desk", later));
  }
  const auto after = everything_in(live);
  const auto keys_after = keys_in(after, master, 2);
  EXPECT_EQ(keys_after.size(), 1U);
  for (const std::string& word : words) EXPECT_FALSE(stands_in(after, word)) << word << " stands in clear after the erasure";
  for (const char* word : {"canarymessage", "canaryreply", "canarywaiting", forgotten}) EXPECT_FALSE(recovers(after, keys_after, word)) << word;
  EXPECT_TRUE(recovers(after, keys_after, "lastingmessage")) << "the adversary works: what was not erased it finds";
}

TEST(ErasureOnDisk, AnErasureCutShortBetweenKeyAndEventIsOneAndCanBeEnded) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/live";
  fill_with_canaries(path);
  { ASSERT_TRUE(open_ledger(path, {}).value()->accept(turn_request(forgotten, "k2"))); }
  {
    auto keys = open_key_store({path + "/KEYS", path + "/MASTER"}, false);
    ASSERT_TRUE(keys);
    EXPECT_EQ(code(Result<void>(keys.value()->erase(KeySlot{1}, {"desk", later}))), ErrorCode::io) << "opened for reading";
    ASSERT_TRUE(open_key_store({path + "/KEYS", path + "/MASTER"}, true).value()->erase(KeySlot{1}, {"desk", later}));
  }
  auto ledger = open_ledger(path, {}).value();
  EXPECT_EQ(code(ledger->accept(turn_request(forgotten, "k2"))), ErrorCode::erased);
  EXPECT_TRUE(ledger->pending()->empty());
  const Sequence before = ledger->streams(StreamKind::session, std::nullopt, 9)->size() == 2 ? Sequence{1} : Sequence{0};
  EXPECT_EQ(before, Sequence{1});
  EXPECT_EQ(erase_scope(*ledger, {.session = SessionId{forgotten}, .profile = {}, .idle_since = {}}, "desk", later)->erased.size(), 1U);
  EXPECT_EQ(broken_chain(*ledger), "");
}

TEST(ErasureOnDisk, AnOlderBackupUnderTodaysKeysDoesNotBringItBack) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/live";
  fill_with_canaries(path);
  fs::create_directories(directory.path() + "/backup");
  fs::copy(path + "/db", directory.path() + "/backup/db", fs::copy_options::recursive);
  fs::copy_file(path + "/ANCHOR", directory.path() + "/backup/ANCHOR");
  { ASSERT_TRUE(open_ledger(path, {}).value()->erase(stream_of(SessionId{forgotten}), "desk", later)); }
  auto without = open_ledger(directory.path() + "/backup", {});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::corrupt) << "a database without its keys";
  ASSERT_TRUE(copy_key_files(path, directory.path() + "/backup"));
  auto restored = open_ledger(directory.path() + "/backup", {}).value();
  EXPECT_EQ(code(restored->read(stream_of(SessionId{forgotten}), Sequence{1}, 9)), ErrorCode::erased);
  EXPECT_TRUE(restored->read(stream_of(SessionId{kept}), Sequence{1}, 9));
  EXPECT_EQ(broken_chain(*restored), "");
}

}  // namespace
}  // namespace turnstone
