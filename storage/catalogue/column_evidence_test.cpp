// Tables whose headings say little: what stands in the rows tells the columns apart.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::ElementsAre;

struct Guessed {
  std::map<std::string, std::string> uses;
  std::vector<ProductRow> rows;
  ColumnRoles roles;
};

// 60 rows of the head's columns.
template <class Row>
Guessed guess(const std::string& head, Row row) {
  std::string text = head + "\n";
  for (int i = 0; i < 60; ++i) text += row(i) + "\n";
  const TrialFolder folder;
  write_file(folder / "catalogue", text);
  ImportReport report;
  auto rows = read_catalogue(folder / "catalogue", report);
  EXPECT_TRUE(rows) << (rows ? "" : rows.error().detail);
  Guessed out;
  if (rows) out.rows = *rows;
  for (const ColumnRole& column : report.roles.columns) {
    if (!column.reason.empty()) out.uses[column.column] = to_string(column.use);
  }
  out.roles = report.roles;
  return out;
}

const char* nth(std::initializer_list<const char*> items, int i) { return items.begin()[static_cast<std::size_t>(i) % items.size()]; }

std::string used_car(int i) {
  return fmt::format("{},20{:02} Halden {} {}.{} litre {}dr,{},{},£{},£{},{}", 40'117 + i * 31, 5 + i % 20, nth({"Bora", "Lupo"}, i), 1 + i % 3, i % 10, 3 + i % 2 * 2,
                     nth({"Bora", "Lupo"}, i), nth({"Estate", "Van", "Saloon"}, i / 2), 3'000 + i * 377, 3'600 + i * 450, 40 + i % 7 * 10);
}

TEST(ColumnEvidence, ATitleNamesItsProductAndNotItsModel) {
  const auto cars = guess("Ref,Advert headline,Model,Body,Asking,New,Delivery (GBP)", used_car);
  EXPECT_EQ(cars.uses.at("Advert headline"), "title");
  EXPECT_EQ(cars.uses.at("Model"), "attribute");
  EXPECT_EQ(cars.uses.at("Ref"), "id");
  EXPECT_EQ(cars.uses.at("Asking"), "price");
  EXPECT_EQ(cars.uses.at("New"), "left_out") << "it follows the price from row to row";
  EXPECT_EQ(cars.uses.at("Body"), "attribute") << "no title says it";
  EXPECT_EQ(cars.rows[1].id, "40148");
}

TEST(ColumnEvidence, KindsAreNamedInTitlesAndMakersOpenThem) {
  const auto shop = guess("Code,Designation,Rayon,Sorte,Fabricant,Ton,Watt", [](int i) {
    const char* kind = nth({"Lampes", "Bouilloires", "Radios", "Perceuses"}, i);
    const std::string one(kind, std::string_view(kind).size() - 1);
    return fmt::format("A-{},{} {} {} {},{},{},{},{},{}", 500 + i, nth({"Lumen", "Nordal", "Ferro"}, i / 3), one, nth({"noir", "rouge"}, i), i, i % 4 < 2 ? "Maison" : "Atelier",
                       kind, nth({"Lumen", "Nordal", "Ferro"}, i / 3), nth({"noir", "rouge"}, i), i % 4 == 3 ? "600 W" : "");
  });
  EXPECT_EQ(shop.uses.at("Designation"), "title");
  EXPECT_EQ(shop.uses.at("Sorte"), "categories");
  EXPECT_EQ(shop.uses.at("Rayon"), "categories") << "its groups hold those of Sorte";
  EXPECT_EQ(shop.uses.at("Fabricant"), "store");
  EXPECT_EQ(shop.uses.at("Ton"), "attribute");
  EXPECT_EQ(shop.uses.at("Code"), "id");
  EXPECT_THAT(shop.rows[0].categories, ElementsAre("Maison", "Lampes"));
}

