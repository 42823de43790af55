// The closed vocabularies by name: one table an enum, indexed by the stored number.
//
// The tables give the codec its range check and the documents their names. An enum whose values are
// 0, 1, 2 … becomes storable by specialising Vocabulary for it (the bus does so for its message kinds).
#pragma once

#include <array>
#include <string_view>

#include "events/event.h"
#include "events/flight_record.h"

namespace turnstone {

template <class Enum>
struct Vocabulary;  // static constexpr std::array<std::string_view, N> names

template <>
struct Vocabulary<Intent> {
  static constexpr std::array<std::string_view, 2> names{"browsing", "buying"};
};
template <>
struct Vocabulary<Operator> {
  static constexpr std::array<std::string_view, 6> names{"is", "is_not", "at_most", "at_least", "between", "about"};
};
template <>
struct Vocabulary<Strength> {
  static constexpr std::array<std::string_view, 2> names{"hard", "soft"};
};
template <>
struct Vocabulary<Source> {
  static constexpr std::array<std::string_view, 5> names{"said", "answered", "reference", "profile", "model"};
};
template <>
struct Vocabulary<TombstoneReason> {
  static constexpr std::array<std::string_view, 5> names{"superseded", "revoked", "contradicted", "waived", "archived"};
};
template <>
struct Vocabulary<EpochReason> {
  static constexpr std::array<std::string_view, 5> names{"new_product", "started_over", "wishes_revoked", "additional_search", "returned"};
};
template <>
struct Vocabulary<AnswerOutcome> {
  static constexpr std::array<std::string_view, 4> names{"value", "waived", "declined", "off_topic"};
};
template <>
struct Vocabulary<Route> {
  static constexpr std::array<std::string_view, 6> names{"none", "exact", "portfolio", "relaxed", "popular", "previous"};
};
template <>
struct Vocabulary<CloseReason> {
  static constexpr std::array<std::string_view, 3> names{"requested", "idle", "said_goodbye"};
};
template <>
struct Vocabulary<Stage> {
  static constexpr std::array<std::string_view, stage_count> names{"understand", "revise", "retrieve", "rank", "gate", "ask", "reply"};
};

template <class Enum>
constexpr bool in_vocabulary(Enum value) {
  return static_cast<std::size_t>(value) < Vocabulary<Enum>::names.size();
}

template <class Enum>
constexpr std::string_view vocabulary_name(Enum value) {
  return in_vocabulary(value) ? Vocabulary<Enum>::names[static_cast<std::size_t>(value)] : std::string_view{"unknown"};
}

}  // namespace turnstone
