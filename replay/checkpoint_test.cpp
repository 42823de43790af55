#include "replay/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <nlohmann/json.hpp>

#include "storage/ledger/ledger.h"

namespace turnstone {
namespace {

using ::testing::HasSubstr;

SigningSeed seed_of(std::uint8_t byte) {
  SigningSeed seed;
  seed.value.fill(byte);
  return seed;
}

VerifyingKey open_half(const SigningSeed& seed) {
  VerifyingKey key;
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> both{};
  crypto_sign_seed_keypair(key.value.data(), both.data(), seed.value.data());
  return key;
}

std::unique_ptr<Ledger> ledger_of(const std::vector<std::string>& sessions) {
  auto ledger = make_memory_ledger();
  for (const std::string& session : sessions) {
    SessionStarted started;
    started.session = SessionId{session};
    EXPECT_TRUE(ledger->start_session(started, std::nullopt, Timestamp{5}));
  }
  return ledger;
}

const SigningSeed seed = seed_of(7);
const VerifyingKey key = open_half(seed);

LedgerMark mark_at(const Ledger& ledger, GlobalPosition position) { return {position, ledger.commits(position, 1)->front().hash}; }

std::string signed_now(const Ledger& ledger) {
  return sign_checkpoint(checkpoint_of(ledger, mark_at(ledger, ledger.position()), Timestamp{77}).value(), seed);
}

TEST(Checkpoint, HoldsAlsoWhenTheLedgerGoesOn) {
  const auto ledger = ledger_of({"s1", "s2"});
  const auto checkpoint = read_checkpoint(signed_now(*ledger), key);
  ASSERT_TRUE(checkpoint) << checkpoint.error().detail;
  EXPECT_EQ(checkpoint->position, GlobalPosition{2});
  EXPECT_EQ(checkpoint->made_at, Timestamp{77});
  EXPECT_EQ(contradiction(*ledger, *checkpoint).value(), std::nullopt);
  SessionStarted third;
  third.session = SessionId{"s3"};
  ASSERT_TRUE(ledger->start_session(third, std::nullopt, Timestamp{6}));
  EXPECT_EQ(contradiction(*ledger, *checkpoint).value(), std::nullopt);
}

// A power cut may take what follows the last durable write; the engine then writes something else there.
TEST(Checkpoint, SignsNoMoreThanIsDurable) {
  const auto ledger = ledger_of({"s1", "s2", "not durable yet"});
  const auto checkpoint = checkpoint_of(*ledger, mark_at(*ledger, GlobalPosition{2}), Timestamp{77});
  ASSERT_TRUE(checkpoint) << checkpoint.error().detail;
  EXPECT_EQ(checkpoint->position, GlobalPosition{2});
  EXPECT_EQ(contradiction(*ledger, *checkpoint).value(), std::nullopt);
  EXPECT_EQ(checkpoint_of(*ledger, {}, Timestamp{77}).error().code, ErrorCode::not_found);
  EXPECT_EQ(checkpoint_of(*ledger, {GlobalPosition{2}, {}}, Timestamp{77}).error().code, ErrorCode::corrupt);
  EXPECT_EQ(checkpoint_of(*ledger_of({"s1"}), mark_at(*ledger, GlobalPosition{2}), Timestamp{77}).error().code, ErrorCode::corrupt);
}

// Whoever can write the files can make a sound chain of another history; only the checkpoint tells.
TEST(Checkpoint, AnotherHistoryOrACutOneContradictsIt) {
  const Checkpoint checkpoint = read_checkpoint(signed_now(*ledger_of({"s1", "s2"})), key).value();
  EXPECT_THAT(contradiction(*ledger_of({"s1", "another"}), checkpoint).value().value(), HasSubstr("altered"));
  EXPECT_THAT(contradiction(*ledger_of({"s1"}), checkpoint).value().value(), HasSubstr("cut off"));
}

TEST(Checkpoint, EveryAlteredFieldBreaksTheSignature) {
  const nlohmann::json good = nlohmann::json::parse(signed_now(*ledger_of({"s1", "s2"})));
  const auto code_of = [&](const nlohmann::json& document) { return read_checkpoint(document.dump(), key).error().code; };
  for (const auto& [name, value] : std::map<std::string, nlohmann::json>{{"position", 1}, {"made_at_us", 78}}) {
    nlohmann::json altered = good;
    altered[name] = value;
    EXPECT_EQ(code_of(altered), ErrorCode::refused) << name;
  }
  for (const char* name : {"commit_hash", "signature"}) {
    nlohmann::json altered = good;
    std::string hex = altered[name];
    hex[3] = hex[3] == '0' ? '1' : '0';
    altered[name] = hex;
    EXPECT_EQ(code_of(altered), ErrorCode::refused) << name;
    altered[name] = hex.substr(2);
    EXPECT_EQ(code_of(altered), ErrorCode::invalid_argument) << name;
    altered.erase(name);
    EXPECT_EQ(code_of(altered), ErrorCode::invalid_argument) << name;
  }
}

TEST(Checkpoint, WhatIsNoneIsRefused) {
  for (const char* text : {"", "[]", "{", "{\"checkpoint\":1,\"position\":-1}", "{\"checkpoint\":2}", "\"checkpoint\""}) {
    EXPECT_EQ(read_checkpoint(text, key).error().code, ErrorCode::invalid_argument) << text;
  }
  EXPECT_EQ(read_checkpoint(std::string(1 << 20, '['), key).error().code, ErrorCode::invalid_argument);
}

TEST(Checkpoint, AnotherKeyDoesNotFit) {
  EXPECT_EQ(read_checkpoint(signed_now(*ledger_of({"s1"})), open_half(seed_of(8))).error().code, ErrorCode::refused);
}

TEST(Checkpoint, AnEmptyLedgerHasNone) { EXPECT_EQ(checkpoint_of(*ledger_of({}), {}, Timestamp{1}).error().code, ErrorCode::not_found); }

}  // namespace
}  // namespace turnstone
