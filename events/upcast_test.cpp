#include "events/upcast.h"

#include <gtest/gtest.h>

#include "events/codec.h"
#include "events/event_table.h"
#include "events/msgpack_fields.h"

namespace turnstone {
namespace {

// A history that PreferenceWaived might have had: version 1 held the facet alone, version 2 called the words
// "said" and counted them; version 3 is the struct of today.
struct WaivedV1 {
  std::string facet;
  static constexpr auto fields() { return std::tuple{field("facet", &WaivedV1::facet)}; }
};
struct WaivedV2 {
  std::string facet;
  std::string said;
  std::uint32_t words = 0;
  static constexpr auto fields() {
    return std::tuple{field("facet", &WaivedV2::facet), field("said", &WaivedV2::said), field("words", &WaivedV2::words)};
  }
};

Result<std::string> first_to_second(std::string_view payload) {
  return decode_fields<WaivedV1>(payload).and_then([](const WaivedV1& old) { return encode_fields(WaivedV2{old.facet, "", 0}); });
}
Result<std::string> second_to_third(std::string_view payload) {
  return decode_fields<WaivedV2>(payload).and_then([](const WaivedV2& old) { return encode_fields(PreferenceWaived{old.facet, old.said}); });
}

const Upcaster table[] = {{EventType::preference_waived, 1, first_to_second}, {EventType::preference_waived, 2, second_to_third}};

TEST(Upcast, OldPayloadsBecomeTheCurrentStructStepByStep) {
  const auto from_first = upcast(table, EventType::preference_waived, 1, 3, *encode_fields(WaivedV1{"color"}));
  ASSERT_TRUE(from_first) << from_first.error().detail;
  EXPECT_EQ(*decode_fields<PreferenceWaived>(*from_first), (PreferenceWaived{"color", ""}));
  const auto from_second = upcast(table, EventType::preference_waived, 2, 3, *encode_fields(WaivedV2{"color", "any colour", 2}));
  ASSERT_TRUE(from_second);
  EXPECT_EQ(*decode_fields<PreferenceWaived>(*from_second), (PreferenceWaived{"color", "any colour"}));
  const std::string current = *encode_fields(PreferenceWaived{"color", "any"});
  EXPECT_EQ(*upcast(table, EventType::preference_waived, 3, 3, current), current);
}

TEST(Upcast, MissingStepsNewerVersionsAndDamageAreErrors) {
  EXPECT_EQ(upcast(table, EventType::preference_waived, 4, 3, "").error().code, ErrorCode::unsupported);
  EXPECT_EQ(upcast(table, EventType::preference_waived, 0, 3, "").error().code, ErrorCode::corrupt);
  EXPECT_EQ(upcast(table, EventType::recipient_set, 1, 2, "").error().code, ErrorCode::unsupported);
  EXPECT_EQ(upcast(table, EventType::preference_waived, 3, 4, "").error().code, ErrorCode::unsupported);
  EXPECT_EQ(upcast(table, EventType::preference_waived, 1, 3, "\xc1").error().code, ErrorCode::corrupt);
}

TEST(Upcast, ThisBuildHasAStepForEveryRetiredVersion) {
  for (const EventKind& kind : event_kinds) {
    for (std::uint16_t version = 1; version < kind.schema_version; ++version) {
      const bool present =
          std::any_of(upcasters().begin(), upcasters().end(), [&](const Upcaster& u) { return u.type == kind.type && u.from == version; });
      EXPECT_TRUE(present) << kind.name << " version " << version;
    }
  }
}

}  // namespace
}  // namespace turnstone
