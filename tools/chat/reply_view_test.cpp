#include "tools/chat/reply_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* document = R"({"message":"Noted: red. Which material would you like? Cotton (3), Silk (2), or something else?",
  "questions":[{"facet":"material","text":"Which material would you like?","options":[{"value":"Cotton","count":3},{"value":"Silk","count":2}]}],
  "recommendations":[{"id":"A","title":"Red dress","price":19.9,"why":["color red","under $20"]},{"id":"B","title":"Scarf","price":null,"why":[]}]})";

TEST(ReplyView, OptionsAreNumberedAndNotToldTwice) {
  const std::string text = ReplyView(Style(false), 80).render(document);
  EXPECT_THAT(text, HasSubstr("Which material would you like?\n"));
  EXPECT_THAT(text, HasSubstr("1) Cotton (3)   2) Silk (2)"));
  EXPECT_THAT(text, Not(HasSubstr("or something else")));
  EXPECT_THAT(numbered_options(document), ElementsAre("Cotton", "Silk"));
}

TEST(ReplyView, ProductsWithPriceAndReasons) {
  const std::string text = ReplyView(Style(false), 80).render(document);
  EXPECT_THAT(text, HasSubstr("1. Red dress  $19.90"));
  EXPECT_THAT(text, HasSubstr("color red · under $20"));
  EXPECT_THAT(text, HasSubstr("2. Scarf  price not listed"));
  EXPECT_THAT(listed_products(document), ElementsAre("A", "B"));
}

TEST(ReplyView, ColoursOnlyWhenWanted) {
  EXPECT_THAT(ReplyView(Style(false), 80).render(document), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ReplyView(Style(true), 80).render(document), HasSubstr("\x1b[1m"));
}

TEST(ReplyView, CatalogueTextCannotMoveTheCursor) {
  const char* hostile = "{\"message\":\"a\\u001b[2Jb\",\"recommendations\":[{\"id\":\"A\",\"title\":\"x\\u0007\\u202ey\",\"price\":1,\"why\":[\"\\u001b]0;t\"]}]}";
  const std::string text = ReplyView(Style(false), 80).render(hostile);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(TerminalText, WrapsAtSpacesByColumnsNotBytes) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("äöü äöü", 7, 0), "äöü äöü");
  EXPECT_EQ(wrapped("averyveryverylongword x", 6, 0), "averyveryverylongword\nx");
  EXPECT_EQ(display_columns("日本"), 4U);
}

TEST(TerminalText, ValidUtf8KeepsWhatIsValid) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9z"), "a\xC3\xA9z");
  EXPECT_EQ(valid_utf8("a\xC3"), "a\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace turnstone
