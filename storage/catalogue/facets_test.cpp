// Audit verdicts, facets and vocabulary over catalogues of unlike fields, all made up.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::ordered_json;

using Details = std::vector<std::pair<std::string, Json>>;

std::string line(const std::string& id, const std::string& title, const std::vector<std::string>& categories, const Details& details,
                 const std::string& store = "", std::optional<double> price = std::nullopt, const std::vector<std::string>& features = {}) {
  Json row{{"parent_asin", id}, {"title", title}, {"categories", categories}, {"features", features}};
  row["details"] = Json::object();
  for (const auto& [key, value] : details) row["details"][key] = value;
  if (!store.empty()) row["store"] = store;
  if (price) row["price"] = *price;
  return row.dump();
}

std::string verdict_of(const IndexedCatalogue& catalogue, const std::string& column) {
  const Json audit = Json::parse(catalogue.report.audit_json);
  for (const Json& entry : audit.at("columns")) {
    if (entry.at("column").get<std::string>() == column) return entry.at("verdict").get<std::string>();
  }
  return "no such column";
}

// --- perfumes and furniture: 60 products ----------------------------------------------------------------

std::vector<std::string> home_lines() {
  static const char* colors[] = {"Walnut", "White", "Dark Blue", "BLACK, GREY"};
  static const char* materials[] = {"Solid Oak", "100% Cotton", "Metal", "Leather"};
  static const char* types[] = {"Dining Chair", "Bookcase", "Floor Lamp"};
  std::vector<std::string> lines;
  for (int i = 0; i < 48; ++i) {
    const std::string type = types[i % 3];
    lines.push_back(line(fmt::format("F{:02}", i), fmt::format("Nordvik {} {} with brass feet", i % 2 == 0 ? "Ayla" : "Bror", type),
                         {"Home & Kitchen", "Furniture", type + "s"},
                         {{"Color", colors[i % 4]},
                          {"Material", materials[(i / 4) % 4]},
                          {"Seat Height", fmt::format("{} inches", 15 + i % 6)},
                          {"Item Weight", i % 2 == 0 ? fmt::format("{} pounds", 10 + i % 7) : fmt::format("{} ounces", 16 * (10 + i % 7))},
                          {"Assembly Required", i % 3 == 0 ? "Yes" : "No"},
                          {"Item model number", fmt::format("NV-{}-{}", 1000 + i * 37, i)},
                          {"EAN", fmt::format("40{:011}", 7919LL * (i + 1) * 104729)},
                          {"Web page", fmt::format("https://nordvik.example/p/{}", i)},
                          {"Listed", fmt::format("May {}, 2021", 1 + i % 28)},
                          {"Shipping", "Ships within two days"},
                          {"Notes", fmt::format("This one was made by hand number {} and takes a little longer to reach you than the others", i)}},
                         "Nordvik & Frères", 40.0 + i));
  }
  for (int i = 0; i < 12; ++i) {
    lines.push_back(line(fmt::format("P{:02}", i),
                         fmt::format("Maison Claire {} Eau de Parfum for {}", i % 2 == 0 ? "Nuit" : "Jour", i % 3 == 0 ? "Men" : "Women"),
                         {"Beauty", "Women's Fragrance", "Eau de Parfum"},
                         {{"Scent Family", i % 2 == 0 ? "Woody" : "Floral"}, {"Volume", fmt::format("{} ml", 30 + 20 * (i % 3))}}, "Maison Claire"));
  }
  return lines;
}

