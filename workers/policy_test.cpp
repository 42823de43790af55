#include "workers/policy.h"

#include <gtest/gtest.h>

#include "events/chain.h"

namespace turnstone {
namespace {

std::string standard_with(const std::string& from, const std::string& to) {
  std::string source = Policy::standard()->source();
  const std::size_t at = source.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return source.replace(at, from.size(), to);
}

void expect_refused(const std::string& source, const std::string& named) {
  const auto policy = Policy::parse(source);
  ASSERT_FALSE(policy.has_value()) << named;
  EXPECT_EQ(policy.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(policy.error().detail.find(named), std::string::npos) << policy.error().detail;
}

TEST(Policy, StandardHoldsBothVariants) {
  const auto policy = Policy::standard();
  EXPECT_EQ(policy->variant("shopper").gate.by_value, 0);
  EXPECT_EQ(policy->variant("benchmark").gate.by_value, 1);
  EXPECT_EQ(policy->variant("neither"), policy->variant("shopper"));
}

TEST(Policy, FingerprintIsTheDigestOfItsSource) {
  const auto policy = Policy::standard();
  EXPECT_EQ(policy->fingerprint().value, blake2b(policy->source()));
  const auto other = Policy::parse(standard_with("trusted_pool = 10", "trusted_pool = 9"));
  ASSERT_TRUE(other.has_value()) << other.error().detail;
  EXPECT_NE((*other)->fingerprint(), policy->fingerprint());
  EXPECT_EQ((*other)->variant("shopper").gate.trusted_pool, 9);
}

TEST(Policy, UnknownKeysAreNamed) {
  expect_refused(standard_with("trusted_pool = 10", "trusted_pool = 10\ntrusted_pol = 3"), "variants.base.gate.trusted_pol");
  expect_refused(standard_with("[variants.benchmark.gate]", "[variants.benchmark.gates]"), "variants.benchmark.gates");
  expect_refused(standard_with("[variants.benchmark.gate]", "[variants.bench.gate]"), "variants.bench");
}

TEST(Policy, UnknownTablesAreNamed) {
  expect_refused("surprise = 1\n" + Policy::standard()->source(), "surprise");
  expect_refused(Policy::standard()->source() + "\n[variant.shopper]\n", "'variant'");
  expect_refused(Policy::standard()->source() + "\n[cues]\nyes = [\"aye\"]\n", "'cues'");
  expect_refused(standard_with("[relative.cheaper]", "[relative.cheaper]\nfacet = [\"price\"]"), "[relative.cheaper] has no key 'facet'");
  expect_refused(standard_with("[small]", "[small]\naccents = []"), "[small] has no key 'accents'");
}

TEST(Policy, MissingKeysAreNamed) { expect_refused(standard_with("trusted_pool = 10", ""), "variants.base.gate.trusted_pool"); }

TEST(Policy, RangesAndTypesAreChecked) {
  expect_refused(standard_with("trusted_pool = 10", "trusted_pool = 101"), "variants.base.gate.trusted_pool");
  expect_refused(standard_with("trusted_pool = 10", "trusted_pool = 1.5"), "variants.base.gate.trusted_pool");
  expect_refused(standard_with("trusted_pool = 10", "trusted_pool ="), "line");
}

}  // namespace
}  // namespace turnstone
