#include "storage/catalogue/html_text.h"

#include <gtest/gtest.h>

namespace turnstone {
namespace {

TEST(HtmlText, ReferencesBecomeTheirSigns) {
  EXPECT_EQ(without_references("Oak &amp; Iron, O&#x27;Malley &#39;s 27&quot; &eacute;t&eacute; 5&deg; &euro;3 &#8364;4"), "Oak & Iron, O'Malley 's 27\" été 5° €3 €4");
  EXPECT_EQ(without_references("27&amp;quot; wide"), "27\" wide") << "escaped twice";
  EXPECT_EQ(without_references("&#x1F6CB;"), "\xF0\x9F\x9B\x8B");
}

TEST(HtmlText, AnythingElseStays) {
  for (const char* text : {"", "R&D", "Salt & Pepper; fine", "&nonsense;", "&;", "&#;", "&#x;", "&#xD800;", "&#99999999;", "&#12a;", "AT&T;", "a;b&"}) {
    EXPECT_EQ(without_references(text), text);
  }
}

}  // namespace
}  // namespace turnstone
