// Seeded random values for property tests: any struct with fields(), any event type, and whole streams of
// events that refer to each other. The same seed gives the same values on every platform.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "events/event.h"
#include "events/event_table.h"
#include "events/fields.h"
#include "events/flight_record.h"
#include "events/testing/random.h"
#include "events/vocabulary.h"

namespace turnstone::testing {

// Fills values; integers like to stand at the ends of their range, strings hold NUL and non-ASCII.
class RandomFiller {
 public:
  explicit RandomFiller(Random& random) : random_(random) {}

  template <class T>
  requires std::is_integral_v<T>
  void fill(T& out) {
    switch (random_.below(4)) {
      case 0:
        out = std::numeric_limits<T>::max();
        break;
      case 1:
        out = std::numeric_limits<T>::min();
        break;
      case 2:
        out = static_cast<T>(random_.below(128));
        break;
      default:
        out = static_cast<T>(random_.bits());
        break;
    }
  }
  template <class T>
  requires std::is_enum_v<T>
  void fill(T& out) { out = static_cast<T>(random_.below(Vocabulary<T>::names.size())); }
  void fill(std::string& out) {
    static constexpr std::array<const char*, 8> pieces{"red", " ", "ü", "靴", "👟", "\"", "under $80", "x"};
    out.clear();
    for (std::uint64_t n = random_.below(random_.one_in(20) ? 200 : 6); n > 0; --n) {
      if (random_.one_in(30)) {
        out.push_back('\0');
      } else {
        out += pieces[random_.below(pieces.size())];
      }
    }
  }
  template <std::size_t N>
  void fill(std::array<std::uint8_t, N>& out) {
    for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random_.bits());
  }
  template <class Tag, class Rep>
  void fill(Named<Tag, Rep>& out) {
    fill(out.value);
  }
  template <class T>
  void fill(std::optional<T>& out) {
    out.reset();
    if (random_.one_in(2)) fill(out.emplace());
  }
  template <class T>
  void fill(std::vector<T>& out) {
    out.resize(random_.below(random_.one_in(20) ? 100 : 5));
    for (T& item : out) fill(item);
  }
  void fill(FlightValue& out) {
    switch (random_.below(4)) {
      case 0:
        fill(out.emplace<std::int64_t>());
        break;
      case 1:
        fill(out.emplace<std::string>());
        break;
      case 2:
        fill(out.emplace<std::vector<std::int64_t>>());
        break;
      default:
        fill(out.emplace<std::vector<std::string>>());
        break;
    }
  }
  template <HasFields T>
  void fill(T& out) {
    for_each_field(out, [this](const char*, auto& member) { this->fill(member); });
  }

 private:
  Random& random_;
};

template <class T>
T random_value(Random& random) {
  T value{};
  RandomFiller(random).fill(value);
  return value;
}

namespace detail {
template <std::size_t... Alternatives>
EventBody random_alternative(Random& random, std::size_t wanted, std::index_sequence<Alternatives...>) {
  EventBody body;
  ((Alternatives == wanted ? void(body = random_value<std::variant_alternative_t<Alternatives, EventBody>>(random)) : void()), ...);
  return body;
}
}  // namespace detail

inline EventBody random_event(Random& random, EventType type) {
  return detail::random_alternative(random, *alternative_of(type), std::make_index_sequence<std::variant_size_v<EventBody>>{});
}

inline EventBody random_event(Random& random) { return random_event(random, event_kinds[random.below(event_kinds.size())].type); }

// A stream whose events mean something to each other: constraint ids in use, facets that were asked, turns
// that go up. SessionErased is left out: it would end every property early.
inline std::vector<Event> random_stream(Random& random, std::size_t length) {
  static constexpr std::array<const char*, 4> facets{"color", "material", "price", "category"};
  std::vector<Event> events;
  TurnNumber turn;
  Epoch epoch{1};
  std::uint32_t last_id = 0;
  for (std::size_t i = 0; i < length; ++i) {
    Event event;
    event.body = random_event(random);
    if (std::holds_alternative<SessionErased>(event.body)) event.body = random_event(random, EventType::constraint_set);
    if (auto* set = std::get_if<ConstraintSet>(&event.body)) {
      set->id = ConstraintId{++last_id};
      set->facet = facets[random.below(facets.size())];
    } else if (auto* buried = std::get_if<ConstraintTombstoned>(&event.body)) {
      buried->id = ConstraintId{static_cast<std::uint32_t>(random.below(last_id + 2))};
    } else if (auto* waived = std::get_if<PreferenceWaived>(&event.body)) {
      waived->facet = facets[random.below(facets.size())];
    } else if (auto* asked = std::get_if<QuestionAsked>(&event.body)) {
      asked->facet = facets[random.below(facets.size())];
    } else if (auto* answered = std::get_if<QuestionAnswered>(&event.body)) {
      answered->facet = facets[random.below(facets.size())];
    } else if (auto* received = std::get_if<TurnReceived>(&event.body)) {
      received->turn = turn = next(turn);
    } else if (auto* advanced = std::get_if<EpochAdvanced>(&event.body)) {
      advanced->from = epoch;
      advanced->to = epoch = next(epoch);
      for (ConstraintId& id : advanced->archived) id = ConstraintId{static_cast<std::uint32_t>(random.below(last_id + 2))};
    }
    event.stream = {StreamKind::session, "s"};
    event.sequence = Sequence{i + 1};
    event.turn = turn;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace turnstone::testing