TEST(ColumnEvidence, MeasuresThatTitlesEndInAreNoKinds) {
  const auto shop = guess("Article,Shelf,Pack", [](int i) {
    const char* kind = nth({"Milk", "Crisps", "Cheese", "Tea"}, i);
    const char* pack = nth({"1 kg", "500 g", "2 l"}, i / 4);
    return fmt::format("Mill Lane {} {} No {} {},{},{}", nth({"Mild", "Plain"}, i / 12), kind, i, pack, i % 4 == 0 ? "Milk & Alternatives" : i % 4 == 1 ? "Crisps & Snacks" : kind, pack);
  });
  EXPECT_EQ(shop.uses.at("Article"), "title");
  EXPECT_EQ(shop.uses.at("Pack"), "attribute");
}

TEST(ColumnEvidence, NumbersThatMeasureAreNoIds) {
  const auto shop = guess("Article,Weight,Made", [](int i) { return fmt::format("Round table number {} of oak,{},{}", i, 900 + i * 17, 1960 + i); });
  EXPECT_TRUE(shop.roles.made_ids == (shop.uses.at("Made") != "id"));
  EXPECT_EQ(shop.uses.at("Weight"), "attribute") << "its numbers are of unlike width";
}

TEST(ColumnEvidence, RatingsUnderLongerNamesAreBorneOutByTheirCells) {
  const auto shop = guess("name,Customer score,Total votes,Load rating,Water score", [](int i) {
    return fmt::format("Round oak table {},{}.{},{},{} kg,IPX{}", i, 2 + i % 3, i % 10, i * 13, 40 + i, i % 8);
  });
  EXPECT_EQ(shop.uses.at("Customer score"), "average_rating");
  EXPECT_EQ(shop.uses.at("Total votes"), "rating_number");
  EXPECT_EQ(shop.uses.at("Load rating"), "attribute");
  EXPECT_EQ(shop.uses.at("Water score"), "attribute");
}

TEST(ColumnEvidence, HighlightsAreDividedByTheSignThatTheyUse) {
  const auto divided = guess("name|Highlights", [](int i) { return fmt::format("Round oak table {}|{}; {}", i, nth({"Oiled", "Waxed"}, i), nth({"Foldable", "Stackable", "Boxed"}, i)); });
  EXPECT_THAT(divided.rows[0].features, ElementsAre("Oiled", "Foldable"));
  const auto prose = guess("name|Highlights", [](int i) { return fmt::format("Round oak table {}|Made by hand in {}; oiled {} times", i, 1900 + i, i + 2); });
  EXPECT_THAT(prose.rows[0].features, ElementsAre("Made by hand in 1900; oiled 2 times"));
}

TEST(ColumnEvidence, CellsCopiedOutOfWebPagesAreRead) {
  const auto shop = guess("id;name;Brand;Category", [](int i) { return fmt::format("\"T&amp;{}\";\"O&#x27;Malley oak table {} &amp; chair\";\"Bean &amp; Co\";\"Home &amp; Garden > Tables\"", i, i); });
  EXPECT_EQ(shop.rows[0].id, "T&amp;0") << "an id is passed on as it stands";
  EXPECT_EQ(shop.rows[0].title, "O'Malley oak table 0 & chair");
  EXPECT_EQ(shop.rows[0].store, "Bean & Co");
  EXPECT_THAT(shop.rows[0].categories, ElementsAre("Home & Garden", "Tables"));
}

TEST(ColumnEvidence, PenceAreHundredthsOfTheCurrency) {
  const auto shop = guess("name,Price", [](int i) { return fmt::format("Bag of crisps number {},{}", i, i % 3 == 0 ? "80p" : i % 3 == 1 ? "£1.20" : "£2"); });
  EXPECT_EQ(shop.rows[0].price, Number{8'000});
  EXPECT_EQ(shop.rows[1].price, Number{12'000});
  EXPECT_EQ(shop.rows[2].price, Number{20'000});
}

}  // namespace
}  // namespace turnstone
