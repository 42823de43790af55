// The key store: slots made ahead, erased in place, wrapped by a master key that can be changed.
#include "storage/ledger/key_store.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;
namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class KeyStoreTest : public testing::Test {
 protected:
  std::unique_ptr<KeyStore> open(bool create = true) {
    auto opened = open_key_store(files_, create);
    EXPECT_TRUE(opened) << opened.error().detail;
    return opened ? std::move(*opened) : nullptr;
  }
  ErrorCode refused() {
    const auto opened = open_key_store(files_, true);
    return opened ? ErrorCode::internal : opened.error().code;
  }
  TemporaryDirectory directory_;
  KeyFiles files_{directory_.path() + "/KEYS", directory_.path() + "/MASTER"};
};

TEST_F(KeyStoreTest, KeysAreDistinctAndTheSameAfterReopening) {
  auto store = open();
  const SecretKey ledger_key = store->ledger_key();
  std::set<SecretKey> keys;
  for (std::uint32_t i = 1; i <= 600; ++i) {
    EXPECT_EQ(store->reserve(KeySlot{i}).value(), KeySlot{i});
    const SlotKeys slot = store->keys(KeySlot{i}).value();
    keys.insert({slot.encryption, slot.nonce, slot.mac});
  }
  EXPECT_EQ(keys.size(), 1800U);
  const SlotKeys before = store->keys(KeySlot{600}).value();
  store = open(false);
  EXPECT_EQ(store->ledger_key(), ledger_key);
  EXPECT_EQ(store->keys(KeySlot{600})->encryption, before.encryption);
  EXPECT_EQ(store->keys(KeySlot{5000}).error().code, ErrorCode::corrupt);
  struct stat status {};
  for (const std::string& file : {files_.keys, files_.master}) {
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
  }
}

TEST_F(KeyStoreTest, ErasureOverwritesTheSlotAndKeepsWhoAndWhen) {
  auto store = open();
  ASSERT_TRUE(store->reserve(KeySlot{1}));
  const std::string before = bytes_of(files_.keys);
  ASSERT_TRUE(store->keys(KeySlot{2}));
  ASSERT_TRUE(store->erase(KeySlot{2}, {"privacy desk", wall_time}));
  ASSERT_TRUE(store->erase(KeySlot{2}, {"somebody else", Timestamp{1}}));
  const std::string after = bytes_of(files_.keys);
  ASSERT_EQ(after.size(), before.size()) << "in place";
  EXPECT_EQ(after.find(before.substr(4096 + 128 + 8, 72)), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(store->keys(KeySlot{2}).error().code, ErrorCode::erased);
    EXPECT_TRUE(store->erased(KeySlot{2}).value());
    EXPECT_FALSE(store->erased(KeySlot{1}).value());
    EXPECT_EQ(store->reserve(KeySlot{2}).value(), KeySlot{3}) << "never used again";
    store = open();
  }
  const auto list = erasures_in(files_.keys).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].slot, KeySlot{2});
  EXPECT_EQ(list[0].erasure.by, "privacy desk");
  EXPECT_EQ(list[0].erasure.at, wall_time);
}

TEST_F(KeyStoreTest, AnErasureIsNeverReportedWithoutItsWrite) {
  ASSERT_TRUE(open()->reserve(KeySlot{1}));
  const auto reader = open(false);  // cannot write: as a disk that fails
  ASSERT_TRUE(reader->keys(KeySlot{2}));
  EXPECT_FALSE(reader->erase(KeySlot{2}, {"desk", wall_time}));
  EXPECT_TRUE(reader->keys(KeySlot{2})) << "nothing was written";
  ASSERT_TRUE(open()->erase(KeySlot{2}, {"desk", wall_time}));
  EXPECT_FALSE(reader->erase(KeySlot{2}, {"desk", wall_time})) << "it reads erased, and nobody knows whether the disk has it";
  EXPECT_EQ(reader->keys(KeySlot{2}).error().code, ErrorCode::erased) << "its copy of the key is not kept";
}

