#include "tools/generate/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "events/chain.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

CatalogueGenerator generator(const char* trade, std::uint64_t seed) {
  auto made = CatalogueGenerator::make(trade, seed);
  EXPECT_TRUE(made.has_value());
  return *std::move(made);
}

std::vector<Json> rows(const char* trade, std::uint64_t seed, std::uint64_t count) {
  const CatalogueGenerator source = generator(trade, seed);
  std::vector<Json> out;
  for (std::uint64_t index = 0; index < count; ++index) out.push_back(Json::parse(source.row(index)));
  return out;
}

// Pinned bytes: another compiler, library or machine must make the same catalogue.
TEST(Generator, SameBytesEverywhere) {
  std::string all;
  for (const char* trade : {"fashion", "electronics"}) {
    const CatalogueGenerator source = generator(trade, 7);
    for (std::uint64_t index = 0; index < 300; ++index) all += source.row(index) + "\n";
  }
  EXPECT_EQ(to_hex(blake2b(all)), "7a8ef1286894737906c588a63e4b31889fd6222864c0890c34552b13e8f1dab0");
}

TEST(Generator, AnyRowWithoutTheOnesBefore) {
  const CatalogueGenerator source = generator("fashion", 3);
  const std::string late = source.row(500);
  source.row(2);
  EXPECT_EQ(source.row(500), late);
  EXPECT_NE(generator("fashion", 4).row(500), late);
}

TEST(Generator, RowsHaveTheItemShape) {
  for (const char* trade : {"fashion", "electronics"}) {
    std::set<std::string> ids;
    for (const Json& row : rows(trade, 11, 2000)) {
      ASSERT_EQ(row.size(), 10U) << row.dump();
      EXPECT_TRUE(ids.insert(row.at("parent_asin")).second) << row.dump();
      EXPECT_FALSE(row.at("title").get<std::string>().empty());
      EXPECT_TRUE(row.at("categories").is_array() && row.at("features").is_array() && row.at("description").is_array());
      EXPECT_TRUE(row.at("details").is_object());
      EXPECT_TRUE(row.at("price").is_null() || row.at("price").is_number() || row.at("price").is_string());
      EXPECT_TRUE(row.at("rating_number").is_number_unsigned());
    }
  }
}

// The dirt that the engine is to be tried on is really there, and the greater part is clean.
TEST(Generator, AsUnevenAsRealCatalogues) {
  std::map<std::string, int> seen;
  std::map<std::string, std::set<std::string>> spellings;
  const auto all = rows("fashion", 5, 4000);
  std::set<std::string> bare_titles;
  for (const Json& row : all) {
    const std::string text = row.dump();
    const std::string title = row.at("title");
    const Json& details = row.at("details");
    seen["no price"] += row.at("price").is_null();
    seen["price in text"] += row.at("price").is_string();
    seen["no categories"] += row.at("categories").empty();
    seen["no features"] += row.at("features").empty();
    seen["long listing"] += row.at("features").size() > 20;
    seen["emoji"] += text.find("\xF0\x9F") != std::string::npos;
    seen["markup"] += text.find("<br>") != std::string::npos || text.find("&nbsp;") != std::string::npos;
    seen["capitals"] += title.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    seen["url"] += text.find("https://") != std::string::npos;
    seen["model number"] += details.contains("Item model number");
    seen["store differs"] += row.at("store").is_string() && details.contains("Brand") && details.at("Brand") != row.at("store");
    for (const auto& [key, value] : details.items()) {
      seen["list value"] += value.is_array();
      seen["yes or no"] += value.is_boolean() || value == "Yes" || value == "No";
      seen["unit"] += value.is_string() && value.get<std::string>().find("inch") != std::string::npos;
    }
    seen["same title"] += !bare_titles.insert(title).second;
  }
  for (const char* kind : {"no price", "price in text", "no categories", "no features", "long listing", "emoji", "markup", "capitals", "url", "model number",
                           "store differs", "list value", "yes or no", "unit", "same title"}) {
    EXPECT_GT(seen[kind], 4) << kind;
    EXPECT_LT(seen[kind], 2000) << kind;
  }
}

TEST(Generator, RefusesATradeItDoesNotKnow) {
  const auto made = CatalogueGenerator::make("furniture", 1);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace turnstone
