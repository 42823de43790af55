// Tables and rows of other shapes: what each column is taken for, and what becomes of the rows.
#include <gmock/gmock.h>

#include <map>

#include "storage/catalogue/literal_text.h"
#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Imported {
  Result<std::vector<ProductRow>> rows = std::vector<ProductRow>{};
  ImportReport report;
  std::map<std::string, std::string> uses;

  const ProductRow& row(std::size_t at) const {
    static const ProductRow none;
    EXPECT_TRUE(rows) << (rows ? "" : rows.error().detail);
    return rows && at < rows->size() ? (*rows)[at] : none;
  }
};

Imported import(const std::string& text, const std::vector<std::string>& named = {}) {
  const TrialFolder folder;
  write_file(folder / "catalogue", text);
  Imported out;
  ImportOptions options;
  for (const std::string& name : named) options.columns.push_back(*parse_named_column(name));
  out.rows = read_catalogue(folder / "catalogue", out.report, {}, options);
  for (const ColumnRole& column : out.report.roles.columns) {
    if (!column.reason.empty()) out.uses[column.column] = to_string(column.use);  // of the file, not of the shape
  }
  return out;
}

std::string why_not(const std::string& text) {
  const auto imported = import(text);
  EXPECT_FALSE(imported.rows) << text;
  return imported.rows ? "" : imported.rows.error().detail;
}

