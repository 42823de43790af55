#include "storage/catalogue/value_shape.h"

#include <gtest/gtest.h>

namespace turnstone {
namespace {

Cell cell(std::string_view text) { return read_cell(text, Language::standard()); }

TEST(ValueShape, ReadsNumbersWithTheirUnits) {
  const struct {
    std::string_view text;
    std::string_view number;
    std::string_view unit;
  } cases[] = {{"32", "32", ""},        {"32GB", "32", "gb"},  {"27 inch", "27", "inch"}, {"27\"", "27", "inch"},           {"144 Hz", "144", "hz"},
               {"8 ounces", "8", "oz"}, {"1,299", "1299", ""}, {"2.5 g", "2.5", "g"},     {"200 g (per shoe)", "200", "g"}, {"14 nm", "14", "nm"}};
  for (const auto& expected : cases) {
    const Cell read = cell(expected.text);
    ASSERT_EQ(read.shape, CellShape::number) << expected.text;
    EXPECT_EQ(to_string(read.measure->number), expected.number) << expected.text;
    EXPECT_EQ(read.measure->unit, expected.unit) << expected.text;
  }
}

TEST(ValueShape, ReadsThousandsBeforeAUnit) {
  EXPECT_EQ(to_string(cell("12k miles").measure->number), "12000");
  for (const std::string_view text : {"4K", "4K UHD", "12k"}) EXPECT_EQ(cell(text).shape, CellShape::words) << text;
}

TEST(ValueShape, ReadsAMeasureThatSaysAWordMore) {
  const struct {
    std::string_view text, number, unit, words;
  } cases[] = {{"256GB SSD", "256", "gb", "SSD"}, {"1 TB HDD", "1", "tb", "HDD"}, {"up to 12 hours", "12", "hour", ""}, {"1.5 m flat cable", "1.5", "meter", "flat cable"}};
  for (const auto& expected : cases) {
    const auto read = read_worded_measure(expected.text, Language::standard());
    ASSERT_TRUE(read) << expected.text;
    EXPECT_EQ(to_string(read->measure.number), expected.number);
    EXPECT_EQ(read->measure.unit, expected.unit);
    EXPECT_EQ(read->words, expected.words);
  }
  for (const std::string_view text : {"SSD", "2 x 8 GB", "256 SSD", "Wired (3.5 mm)", "8 GB of the fastest memory known"}) {
    EXPECT_FALSE(read_worded_measure(text, Language::standard())) << text;
  }
}

TEST(ValueShape, TellsHowDecimalsAreWritten) {
  for (const std::string_view text : {"0,4 m", "1.299,50", "ca. 17,6 kg"}) EXPECT_EQ(decimal_sign(text), DecimalSign::comma) << text;
  for (const std::string_view text : {"0.4 m", "1,299.50", "3.5"}) EXPECT_EQ(decimal_sign(text), DecimalSign::point) << text;
  for (const std::string_view text : {"", "12 cm", "1,299", "1.299", "1,2,3", "ATX, 2"}) EXPECT_EQ(decimal_sign(text), DecimalSign::either) << text;
  EXPECT_EQ(with_decimal_point("ca. 1.299,50 kg"), "ca. 1299.50 kg");
  EXPECT_EQ(with_decimal_point("none"), "none");
}

TEST(ValueShape, LeavesWordsDimensionsAndRatiosAlone) {
  for (const std::string_view text : {"10 x 6 x 1 inches", "16:9", "Pack of 2", "ATX", "3/4 Sleeve", "18-22-22-42", "Cotton 100", "100% Cotton", "95 % Wool", "2.5 x 3"}) {
    EXPECT_EQ(cell(text).shape, CellShape::words) << text;
  }
}

TEST(ValueShape, TellsYesNoDatesAddressesAndMissing) {
  EXPECT_EQ(cell("True").shape, CellShape::yes);
  EXPECT_EQ(cell("No").shape, CellShape::no);
  EXPECT_EQ(cell("N/A").shape, CellShape::missing);
  EXPECT_EQ(cell("--").shape, CellShape::missing);
  EXPECT_EQ(cell("https://example.com/x").shape, CellShape::address);
  EXPECT_EQ(cell("May 28, 2018").shape, CellShape::date);
  EXPECT_EQ(cell("2018-05-28").shape, CellShape::date);
  EXPECT_EQ(cell("28.05.2018").shape, CellShape::date);
  EXPECT_EQ(cell("28.05.2018 x 3").shape, CellShape::words);
  EXPECT_TRUE(cell("N82E16819113374").code);
  EXPECT_FALSE(cell("Sleeveless").code);
}

TEST(ValueShape, ConvertsWithinAKindOnly) {
  const Language& language = Language::standard();
  EXPECT_EQ(convert(whole_number(27), *language.unit("inch"), *language.unit("mm")), parse_number("685.8"));
  EXPECT_EQ(convert(whole_number(2), *language.unit("tb"), *language.unit("gb")), whole_number(2000));
  EXPECT_EQ(convert(whole_number(1), *language.unit("inch"), *language.unit("gb")), std::nullopt);
  EXPECT_EQ(convert(Number{800'000'000'000'000}, *language.unit("km"), *language.unit("mm")), std::nullopt);
}

}  // namespace
}  // namespace turnstone
