// The flight recorder: what every stage of a turn decided, in a form that can be compared field by field.
//
// take_turn fills one StageRecord a stage. Fields are named, ordered as written, and hold integers or
// strings only, so that two records compare exactly; replay reports the first difference as
// stage, field, recorded=, replayed=. A record encodes to at most flight_record_bytes_max bytes: stages keep
// the head of long lists and the length and digest of the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/fields.h"

namespace turnstone {

inline constexpr std::uint32_t flight_record_bytes_max = 4096;

enum class Stage : std::uint8_t { understand = 0, revise = 1, retrieve = 2, rank = 3, gate = 4, ask = 5, reply = 6 };
inline constexpr std::uint8_t stage_count = 7;
std::string_view to_string(Stage stage);

using FlightValue = std::variant<std::int64_t, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

struct FlightField {
  std::string name;
  FlightValue value;
  static constexpr auto fields() { return std::tuple{field("name", &FlightField::name), field("value", &FlightField::value)}; }
  friend bool operator==(const FlightField&, const FlightField&) = default;
};

struct StageRecord {
  Stage stage = Stage::understand;
  std::vector<FlightField> decided;
  static constexpr auto fields() { return std::tuple{field("stage", &StageRecord::stage), field("decided", &StageRecord::decided)}; }
  friend bool operator==(const StageRecord&, const StageRecord&) = default;

  void note(std::string name, FlightValue value) { decided.push_back({std::move(name), std::move(value)}); }
};

struct FlightRecord {
  std::vector<StageRecord> stages;  // in the order they ran
  static constexpr auto fields() { return std::tuple{field("stages", &FlightRecord::stages)}; }
  friend bool operator==(const FlightRecord&, const FlightRecord&) = default;
};

}  // namespace turnstone