TEST(ColumnRoles, AShopsTableIsReadByItsHead) {
  const auto shop = import(
      "SKU,Product Name,Vendor,Product Category,List Price,Sale Price (USD),Color,Rating,No of Reviews,Image URL\n"
      "T-1,\"Oak table, round\",Nordwood,Home > Tables,\"$1,499.00\",$299.00,brown,4.5,12,https://x/1.jpg\n"
      "T-2,Pine chair with arms,Nordwood,Home > Chairs,$79.00,$59.50,,4.0,3,https://x/2.jpg\n"
      "T-3,Steel lamp for desks,Lumen,Home > Lamps,$40.00,$35.00,black,3.9,1,https://x/3.jpg\n");
  EXPECT_EQ(shop.report.format, "a table separated by ,");
  EXPECT_THAT(shop.uses, ElementsAre(Pair("Color", "attribute"), Pair("Image URL", "attribute"), Pair("List Price", "left_out"),
                                     Pair("No of Reviews", "rating_number"), Pair("Product Category", "categories"), Pair("Product Name", "title"),
                                     Pair("Rating", "average_rating"), Pair("SKU", "id"), Pair("Sale Price (USD)", "price"), Pair("Vendor", "store")));
  EXPECT_EQ(shop.row(0).id, "T-1");
  EXPECT_EQ(shop.row(0).title, "Oak table, round");
  EXPECT_EQ(shop.row(0).store, "Nordwood");
  EXPECT_EQ(shop.row(0).price, Number{2'990'000});
  EXPECT_THAT(shop.row(0).categories, ElementsAre("Home", "Tables"));
  EXPECT_EQ(shop.row(0).average_rating, Number{45'000});
  EXPECT_EQ(shop.row(0).details.front(), (std::pair<std::string, std::string>("Color", "brown")));
  EXPECT_EQ(shop.row(0).rating_number, 12U);
  EXPECT_EQ(shop.row(1).details.front().first, "Image URL");  // an empty cell says nothing
}

TEST(ColumnRoles, WhatStandsInThemTellsColumnsOfOtherLanguages) {
  const auto shop = import(
      "Nr;Bezeichnung;Hersteller;Verkauf;Farbe\n"
      "1;Runder Tisch aus Eiche;Nordholz;1.299,00 €;braun\n"
      "2;Stuhl mit Armlehnen;Nordholz;59,50 €;braun\n"
      "3;Schreibtischlampe aus Stahl;Lumen;35,00 €;schwarz\n");
  EXPECT_EQ(shop.report.format, "a table separated by ;");
  EXPECT_THAT(shop.uses, ElementsAre(Pair("Bezeichnung", "title"), Pair("Farbe", "attribute"), Pair("Hersteller", "store"), Pair("Nr", "left_out"),
                                     Pair("Verkauf", "price")));
  EXPECT_EQ(shop.row(0).price, Number{12'990'000});
  EXPECT_TRUE(shop.report.roles.made_ids);
}

TEST(ColumnRoles, MadeIdsAreTheRowsContent) {
  const std::string head = "name\tcolour\n", first = "Round oak table\tbrown\n", second = "Chair with arms\tblack\n";
  const auto one = import(head + first + second + first);
  const auto other = import(head + second + first);
  ASSERT_EQ(one.rows->size(), 2U);
  EXPECT_EQ(one.report.duplicate_ids, 1U);
  EXPECT_EQ(one.row(0).id, other.row(1).id);
  EXPECT_EQ(one.row(1).id, other.row(0).id);
  EXPECT_NE(one.row(0).id, one.row(1).id);
}

TEST(ColumnRoles, OtherJsonIsReadLikeATable) {
  const auto shop = import(
      R"({"id": 7, "name": "Dell laptop with 16 GB", "brand": "Dell", "cost": 899, "ram": "16 GB", "specs": {"Screen": "14 inch"}})"
      "\n"
      R"({"id": 8, "name": "Acer laptop with 8 GB", "brand": "Acer", "cost": 499, "ram": "8 GB", "tags": ["light", "cheap"]})"
      "\n");
  EXPECT_EQ(shop.row(0).id, "7");
  EXPECT_EQ(shop.row(0).title, "Dell laptop with 16 GB");
  EXPECT_EQ(shop.row(0).store, "Dell");
  EXPECT_EQ(shop.row(0).price, Number{8'990'000});
  EXPECT_EQ(shop.uses.at("specs"), "details");
  EXPECT_THAT(shop.row(0).details, ElementsAre(Pair("ram", "16 GB"), Pair("Screen", "14 inch")));
  EXPECT_THAT(shop.row(1).details, ElementsAre(Pair("ram", "8 GB"), Pair("tags", "light, cheap")));
}

TEST(ColumnRoles, TheDocumentedShapeStaysAsItIsAlsoAsATableOfAProgram) {
  const auto shop = import(
      "parent_asin,title,categories,features,description,details,store,price,main_category\n"
      "B1,A chair,\"['Home', \"\"Kid's\"\"]\",\"['Oak legs', 'Two arms']\",[],\"{'Color': 'Blue', 'Boxed': True, 'Age': None}\",Nord,12.5,X\n");
  EXPECT_THAT(shop.row(0).categories, ElementsAre("Home", "Kid's"));
  EXPECT_THAT(shop.row(0).features, ElementsAre("Oak legs", "Two arms"));
  EXPECT_THAT(shop.row(0).description, IsEmpty());
  EXPECT_THAT(shop.row(0).details, ElementsAre(Pair("Color", "Blue"), Pair("Boxed", "True")));
  EXPECT_EQ(shop.row(0).price, Number{125'000});
  EXPECT_EQ(shop.uses.at("main_category"), "left_out");
}

TEST(ColumnRoles, LettersAndSpacesOfANameDoNotMatter) {
  const auto shop = import(
      "Product ID,Title,Description,Features,Store,Average Rating,Price (EUR)\n"
      "T-1,Round oak table,For six.,Oiled,Nordwood,4.5,299\n"
      "T-2,Chair with arms,For one.,Oiled,Nordwood,4.0,59.50\n"
      "T-3,Lamp for desks,For late.,Dimmed,Lumen,3.9,35\n");
  EXPECT_THAT(shop.uses, ElementsAre(Pair("Average Rating", "average_rating"), Pair("Description", "description"), Pair("Features", "features"),
                                     Pair("Price (EUR)", "price"), Pair("Product ID", "id"), Pair("Store", "store"), Pair("Title", "title")));
  const auto lines = import(R"({"Parent ASIN": "x1", "TITLE": "Round oak table", "Price": 20, "Details": {"Color": "brown"}, "Extra": "left"})"
                            "\n"
                            R"({"Parent ASIN": "x2", "TITLE": "Chair with arms", "Price": 30, "Details": {"Color": "black"}, "Extra": "out"})"
                            "\n");
  EXPECT_THAT(lines.uses, ElementsAre(Pair("Details", "details"), Pair("Extra", "left_out"), Pair("Parent ASIN", "id"), Pair("Price", "price"),
                                      Pair("TITLE", "title")));
}

TEST(ColumnRoles, ANameInOtherLettersIsBorneOutByItsCells) {
  const auto shop = import(
      "Title,Name,Price,Store\n"
      "Mr,Round oak table,on request,\n"
      "Mrs,Chair with arms,on request,\n"
      "Mr,Lamp for desks,ask us,\n");
  EXPECT_EQ(shop.uses.at("Name"), "title");
  EXPECT_EQ(shop.uses.at("Title"), "attribute");
  EXPECT_EQ(shop.uses.at("Price"), "attribute");
  EXPECT_EQ(shop.uses.at("Store"), "left_out");
}

TEST(ColumnRoles, OneColumnThatHoldsAttributesDoesNotEndTheOthers) {
  const std::string rows = R"({"name": "Round oak table", "Color": "brown", "specs": {"Height": "75 cm"}})"
                           "\n"
                           R"({"name": "Chair with arms", "Color": "black", "specs": {"Height": "45 cm"}})"
                           "\n";
  for (const auto& shop : {import(rows), import(rows, {"details=specs"})}) {
    EXPECT_EQ(shop.uses.at("Color"), "attribute");
    EXPECT_THAT(shop.row(0).details, ElementsAre(Pair("Color", "brown"), Pair("Height", "75 cm")));
  }
  const auto empty = import("id,name,details,Color\n1,Round oak table,,brown\n2,Chair with arms,,black\n");
  EXPECT_EQ(empty.uses.at("details"), "left_out");
  EXPECT_EQ(empty.uses.at("Color"), "attribute");
}

TEST(ColumnRoles, ADescriptionReadsLikeProse) {
  const auto cars = import(
      "id,name,body\n"
      "1,Norda Alto 1.6,estate\n"
      "2,Norda Brio 2.0,4-door saloon\n"
      "3,Norda Alto 2.0,estate\n"
      "4,Norda Brio 1.6,4-door saloon\n");
  EXPECT_EQ(cars.uses.at("body"), "attribute");
  const auto books = import(
      "id,name,body\n"
      "1,A first book,The one in which a lamp is lit.\n"
      "2,A second book,The one in which it goes out again.\n");
  EXPECT_EQ(books.uses.at("body"), "description");
}

TEST(ColumnRoles, WhatIsSaidGoesBeforeWhatIsGuessed) {
  const auto shop = import("a,b,c\nx1,Round oak table,1\nx2,Chair with arms,2\n", {"title=a", "left_out=c"});
  EXPECT_EQ(shop.row(0).title, "x1");
  EXPECT_THAT(shop.row(0).details, ElementsAre(Pair("b", "Round oak table")));
  const TrialFolder folder;
  write_file(folder / "t", "a,b\nx,y z\n");
  ImportReport report;
  const auto missing = read_catalogue(folder / "t", report, {}, {nullptr, {{ColumnUse::title, "nope"}}, {}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().detail, HasSubstr("no column nope; the columns are a, b"));
  EXPECT_FALSE(parse_named_column("title"));
  EXPECT_FALSE(parse_named_column("colour=c"));
}

TEST(ColumnRoles, CellsOverLinesAndTornRows) {
  const auto shop = import(
      "sep=;\n"
      "id;name;text\n"
      "1;\"A \"\"good\"\" chair\";\"First line\nsecond; line\n\nlast\"\r\n"
      "2;A table;too;many\n"
      "\n"
      "3;A lamp for 27\" desks\n"
      "4\n"
      "5;\"A quote that is never closed;x\n"
      "6;A last chair;text\n");
  ASSERT_TRUE(shop.rows) << shop.rows.error().detail;
  ASSERT_EQ(shop.rows->size(), 3U);
  EXPECT_EQ(shop.row(0).title, "A \"good\" chair");
  EXPECT_THAT(shop.row(0).description, ElementsAre("First line second; line last"));
  EXPECT_EQ(shop.row(1).title, "A lamp for 27\" desks");
  EXPECT_EQ(shop.row(2).id, "6");
  ASSERT_EQ(shop.report.bad_lines, 3U);
  EXPECT_EQ(shop.report.examples[0].line, 7U);
  EXPECT_THAT(shop.report.examples[0].reason, HasSubstr("4 cells where the head has 3"));
  EXPECT_EQ(shop.report.examples[2].line, 11U);
  EXPECT_THAT(shop.report.examples[2].reason, HasSubstr("does not end"));
}

TEST(ColumnRoles, ForeignFilesAreNamed) {
  EXPECT_THAT(why_not("\n \n"), HasSubstr("it is empty"));
  EXPECT_THAT(why_not(std::string("PK\x03\x04", 4) + std::string(40, '\1')), HasSubstr("Excel"));
  EXPECT_THAT(why_not("%PDF-1.4\n%more\n"), HasSubstr("PDF"));
  EXPECT_THAT(why_not("[{\"id\": 1}]\n"), HasSubstr("one object a line"));
  EXPECT_THAT(why_not("<html>\n<body>\n"), HasSubstr("HTML"));
  EXPECT_THAT(why_not(std::string("\xFF\xFE", 2) + "a\n"), HasSubstr("UTF-16"));
  EXPECT_THAT(why_not("Dear Sir\nthank you for the letter\n"), HasSubstr("line 1 is neither"));
  EXPECT_THAT(why_not("1,Chair,20\n2,Table,30\n"), HasSubstr("put a line with the columns' names"));
  EXPECT_THAT(why_not("a,b\n1,2\n3,4\n"), HasSubstr("--column title=NAME"));
  EXPECT_THAT(why_not("id,name\n"), HasSubstr("it has no row"));
  const auto latin = import("id,name\n1,Round table\n2,Caf\xe9 chair\n");
  EXPECT_EQ(latin.report.bad_lines, 1U);
  EXPECT_THAT(latin.report.examples[0].reason, HasSubstr("WINDOWS-1252"));
}

TEST(ColumnRoles, HostileSamplesAreBounded) {
  std::string deep = R"({"parent_asin":"a","title":"t","x":)";
  deep += std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
  const auto imported = import(deep + R"({"parent_asin":"b","title":"two"})" + "\n");
  ASSERT_TRUE(imported.rows) << imported.rows.error().detail;
  EXPECT_EQ(imported.rows->back().id, "b");
  std::string head = "id";
  for (int i = 0; i < 1'500; ++i) head += ",c" + std::to_string(i);
  EXPECT_THAT(why_not(head + "\n" + head + "\n"), HasSubstr("at most 1000"));
  std::string quotes = "id,name\n1,A chair\n";
  for (int i = 0; i < 30'000; ++i) quotes += "2,\"open\n3,x" + std::string(i % 7, '"') + "\n";
  EXPECT_TRUE(import(quotes).rows);
}

TEST(LiteralText, IsJsonOrPython) {
  EXPECT_EQ(json_of_literal(R"( ["a", 1] )"), R"(["a", 1])");
  EXPECT_EQ(json_of_literal(R"(['it\'s', "b\"c", None, True, ('x', -2.5)])"), R"(["it's", "b\"c", null, true, ["x", -2.5]])");
  EXPECT_EQ(json_of_literal("{'a': 'caf\\xe9'}"), "{\"a\": \"caf\xC3\xA9\"}");
  for (const char* text : {"", "plain", "[note] see [1", "[sic]", "['a' 'b']", "{'a'", "['a]", "[import os]"}) EXPECT_FALSE(json_of_literal(text)) << text;
}

}  // namespace
}  // namespace turnstone