TEST_F(KeyStoreTest, RotationChangesEveryWrappedByteAndNoKey) {
  SecretKey key{};
  SecretKey ledger_key{};
  {
    auto store = open();
    ASSERT_TRUE(store->reserve(KeySlot{1}));
    ASSERT_TRUE(store->erase(KeySlot{2}, {"desk", wall_time}));
    key = store->keys(KeySlot{3})->encryption;
    ledger_key = store->ledger_key();
  }
  const std::string old_master = bytes_of(files_.master);
  const std::string old_keys = bytes_of(files_.keys);
  ASSERT_TRUE(rotate_master_key(files_));
  EXPECT_NE(bytes_of(files_.master), old_master);
  EXPECT_FALSE(fs::exists(files_.keys + ".next") || fs::exists(files_.master + ".next"));
  auto store = open();
  EXPECT_EQ(store->keys(KeySlot{3})->encryption, key);
  EXPECT_EQ(store->ledger_key(), ledger_key);
  EXPECT_EQ(store->keys(KeySlot{2}).error().code, ErrorCode::erased);
  std::ofstream(files_.master) << old_master;
  EXPECT_EQ(refused(), ErrorCode::refused) << "the old master key opens nothing";
}

TEST_F(KeyStoreTest, ARotationThatWasCutShortIsFinishedOrUndone) {
  { ASSERT_TRUE(open()->reserve(KeySlot{1})); }
  const std::string master = bytes_of(files_.master), keys = bytes_of(files_.keys);
  const SecretKey key = open()->keys(KeySlot{1})->encryption;
  ASSERT_TRUE(rotate_master_key(files_));
  const std::string new_master = bytes_of(files_.master), new_keys = bytes_of(files_.keys);
  const auto put = [](const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  };
  put(files_.master, master), put(files_.keys, keys), put(files_.master + ".next", new_master);  // before the keys were replaced
  EXPECT_EQ(open()->keys(KeySlot{1})->encryption, key);
  EXPECT_EQ(bytes_of(files_.master), master);
  put(files_.keys, new_keys), put(files_.master + ".next", new_master);  // after
  EXPECT_EQ(open()->keys(KeySlot{1})->encryption, key);
  EXPECT_EQ(bytes_of(files_.master), new_master);
}

TEST_F(KeyStoreTest, NoMasterKeyIsThrownAwayWhileItMayBeTheOnlyOne) {
  { ASSERT_TRUE(open()->reserve(KeySlot{1})); }
  const SecretKey key = open()->keys(KeySlot{1})->encryption;
  const std::string old_master = bytes_of(files_.master);
  ASSERT_TRUE(rotate_master_key(files_));
  const std::string hidden = files_.keys + ".hidden";
  fs::rename(files_.master, files_.master + ".next");  // cut short between the two renames
  std::ofstream(files_.master, std::ios::binary) << old_master;
  fs::permissions(files_.master, fs::perms::owner_read | fs::perms::owner_write);
  fs::rename(files_.keys, hidden);
  EXPECT_EQ(refused(), ErrorCode::not_found) << "and makes no new keys";
  std::ofstream(files_.keys, std::ios::binary) << "damaged";
  EXPECT_EQ(refused(), ErrorCode::corrupt);
  fs::rename(hidden, files_.keys);
  fs::permissions(files_.master + ".next", fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(refused(), ErrorCode::refused);
  fs::permissions(files_.master + ".next", fs::perms::group_read, fs::perm_options::remove);
  EXPECT_EQ(open()->keys(KeySlot{1})->encryption, key);
}

TEST_F(KeyStoreTest, WhatDoesNotFitIsRefusedWithItsReason) {
  { ASSERT_TRUE(open()->reserve(KeySlot{1})); }
  const std::string sound = bytes_of(files_.keys);
  fs::permissions(files_.master, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(refused(), ErrorCode::refused);
  fs::permissions(files_.master, fs::perms::group_read, fs::perm_options::remove);
  std::string damaged = sound;
  damaged[20] ^= 1;
  std::ofstream(files_.keys, std::ios::binary) << damaged;
  EXPECT_EQ(refused(), ErrorCode::corrupt);
  damaged = sound;
  damaged[4096 + 128 + 50] ^= 1;
  std::ofstream(files_.keys, std::ios::binary) << damaged;
  auto store = open();
  EXPECT_TRUE(store->keys(KeySlot{1}));
  EXPECT_EQ(store->keys(KeySlot{2}).error().code, ErrorCode::corrupt) << "one damaged slot costs one stream";
  fs::remove(files_.master);
  EXPECT_EQ(open_key_store(files_, false).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace turnstone
