#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include "storage/catalogue/line_reader.h"
#include "storage/catalogue/row_parser.h"
#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<std::vector<ProductRow>> import_text(const std::string& text, ImportReport& report) {
  const TrialFolder folder;
  write_file(folder / "catalogue", text);
  return read_catalogue(folder / "catalogue", report);
}

ProductRow row_of(const std::string& line) {
  auto row = RowParser().parse(line);
  EXPECT_TRUE(row) << (row ? "" : row.error().detail);
  return row ? *row : ProductRow{};
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += R"({"parent_asin":"p)" + std::to_string(i) + R"(","title":"Lamp number )" + std::to_string(i * 7919) + "\"}\n";
  return text;
}

TEST(Import, ReadsEveryFieldOfTheShape) {
  const ProductRow row = row_of(R"({"parent_asin":"B1","title":"  A\t chair ","categories":["Home","Chairs"],"features":["Oak  legs"],)"
                                R"("description":["Sit."],"details":{"Seat height":45,"Stackable":true,"Finish":"Oiled"},"store":"Nord",)"
                                R"("price":1299.5,"average_rating":4.25,"rating_number":12,"videos":[{"x":1}]})");
  EXPECT_EQ(row.id, "B1");
  EXPECT_EQ(row.title, "A chair");
  EXPECT_THAT(row.categories, ElementsAre("Home", "Chairs"));
  EXPECT_THAT(row.features, ElementsAre("Oak legs"));
  EXPECT_THAT(row.details, ElementsAre(Pair("Seat height", "45"), Pair("Stackable", "True"), Pair("Finish", "Oiled")));
  EXPECT_EQ(row.price, Number{12'995'000});
  EXPECT_EQ(row.average_rating, Number{42'500});
  EXPECT_EQ(row.rating_number, 12u);
}

TEST(Import, ToleratesOtherTypesWhereTheMeaningIsClear) {
  const ProductRow row = row_of(R"({"parent_asin":42,"title":["Two","parts"],"categories":"Lamps","features":"One","description":"Text",)"
                                R"("details":"{\"Watt\": 60, \"Colors\": [\"red\", \"blue\"], \"Size\": {\"w\": 1, \"h\": 2}}",)"
                                R"("price":"$1,299.00","average_rating":"4.5 out of 5 stars","rating_number":"1,234","store":null})");
  EXPECT_EQ(row.id, "42");
  EXPECT_EQ(row.title, "Two, parts");
  EXPECT_THAT(row.categories, ElementsAre("Lamps"));
  EXPECT_THAT(row.description, ElementsAre("Text"));
  EXPECT_THAT(row.details, ElementsAre(Pair("Watt", "60"), Pair("Colors", "red, blue"), Pair("Size", "w: 1, h: 2")));
  EXPECT_EQ(row.price, Number{12'990'000});
  EXPECT_EQ(row.average_rating, Number{45'000});
  EXPECT_EQ(row.rating_number, 1234u);
  EXPECT_EQ(row.store, "");
}

TEST(Import, ReadsAmountsAsPeopleWriteThem) {
  EXPECT_EQ(read_amount("$19.99"), Number{199'900});
  EXPECT_EQ(read_amount("1,299.00"), Number{12'990'000});
  EXPECT_EQ(read_amount("1.299,00 €"), Number{12'990'000});
  EXPECT_EQ(read_amount("19,99 EUR"), Number{199'900});
  EXPECT_EQ(read_amount("1,299"), Number{12'990'000});
  EXPECT_EQ(read_amount("from 5"), Number{50'000});
  EXPECT_EQ(read_amount("$14.95 - $16.90"), Number{149'500});
  EXPECT_EQ(read_amount("$.99"), Number{9'900});
  EXPECT_EQ(read_amount("call us"), std::nullopt);
  EXPECT_EQ(read_amount("-5"), std::nullopt);
  EXPECT_EQ(read_amount("99999999999999999999"), std::nullopt);
}

TEST(Import, NamesBadLinesAndGoesOn) {
  ImportReport report;
  const auto rows = import_text(
      "\xEF\xBB\xBF"
      R"({"parent_asin":"a","title":"first"})"
      "\r\n"
      "not json\n"
      "\n"
      R"({"title":"no id"})"
      "\n"
      R"([1,2])"
      "\n"
      R"({"parent_asin":"b","title":"cut)"
      "\n"
      R"({"parent_asin":"c"})"
      "\n"
      R"({"parent_asin":"d","title":"bad \xff"})"
      "\n"
      "{\"parent_asin\":\"e\",\"title\":\"\xff\xfe\"}\n"
      R"({"parent_asin":"a","title":"again"})"
      "\n"
      R"({"parent_asin":"f","title":"two"} {"x":1})"
      "\n"
      R"({"parent_asin":"g","title":"last, without an ending"})",
      report);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].title, "first");
  EXPECT_EQ((*rows)[1].id, "g");
  EXPECT_EQ(report.lines, 12u);
  EXPECT_EQ(report.duplicate_ids, 1u);
  EXPECT_EQ(report.bad_lines, 8u);
  ASSERT_EQ(report.examples.size(), 8u);
  EXPECT_EQ(report.examples[0].line, 2u);
  EXPECT_EQ(report.examples[1].line, 4u);
  EXPECT_EQ(report.examples[1].reason, "no parent_asin");
  EXPECT_EQ(report.examples[2].reason, "no JSON object");
  EXPECT_EQ(report.examples[6].reason, "no valid UTF-8");
}

TEST(Import, RefusesAFileWithoutAnyProduct) {
  ImportReport report;
  const auto rows = import_text("hello\nworld\n", report);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(rows.error().detail, HasSubstr("line 1"));
  ASSERT_FALSE(import_text("", report));
  const auto missing = read_catalogue("/nonexistent/catalogue.jsonl", report);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
}

TEST(Import, ReadsGzipAndZstdToldByContent) {
  const std::string text = many_lines(6'000);
  ImportReport plain_report;
  const auto plain = import_text(text, plain_report);
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->size(), 6'000u);
  // Two members in a row are one stream, as `cat a.gz b.gz` makes them.
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  for (const std::string& packed :
       {gzip(text), zstd(text), gzip(text.substr(0, half)) + gzip(text.substr(half)), zstd(text.substr(0, half)) + zstd(text.substr(half))}) {
    ImportReport report;
    const auto rows = import_text(packed, report);
    ASSERT_TRUE(rows) << rows.error().detail;
    ASSERT_EQ(rows->size(), plain->size());
    EXPECT_EQ(rows->back().title, plain->back().title);
    EXPECT_EQ(report.bad_lines, 0u);
  }
}

TEST(Import, SaysWhenPackedDataEndsEarlyOrIsDamaged) {
  for (std::string packed : {gzip(many_lines(6'000)), zstd(many_lines(6'000))}) {
    ImportReport report;
    const auto cut = import_text(packed.substr(0, packed.size() * 2 / 3), report);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::corrupt);
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 64; ++i) packed[i] = static_cast<char>(~packed[i]);
    const auto damaged = import_text(packed, report);
    EXPECT_TRUE(!damaged || report.bad_lines > 0 || damaged->size() != 6'000u);
  }
}

TEST(Import, BoundsLinesAndFields) {
  ImportReport report;
  const std::string long_line = R"({"parent_asin":"big","title":")" + std::string(line_bytes_max, 'x') + "\"}\n";
  const auto rows = import_text(R"({"parent_asin":"a","title":"one"})"
                                "\n" +
                                    long_line + R"({"parent_asin":"b","title":")" + std::string(5'000, 'y') + "\"}\n",
                                report);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[1].title.size(), title_bytes_max);
  EXPECT_EQ(report.bad_lines, 1u);
  EXPECT_EQ(report.examples[0].line, 2u);
  // A cut never splits a character.
  EXPECT_EQ(collapse_space("caf\xC3\xA9", 4), "caf");
  EXPECT_EQ(collapse_space(" a \n\t b\xC2\xA0\xC2\xA0"
                           "c ",
                           100),
            "a b c");
}

TEST(Import, RefusesValuesNestedWithoutEnd) {
  std::string bomb = R"({"parent_asin":"a","title":"t","details":{"x":)";
  for (int i = 0; i < 5'000; ++i) bomb += '[';
  for (int i = 0; i < 5'000; ++i) bomb += ']';
  bomb += "}}";
  EXPECT_FALSE(RowParser().parse(bomb));
}

}  // namespace
}  // namespace turnstone
