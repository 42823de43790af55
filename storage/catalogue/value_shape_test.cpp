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

TEST(ValueShape, LeavesWordsDimensionsAndRatiosAlone) {
  for (const std::string_view text : {"10 x 6 x 1 inches", "16:9", "Pack of 2", "ATX", "3/4 Sleeve", "18-22-22-42", "Cotton 100", "2.5 x 3"}) {
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