TEST(FacetsOfHomeGoods, JudgesColumnsByWhatTheyHold) {
  const IndexedCatalogue catalogue(home_lines());
  EXPECT_EQ(verdict_of(catalogue, "Color"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Material"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Seat Height"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Scent Family"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Assembly Required"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Item Weight"), "filter");
  for (const char* column : {"Item model number", "EAN", "Listed", "Shipping", "Notes"})
    EXPECT_EQ(verdict_of(catalogue, column), "search_only") << column;
  EXPECT_EQ(verdict_of(catalogue, "Web page"), "ignore");
}

TEST(FacetsOfHomeGoods, NormalisesUnitsToTheColumnsOwn) {
  const IndexedCatalogue catalogue(home_lines());
  const Facet& height = catalogue.facet("seat_height");
  EXPECT_EQ(height.kind, FacetKind::number);
  EXPECT_EQ(height.unit, "inch");
  EXPECT_EQ(catalogue.artefact->number_of(*catalogue.artefact->find("F03"), height.id), whole_number(18));
  EXPECT_EQ(catalogue.artefact->number_of(*catalogue.artefact->find("P03"), height.id), std::nullopt);
  // Half the weights are ounces: 16 of them are a pound, within what four decimals hold.
  const Facet& weight = catalogue.facet("item_weight");
  const auto pounds = catalogue.artefact->number_of(*catalogue.artefact->find("F02"), weight.id);
  const auto ounces = catalogue.artefact->number_of(*catalogue.artefact->find("F09"), weight.id);
  ASSERT_TRUE(pounds && ounces);
  EXPECT_NEAR(static_cast<double>(pounds->value), static_cast<double>(ounces->value), 0.01 * static_cast<double>(pounds->value));
  const auto column = catalogue.artefact->number_column(height.id);
  ASSERT_EQ(column.size(), 48u);
  EXPECT_TRUE(std::is_sorted(column.begin(), column.end(), [](const auto& a, const auto& b) { return a.number < b.number; }));
}

TEST(FacetsOfHomeGoods, KeepsShadesAndTheirFamiliesAndSplitsLists) {
  const IndexedCatalogue catalogue(home_lines());
  EXPECT_THAT(catalogue.values("F02", "color"), UnorderedElementsAre("dark blue", "blue"));
  EXPECT_THAT(catalogue.values("F03", "color"), UnorderedElementsAre("black", "grey"));
  EXPECT_THAT(catalogue.values("F04", "material"), Contains("cotton"));
  EXPECT_THAT(catalogue.values("F00", "material"), Contains("oak"));
}

TEST(FacetsOfHomeGoods, FindsProductTypesAndAudiences) {
  const IndexedCatalogue catalogue(home_lines());
  EXPECT_THAT(catalogue.values("F00", "category"), Contains("dining chair"));
  EXPECT_THAT(catalogue.values("F00", "category"), Not(Contains("foot")));  // "with brass feet" is not what it is
  EXPECT_THAT(catalogue.values("F02", "category"), Contains("floor lamp"));
  EXPECT_THAT(catalogue.values("P00", "category"), Contains("fragrance"));
  EXPECT_THAT(catalogue.values("P00", "department"), UnorderedElementsAre("man", "woman"));  // title and category disagree
  EXPECT_THAT(catalogue.values("P01", "department"), ElementsAre("woman"));
  EXPECT_THAT(catalogue.values("F00", "department"), IsEmpty());
  EXPECT_THAT(catalogue.senses("lamp"), Contains("category=floor lamp"));
  EXPECT_THAT(catalogue.senses("bookcases"), Contains("category=bookcase"));
  EXPECT_THAT(catalogue.senses("nordvik & freres"), ElementsAre("brand=nordvik frere"));
  EXPECT_THAT(catalogue.senses("assembly required"), ElementsAre("assembly_required=yes"));
}

TEST(FacetsOfHomeGoods, KnowsPriceQuantilesOfCategories) {
  const IndexedCatalogue catalogue(home_lines());
  const Facet& category = catalogue.facet("category");
  const auto furniture = catalogue.artefact->find_value(category.id, "furniture");
  ASSERT_TRUE(furniture);
  EXPECT_EQ(catalogue.artefact->price_quantile(*furniture, Permille{0}), whole_number(40));
  EXPECT_EQ(catalogue.artefact->price_quantile(*furniture, Permille{500}), whole_number(63));
  EXPECT_EQ(catalogue.artefact->price_quantile(*furniture, Permille{1000}), whole_number(87));
  const auto fragrance = catalogue.artefact->find_value(category.id, "fragrance");
  ASSERT_TRUE(fragrance);
  EXPECT_EQ(catalogue.artefact->price_quantile(*fragrance, Permille{500}), std::nullopt);  // too few prices
}

// --- PC parts -------------------------------------------------------------------------------------------

std::vector<std::string> hardware_lines() {
  std::vector<std::string> lines;
  for (int i = 0; i < 24; ++i) {
    const int size = 8 << (i % 3);
    lines.push_back(line(fmt::format("R{:02}", i), fmt::format("{} Blitz {} DDR5-6000 {}GB", i % 2 == 0 ? "G.SKILL" : "be quiet!", i, size), {"RAM"},
                         {{"capacity", size},
                          {"modules capacity gb", size / 2},
                          {"rgb", i % 2 == 0},
                          {"memory type", i % 4 == 0 ? "DDR4" : "DDR5"},
                          {"newegg_sku", fmt::format("N82E168{:08}", i * 7919)}},
                         i % 2 == 0 ? "G.SKILL" : "be quiet!"));
  }
  static const char* boards[] = {"ATX, Micro ATX, Mini-ITX", "Micro ATX, Mini-ITX", "Mini-ITX", "ATX"};
  for (int i = 0; i < 24; ++i) {
    lines.push_back(line(
        fmt::format("C{:02}", i), fmt::format("Koolbox {} Mid Tower {}", i, i % 2 == 0 ? "Black" : "White"), {i % 2 == 0 ? "PCCase" : "CPUCooler"},
        {{"supported boards", boards[i % 4]}, {"dimensions mm width", 200 + i * 5}, {"fan rpm", i % 6 == 0 ? 0 : 800 + 100 * (i % 5)}}, "Koolbox"));
  }
  return lines;
}

TEST(FacetsOfHardware, FindsUnitsInNamesAndTitles) {
  const IndexedCatalogue catalogue(hardware_lines());
  EXPECT_EQ(catalogue.facet("capacity").unit, "gb");             // titles say 8GB, 16GB …
  EXPECT_EQ(catalogue.facet("modules_capacity_gb").unit, "gb");  // the name says it
  EXPECT_EQ(catalogue.facet("dimensions_mm_width").unit, "mm");
  EXPECT_EQ(catalogue.facet("capacity").kind, FacetKind::number);
  EXPECT_EQ(verdict_of(catalogue, "newegg_sku"), "search_only");
}

TEST(FacetsOfHardware, TakesAnImpossibleZeroAsMissing) {
  const IndexedCatalogue catalogue(hardware_lines());
  const Facet& rpm = catalogue.facet("fan_rpm");
  EXPECT_EQ(catalogue.artefact->number_of(*catalogue.artefact->find("C00"), rpm.id), std::nullopt);
  EXPECT_EQ(catalogue.artefact->number_of(*catalogue.artefact->find("C01"), rpm.id), whole_number(900));
}

TEST(FacetsOfHardware, SplitsListsOnlyIntoValuesThatRecur) {
  const IndexedCatalogue catalogue(hardware_lines());
  EXPECT_THAT(catalogue.values("C00", "supported_boards"), UnorderedElementsAre("atx", "micro atx", "mini itx"));
  EXPECT_THAT(catalogue.values("C02", "supported_boards"), ElementsAre("mini itx"));
}

TEST(FacetsOfHardware, ReadsNamesAsPeopleWriteThem) {
  const IndexedCatalogue catalogue(hardware_lines());
  EXPECT_THAT(catalogue.senses("gskill"), ElementsAre("brand=g skill"));
  EXPECT_THAT(catalogue.senses("G.Skill"), ElementsAre("brand=g skill"));
  EXPECT_THAT(catalogue.senses("be quiet!"), ElementsAre("brand=be quiet"));
  EXPECT_THAT(catalogue.senses("rgb"), Contains("rgb=yes"));
  EXPECT_THAT(catalogue.senses("pc case"), Contains("category=pc case"));
  EXPECT_THAT(catalogue.senses("PCCase"), Contains("category=pc case"));
  EXPECT_THAT(catalogue.senses("cooler"), Contains("category=cpu cooler"));
  EXPECT_THAT(catalogue.senses("16"), IsEmpty());
  EXPECT_THAT(catalogue.senses("the"), IsEmpty());
}

TEST(FacetsOfHardware, FillsSilentProductsFromTheirTitles) {
  const IndexedCatalogue catalogue(hardware_lines());
  EXPECT_THAT(catalogue.values("C00", "color"), ElementsAre("black"));
  EXPECT_THAT(catalogue.values("C01", "color"), ElementsAre("white"));
}

// --- clothing -------------------------------------------------------------------------------------------

std::vector<std::string> clothing_lines() {
  std::vector<std::string> lines;
  for (int i = 0; i < 12; ++i) {
    lines.push_back(line(fmt::format("H{:02}", i), fmt::format("Elm {} knit", i), {"Ladieswear", "Accessories", "Hat/beanie"},
                         {{"Colour group", i % 2 == 0 ? "Dark Blue" : "Light Pink"}, {"Department", i % 2 == 0 ? "Jersey Basic" : "Knitwear"}},
                         "Elm"));
    lines.push_back(
        line(fmt::format("J{:02}", i), fmt::format("Jazzy Ben Men's Casual Shirt {}", i), {"Clothing", "Men's Clothing", "Jazzy Ben Shirts"}, {}));
    lines.push_back(line(fmt::format("S{:02}", i), fmt::format("Carter's Polarized Sunglasses, Size {}", i % 2 == 0 ? "Large" : "XL"),
                         {"Clothing, Shoes & Jewelry", "Jackets & Coats"}, {{"Size", i % 2 == 0 ? "Large" : "XL"}}, "Carter's", std::nullopt,
                         {"100% Cotton", "Pull On closure", "men and women will like it"}));
    lines.push_back(line(fmt::format("T{:02}", i), "V-neck T-Shirt in red", {"T-Shirts"}, {{"Colour group", "Black"}}, "Elm"));
  }
  return lines;
}

TEST(FacetsOfClothing, SplitsAlternativesAndStripsAudiencesAndSellers) {
  const IndexedCatalogue catalogue(clothing_lines());
  EXPECT_THAT(catalogue.values("H00", "category"), UnorderedElementsAre("accessory", "hat", "beany"));
  EXPECT_THAT(catalogue.values("H00", "department"), ElementsAre("woman"));
  EXPECT_THAT(catalogue.values("J00", "category"), Contains("shirt"));
  EXPECT_THAT(catalogue.values("J00", "category"), Not(Contains("jazzy ben shirt")));
  EXPECT_THAT(catalogue.values("J00", "department"), ElementsAre("man"));
  EXPECT_THAT(catalogue.values("T00", "category"), Contains("t shirt"));
  EXPECT_THAT(catalogue.values("S00", "department"), IsEmpty());  // body text says nothing about an audience
}

TEST(FacetsOfClothing, TakesMinedTypesWhereNodesNameNone) {
  std::vector<std::string> lines = clothing_lines();
  for (int i = 0; i < 8; ++i) lines.push_back(line(fmt::format("U{:02}", i), fmt::format("Brella {} storm umbrella", i), {}, {}));
  const IndexedCatalogue catalogue(lines);
  EXPECT_THAT(catalogue.values("U00", "category"), Contains("umbrella"));
  EXPECT_THAT(catalogue.senses("umbrellas"), Contains("category=umbrella"));
}

TEST(FacetsOfClothing, SizesAreOneUnderTheirNames) {
  const IndexedCatalogue catalogue(clothing_lines());
  EXPECT_THAT(catalogue.values("S00", "size"), ElementsAre("l"));
  EXPECT_THAT(catalogue.senses("large"), Contains("size=l"));
  EXPECT_THAT(catalogue.senses("extra large"), Contains("size=xl"));
}

TEST(FacetsOfClothing, ReadsOwnColumnsBeforeTheTitle) {
  const IndexedCatalogue catalogue(clothing_lines());
  EXPECT_THAT(catalogue.values("T00", "color"), ElementsAre("black"));  // the title's "in red" does not count
  EXPECT_THAT(catalogue.senses("dark blue"), Contains("color=dark blue"));
  EXPECT_THAT(catalogue.senses("carters"), Contains("brand=carter"));
  EXPECT_THAT(catalogue.values("S00", "feature"), Contains("pull on closure"));
}

TEST(Facets, OrderSensesByCountAndBindTheirRanges) {
  const IndexedCatalogue catalogue(clothing_lines());
  const Artefact& artefact = *catalogue.artefact;
  for (std::uint32_t i = 0; i < artefact.phrase_count(); ++i) {
    const auto senses = artefact.senses(artefact.phrase(i));
    ASSERT_FALSE(senses.empty());
    for (std::size_t s = 0; s < senses.size(); ++s) {
      EXPECT_EQ(artefact.value(senses[s].value).facet, senses[s].facet);
      EXPECT_EQ(artefact.value(senses[s].value).count, senses[s].count);
      EXPECT_GE(artefact.facet(senses[s].facet).verdict, Verdict::filter);
      EXPECT_TRUE(s == 0 || senses[s - 1].count >= senses[s].count);
    }
  }
  for (const Facet& facet : artefact.facets()) {
    std::uint32_t last = 0xFFFFFFFF;
    for (const FacetValue& value : artefact.values(facet.id)) {
      EXPECT_LE(value.count, last);
      last = value.count;
      EXPECT_EQ(artefact.find_value(facet.id, value.key), value.id);
      ASSERT_EQ(artefact.products_with(value.id).size(), value.count);
      for (const Ordinal product : artefact.products_with(value.id)) EXPECT_THAT(artefact.values_of(product, facet.id), Contains(value.id));
    }
  }
}

// Nearly every car has its own mileage: what measures is a number, what names is a code.
TEST(Facets, LongNumbersThatMeasureAreNoCodes) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    lines.push_back(line(fmt::format("C{:02}", i), fmt::format("Norda {} estate", i % 2 == 0 ? "Alto" : "Brio"), {"Cars"},
                         {{"mileage_km", 11'000 + i * 1'713},
                          {"Odometer", 4'000 + i * i * 53},
                          {"Range", fmt::format("{} km", 10'100 + i * 7)},
                          {"Lot", 48'120 + i * 613},
                          {"Row", 99'970 + i}}));
  }
  const IndexedCatalogue catalogue(lines);
  EXPECT_EQ(verdict_of(catalogue, "mileage_km"), "ask");
  EXPECT_EQ(catalogue.facet("mileage_km").kind, FacetKind::number);
  EXPECT_EQ(catalogue.facet("mileage_km").unit, "km");
  EXPECT_EQ(verdict_of(catalogue, "Odometer"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Range"), "ask");
  EXPECT_EQ(verdict_of(catalogue, "Lot"), "search_only");
  EXPECT_EQ(verdict_of(catalogue, "Row"), "search_only");
}

// 60 used cars under headings of a dealer's own.
std::vector<std::string> dealer_lines() {
  static const char* paints[] = {"Metallic Blue", "Black", "Pearl White", "British Racing Green", "Sahara Dust", "Red"};
  static const char* extras[] = {"Sat nav", "Tow bar", "Roof rails", "Heated seats", "Bluetooth", "Isofix", "Keyless entry"};
  static const char* readers[] = {"Women", "Men", "Ladies", "Unisex"};
  static const char* flavors[] = {"Cherry", "Lemon", "Mint", "Orange", "Rose", "Lavender"};
  static const char* disks[] = {"256GB SSD", "512 GB SSD", "1TB HDD", "1 TB", "128 GB"};
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    const int run = 1'000 + i * 1'713;
    const std::string odometer = i % 4 == 0 ? fmt::format("{}k miles", run / 1'000) : i % 4 == 1 ? fmt::format("{} km", run) : fmt::format("{} miles", run);
    lines.push_back(line(fmt::format("D{:02}", i), fmt::format("Norda {} estate", i % 2 == 0 ? "Alto" : "Brio"), {"Cars"},
                         {{"Paint", paints[i % 6]},
                          {"Equipment", fmt::format("{}; {}; {}; {}", extras[i % 7], extras[(i * i + 1) % 7], extras[(i + i / 7 + 3) % 7], extras[(i / 3) % 7])},
                          {"Odometer", odometer},
                          {"Reg year", 2005 + i % 19},
                          {"Guarantee years", 1 + i % 5},
                          {"For whom", readers[i % 4]},
                          {"Scent", flavors[i % 6]},
                          {"Disk", disks[i % 5]},
                          {"Length", i % 3 == 0 ? fmt::format("{},{} m", 3 + i % 2, i % 10) : fmt::format("{} m", 3 + i % 3)},
                          {"Parking camera", i % 5 < 2 ? "Yes" : i % 5 < 4 ? "No" : "Rear"},
                          {"Trim", i % 3 == 0 ? "Yes" : i % 3 == 1 ? "Sport" : "Comfort"},
                          {"Lining", i % 2 == 0 ? "100% Cotton" : "100% Wool"},
                          {"Width", i % 4 == 0 ? fmt::format("{} mm", 1'800 + i) : i % 4 == 1 ? fmt::format("{} cm", 180 + i) : fmt::format("{} inches", 70 + i)}},
                         i % 2 == 0 ? "Oak & Iron Co." : "Hearth+Pine GmbH", 900.0 + i));
  }
  return lines;
}

TEST(FacetsOfDealers, ColoursAndAudiencesAreKnownByTheirValues) {
  const IndexedCatalogue catalogue(dealer_lines());
  EXPECT_THAT(catalogue.values("D00", "color"), UnorderedElementsAre("metallic blue", "blue"));
  EXPECT_THAT(catalogue.values("D04", "color"), ElementsAre("sahara dust")) << "what the table does not know stays in the same facet";
  EXPECT_THAT(catalogue.values("D02", "department"), ElementsAre("woman"));
  EXPECT_EQ(catalogue.artefact->facet("paint"), nullptr);
  EXPECT_THAT(catalogue.values("D00", "scent"), ElementsAre("cherry")) << "scents are no colours, though each is one";
}

TEST(FacetsOfDealers, ACarsOwnColourColumnKeepsOthersApart) {
  auto lines = dealer_lines();
  for (int i = 0; i < 60; ++i) {
    lines.push_back(line(fmt::format("E{:02}", i), "Norda Alto van", {"Cars"}, {{"Color", i % 2 == 0 ? "Red" : "Black"}, {"Paint", i % 2 == 0 ? "White" : "Blue"}}));
  }
  const IndexedCatalogue catalogue(lines);
  EXPECT_THAT(catalogue.values("E00", "color"), ElementsAre("red"));
  EXPECT_THAT(catalogue.values("E00", "paint"), ElementsAre("white"));
}

TEST(FacetsOfDealers, ListsAreJudgedByTheirPieces) {
  const IndexedCatalogue catalogue(dealer_lines());
  EXPECT_EQ(verdict_of(catalogue, "Equipment"), "ask");
  EXPECT_THAT(catalogue.senses("heated seats"), Contains("equipment=heated seat"));
}

TEST(FacetsOfDealers, NumbersAreReadAsTheColumnWritesThem) {
  const IndexedCatalogue catalogue(dealer_lines());
  const auto number = [&catalogue](const std::string& id, const std::string& facet) {
    const auto found = catalogue.artefact->number_of(*catalogue.artefact->find(id), catalogue.facet(facet).id);
    return found ? to_string(*found) : std::string("none");
  };
  EXPECT_EQ(catalogue.facet("odometer").unit, "mile");
  EXPECT_EQ(number("D08", "odometer"), "14000");
  EXPECT_EQ(number("D02", "odometer"), "4426");
  EXPECT_EQ(catalogue.facet("reg_year").unit, "") << "a date";
  EXPECT_EQ(catalogue.facet("guarantee_years").unit, "year");
  EXPECT_EQ(catalogue.facet("length").unit, "meter");
  EXPECT_EQ(number("D03", "length"), "4.3");
  EXPECT_EQ(number("D00", "disk"), "256");
  EXPECT_EQ(number("D02", "disk"), "1000");
  EXPECT_THAT(catalogue.values("D00", "disk"), UnorderedElementsAre("256", "ssd"));
  EXPECT_EQ(catalogue.facet("lining").kind, FacetKind::words) << "of one number and two materials";
  EXPECT_EQ(catalogue.facet("width").unit, "cm") << "half of it converts without a remainder";
}

TEST(FacetsOfDealers, AThirdAnswerBesideYesAndNoIsAYes) {
  const IndexedCatalogue catalogue(dealer_lines());
  EXPECT_EQ(catalogue.facet("parking_camera").kind, FacetKind::yes_no);
  EXPECT_THAT(catalogue.values("D04", "parking_camera"), ElementsAre("yes"));
  EXPECT_THAT(catalogue.values("D02", "parking_camera"), ElementsAre("no"));
  EXPECT_EQ(catalogue.facet("trim").kind, FacetKind::words) << "nothing says no";
}

TEST(FacetsOfDealers, BrandsAreKnownAsTheyAreSpoken) {
  const IndexedCatalogue catalogue(dealer_lines());
  for (const char* said : {"oak & iron co", "oak and iron co", "oak and iron", "oak & iron"}) EXPECT_THAT(catalogue.senses(said), ElementsAre("brand=oak iron co")) << said;
  for (const char* said : {"hearth+pine", "hearth and pine"}) EXPECT_THAT(catalogue.senses(said), ElementsAre("brand=hearth pine gmbh")) << said;
  EXPECT_THAT(catalogue.senses("iron"), Not(Contains("brand=oak iron co")));
}

TEST(FacetsOfGardens, CategoriesAreKnownByTheFormsThatTitlesUse) {
  static const char* kinds[][2] = {{"Gartenstühle", "Gartenstuhl"}, {"Sonnenschirme", "Sonnenschirm"}, {"Sectional Sofas", "Sectional Sofa"}, {"Garden Tables", "Garden Table"}, {"Garden Benches", "Garden Bench"}};
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    lines.push_back(line(fmt::format("G{:02}", i), fmt::format("Blumenfee {} Komfort {}", kinds[i % 5][1], i), {"Haus", kinds[i % 5][0]}, {{"Höhe", fmt::format("{} cm", 40 + i)}}, "Blumenfee"));
  }
  const IndexedCatalogue catalogue(lines);
  EXPECT_THAT(catalogue.senses("Gartenstuhl"), ElementsAre("category=gartenstuhle"));
  EXPECT_THAT(catalogue.senses("sonnenschirm"), ElementsAre("category=sonnenschirme"));
  EXPECT_THAT(catalogue.senses("sectional"), ElementsAre("category=sectional sofa"));
  EXPECT_THAT(catalogue.senses("garden"), Not(Contains("category=garden table"))) << "it stands in two categories";
  EXPECT_EQ(catalogue.facet("hohe").label, "höhe");
}

TEST(FacetsOfGroceries, AWordThatAColumnUsesIsNoColourOfTheTitle) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    const char* flavor = i % 3 == 0 ? "Peach" : i % 3 == 1 ? "Strawberry" : "Mint";
    lines.push_back(line(fmt::format("Y{:02}", i), fmt::format("Mill Lane {} yogurt", flavor), {"Dairy"}, {{"Flavour", flavor}}, "Mill Lane"));
    lines.push_back(line(fmt::format("B{:02}", i), fmt::format("Mill Lane {} bowl", i % 2 == 0 ? "red" : "blue"), {"Bowls"}, {{"Width", fmt::format("{} cm", 9 + i % 8)}}, "Mill Lane"));
  }
  const IndexedCatalogue catalogue(lines);
  EXPECT_THAT(catalogue.values("Y00", "color"), IsEmpty());
  EXPECT_THAT(catalogue.values("B00", "color"), ElementsAre("red"));
  EXPECT_THAT(catalogue.senses("peach"), ElementsAre("flavour=peach"));
}

}  // namespace
}  // namespace turnstone
