// What titles call the products of categories with names of their own.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::Contains;
using ::testing::Not;

// Four categories named by codes: 20 greases, 20 audio sets, 20 power units, 20 cables.
std::vector<std::string> workshop_lines() {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& category, const std::string& title) {
    lines.push_back(nlohmann::json{{"parent_asin", fmt::format("W{:03}", lines.size())},
                                   {"title", title},
                                   {"categories", {category}},
                                   {"features", nlohmann::json::array()},
                                   {"details", {{"Brand", title.substr(0, title.find(' '))}}}}
                        .dump());
  };
  for (int i = 0; i < 20; ++i) {
    add("HeatCompound", fmt::format("Kryo{} thermal paste, {} g", i % 5, i + 2));
    add("AudioGear", fmt::format("Tonwerk {} gaming headset with long cable", i % 7));
    add("PSU", i < 8 ? fmt::format("Volta {}", i) : fmt::format("Volta {} W modular {}", 400 + i * 50, i % 2 == 0 ? "power supply" : "power brick"));
    add("Wiring", fmt::format("Reel of {} wire, everyday {}", i + 1, i % 2 == 0 ? "kit" : "set"));
  }
  add("AudioGear", "Tonwerk stage kit");
  for (int i = 0; i < 9; ++i) add("HeatCompound", "Kryo spreader set");
  return lines;
}

TEST(KindNames, AreWhatTitlesOfOneCategoryEndIn) {
  const IndexedCatalogue catalogue(workshop_lines());
  EXPECT_THAT(catalogue.senses("headsets"), Contains("category=audio gear"));
  EXPECT_THAT(catalogue.senses("paste"), Contains("category=heat compound"));
  EXPECT_THAT(catalogue.senses("power supply"), Contains("category=psu"));
  EXPECT_THAT(catalogue.senses("power brick"), Contains("category=psu"));
}

TEST(KindNames, AreNoWordsThatDescribeOrServeSeveralCategories) {
  const IndexedCatalogue catalogue(workshop_lines());
  EXPECT_THAT(catalogue.senses("modular"), Not(Contains("category=psu")));  // never ends a clause
  EXPECT_THAT(catalogue.senses("cable"), Not(Contains("category=audio gear")));
  EXPECT_THAT(catalogue.senses("set"), Not(Contains("category=wiring")));  // of two categories
  EXPECT_THAT(catalogue.senses("volta"), Not(Contains("category=psu")));   // a maker
  EXPECT_THAT(catalogue.senses("audio gear"), Contains("category=audio gear"));
}

}  // namespace
}  // namespace turnstone
