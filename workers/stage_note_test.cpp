#include "workers/stage_note.h"

#include <gtest/gtest.h>

#include "events/codec.h"

namespace turnstone {
namespace {

TEST(NoteList, ShortListsStayWhole) {
  StageRecord record;
  note_list(record, "ids", std::vector<std::string>{"a", "b"}, 3);
  ASSERT_EQ(record.decided.size(), 1U);
  EXPECT_EQ(std::get<std::vector<std::string>>(record.decided[0].value), (std::vector<std::string>{"a", "b"}));
}

TEST(NoteList, TheRestLeavesLengthAndDigest) {
  StageRecord one, other;
  note_list(one, "scores", std::vector<std::int64_t>{5, 4, 3, 2}, 2);
  note_list(other, "scores", std::vector<std::int64_t>{5, 4, 3, 1}, 2);
  ASSERT_EQ(one.decided.size(), 2U);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(one.decided[0].value), (std::vector<std::int64_t>{5, 4}));
  EXPECT_EQ(std::get<std::string>(one.decided[1].value).substr(0, 8), "4 in all");
  EXPECT_NE(one, other) << "a difference in the tail must show";
}

FlightRecord huge_record(char filling) {
  FlightRecord flight;
  for (std::uint8_t stage = 0; stage < stage_count; ++stage) {
    StageRecord record{static_cast<Stage>(stage), {}};
    record.note("text", std::string(3'000, 'x'));
    record.note("list", std::vector<std::string>(200, std::string(40, filling)));
    record.note("numbers", std::vector<std::int64_t>(900, 1'234'567));
    for (int i = 0; i < 40; ++i) record.note("count" + std::to_string(i), std::int64_t{i});
    flight.stages.push_back(std::move(record));
  }
  return flight;
}

TEST(BoundedFlightBytes, HoldsTheLimitAndDecodes) {
  FlightRecord flight = huge_record('y');
  const std::string bytes = bounded_flight_bytes(flight);
  EXPECT_LE(bytes.size(), flight_record_bytes_max);
  const auto decoded = decode_flight_record(bytes);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().detail;
  EXPECT_EQ(*decoded, flight) << "the record kept is the record encoded";
}

TEST(BoundedFlightBytes, StillTellsRecordsApart) {
  FlightRecord one = huge_record('y'), other = huge_record('z');
  EXPECT_NE(bounded_flight_bytes(one), bounded_flight_bytes(other));
}

TEST(BoundedFlightBytes, SmallRecordsStayAsTheyAre) {
  FlightRecord flight;
  flight.stages.push_back({Stage::rank, {{"products", std::vector<std::string>{"a"}}}});
  const FlightRecord before = flight;
  bounded_flight_bytes(flight);
  EXPECT_EQ(flight, before);
}

}  // namespace
}  // namespace turnstone
