#include "tools/key_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "events/testing/eventually.h"

namespace turnstone {
namespace {

class KeyFiles : public ::testing::Test {
 protected:
  KeyFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-keys-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~KeyFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static unsigned mode_of(const std::string& file) {
    struct stat info {};
    EXPECT_EQ(::stat(file.c_str(), &info), 0) << file;
    return info.st_mode & 0777U;
  }
  std::string folder_;
};

TEST_F(KeyFiles, AreReadAsTheyWereWritten) {
  for (const KeyUse use : {KeyUse::bus, KeyUse::checkpoint}) {
    const std::string name = path(use == KeyUse::bus ? "worker" : "auditor");
    const KeyPair keys = make_key_pair(use);
    ASSERT_TRUE(write_key_pair(name, use, keys));
    EXPECT_EQ(mode_of(name + ".key"), 0600U);
    EXPECT_EQ(mode_of(name + ".pub"), 0644U);
    EXPECT_EQ(read_secret_key(name + ".key", use)->secret, keys.secret);
    EXPECT_EQ(read_secret_key(name + ".key", use)->open, keys.open);
    EXPECT_EQ(read_public_key(name + ".pub", use).value(), keys.open);
  }
  EXPECT_NE(make_key_pair(KeyUse::bus).secret, make_key_pair(KeyUse::bus).secret);
}

TEST_F(KeyFiles, AreNeverReplaced) {
  const KeyPair first = make_key_pair(KeyUse::bus);
  ASSERT_TRUE(write_key_pair(path("a"), KeyUse::bus, first));
  EXPECT_EQ(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)).error().code, ErrorCode::invalid_argument);
  ASSERT_TRUE(std::filesystem::remove(path("a.key")));
  EXPECT_EQ(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)).error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path("a.key")));
  EXPECT_EQ(read_public_key(path("a.pub"), KeyUse::bus).value(), first.open);
}

TEST_F(KeyFiles, ASecretThatOthersMayReadIsNotUsed) {
  ASSERT_TRUE(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)));
  ASSERT_EQ(::chmod(path("a.key").c_str(), 0640), 0);
  const auto refused = read_secret_key(path("a.key"), KeyUse::bus);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_THAT(refused.error().detail, ::testing::HasSubstr("chmod 600"));
}

TEST_F(KeyFiles, APublicOneThatOthersMayWriteIsNotUsed) {
  ASSERT_TRUE(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)));
  for (const unsigned mode : {0664U, 0646U}) {
    ASSERT_EQ(::chmod(path("a.pub").c_str(), mode), 0);
    EXPECT_EQ(read_public_key(path("a.pub"), KeyUse::bus).error().code, ErrorCode::refused);
    EXPECT_THAT(read_public_keys(path("a.pub"), KeyUse::bus).error().detail, ::testing::HasSubstr("chmod go-w"));
  }
}

TEST_F(KeyFiles, HalfAPairIsNotLeftBehind) {
  std::filesystem::create_symlink(path("nowhere"), path("a.pub"));  // looks free, and cannot be made
  EXPECT_FALSE(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)));
  EXPECT_FALSE(std::filesystem::exists(path("a.key")));
}

TEST_F(KeyFiles, AListIsReadAgainWhenItChangedAndNotAtEachQuestion) {
  const KeyPair one = make_key_pair(KeyUse::bus), two = make_key_pair(KeyUse::bus);
  ASSERT_TRUE(write_key_pair(path("one"), KeyUse::bus, one));
  ASSERT_TRUE(write_key_pair(path("two"), KeyUse::bus, two));
  const auto write_list = [&](const std::string& from, int seconds_ago) {
    std::ofstream(path("list")) << std::ifstream(path(from)).rdbuf();
    std::filesystem::last_write_time(path("list"), std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds_ago));
  };
  KeyList list(path("list"), KeyUse::bus);
  EXPECT_FALSE(list.holds(one.open));
  EXPECT_EQ(list.problem()->code, ErrorCode::not_found);
  write_list("one.pub", 60);
  EXPECT_TRUE(list.holds(one.open));
  EXPECT_EQ(list.problem(), std::nullopt);
  write_list("two.pub", 60);  // as long as the one before, and by its own word as old
  EXPECT_FALSE(list.holds(one.open));
  EXPECT_TRUE(list.holds(two.open));

  // Read again at each look until a change could no longer hide behind the last one.
  std::uint64_t before = 0;
  ASSERT_TRUE(testing::eventually([&] { return before = list.readings(), list.holds(two.open) && list.readings() == before; }));
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(list.holds(two.open));
  EXPECT_EQ(list.readings(), before);
  std::filesystem::remove(path("list"));
  EXPECT_FALSE(list.holds(two.open));
}

TEST_F(KeyFiles, AKeyOfAnotherUseOrHalfIsNone) {
  ASSERT_TRUE(write_key_pair(path("a"), KeyUse::bus, make_key_pair(KeyUse::bus)));
  EXPECT_EQ(read_public_key(path("a.pub"), KeyUse::checkpoint).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(read_public_key(path("a.key"), KeyUse::bus).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(read_secret_key(path("none"), KeyUse::bus).error().code, ErrorCode::not_found);
}

TEST_F(KeyFiles, AListNamesTheLineThatIsNoKey) {
  const KeyPair one = make_key_pair(KeyUse::bus), two = make_key_pair(KeyUse::bus);
  ASSERT_TRUE(write_key_pair(path("one"), KeyUse::bus, one));
  ASSERT_TRUE(write_key_pair(path("two"), KeyUse::bus, two));
  std::ofstream list(path("list"));
  list << "# workers of the second rack\n\n" << std::ifstream(path("one.pub")).rdbuf() << std::ifstream(path("two.pub")).rdbuf() << std::flush;
  EXPECT_THAT(read_public_keys(path("list"), KeyUse::bus).value(), ::testing::ElementsAre(one.open, two.open));
  list << "turnstone bus public key 12\n" << std::flush;
  EXPECT_THAT(read_public_keys(path("list"), KeyUse::bus).error().detail, ::testing::HasSubstr("line 5"));
}

}  // namespace
}  // namespace turnstone
